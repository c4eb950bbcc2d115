"""What a fit may spend: the privacy arguments of an estimator as one budget whose shares are spent on releases."""

from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, final

from attrs import frozen

from privet.accounting.losses.concentrated import ConcentratedLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.planning.budget import (
    AdditiveBudget,
    ApproximateBudget,
    ConcentratedBudget,
    budget,
    state_budget,
)
from privet.accounting.planning.rules import applying, facts_of_budget
from privet.combinators.fine_gaussian_filter import LEAST_BUDGET, FineGaussianFilter, largest_mu_squared, loss_of_mu
from privet.combinators.privacy_filter import PrivacyFilter
from privet.core import sqrt_up, warn_caller
from privet.errors import InvalidError, WrongTypeError
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.permute_and_flip import PermuteAndFlip

_BITS = 40  # of a share that is found by bisection, and of a noise scale


_FINE = 2  # rho; the noise of a larger budget is too small for the grids of some models to count as normal noise
Form = Literal["normal", "concentrated", "pure"]


@final
@frozen(kw_only=True)
class Spending:
    """A budget in a form whose shares are noise scales: rho for Gaussian noise, epsilon for Laplace noise.

    Args:
        stated: What the user stated.
        total: The amount to split: rho, or epsilon in the pure form.
        form: "normal" if all noise is Gaussian on fine grids, so that the total holds like that of normal noise;
            "concentrated" for a budget in rho and for other mechanisms; "pure" for Laplace noise.
    """

    stated: AdditiveBudget
    total: Fraction
    form: Form

    def open_filter(self) -> FineGaussianFilter | PrivacyFilter:
        """Return a filter that grants the total and no more."""
        if self.form == "normal":
            return FineGaussianFilter(2 * self.total)
        return PrivacyFilter(budget(rho=self.total) if self.form == "concentrated" else budget(epsilon=self.total))

    def whole(self) -> Loss:
        """Return the loss of the whole budget."""
        if self.form == "normal":
            return loss_of_mu(2 * self.total)
        return ConcentratedLoss(self.total) if self.form == "concentrated" else PureLoss(self.total)

    def noise(self, distance: Any, share: Fraction) -> Gaussian | Laplace:
        """Return the mechanism that spends a share of the total on statistics of a known sensitivity, rounded up.

        Args:
            distance: The ``Parts`` of the chain.
            share: The part of the total.
        """
        if self.form != "pure":
            return Gaussian(scale=_rounded_up(sqrt_up(distance.l2_squared / (2 * share * self.total))))
        return Laplace(scale=_rounded_up(distance.l1 / (share * self.total)))

    def selection(self, distance: Any, share: Fraction) -> Exponential | PermuteAndFlip:
        """Return the selection that spends a share of the total on scores of a known range, rounded up.

        A selection is no Gaussian noise, so that no budget in the normal form pays for it. With rho, ``Exponential``
        costs an eighth of the squared epsilon, which is a quarter of what ``PermuteAndFlip`` costs.

        Args:
            distance: The ``Parts`` of the scores of several nodes, whose ``l1`` is the range of all together.
            share: The part of the total.
        """
        reach = Fraction(distance.l1) or Fraction(1)  # one candidate only has no range, and costs nothing
        if self.form == "pure":
            return PermuteAndFlip(scale=_rounded_up(reach / (share * self.total)))
        return Exponential(temperature=_rounded_up(sqrt_up(reach**2 / (8 * share * self.total))))


def read_spending(label: str, estimator: Any, forms: tuple[Form, ...]) -> Spending:
    """Read epsilon, delta, rho and budget of an estimator; refuse what is missing or given twice.

    Args:
        label: The name of the estimator, for messages.
        estimator: It has these four attributes.
        forms: The forms in which the estimator can spend.
    """
    given = {
        name: getattr(estimator, name) for name in ("epsilon", "delta", "rho") if getattr(estimator, name) is not None
    }
    if estimator.budget is not None:
        if given:
            raise InvalidError(f"{label}.budget is given, and {' and '.join(given)} too: give one of them.")
        stated = estimator.budget
        if not isinstance(stated, AdditiveBudget):
            raise WrongTypeError(
                f"{label}.budget must be a budget such as pv.budget(rho=0.1), got {type(stated).__name__}."
            )
    elif not given.keys() & {"epsilon", "rho"}:
        raise InvalidError(
            f"{label} needs a privacy budget: give epsilon=1 and delta=1e-6, or rho=0.02, or budget=pv.budget(...)."
        )
    else:
        stated = state_budget(label, **given)
    warn_of_budget(label, stated)
    return spending_of(label, stated, forms)


def warn_of_budget(label: str, stated: AdditiveBudget) -> None:
    """Warn of a budget that protects little, as a session does.

    Args:
        label: The name of the estimator, for messages.
        stated: The budget.
    """
    for rule in applying(facts := facts_of_budget(stated)):
        if rule.level == "warning":
            warn_caller(f"{label}: {rule.line(facts)}. (Rule: {rule.name}.)")


def spending_of(label: str, stated: AdditiveBudget, forms: tuple[Form, ...]) -> Spending:
    """Choose the form in which an estimator spends a budget.

    Args:
        label: The name of the estimator, for messages.
        stated: The budget.
        forms: The forms in which the estimator can spend; the best one for epsilon and delta first.
    """
    if stated.point().cost <= 0:
        raise InvalidError(f"{label} needs a budget above zero, got {stated.describe()}.")
    if isinstance(stated, ConcentratedBudget) and "concentrated" in forms:
        return Spending(stated=stated, total=stated.rho, form="concentrated")
    if not isinstance(stated, ApproximateBudget):
        if "concentrated" in forms:
            raise InvalidError(f"{label} takes a budget of epsilon and delta or of rho, got {stated.describe()}.")
        raise InvalidError(
            f"{label} takes epsilon, got {stated.describe()}: its guarantee is a pure epsilon. Give epsilon=1."
        )
    if (stated.delta == 0 and "pure" in forms) or forms[0] == "pure":  # the stronger guarantee
        return Spending(stated=stated, total=stated.epsilon, form="pure")
    if stated.delta == 0:
        raise InvalidError(
            f"{label} adds Gaussian noise, which has no epsilon without a delta: give delta=1e-6 (below "
            "one divided by the number of persons), or give rho instead of epsilon."
        )
    if "normal" in forms:
        total = largest_mu_squared(stated.epsilon, stated.delta) / 2
        if total <= _FINE or "concentrated" not in forms:
            return Spending(stated=stated, total=total, form="normal")
    return Spending(stated=stated, total=largest_rho(stated.epsilon, stated.delta), form="concentrated")


@lru_cache(maxsize=64)
def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest rho, to 40 bits and rounded down, whose epsilon at this delta is at most the given one.

    >>> round(float(largest_rho(Fraction(1), Fraction(1, 10**6))), 5)
    0.02436
    """
    low, high = Fraction(0), Fraction(1)
    while ConcentratedLoss(high).epsilon(delta) <= epsilon:
        low, high = high, high * 2
    while high - low > high / 2**_BITS and high > LEAST_BUDGET:
        middle = (low + high) / 2
        fits = ConcentratedLoss(middle).epsilon(delta) <= epsilon
        low, high = (middle, high) if fits else (low, middle)
    if low == 0:
        raise InvalidError("epsilon and delta leave no budget: they are too small.")
    return low


def _rounded_up(scale: Fraction) -> Fraction:
    """Round a noise scale up to 40 binary digits, so that samplers work with short numbers."""
    exponent = scale.numerator.bit_length() - scale.denominator.bit_length() - _BITS
    step = Fraction(2) ** exponent
    return -(-scale // step) * step
