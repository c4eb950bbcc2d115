"""What the constructors of spaces are given: bounds, grids, sizes and categories, read and checked."""

import math
import sys
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, cast

from privet.core.checks import read_bounds, read_count, read_grid, read_step, short
from privet.core.domain import Bounds
from privet.core.grid import check_grid, default_grid
from privet.core.rows import INT_MAX, INT_MIN
from privet.core.sides import Sides, is_one_sided, read_side
from privet.errors import InvalidError, WrongTypeError

_LARGEST_FLOAT = Fraction(sys.float_info.max)


def read_column_bounds(kind: type, bounds: object) -> tuple[Bounds | None, Sides | None]:
    """Read the bounds of a column: both, or the one that it has."""
    if is_one_sided(bounds):
        return None, read_side("vector.bounds", kind, cast("Sides", bounds))
    return None if bounds is None else read_bounds("vector.bounds", bounds), None


def read_column_grid(kind: type, bounds: Bounds | None, grid: object) -> Fraction | None:
    """Choose the grid of a column: within its bounds, or none without bounds."""
    step = None if grid is None else read_grid("vector.grid", grid)
    if bounds is not None:
        return bounded_grid("vector", kind, bounds, step)
    if step is not None:
        raise InvalidError("vector.grid needs bounds on both sides: a grid is only exact within them.")
    return None


def public_size(label: str, size: object, *, ordered: bool) -> int | None:
    """Read the public size of a table; compared by place, it needs one."""
    if ordered and size is None:
        raise InvalidError(f"{label}.ordered needs a public size: positions are compared one by one.")
    return None if size is None else read_count(f"{label}.size", size)


def bounded_grid(label: str, kind: type, bounds: tuple[Fraction, Fraction], grid: Fraction | None) -> Fraction | None:
    """Check bounds against the kind of the column and choose its grid (None for integers)."""
    if max(abs(bounds[0]), abs(bounds[1])) > _LARGEST_FLOAT:
        raise InvalidError(f"{label}.bounds must lie within the floats, up to about 1.8e308.")
    if kind is float:
        return default_grid(label, bounds) if grid is None else check_grid(label, grid, bounds)
    if kind is not int:
        raise InvalidError(f"{label}.bounds need a column of numbers, got {kind.__name__}.")
    if grid not in (None, 1):
        raise InvalidError(f"{label}.grid is for real values; whole numbers have grid 1, got {short(grid)}.")
    lower, upper = bounds
    if lower.denominator != 1 or upper.denominator != 1:
        raise InvalidError(
            f"{label}.bounds must be whole numbers for a column of int, got {short(lower)}, {short(upper)}."
        )
    if lower < INT_MIN or upper > INT_MAX:
        raise InvalidError(f"{label}.bounds must lie within 64-bit integers, got {short(lower)}, {short(upper)}.")
    return None


def column_bounds(label: str, bounds: object, count: int) -> tuple[tuple[Fraction, Fraction], ...]:
    """Read one pair of bounds for all columns, or a list with one pair for each column."""
    if isinstance(bounds, tuple | list) and any(map(is_one_sided, (bounds, *bounds))):
        raise InvalidError(f"{label}.bounds need both sides in a matrix: only a column may be bounded on one side.")
    if isinstance(bounds, tuple | list) and len(bounds) == 2 and not isinstance(bounds[0], tuple | list):
        return (read_bounds(f"{label}.bounds", bounds),) * count
    if not isinstance(bounds, tuple | list) or len(bounds) != count:
        raise WrongTypeError(f"{label}.bounds must be a pair (lower, upper), or a list of {count} pairs.")
    return tuple(read_bounds(f"{label}.bounds[{at}]", pair) for at, pair in enumerate(bounds))


def matrix_grid(label: str, bounds: tuple[tuple[Fraction, Fraction], ...], grid: object) -> Fraction:
    """Choose one grid for all columns: the stated one, or 2^-32 of the largest bound."""
    if grid is None:
        widest = max(bounds, key=lambda pair: max(abs(pair[0]), abs(pair[1])))
        step = bounded_grid(label, float, widest, None) or Fraction(1)
    else:
        step = read_grid(f"{label}.grid", grid)
    for pair in bounds:
        bounded_grid(label, float, pair, step)
    return step


def read_categories(label: str, categories: Iterable[Any]) -> tuple[Any, ...]:
    """Read a public list of two or more different values."""
    if isinstance(categories, str):
        raise WrongTypeError(f"{label}.categories must be a list of values, got one string.")
    try:
        values = tuple(categories)
        different = len(set(values))
    except TypeError:
        raise WrongTypeError(f"{label}.categories must be a list of plain values.") from None
    if different < 2 or different != len(values):
        raise InvalidError(f"{label}.categories must be two or more different values, got {len(values)}.")
    return values


def read_column_categories(kind: type, categories: Iterable[Any], bounds: object) -> tuple[Any, ...]:
    """Read the categories of a column of a kind."""
    values = read_categories("vector", categories)
    if bounds is not None:
        raise InvalidError("vector takes bounds or categories, not both: a column of categories is not clamped.")
    if any(type(value) is not kind for value in values):
        raise InvalidError(f"vector.categories must all be of kind {kind.__name__}, the kind of the column.")
    if kind is int and not all(INT_MIN <= value <= INT_MAX for value in values):
        raise InvalidError("vector.categories must lie within 64-bit integers.")
    if kind is float and not all(math.isfinite(value) for value in values):
        raise InvalidError("vector.categories must be finite numbers; NaN is not a category.")
    return values


def grid_step(label: str, kind: type, grid: object) -> Fraction:
    """Read the grid step of numbers of a kind; for whole numbers it is one."""
    if kind not in (int, float):
        raise WrongTypeError(f"{label}.kind must be int or float, got {kind!r}.")
    if grid is None and kind is float:
        raise WrongTypeError(
            f"{label}.grid is needed for real numbers: the grid step to which they are rounded, e.g. grid=2**-20."
        )
    step = Fraction(1) if grid is None else read_step(f"{label}.grid", grid)
    if kind is int and step != 1:
        raise InvalidError(f"{label}.grid is 1 for whole numbers, got {short(step)}; use kind=float for another grid.")
    return step
