"""A filter for Gaussian noise on fine grids: squared sensitivities in variances add up, as for normal noise."""

from fractions import Fraction
from functools import lru_cache
from typing import Any, final

from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Point
from privet.accounting.planning.running_total import RunningTotal
from privet.core import read_number, short
from privet.errors import BudgetExceededError, InvalidError, WrongTypeError

_STEP = Fraction(1, 2**28)  # the grid step in deviations, for a loss that stands for all releases together
_COORDINATES = 2**30
_COARSENESS = _COORDINATES * _STEP**2  # 2^-26: what the squared grid steps of all numbers, in variances, may add up to
LEAST_BUDGET = Fraction(1, 2**80)  # mu² or rho; a smaller one would need more rows than there are
_BITS = 26


@final
class FineGaussianFilter:
    """Grant releases with Gaussian noise, chosen adaptively, until their total would exceed a mu.

    Normal noise has the property that mu² = distance² / scale² adds up, also where later releases depend on earlier
    ones. Discrete noise on a grid that is much finer than its deviation is normal noise, rounded, up to a small
    factor. The filter adds up these factors too and refuses a grid that is too coarse. Charge first, read the data
    afterwards; nothing is refunded.

    Args:
        mu_squared: The largest total.

    Guarantee: all granted releases together have the loss ``loss()``: that of one release of normal noise with
        ``mu_squared``, up to a factor of about 1 + 1e-6 in delta. What was spent so far is no guarantee of its own.
    Proof: docs/combinators/fine_gaussian_filter.md.

    >>> cap = FineGaussianFilter(0.04)
    >>> step = Fraction(1, 2**20)
    >>> cap.charge(GaussianLoss(squared=1, scale=10, step=step))
    >>> float(cap.spent)
    0.01
    >>> round(float(cap.loss().epsilon(1e-6)), 3)
    0.834
    """

    def __init__(self, mu_squared: object) -> None:
        self._cap = read_number("FineGaussianFilter.mu_squared", mu_squared)
        if self._cap <= 0:
            raise InvalidError(f"FineGaussianFilter.mu_squared must be above zero, got {short(self._cap)}.")
        self._total = RunningTotal("FineGaussianFilter")
        self._numbers = 0

    @property
    def spent(self) -> Fraction:
        """The mu² of the granted releases."""
        return Fraction(self._total.spent.cost)

    def charge(self, loss: Loss) -> None:
        """Spend the loss of a release, or refuse it and spend nothing.

        Args:
            loss: The loss of Gaussian noise, as ``chain.map(d_in)`` gives it.

        Raises:
            BudgetExceededError: if the total would exceed mu².
        """
        if not isinstance(loss, GaussianLoss):
            raise WrongTypeError(
                f"FineGaussianFilter.charge takes the loss of Gaussian noise, got {type(loss).__name__}; other noise "
                "needs a PrivacyFilter with a budget in rho or epsilon."
            )
        variance = loss.scale**2
        price = Point(loss.squared / variance, loss.coordinates * loss.step**2 / variance)  # the second: coarseness
        cap = Point(self._cap, _COARSENESS)

        def check(spent: Point, total: Point) -> None:
            if total.cost > cap.cost:
                raise BudgetExceededError(
                    f"the release needs mu² = {short(price.cost)}, and the filter has "
                    f"{short(cap.cost - spent.cost)} left."
                )
            if total.delta > cap.delta or self._numbers + loss.coordinates > _COORDINATES:
                raise BudgetExceededError(
                    "the noise is too small for its grid, or for so many numbers, to count as normal noise: state the "
                    "budget in rho, or release fewer numbers on a finer grid."
                )

        def then() -> None:
            self._numbers += loss.coordinates

        self._total.charge(price, check, cap=cap, then=then)

    def loss(self) -> GaussianLoss:
        """Return the loss of all releases that the filter grants.

        It is that of the largest total: how much is spent may depend on releases, and then only the cap is proved.
        """
        return loss_of_mu(self._cap)

    def __reduce__(self) -> Any:
        raise WrongTypeError("a filter cannot be copied: two copies would spend the same budget twice.")


def loss_of_mu(mu_squared: Fraction) -> GaussianLoss:
    """Return the loss of normal noise on a grid as coarse as all releases together may be.

    Args:
        mu_squared: The squared distance in variances.
    """
    return GaussianLoss(squared=mu_squared, scale=1, step=_STEP, coordinates=_COORDINATES)


@lru_cache(maxsize=64)
def largest_mu_squared(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest mu², to 26 bits and rounded down, whose epsilon at this delta is at most the given one.

    >>> round(float(largest_mu_squared(Fraction(1), Fraction(1, 10**6))) ** 0.5, 4)
    0.2367
    """
    low, high = Fraction(0), Fraction(1)
    while loss_of_mu(high).epsilon(delta) <= epsilon and high < 2**10:
        low, high = high, high * 2
    while high - low > high / 2**_BITS and high > LEAST_BUDGET:
        middle = (low + high) / 2
        fits = loss_of_mu(middle).epsilon(delta) <= epsilon
        low, high = (middle, high) if fits else (low, middle)
    if low == 0:
        raise InvalidError("epsilon and delta leave no budget: they are too small.")
    return low
