"""The loss of one number with Laplace noise, continuous or on a grid, with its exact curve."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen
from flint import arb

from privet.accounting.composition.outcomes import Outcomes, noise_outcomes
from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Amount, Point, read_outcome
from privet.accounting.pairs.laplace_pair import laplace_pair
from privet.accounting.pairs.pair import AtomPair, Pair
from privet.core import ball, directed, not_negative, number, positive, short


@final
@frozen(kw_only=True, order=False, cache_hash=True)
class LaplaceLoss(Loss):
    """The loss between Laplace noise and the same noise shifted by a distance.

    Args:
        distance: The shift; on a grid, a fraction of a step stands for the whole step.
        scale: The scale of the noise.
        step: The step of the grid on which the noise lies; zero for continuous noise.

    Guarantee: epsilon = distance / scale, and delta(epsilon) and the Rényi divergences exactly. The curve of discrete
        noise lies *above* that of continuous noise (at epsilon = 0, one step and scale b in steps,
        tanh(1/(2 b)) > 1 - e^(-1/(2 b))).
    Proof: docs/accounting/losses/laplace.md.

    >>> LaplaceLoss(distance=1, scale=2, step=1).epsilon()
    Fraction(1, 2)
    """

    distance: Fraction = field(converter=number, validator=not_negative, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    step: Fraction = field(converter=number, validator=not_negative, repr=short, default=Fraction(0))

    def pure(self) -> Point:
        """The distance in scales."""
        return Point(self.distance / self.scale, Fraction(0))

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The exact hockey-stick divergence, rounded up; the points give zero from distance / scale on."""
        return min(super()._delta(epsilon), self._discrete(epsilon) if self.step else self._continuous(epsilon))

    _epsilon = Loss._search_curve

    def _renyi(self, order: Fraction) -> Amount:
        """The exact divergence, rounded up."""
        by_points = super()._renyi(order)
        return min(by_points, self._divergence(order)) if self.distance else by_points

    def pair(self) -> Pair:
        """Two Laplace laws."""
        if self.distance == 0:
            return AtomPair.of_one()
        steps = self._steps()
        return laplace_pair(steps * self.step if self.step else self.distance, self.scale, steps)

    def at(self, outcome: Any) -> Amount:
        """The difference of the distances from both centres, in scales, exactly."""
        place = read_outcome("LaplaceLoss", outcome, self.step)
        return (abs(place - self._shift()) - abs(place)) / self.scale

    def _outcomes(self) -> Outcomes:
        return noise_outcomes(
            lambda place: math.exp(-abs(place) / float(self.scale)), self.scale, self._shift(), self.step
        )

    @property
    def tight(self) -> bool:
        """Where the distance is a whole number of steps."""
        return self.step == 0 or (self.distance / self.step).denominator == 1

    def _attained(self) -> Pair:
        """Numbers on a grid are whole steps apart: as many as the distance holds."""
        return LaplaceLoss(distance=self._shift(), scale=self.scale, step=self.step).pair()

    def _shift(self) -> Fraction:
        return self.distance if self.tight else self.distance // self.step * self.step

    def _steps(self) -> int:
        return math.ceil(self.distance / self.step) if self.step else 0

    def _continuous(self, epsilon: Fraction) -> Fraction:
        """1 - e^((epsilon - distance / scale) / 2), up to distance / scale."""
        below = (epsilon - self.distance / self.scale) / 2
        return directed(lambda x: -x.expm1(), below, toward="up") if below < 0 else Fraction(0)

    def _discrete(self, epsilon: Fraction) -> Fraction:
        """F(m) - e^epsilon F(m - d), where m is the last output at which the loss exceeds epsilon."""
        shift, scale = self._steps(), self.scale / self.step
        last = math.ceil((shift - scale * epsilon) / 2) - 1
        if last < 0:
            return Fraction(0)
        above, below = -(last + 1) / scale, epsilon - (shift - last) / scale

        def value(one_step: arb) -> arb:
            return 1 - (ball(above).exp() + ball(below).exp()) / (1 + one_step.exp())

        return max(directed(value, -1 / scale, toward="up"), Fraction(0))

    def _divergence(self, order: Fraction) -> Fraction:
        """Sum P^order Q^(1 - order) over both halves and what lies between."""
        steps = self._steps()
        cost = steps * self.step / self.scale if self.step else self.distance / self.scale

        def value(x: arb) -> arb:
            ends = (ball(order - 1) * x).exp() + (-ball(order) * x).exp()
            if not steps:  # x is the cost; the halves weigh 1/2 each
                between = (ends - 2 * (-ball(order) * x).exp()) / ball(2 * (2 * order - 1))
                return (ends / 2 + between).log() / ball(order - 1)
            unit = x / steps
            share, rise = 1 / (1 + (-unit).exp()), (ball(2 * order - 1) * unit).exp()
            inside = (rise**steps - rise) / (rise - 1) * -(-unit).expm1()
            return (share * (ends + (-ball(order) * x).exp() * inside)).log() / ball(order - 1)

        return max(directed(value, cost, toward="up"), Fraction(0))
