"""Reading public values that belong to a column: bounds, categories, and what stands in for a null."""

from collections.abc import Iterable
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from privet.core import bounded_grid, read_bounds, read_number, read_whole, short
from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns import LARGEST, LONGEST_TEXT, ORDERED, SMALLEST, Bounds, Column, read_moment, write_moment

KEYS = ("integer", "text", "boolean")
_MOMENTS = ("date", "timestamp")


def read_column_bounds(label: str, kind: str, value: object) -> Bounds:
    """Read a pair (lower, upper) as typed: numbers, or dates and times."""
    if kind not in ORDERED:
        raise InvalidError(f"{label} are for {', '.join(ORDERED)} columns, got a {kind} column.")
    if kind in _MOMENTS:
        return _moments(label, kind, value)
    lower, upper = read_bounds(label, value)
    if kind == "integer":
        for end in (lower, upper):
            _check_integer(label, end)
    return lower, upper


def _moments(label: str, kind: str, value: object) -> Bounds:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise WrongTypeError(f"{label} must be a pair (lower, upper), got {type(value).__name__}.")
    lower, upper = (read_moment(f"{label}[{position}]", kind, end) for position, end in enumerate(value))
    if lower >= upper:
        ends = f"lower={write_moment(kind, lower)}, upper={write_moment(kind, upper)}"
        raise InvalidError(f"{label}: lower must be below upper, got {ends}.")
    return Fraction(lower), Fraction(upper)


def _check_integer(label: str, value: Fraction) -> int:
    if value.denominator != 1:
        raise InvalidError(f"{label} must be whole numbers for an integer column, got {short(value)}.")
    if not SMALLEST <= value <= LARGEST:
        raise InvalidError(f"{label} must lie within 64-bit integers, got {short(value)}.")
    return int(value)


def check_real_grid(label: str, bounds: Bounds | None, grid: Fraction | None) -> Fraction | None:
    """Settle the grid of a real column: given, or 2^-32 of the magnitude of the bounds; None without bounds."""
    if bounds is None:
        if grid is not None:
            raise InvalidError(f"{label}.grid needs bounds: a grid is only exact within them.")
        return None
    if grid is not None and (grid <= 0 or any(part & (part - 1) for part in grid.as_integer_ratio())):
        raise InvalidError(f"{label}.grid must be a power of two such as 2^-10, got {short(grid)}.")
    return bounded_grid(label, float, bounds, grid)


def read_categories(label: str, kind: str, value: object) -> tuple[Any, ...]:
    """Read a list of different values of one kind, in their public order."""
    if kind not in KEYS:
        raise InvalidError(f"{label} are for {', '.join(KEYS)} columns, got a {kind} column.")
    single = isinstance(value, np.ndarray) and value.ndim == 0  # an array without axes cannot be listed
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or single:
        raise WrongTypeError(f"{label} must be a list of values, got {type(value).__name__}.")
    values = tuple(_key(f"{label}[{position}]", kind, item) for position, item in enumerate(value))
    if not values:
        raise InvalidError(f"{label} must be a list of one value or more, got an empty list.")
    seen: set[Any] = set()
    for item in values:
        if item in seen:
            raise InvalidError(f"{label} must be different from each other, got {_text(item)} twice.")
        seen.add(item)
    return values


def _key(label: str, kind: str, value: object) -> Any:
    if kind == "boolean":
        if not isinstance(value, bool | np.bool_):
            raise WrongTypeError(f"{label} must be true or false, got {type(value).__name__}.")
        return bool(value)
    if kind == "text":
        return check_text(label, value)
    if isinstance(value, Fraction):
        value = value if value.denominator != 1 else int(value)
    if not isinstance(value, Integral) or isinstance(value, bool | np.bool_):
        raise WrongTypeError(f"{label} must be a whole number, got {type(value).__name__}.")
    return _check_integer(label, Fraction(int(value)))


def read_length(label: str, kind: str, categories: object, value: object) -> int:
    """Read how many characters a text has at most."""
    if kind != "text":
        raise InvalidError(f"{label}.length is for text columns, got a {kind} column.")
    if categories is not None:
        raise InvalidError(f"{label} takes categories or length, not both: a text longer than all categories is none.")
    length = read_whole(f"{label}.length", value)
    if not 1 <= length <= LONGEST_TEXT:
        raise InvalidError(f"{label}.length must lie between 1 and {LONGEST_TEXT:,} characters, got {short(length)}.")
    return length


def check_table(label: str, value: object) -> str:
    """Read the name of a table."""
    if not isinstance(value, str) or not value.strip():
        raise WrongTypeError(f"{label} must be a name, such as visits.")
    return check_text(label, value)


def check_text(label: str, value: object) -> str:
    """Refuse what is no text, and text that no file or engine can hold."""
    if not isinstance(value, str):
        raise WrongTypeError(f"{label} must be text, got {type(value).__name__}.")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidError(f"{label} must be text that UTF-8 can hold, got half of a surrogate pair.") from None
    return value


def read_value(label: str, column: Column, value: object) -> Any:
    """Read one value of a column: of its kind, within its bounds, one of its categories.

    Integers come out as ``int``, reals as ``Fraction``, dates and timestamps as days and microseconds.
    """
    if column.kind in KEYS:
        member = _key(label, column.kind, value)
        check_length(label, column, member)
    elif column.kind in _MOMENTS:
        member = read_moment(label, column.kind, value)
    else:
        member = read_number(label, value)
        if abs(member) > Fraction(np.finfo(np.float64).max.item()):
            raise InvalidError(f"{label} must lie within the floats, up to about 1.8e308.")
    if column.categories is not None and member not in column.categories:
        raise InvalidError(f"{label} must be one of the categories of the column, got {_text(member)}.")
    if column.bounds is not None and not column.bounds[0] <= member <= column.bounds[1]:
        raise InvalidError(f"{label} must lie within the bounds of the column, got {value_text(column.kind, member)}.")
    return member


def check_length(label: str, column: Column, value: object) -> None:
    """Refuse a text that the column would cut."""
    if isinstance(value, str) and len(value) > (column.length or 0):
        raise InvalidError(f"{label} must have at most {column.length} characters, the length of the column.")


def value_text(kind: str, value: Any) -> str:
    """Write a public value as a person would."""
    return write_moment(kind, value) if kind in _MOMENTS else _text(value)


def _text(value: object) -> str:
    text = short(value)
    return text if len(text) <= 60 else text[:57] + "..."
