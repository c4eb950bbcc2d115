"""Steps: the values of a column as whole numbers, so that sums are exact.

A real is clamped to the outermost grid points within its bounds and rounded to the grid, half to even, exactly as the
vectors of :mod:`privet.core.grid` are. Proof: docs/tables/steps.md.
"""

import math
from fractions import Fraction

from sqlglot import exp

from privet.core import check_grid, default_grid
from privet.errors import InvalidError
from privet.tables.columns import NUMBERS, Bounds, Column
from privet.tables.vocabulary.literals import call, case, cast, clamped, day, double_bounds, real, whole
from privet.tables.vocabulary.source_casts import whole_ends


def grid_of(label: str, known: Column, bounds: Bounds | None = None) -> Fraction:
    """Give the step of a column of numbers within bounds, by default its own: one for integers."""
    if known.kind == "integer":
        return Fraction(1)
    if known.kind != "real":
        raise InvalidError(f"{label} must be a column of numbers to be added up, got {known.kind}.")
    limits = bounds or known.bounds
    if limits is None:
        raise InvalidError(f"{label} needs bounds to be added up; give them in the codebook or in the query.")
    return default_grid(label, limits) if known.grid is None else check_grid(label, known.grid, limits)


def step_bounds(label: str, known: Column, bounds: Bounds | None = None) -> tuple[int, int]:
    """Give the smallest and the largest number of steps within bounds, by default the column's own.

    >>> step_bounds("age", Column(kind="real", bounds=(0, 1), grid=0.25))
    (0, 4)
    """
    if known.kind != "real":
        lowest, highest = whole_ends(known)
        if bounds is None:
            return lowest, highest
        narrower = max(math.ceil(bounds[0]), -(2**63)), min(math.floor(bounds[1]), 2**63 - 1)
        if narrower[0] > narrower[1]:
            raise InvalidError(f"{label}: bounds must hold at least one whole number.")
        return narrower
    grid = grid_of(label, known, bounds)
    limits = bounds or known.bounds or (Fraction(0), Fraction(0))
    return math.ceil(limits[0] / grid), math.floor(limits[1] / grid)


def steps(label: str, value: exp.Expr, known: Column, bounds: Bounds | None = None) -> exp.Expr:
    """Build the number of steps of a value, clamped to bounds: a 64-bit integer, null where the value is null or NaN.

    Args:
        label: What to call the column in messages.
        value: An expression of the column's type.
        known: What is known of it; a column of numbers.
        bounds: Where to clamp; by default its own bounds.
    """
    if known.kind not in NUMBERS:
        raise InvalidError(f"{label} must be a column of numbers to be added up, got {known.kind}.")
    lowest, highest = step_bounds(label, known, bounds)
    if known.kind == "integer":
        return clamped(value.copy(), whole(lowest), whole(highest), value.copy())
    grid = grid_of(label, known, bounds)
    low, high = (real(float(end * grid)) for end in (lowest, highest))
    inside = case([(call("isnan", value.copy()), exp.null())], clamped(value.copy(), low, high, value.copy()))
    return inside_steps(label, exp.Paren(this=inside), known, bounds)


def inside_steps(label: str, value: exp.Expr, known: Column, bounds: Bounds | None = None) -> exp.Expr:
    """Build the number of steps of a real that is clamped already: no NaN, and within what ``fits`` tells."""
    # a power of two scales exactly, and a cast rounds half to even; after clamping it always fits
    return cast(exp.Mul(this=value.copy(), expression=real(float(1 / grid_of(label, known, bounds)))), "integer")


def fits(values: Bounds, known: Column) -> bool:
    """Tell whether reals within these bounds, or the doubles nearest to them, need no clamping to those of a column.

    >>> fits((0, 10), Column(kind="real", bounds=(0, 10))), fits((0, 11), Column(kind="real", bounds=(0, 10)))
    (True, False)
    """
    lowest, highest = step_bounds("fits", known)
    low, high = (round(Fraction(end) / grid_of("fits", known)) for end in double_bounds(values))
    return lowest <= low and high <= highest


def number(value: exp.Expr, known: Column) -> exp.Expr:
    """Build a whole number from an integer (itself), a date (days) or a timestamp (microseconds since 1970)."""
    if known.kind == "integer":
        return value.copy()
    if known.kind == "date":
        return cast(call("days_between", day(0), value.copy()), "integer")
    if known.kind == "timestamp":
        return call("microseconds", value.copy())
    raise InvalidError(f"only integers, dates and timestamps are whole numbers, got {known.kind}.")


def exact_sum(counted: exp.Expr) -> exp.Expr:
    """Build a sum of steps that cannot wrap, zero over no rows; nulls are left out."""
    total = exp.Sum(this=counted.copy())  # of 64-bit integers, too, a 128-bit one
    return cast(exp.Coalesce(this=total, expressions=[whole(0, "int128")]), "int128")


def rows() -> exp.Expr:
    """Build the number of rows."""
    return exp.Count(this=exp.Star(), big_int=True)


def present(value: exp.Expr) -> exp.Expr:
    """Build the number of rows in which a value is not null."""
    return exp.Count(this=value.copy(), big_int=True)
