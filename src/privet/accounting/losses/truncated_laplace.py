"""The loss of one number with truncated discrete Laplace noise, with its exact curve."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen
from flint import arb

from privet.accounting.composition.outcomes import Outcomes, noise_outcomes
from privet.accounting.losses.loss import CurveLoss
from privet.accounting.numerics import Amount, Point, read_outcome
from privet.core import ball, directed, not_negative, number, positive, require, short, whole


@final
@frozen(kw_only=True, order=False)
class TruncatedLaplaceLoss(CurveLoss):
    """The loss between discrete Laplace noise kept within a radius, and the same noise shifted by a distance.

    Args:
        distance: The shift, in steps of the grid; a fraction stands for the whole number above it.
        scale: The scale of the noise, in steps.
        radius: The largest magnitude of the noise, in steps.

    Guarantee: epsilon = distance / scale with delta = P(Z < distance - radius), and delta(epsilon) exactly.
    Proof: docs/accounting/losses/truncated_laplace.md.

    >>> loss = TruncatedLaplaceLoss(distance=1, scale=2, radius=20)
    >>> loss.pure().cost, f"{float(loss.delta(0.5)):.3g}"
    (Fraction(1, 2), '1.11e-05')
    """

    distance: Fraction = field(converter=number, validator=not_negative, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    radius: int = field(converter=whole, validator=not_negative)

    def pure(self) -> Point:
        """The distance in scales, outside the outputs that only one input can give."""
        if self.distance == 0:
            return Point(Fraction(0), Fraction(0))
        return Point(self.distance / self.scale, self.slack())

    def slack(self) -> Fraction:
        """The probability of an output that the other input cannot give, rounded up."""
        return self._at_most(math.ceil(self.distance) - self.radius - 1)

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The exact hockey-stick divergence, rounded up."""
        return min(super()._delta(epsilon), self._curve(epsilon))

    _epsilon = CurveLoss._search_curve

    def at(self, outcome: Any) -> Amount:
        """That of Laplace noise where both inputs can give the outcome; infinite where only one can."""
        place, shift = read_outcome("TruncatedLaplaceLoss", outcome, Fraction(1)), math.floor(self.distance)
        own, other = abs(place) <= self.radius, abs(place - shift) <= self.radius
        if own and other:
            return (abs(place - shift) - abs(place)) / self.scale
        possible = f"between {-self.radius} and {shift + self.radius}, outside the gap between both kinds of noise"
        require(own or other, "TruncatedLaplaceLoss.at", possible, place)
        return math.inf if own else -math.inf

    def _outcomes(self) -> Outcomes:
        def weight(place: float) -> float:
            return math.exp(-abs(place) / float(self.scale)) if abs(place) <= self.radius else 0.0

        return noise_outcomes(
            weight, self.scale, Fraction(math.floor(self.distance)), Fraction(1), reach=Fraction(self.radius)
        )

    def _curve(self, epsilon: Fraction) -> Fraction:
        """F(m) - e^epsilon F(m - d), where m is the last output at which the loss exceeds epsilon."""
        shift = math.ceil(self.distance)
        last = shift - self.radius - 1  # up to here the loss is infinite
        if epsilon < shift / self.scale:
            last = max(last, math.ceil((shift - self.scale * epsilon) / 2) - 1)
        if shift == 0 or last < -self.radius:
            return Fraction(0)
        if last - shift < -self.radius:
            return self._at_most(last)
        if last >= self.radius:
            return Fraction(1)

        def value(rate: arb) -> arb:
            return _cumulative(rate, last, self.radius) - ball(epsilon).exp() * _cumulative(
                rate, last - shift, self.radius
            )

        return max(directed(value, -1 / self.scale, toward="up"), Fraction(0))

    def _at_most(self, k: int) -> Fraction:
        """An upper bound of P(Z <= k)."""
        if k < -self.radius:
            return Fraction(0)
        if k >= self.radius:
            return Fraction(1)
        return min(directed(lambda rate: _cumulative(rate, k, self.radius), -1 / self.scale, toward="up"), Fraction(1))


def _cumulative(rate: arb, k: int, radius: int) -> arb:
    """P(Z <= k) for -radius <= k < radius, with weights e^(rate |z|), the rate below zero."""
    beyond = ((radius + 1) * rate).exp()
    total = (1 + rate.exp() - 2 * beyond) / -rate.expm1()
    if k < 0:
        return ((-k * rate).exp() - beyond) / -rate.expm1() / total
    return 1 - (((k + 1) * rate).exp() - beyond) / -rate.expm1() / total
