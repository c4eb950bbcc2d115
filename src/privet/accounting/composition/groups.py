"""Group privacy along a curve: the delta between inputs that are several steps apart.

Proof: docs/accounting/losses/group.md.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from privet.accounting.composition.composable import Curve
from privet.accounting.numerics import Amount, smallest, walked

_HALVINGS = 7
_THIRDS = 9
_ROUNDS = 24
_NEAR = 1 + Fraction(1, 2**24)


def walked_curve(one_step: Curve, size: int) -> Curve:
    """Give upper bounds of delta after several steps, from those of one step."""

    def at(total: Fraction) -> Fraction:
        return walked(one_step(total / size), total / size, size)

    def bound(epsilon: Fraction) -> Fraction:
        # Each step inflates the deltas of those before it, so a smaller total epsilon may have a smaller delta; its
        # delta bounds this one too. The lowest point may lie far below, behind a flat stretch: search coarsely first.
        heights = {total: at(total) for total in (Fraction(0), *(epsilon / 2**halving for halving in range(_HALVINGS)))}
        middle = min(heights, key=lambda total: (heights[total], -total))
        best, low, high = heights[middle], middle / 2, min(2 * middle, epsilon)
        for _ in range(_THIRDS):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            at_left, at_right = at(left), at(right)
            best = min(best, at_left, at_right)
            low, high = (low, right) if at_left <= at_right else (left, high)
        return best

    return bound


def walked_epsilon(
    one_step: Callable[[Fraction], Amount], size: int, delta: Fraction, *, direct: Amount, curve: Curve
) -> Amount:
    """Find an epsilon after several steps for a delta between zero and one.

    Args:
        one_step: The epsilon of one step at each delta.
        size: How many steps.
        delta: What all steps together may have.
        direct: An epsilon for all steps that is already known.
        curve: Upper bounds of delta after all steps, for when the iteration does not settle.
    """
    per_step = one_step(delta)
    for _ in range(_ROUNDS):
        if per_step == math.inf:
            break
        step = Fraction(per_step) * _NEAR
        inflation = walked(Fraction(1, 2**200), step, size) * 2**200
        needed = one_step(min(delta / inflation, Fraction(1)))
        if needed <= step:  # (step, delta / inflation) bounds one step, and after all steps that is delta
            return min(direct, step * size)
        per_step = needed
    return min(direct, smallest(curve, delta, start=direct))
