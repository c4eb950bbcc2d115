"""Reading one number into whole steps of a grid, by a total function."""

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

import numpy as np

from privet.core.quiet import quietly
from privet.core.rows import INT_MAX, INT_MIN

_DIGITS = 1000
_BITS = 3320  # below 10^1000, whatever the numbers of so many bits more than their denominator
LARGEST = 10**_DIGITS
"""Numbers beyond it count as it, whatever their type: 1e999999999 must not become an integer."""


def to_steps(value: Any, grid: Fraction) -> int:
    """Round one number to a grid, halves up; whatever is no number counts as zero.

    Halves go up, not to even, so that numbers d apart come out at most d apart, rounded up to the grid. What a number
    becomes depends on its value alone, not on its type; nothing raises because of a value.

    >>> to_steps(0.75, Fraction(1, 2)), to_steps("3", Fraction(1)), to_steps(Fraction(7, 3), Fraction(1, 3))
    (2, 0, 7)
    """
    if type(value) is int and INT_MIN <= value <= INT_MAX and grid == 1:
        return int(value)
    found = read_exactly(value, finest=grid)
    if isinstance(found, float):
        return INT_MAX if found > 0 else INT_MIN  # an infinity: any distance from it is infinite
    if found is None:
        return 0
    # floor(found / grid + 1/2) in whole numbers: fractions would be brought to lowest terms on the way
    top, bottom = found.numerator * grid.denominator, found.denominator * grid.numerator
    return (2 * top + bottom) // (2 * bottom)


def read_exactly(value: Any, *, finest: Fraction = Fraction(1)) -> Fraction | float | None:
    """Give the exact value of a number up to ``LARGEST``, an infinity, or None for whatever is no finite number.

    Args:
        value: Anything: a number of somebody else's class may raise, or be something else than it says.
        finest: The grid that the number will be rounded to. A decimal far below it may be read as zero.
    """
    found = quietly(_exactly, value, _DIGITS + finest.denominator.bit_length())
    if not isinstance(found, Fraction) or found.numerator.bit_length() - found.denominator.bit_length() < _BITS:
        return found
    return min(max(found, Fraction(-LARGEST)), Fraction(LARGEST))


def _exactly(value: Any, digits: int) -> Fraction | float | None:
    if isinstance(value, np.ndarray):
        if value.ndim or np.ma.getmaskarray(value).any():
            return None
        value = value[()]
    if isinstance(value, np.timedelta64):  # numpy calls it an integer
        return None
    if isinstance(value, bool | np.bool_):
        return Fraction(int(value))
    if isinstance(value, int):
        return Fraction(int.__index__(value))  # not a method of a subclass
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
        value = float.__add__(value, 0.0)  # a plain float, whatever the methods of a subclass say
    if math.isnan(value):
        return None
    if math.isinf(value):
        return math.inf if value > 0 else -math.inf
    return Fraction(*value.as_integer_ratio())  # of a long double too: rounded to 64 bits, neighbours would part


def _decimal(value: Decimal, digits: int) -> Fraction | float | None:
    if not value.is_finite():
        return None if value.is_nan() else math.copysign(math.inf, 1 if value > 0 else -1)
    if not value or value.adjusted() < -digits:  # nearer to zero than half a step
        return Fraction(0)
    if value.adjusted() > _DIGITS:
        return Fraction(LARGEST if value > 0 else -LARGEST)
    return Fraction(value)
