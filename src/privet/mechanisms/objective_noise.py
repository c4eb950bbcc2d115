"""The constants of objective perturbation: how much ridge and how much noise a public epsilon needs."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import final

from attrs import frozen

from privet.core import ball, ends, expm1_down, precision, sqrt_up, to_float_up
from privet.mechanisms.margin_losses import MarginLoss

_CELLS = 1024  # of the slopes: with more cells the noise would be smaller by less than a thousandth
_LARGEST_RATIO = 16  # of curvature to ridge: a smaller ridge would buy next to nothing, and more noise on the minimiser


@final
@frozen(kw_only=True)
class ObjectiveNoise:
    """What is public about the noise, in units in which rows have a norm of at most one.

    Args:
        loss: The loss of a margin.
        radius: The largest norm ρ of a row, at most one.
        features: The number of coefficients.
        epsilon: The loss of a release for one row.
        least_ridge: The smallest ridge that is wanted.
        curvature_share: The share of epsilon that decides the ridge.
        output_share: The share of epsilon for the error of the minimiser.
        tolerance: The largest gradient at the minimiser, as a multiple of the radius.
    """

    loss: MarginLoss
    radius: Fraction
    features: int
    epsilon: Fraction
    least_ridge: Fraction
    curvature_share: Fraction
    output_share: Fraction
    tolerance: Fraction

    @property
    def objective_epsilon(self) -> Fraction:
        """The part of epsilon for the exact minimiser."""
        return self.epsilon * (1 - self.output_share)

    @property
    def ridge(self) -> float:
        """Λ: with it the determinant changes by at most the exponential of its share of epsilon."""
        share = self.curvature_share * self.objective_epsilon
        ratio = Fraction(_LARGEST_RATIO) if share > 12 else min(expm1_down(share), Fraction(_LARGEST_RATIO))
        return to_float_up(max(self.loss.curvature * self.radius**2 / ratio, self.least_ridge))

    @property
    def tilt_epsilon(self) -> Fraction:
        """The ε₁ of the density exp(-ε₁ |b| / ρ) of the tilt."""
        return largest_tilt_epsilon(self.loss, self.radius**2 / Fraction(self.ridge), self.objective_epsilon)

    @property
    def tilt_scale(self) -> Fraction:
        """The scale of the tilt."""
        return self.radius / self.tilt_epsilon

    @property
    def gradient_bound(self) -> Fraction:
        """γ: the largest gradient of the objective at the point that is released."""
        return self.tolerance * self.radius

    @property
    def tilt_step(self) -> Fraction:
        """The grid of the tilt: rounding a vector to it moves the vector by an eighth of γ or less."""
        return _power_below(self.gradient_bound / (4 * sqrt_up(self.features)))

    @property
    def goal(self) -> Fraction:
        """The gradient that the search must reach with the rounded tilt."""
        return self.gradient_bound - sqrt_up(self.features) * self.tilt_step / 2

    @property
    def output_distance(self) -> Fraction:
        """The largest distance between two points whose gradients are at most γ."""
        return 2 * self.gradient_bound / Fraction(self.ridge)

    @property
    def output_step(self) -> Fraction:
        """The grid of the released coefficients."""
        return _power_below(self.output_distance / (8 * sqrt_up(self.features)))

    @property
    def output_scale(self) -> Fraction:
        """The scale of the noise on the coefficients, in grid steps: their l1 distance over its share of epsilon."""
        spread = sqrt_up(self.features) * self.output_distance / self.output_step + self.features
        return math.floor(spread) / (self.epsilon * self.output_share)


@lru_cache(maxsize=64)
def largest_tilt_epsilon(loss: MarginLoss, ratio: Fraction, epsilon: Fraction) -> Fraction:
    """Return the largest ε₁ with ``ε₁ |f'| + ln(1 + ratio f'') <= epsilon`` at every margin, rounded down.

    The slopes are cut into cells. In the cell [p, q] the left side is at most ``ε₁ q + ln(1 + ratio c)``, where c is
    the largest curvature of a margin with a slope in the cell.

    Args:
        loss: The loss of a margin.
        ratio: The squared radius over the ridge.
        epsilon: What one row may cost.
    """
    smallest = epsilon  # at a slope of one without curvature
    for cell in range(_CELLS):
        low, high = Fraction(cell, _CELLS), Fraction(cell + 1, _CELLS)
        with precision(128):
            change = (ball(ratio) * loss.bend_at_slope(low, high)).log1p()
            left = ends((ball(epsilon) - change) / ball(high))[0]
        smallest = min(smallest, left)
    return smallest


def _power_below(value: Fraction) -> Fraction:
    """Return the largest power of two that is at most a positive number."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    power = Fraction(2) ** exponent
    return power if power <= value else power / 2
