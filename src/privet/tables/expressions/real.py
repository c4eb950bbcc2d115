"""The arithmetic of doubles: rounding of exact numbers, and outward bounds where results are not rounded exactly."""

import math
from fractions import Fraction

from privet.core import to_float_down, to_float_up
from privet.tables.expressions.ranges import LARGEST_REAL

_SLACK = Fraction(1, 2**44)  # 256 units in the last place: mathematical libraries stay far below
_TINY = Fraction(1, 2**1060)  # and this much near zero, where relative errors mean nothing
OVERFLOW = LARGEST_REAL + Fraction(2) ** 970  # from here on, round to nearest gives infinity


def rounded(value: Fraction) -> Fraction:
    """Round to the nearest double, as the engine does; beyond the doubles the value is returned as it is.

    Rounding is monotone, so the rounded bounds of exact results are bounds of the rounded results.
    """
    return value if abs(value) >= OVERFLOW else Fraction(float(value))


def overflows(low: Fraction, high: Fraction) -> bool:
    """Whether some double between two exact bounds would be infinite."""
    return low <= -OVERFLOW or high >= OVERFLOW


def outward(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Widen bounds by what a mathematical library may err."""
    low -= abs(low) * _SLACK + _TINY
    high += abs(high) * _SLACK + _TINY
    return max(_down(low), -LARGEST_REAL), min(_up(high), LARGEST_REAL)


def _down(value: Fraction) -> Fraction:
    return Fraction(to_float_down(value)) if abs(value) < LARGEST_REAL else value


def _up(value: Fraction) -> Fraction:
    return Fraction(to_float_up(value)) if abs(value) < LARGEST_REAL else value


def finite(value: float) -> float | None:
    """Give null for NaN and infinities."""
    return value if math.isfinite(value) else None
