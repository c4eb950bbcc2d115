"""Group privacy: the loss between inputs that are several steps apart."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import frozen

from privet.accounting.convert import (
    Amount,
    Point,
    smallest,
    walked,
)
from privet.accounting.loss import Loss, at_least_zero, probability


@final
@frozen(order=False)
class GroupLoss(Loss):
    """A loss between inputs that are several steps apart.

    Args:
        base: The loss of one step.
        size: How many steps, two or more.
    """

    base: Loss
    size: int

    def pure(self) -> Point:
        """Epsilon times the size; delta as each step adds its own, inflated by those before it."""
        point = self.base.pure()
        if point.cost == math.inf:
            return point
        return Point(point.cost * self.size, walked(point.delta, Fraction(point.cost), self.size))

    def concentrated(self) -> Point:
        """Rho times the square of the size, where there is no delta."""
        point = self.base.concentrated()
        return Point(point.cost * self.size**2, Fraction(0)) if point.delta == 0 else Point(math.inf, Fraction(0))

    def delta(self, epsilon: Any) -> Fraction:
        """Walk the steps along the base's own curve, or answer from the points, whichever is smaller."""
        wanted = at_least_zero("epsilon", epsilon)

        def at(total: Fraction) -> Fraction:
            per_step = total / self.size
            return walked(self.base.delta(per_step), per_step, self.size)

        # A smaller total may have a smaller delta, as each step inflates those before it, and bounds this one too.
        best, low, high = at(wanted), Fraction(0), wanted
        for _ in range(12):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            at_left, at_right = at(left), at(right)
            best = min(best, at_left, at_right)
            low, high = (low, right) if at_left <= at_right else (left, high)
        return min(best, super().delta(wanted))

    def epsilon(self, delta: Any = 0) -> Amount:
        """Search the curve for what the points do not answer better."""
        allowed = probability("delta", delta)
        direct = super().epsilon(allowed)
        return direct if allowed == 0 else min(direct, smallest(self.delta, allowed, start=direct))
