"""Columns bounded on one side: a lower bound without an upper one, or the reverse."""

from fractions import Fraction

import numpy as np

from privet.core.checks import read_number, short
from privet.core.exact import to_float_down, to_float_up
from privet.core.rows import INT_MAX, INT_MIN, Array
from privet.errors import InvalidError

Sides = tuple[Fraction | None, Fraction | None]
_LARGEST_FLOAT = Fraction(np.finfo(np.float64).max)


def is_one_sided(value: object) -> bool:
    """Return whether a value is a pair with a bound on exactly one side."""
    return isinstance(value, tuple | list) and len(value) == 2 and (value[0] is None) != (value[1] is None)


def read_side(label: str, kind: type, value: Sides) -> Sides:
    """Read the bound of a column that has one; it must fit the kind of the column."""
    lower, upper = (None if end is None else read_number(f"{label}[{at}]", end) for at, end in enumerate(value))
    bound = next(end for end in (lower, upper) if end is not None)
    if kind not in (int, float):
        raise InvalidError(f"{label} need a column of numbers, got {kind.__name__}.")
    if abs(bound) > _LARGEST_FLOAT:
        raise InvalidError(f"{label} must lie within the floats, up to about 1.8e308.")
    if kind is int and (bound.denominator != 1 or not INT_MIN <= bound <= INT_MAX):
        raise InvalidError(f"{label} must be whole numbers of 64 bits for a column of int, got {short(bound)}.")
    return lower, upper


def clamp_side(values: Array, sides: Sides) -> Array:
    """Move numbers beyond the bound to it, or to the nearest float inside it; NaN stays NaN.

    A comparison instead of ``np.maximum``, which may return either of two zeros.
    """
    for lowest, end in ((True, sides[0]), (False, sides[1])):
        if end is not None:
            inside = inner_end(values.dtype, end, lowest=lowest)
            values = np.where(values < inside if lowest else values > inside, inside, values)
    return values


def inner_end(dtype: "np.dtype[np.generic]", end: Fraction, *, lowest: bool) -> Array:
    """Return the outermost value within a bound that a column can hold."""
    if dtype.kind == "f":
        return np.array(to_float_up(end) if lowest else to_float_down(end), dtype=dtype)
    return np.array(int(end), dtype=dtype)


def within_side(values: Array, sides: Sides) -> bool:
    """Return whether all numbers lie on the stated side; the comparison is exact, since both sides are floats."""
    return bool(np.array_equal(clamp_side(values, sides), values))
