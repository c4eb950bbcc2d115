"""Group privacy: the loss between inputs that are several steps apart."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss, at_least_zero, base_of, pair_of_curve, probability
from privet.accounting.numerics.convert import Amount, Point, smallest, walked
from privet.accounting.numerics.renyi_convert import pure_rho
from privet.accounting.pairs.pair import Pair
from privet.core.checks import positive, read_whole, whole

_ROUNDS = 24
_NEAR = Fraction(1, 2**24)


@final
@frozen(order=False)
class GroupLoss(Loss):
    """A loss between inputs that are several steps apart.

    Args:
        base: The loss of one step.
        size: How many steps, two or more.

    Guarantee: epsilon times the size, rho times its square; delta walked along the base's own curve.
    Proof: docs/accounting/losses/group.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> PureLoss(1).group(3).epsilon()
    Fraction(3, 1)
    """

    base: Loss = field(converter=base_of)
    size: int = field(converter=whole, validator=positive)

    def pure(self) -> Point:
        """Epsilon times the size; delta as each step adds its own, inflated by those before it."""
        point = self.base.pure()
        if point.cost == math.inf:
            return point
        return Point(point.cost * self.size, walked(point.delta, Fraction(point.cost), self.size))

    def concentrated(self) -> Point:
        """Rho times the square of the size, or what epsilon times the size implies, where there is no delta."""
        point, pure = self.base.concentrated(), self.base.pure()
        steps = point.cost * self.size**2 if point.delta == 0 else math.inf
        bounded = pure_rho(pure.cost * self.size) if isinstance(pure.cost, Fraction) and pure.delta == 0 else math.inf
        return Point(min(steps, bounded), Fraction(0))

    def gaussian(self) -> Amount:
        """Mu times the size."""
        squared = self.base.gaussian()
        return squared * self.size**2 if isinstance(squared, Fraction) else squared

    def delta(self, epsilon: Any) -> Fraction:
        """Walk the steps along the base's own curve, or answer from the points, whichever is smaller."""
        wanted = at_least_zero("epsilon", epsilon)
        return self.curve(wanted)(wanted)

    def curve(self, near: Fraction) -> Callable[[Fraction], Fraction]:
        """Read the base's curve once, sharply near an epsilon."""
        along = self.base.curve(near / self.size)

        def at(total: Fraction) -> Fraction:
            per_step = total / self.size
            return walked(along(per_step), per_step, self.size)

        def bound(wanted: Fraction) -> Fraction:
            # A smaller total may have a smaller delta, as each step inflates those before it, and bounds this one too.
            # The lowest point may lie far below, with a flat stretch between: look roughly first.
            tried = {total: at(total) for total in (Fraction(0), *(wanted / 2**halving for halving in range(7)))}
            middle = min(tried, key=lambda total: (tried[total], -total))
            best, low, high = tried[middle], middle / 2, min(2 * middle, wanted)
            for _ in range(9):
                left, right = low + (high - low) / 3, high - (high - low) / 3
                at_left, at_right = at(left), at(right)
                best = min(best, at_left, at_right)
                low, high = (low, right) if at_left <= at_right else (left, high)
            return min(best, Loss.delta(self, wanted))

        return bound

    def epsilon(self, delta: Any = 0) -> Amount:
        """Find the step whose delta, walked, is the one allowed."""
        allowed = probability("delta", delta)
        direct = super().epsilon(allowed)
        if allowed in (0, 1):
            return direct
        per_step: Amount = self.base.epsilon(allowed)
        for _ in range(_ROUNDS):
            if per_step == math.inf:
                break
            step = Fraction(per_step) * (1 + _NEAR)
            inflation = walked(Fraction(1, 2**200), step, self.size) * 2**200
            needed = self.base.epsilon(min(allowed / inflation, Fraction(1)))
            if needed <= step:  # then (step, allowed / inflation) bounds one step, and walked it costs what is allowed
                return min(direct, step * self.size)
            per_step = needed
        return min(direct, smallest(self.delta, allowed, start=direct))

    @property
    def by_curve(self) -> bool:
        """A group has no pair of its own."""
        return True

    def pair(self) -> Pair:
        """That of the walked curve."""
        return pair_of_curve(self)

    def steps(self) -> int:
        """The size."""
        return self.size

    def single(self) -> Loss:
        """The loss of one step."""
        return self.base

    def group(self, size: int) -> Loss:
        """Walk all the steps at once."""
        count = read_whole("Loss.group", size)
        return GroupLoss(self.base, self.size * count) if count > 0 else super().group(count)

    def undirected(self) -> Loss:
        """Take the steps in both directions: in a sum, steps of several groups are put together."""
        return GroupLoss(self.base.undirected(), self.size)

    def assumptions(self) -> tuple[str, ...]:
        """Those of one step."""
        return self.base.assumptions()
