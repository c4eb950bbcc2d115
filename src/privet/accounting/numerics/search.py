"""Searches in one dimension.

Floats choose where to look. What they choose is valid whatever it is, or the caller certifies it.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, TypeVar

Number = TypeVar("Number", float, Fraction)
End = tuple[Fraction, float]  # a place, and the excess there, which is not zero

GOLDEN = (math.sqrt(5) - 1) / 2
_GRID = tuple(-10.0 + index for index in range(31))  # ln(order - 1)
_FINE = 24
_HUGE = 10**300  # beyond it, floats could not even choose
_ROUNDS = 60  # far more than a search for a change of sign takes


def golden_section(cost: Callable[[float], Any], low: float, high: float, rounds: int) -> tuple[float, float]:
    """Narrow an interval around the lowest point of a function with one valley."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = cost(left), cost(right)
    for _ in range(rounds):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = cost(right)
    return low, high


def valley(cost: Callable[[float], Any], low: float, high: float, rounds: int) -> float:
    """Give the middle of what ``golden_section`` leaves.

    >>> round(valley(lambda x: (x - 1) ** 2, -5, 5, 32), 4)
    1.0
    """
    return math.fsum(golden_section(cost, low, high, rounds)) / 2


def bisect(before: Callable[[Number], bool], low: Number, high: Number, rounds: int) -> tuple[Number, Number]:
    """Halve an interval around the place up to which something is true.

    >>> bisect(lambda x: x * x < 2, 1.0, 2.0, 3)
    (1.375, 1.5)
    """
    for _ in range(rounds):
        middle = (low + high) / 2
        low, high = (middle, high) if before(middle) else (low, middle)
    return low, high


def regula_falsi(
    excess: Callable[[Fraction], float], left: End, right: End, *, bits: int, guesses: Iterable[Fraction] = ()
) -> tuple[Fraction, Fraction]:
    """Narrow an interval around the place where a falling excess changes its sign, to so many bits of that place.

    Secants need far fewer values than halving. The height at an end that stays is halved, so that it does not stay for
    ever (the Illinois variant). The caller's exact comparison decides each sign.

    Args:
        excess: Above zero on the left and below on the right; never zero.
        left: A place with excess.
        right: A place without.
        bits: How narrow the interval becomes, relative to its right end.
        guesses: Places to try first.

    >>> low, high = regula_falsi(lambda x: float(2 - x * x) or -1.0, (Fraction(1), 1.0), (Fraction(2), -2.0), bits=20)
    >>> low * low < 2 <= high * high
    True
    """
    (low, above), (high, below), first, stayed = left, right, iter(guesses), 0
    for _ in range(_ROUNDS):
        if high - low <= high / 2**bits:
            break
        # kept off the ends, so that the interval shrinks from both sides
        share = min(max(above / (above - below), 2.0**-20), 1 - 2.0**-20)
        guess = next(first, None)
        middle = Fraction(float(low + (high - low) * Fraction(share))) if guess is None else guess
        if not low < middle < high:
            if guess is None:
                break
            continue
        value = excess(middle)
        if value < 0:
            high, below, stayed = middle, value, max(stayed, 0) + 1
            above = above / 2 if stayed > 1 else above
        else:
            low, above, stayed = middle, value, min(stayed, 0) - 1
            below = below / 2 if stayed < -1 else below
    return low, high


def best_order(cost: Callable[[Fraction], Fraction | float]) -> Fraction:
    """Find a Rényi order above one at which a cost is nearly smallest: first on a coarse grid, then nearby.

    >>> round(float(best_order(lambda order: order + 9 / (order - 1))), 3)
    4.0
    """
    seen: dict[float, float] = {}

    def at(t: float) -> float:
        value = cost(order_at(t))
        return seen.setdefault(t, float(value) if -_HUGE < value < _HUGE else math.inf)

    middle = min(_GRID, key=at)
    golden_section(at, middle - 1, middle + 1, _FINE)
    return order_at(min(seen, key=seen.__getitem__))


def order_at(t: float) -> Fraction:
    """Give one plus e^t, as a short fraction."""
    return 1 + Fraction(math.exp(t)).limit_denominator(2**24) if t > -10 else 1 + Fraction(1, 2**16)
