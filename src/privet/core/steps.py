"""Reading one number as a whole number of grid steps, by a total function."""

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

import numpy as np

from privet.core.quiet import quietly
from privet.core.rows import INT_MAX, INT_MIN

_DIGITS = 1000
_BITS = 3320  # a numerator with fewer than this many bits more than its denominator: below 10^1000
LARGEST = 10**_DIGITS
"""Larger numbers, of any type, are read as this one: 1e999999999 must not become an integer."""


def to_steps(value: object, grid: Fraction) -> int:
    """Round one number to a grid, halves up; anything that is not a number becomes zero.

    Halves go up, not to even: two numbers at distance d are then, on the grid, at most d apart, rounded up to the grid.
    The result depends on the value alone, not on its type. No value raises an exception.

    >>> to_steps(0.75, Fraction(1, 2)), to_steps("3", Fraction(1)), to_steps(Fraction(7, 3), Fraction(1, 3))
    (2, 0, 7)
    """
    if type(value) is int and INT_MIN <= value <= INT_MAX and grid == 1:
        return int(value)
    number = read_exactly(value, finest=grid)
    if isinstance(number, float):
        return INT_MAX if number > 0 else INT_MIN  # an infinity: any distance from it is infinite
    if number is None:
        return 0
    # floor(number / grid + 1/2) in integers: fractions would be reduced to lowest terms in between
    top, bottom = number.numerator * grid.denominator, number.denominator * grid.numerator
    return (2 * top + bottom) // (2 * bottom)


def read_exactly(value: object, *, finest: Fraction = Fraction(1)) -> Fraction | float | None:
    """Return the exact value of a number up to ``LARGEST``, an infinity, or None for anything that is not a number.

    Args:
        value: Anything: a number of a user's class may raise, or may not be what it claims.
        finest: The grid to which the number will be rounded. A decimal far below it may be read as zero.
    """
    number = quietly(_exactly, value, _DIGITS + finest.denominator.bit_length())
    if not isinstance(number, Fraction) or number.numerator.bit_length() - number.denominator.bit_length() < _BITS:
        return number
    return min(max(number, Fraction(-LARGEST)), Fraction(LARGEST))


def _exactly(value: object, digits: int) -> Fraction | float | None:
    if isinstance(value, np.ndarray):
        if value.ndim or np.ma.getmaskarray(value).any():
            return None
        value = value[()]
    if isinstance(value, np.timedelta64):  # numpy calls it an integer
        return None
    if isinstance(value, bool | np.bool_):
        return Fraction(int(value))
    if isinstance(value, int):
        return Fraction(int.__index__(value))  # a subclass could override the method
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, float | np.floating):
        return _real(value)
    if isinstance(value, Decimal):
        return _decimal(Decimal(value), digits)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return None


def _real(value: "float | np.floating[Any]") -> Fraction | float | None:
    if isinstance(value, float):
        value = float.__add__(value, 0.0)  # a plain float, even if a subclass overrides methods
    if math.isnan(value):
        return None
    if math.isinf(value):
        return math.inf if value > 0 else -math.inf
    return Fraction(*value.as_integer_ratio())  # exact for a long double too: rounding could move neighbours apart


def _decimal(value: Decimal, digits: int) -> Fraction | float | None:
    if not value.is_finite():
        return None if value.is_nan() else math.copysign(math.inf, 1 if value > 0 else -1)
    if not value or value.adjusted() < -digits:  # nearer to zero than half a grid step
        return Fraction(0)
    if value.adjusted() > _DIGITS:
        return Fraction(LARGEST if value > 0 else -LARGEST)
    return Fraction(value)
