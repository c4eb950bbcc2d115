"""Amplification: a loss on a random sample, seen from the whole data."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.convert import (
    Amount,
    Point,
    amplified,
    before_sampling,
)
from privet.accounting.loss import Loss, Sampling, at_least_zero, probability
from privet.core.checks import number, readable, short
from privet.errors import Invalid


@final
@frozen
class Poisson(Sampling):
    """Each record is kept with the same probability, independently: add/remove neighbours.

    Args:
        rate: The probability, above zero and at most one.
    """

    rate: Fraction = field(converter=number, validator=readable, repr=short)

    @rate.validator
    def _check(self, _: Any, value: Fraction) -> None:
        if not 0 < value <= 1:
            raise Invalid(f"Poisson.rate must be above zero and at most one, got {value}.")

    def amplify(self, loss: Loss) -> Loss:
        """Mix with what happens where the record is not sampled."""
        return loss if self.rate == 1 else AmplifiedLoss(loss, self.rate)


@final
@frozen(order=False)
class AmplifiedLoss(Loss):
    """A loss on a random sample, seen from the whole data.

    With probability 1 - rate the step between the inputs is not sampled, so the two output distributions are mixtures
    that share the part without it: delta'(ln(1 + rate (e^epsilon - 1))) = rate delta(epsilon).

    Args:
        base: The loss of one step on the sample.
        rate: The probability that a record is sampled.
    """

    base: Loss
    rate: Fraction

    def pure(self) -> Point:
        """Shrink both coordinates."""
        point = self.base.pure()
        if point.cost == math.inf:
            return point
        return Point(amplified(Fraction(point.cost), self.rate), point.delta * self.rate)

    def concentrated(self) -> Point:
        """Mixing with the same distribution never raises a divergence; sharper curves need the mechanism itself."""
        shrunk = self.pure()
        own = self.base.concentrated()
        if shrunk.cost == math.inf or shrunk.delta > own.delta:
            return own
        return Point(min(own.cost, Fraction(shrunk.cost) ** 2 / 2), own.delta)

    def delta(self, epsilon: Any) -> Fraction:
        """Follow the base's curve."""
        wanted = at_least_zero("epsilon", epsilon)
        inner = before_sampling(wanted, self.rate)
        return min(self.rate * self.base.delta(inner), super().delta(wanted))

    def epsilon(self, delta: Any = 0) -> Amount:
        """Follow the base's curve backwards."""
        allowed = probability("delta", delta)
        inner = self.base.epsilon(min(allowed / self.rate, Fraction(1)))
        along = inner if inner == math.inf else amplified(Fraction(inner), self.rate)
        return min(along, super().epsilon(allowed))
