"""The loss of Gaussian noise, continuous or on a grid, with its own curve."""

import math
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, final

from attrs import field, frozen

from privet.accounting.composition.outcomes import Outcomes, noise_outcomes
from privet.accounting.composition.terms import pair_of_curve
from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import (
    Amount,
    Point,
    discrete_delta_down,
    normal_delta,
    normal_delta_down,
    read_outcome,
    sampled_gaussian_renyi,
)
from privet.accounting.pairs.normal_pair import (
    NormalPair,
    discrete_normal_pair,
    fine_normal_pair,
    is_fine,
    normal_pair,
)
from privet.accounting.pairs.pair import AtomPair, Pair
from privet.core import exp_up, not_negative, number, positive, read_number, require, short, sqrt_down, sqrt_up, whole
from privet.errors import WrongTypeError

_FARS = (4, 6, 8, 10, 13, 17, 24)  # deviations within which noise on a coarse grid is compared with normal noise
_POISSON = Fraction(1, 2**80)  # far above what a sum over a grid adds to an integral, for deviations of 4 steps or more


@final
@frozen(kw_only=True, order=False, init=False)
class GaussianLoss(Loss):
    """The loss between Gaussian noise and the same noise shifted by a distance.

    Args:
        distance: How far the noise is shifted, Euclidean; or give ``squared``.
        squared: The square of that distance.
        scale: The standard deviation; for discrete noise the parameter of the same name.
        step: The step of the grid on which the noise lies; zero for continuous noise.
        coordinates: In how many coordinates the inputs may differ.

    Guarantee: rho = distance² / (2 scale²). For continuous noise delta(epsilon) exactly (Balle and Wang 2018). Discrete
        noise has a curve of its own, which crosses the continuous one: in one coordinate it is summed, on a grid much
        finer than the noise it is within a proved factor of the continuous one.
    Proof: docs/accounting/losses/gaussian.md.

    >>> round(float(GaussianLoss(distance=1, scale=1).epsilon(1e-6)), 5)
    4.88655
    """

    squared: Fraction = field(converter=number, validator=not_negative, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    step: Fraction = field(converter=number, validator=not_negative, repr=short)
    coordinates: int = field(converter=whole, validator=positive)

    def __init__(
        self, *, distance: Any = None, squared: Any = None, scale: object, step: Any = 0, coordinates: Any = 1
    ) -> None:
        if (distance is None) == (squared is None):
            raise WrongTypeError("GaussianLoss takes distance=... or squared=..., one of them.")
        if distance is not None:
            shift = read_number("GaussianLoss.distance", distance)
            require(shift >= 0, "GaussianLoss.distance", "zero or more", shift)
            squared = shift**2
        self.__attrs_init__(squared=squared, scale=scale, step=step, coordinates=coordinates)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.squared, self.scale, self.step, self.coordinates))  # once: sums look parts up again and again

    def pure(self) -> Point:
        """Infinite, unless the distance is zero."""
        return Point(Fraction(0) if self.squared == 0 else math.inf, Fraction(0))

    def concentrated(self) -> Point:
        """Half the squared distance in variances; for discrete noise too (Canonne, Kamath and Steinke 2020)."""
        return Point(self._spread() / 2, Fraction(0))

    def gaussian(self) -> Amount:
        """The squared distance in variances, for continuous noise; discrete noise has no mu."""
        return self._spread() if self.step == 0 or self.squared == 0 else math.inf

    def _sampled_renyi(self, rate: Fraction, order: Fraction) -> Amount:
        """The divergence of the mixture, at whole orders exactly (Mironov, Talwar and Zhang 2019)."""
        if self.step == 0:
            return sampled_gaussian_renyi(rate, self._spread(), order)
        if self.coordinates > 1:
            return self.renyi(order)
        steps = math.ceil(sqrt_up(self.squared / self.step**2))  # on a grid the same, for whole steps
        return sampled_gaussian_renyi(rate, (steps * self.step / self.scale) ** 2, order)

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The curve of the pair, rounded up."""
        by_points = super()._delta(epsilon)
        if self.squared == 0:
            return by_points
        if self.by_curve:
            return min(by_points, *(self._near_normal(epsilon, Fraction(far)) for far in _FARS))
        pair = self.pair()
        if isinstance(pair, NormalPair):
            near = normal_delta(
                Fraction(pair.mu) if pair.coarse else sqrt_up(self._spread()), epsilon - Fraction(2.1 * pair.coarse)
            )
            return min(by_points, near * (1 + Fraction(pair.coarse)) + (Fraction(pair.beyond) if pair.coarse else 0))
        return min(by_points, pair.delta(epsilon)) if isinstance(pair, AtomPair) else by_points

    _epsilon = Loss._search_curve

    def _least_delta(self, epsilon: Fraction) -> Fraction:
        """The curve of normal noise rounded down, or the first terms of that of discrete noise."""
        if self.step == 0 or self.squared == 0:
            return normal_delta_down(sqrt_down(self._spread()), epsilon)
        # one number that moves as far as all may is a case of every distance
        return discrete_delta_down(self._whole_steps(), (self.scale / self.step) ** 2, epsilon)

    def pair(self) -> Pair:
        """Two normal laws, two discrete ones, or what rho says where neither is proved."""
        return pair_of_curve(self) if self.by_curve else _pair(self)

    def at(self, outcome: Any) -> Amount:
        """The difference of the squared distances from both centres, over twice the variance, rounded up.

        In several coordinates the outcome is measured along the line through both centres.
        """
        place = read_outcome("GaussianLoss", outcome, self.step if self.coordinates == 1 else Fraction(0))
        shift = self._shift_up() if place < 0 else self._shift_down()
        squared = shift**2 if self.coordinates == 1 and self.step else self.squared
        return (squared - 2 * place * shift) / (2 * self.scale**2)

    def _outcomes(self) -> Outcomes:
        deviation = float(self.scale)
        step = self.step if self.coordinates == 1 else Fraction(0)
        return noise_outcomes(
            lambda place: math.exp(-((place / deviation) ** 2) / 2), self.scale, self._shift_down(), step
        )

    def _shift_up(self) -> Fraction:
        on_grid = self.coordinates == 1 and self.step > 0  # numbers on a grid are whole steps apart
        return self._whole_steps() * self.step if on_grid else sqrt_up(self.squared)

    def _shift_down(self) -> Fraction:
        on_grid = self.coordinates == 1 and self.step > 0
        return self._whole_steps() * self.step if on_grid else sqrt_down(self.squared)

    @property
    def by_curve(self) -> bool:
        """Tell whether a coarse grid has several coordinates: the curve then depends on which of them differ.

        No pair is known, only rho and a curve near that of normal laws.
        """
        return self.coordinates > 1 and self._on_coarse_grid()

    @property
    def tight(self) -> bool:
        """Where the distance is a whole number of grid steps, or the grid is too fine to matter."""
        return not self.by_curve and (not self._summed() or self._whole_steps() ** 2 == self.squared / self.step**2)

    def _attained(self) -> Pair | None:
        """Numbers on a coarse grid are whole steps apart: as many as the distance holds."""
        if self.tight or not self._summed():
            return super()._attained()
        return GaussianLoss(distance=self._whole_steps() * self.step, scale=self.scale, step=self.step).pair()

    def _summed(self) -> bool:
        """Tell whether the noise has one coordinate and its laws are listed point by point."""
        return self.coordinates == 1 and self._on_coarse_grid()

    def _whole_steps(self) -> int:
        return math.isqrt(math.floor(self.squared / self.step**2))

    def _on_coarse_grid(self) -> bool:
        return self.step > 0 and not is_fine((self.scale / self.step) ** 2)

    def _near_normal(self, epsilon: Fraction, far: Fraction) -> Fraction:
        """Compare with normal laws within ``far`` deviations of each number; everything beyond counts in full."""
        deviation, mu = self.scale / self.step, sqrt_up(self._spread())
        reach = far + mu + 1 / deviation
        if self.coordinates * (reach**2 + 1) > 6 * deviation**2 or reach > deviation:
            return Fraction(1)
        off = self.coordinates * (reach**2 + 1) / (24 * deviation**2) * exp_up(reach / (2 * deviation)) + _POISSON
        if off > Fraction(1, 4):
            return Fraction(1)
        apart = off * 4 / 3  # logarithms of the ratios of both kinds of noise, all coordinates together
        return min(
            exp_up(apart) * normal_delta(mu, epsilon - 2 * apart) + 2 * self.coordinates * exp_up(-(far**2) / 2),
            Fraction(1),
        )

    def _spread(self) -> Fraction:
        return self.squared / self.scale**2


@lru_cache(maxsize=32)  # a discrete pair may take some megabytes
def _pair(loss: GaussianLoss) -> Pair:
    spread = loss.squared / loss.scale**2
    if loss.step == 0:
        return normal_pair(spread)
    variance = (loss.scale / loss.step) ** 2
    if is_fine(variance):
        return fine_normal_pair(spread, variance, loss.coordinates) if spread else AtomPair.of_one()
    return discrete_normal_pair(math.ceil(sqrt_up(loss.squared / loss.step**2)), variance)
