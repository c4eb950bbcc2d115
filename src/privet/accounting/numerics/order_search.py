"""The search for a good Rényi order. Any order is valid, so floats may choose it."""

import math
from collections.abc import Callable
from fractions import Fraction

from privet.accounting.numerics.convert import Amount

_GRID = tuple(-10.0 + step for step in range(31))  # ln(order - 1)
_FINE = 24
_HUGE = 10**300  # beyond it, floats could not even choose


def best_order(cost: Callable[[Fraction], Amount]) -> Fraction:
    """Find an order above one at which a cost is nearly smallest: first on a coarse grid, then nearby.

    >>> round(float(best_order(lambda order: order + 9 / (order - 1))), 3)
    4.0
    """

    def at(t: float) -> float:
        value = cost(order_at(t))
        return float(value) if -_HUGE < value < _HUGE else math.inf

    values = [at(t) for t in _GRID]
    middle = min(range(len(values)), key=values.__getitem__)
    low, high = _GRID[middle] - 1, _GRID[middle] + 1
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = at(left), at(right)
    for _ in range(_FINE):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = at(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = at(right)
    found = min((at_left, left), (at_right, right), (values[middle], _GRID[middle]))
    return order_at(found[1])


def order_at(t: float) -> Fraction:
    """Give one plus e^t, as a short fraction."""
    return 1 + Fraction(math.exp(t)).limit_denominator(2**24) if t > -10 else 1 + Fraction(1, 2**16)
