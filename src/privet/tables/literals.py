"""Typed values and calls as nodes of a query: nothing is ever formatted into SQL.

Every value is a quoted text with a cast. A bare ``0.1`` would be a decimal to DuckDB, and the most negative integer
would be the negation of a number that does not fit.
"""

import math
from collections.abc import Iterable
from fractions import Fraction

from sqlglot import exp

from privet.errors import Invalid

_LARGEST = Fraction(math.nextafter(math.inf, 0.0))
FIRST_DAY, LAST_DAY = -(2**31) + 2, 2**31 - 2  # what a DATE of DuckDB holds, in days since 1970
FIRST_MOMENT, LAST_MOMENT = -9_223_372_022_400_000_000, 2**63 - 2  # and a TIMESTAMP, in microseconds


def type_named(name: str) -> exp.DataType:
    """Name a type of the engine."""
    return exp.DataType.build(name, dialect="duckdb", udt=True)


def cast(value: exp.Expression, name: str) -> exp.Cast:
    """Convert a value that certainly fits."""
    return exp.Cast(this=value, to=type_named(name))


def try_cast(value: exp.Expression, name: str) -> exp.TryCast:
    """Convert a value, to null where that fails."""
    return exp.TryCast(this=value, to=type_named(name))


def whole(value: int, name: str = "BIGINT") -> exp.Expression:
    """Write a whole number."""
    return cast(exp.Literal.string(str(value)), name)


def real(value: float) -> exp.Expression:
    """Write a double; seventeen digits read back as the same one."""
    return cast(exp.Literal.string(repr(value)), "DOUBLE")


def text(value: str) -> exp.Expression:
    """Write a text."""
    return cast(exp.Literal.string(value), "VARCHAR")


def day(value: int) -> exp.Expression:
    """Write a date, given in days since 1970-01-01."""
    epoch = cast(exp.Literal.string("1970-01-01"), "DATE")
    return exp.Paren(this=exp.Add(this=epoch, expression=whole(min(max(value, FIRST_DAY), LAST_DAY), "INTEGER")))


def moment(value: int) -> exp.Expression:
    """Write a timestamp, given in microseconds since 1970-01-01, UTC."""
    return call("make_timestamp", whole(min(max(value, FIRST_MOMENT), LAST_MOMENT)))


def call(name: str, *arguments: exp.Expression) -> exp.Expression:
    """Call a function of the engine."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def case(branches: Iterable[tuple[exp.Expression, exp.Expression]], default: exp.Expression | None) -> exp.Case:
    """Choose the value of the first branch that is true."""
    return exp.Case(ifs=[exp.If(this=when, true=then) for when, then in branches], default=default)


def clamped(
    value: exp.Expression, lowest: exp.Expression, highest: exp.Expression, inside: exp.Expression
) -> exp.Expression:
    """Give ``inside`` within the ends and the nearer end beyond them; null stays null.

    ``least`` and ``greatest`` would not do: they skip nulls.
    """
    above, below = exp.GT(this=value, expression=highest), exp.LT(this=value.copy(), expression=lowest)
    return case([(above, highest.copy()), (below, lowest.copy())], inside)


def double_bounds(label: str, bounds: tuple[Fraction, Fraction]) -> tuple[float, float]:
    """Give the outermost doubles within exact bounds."""
    lower, upper = (float(min(max(end, -_LARGEST), _LARGEST)) for end in bounds)
    if Fraction(lower) < bounds[0]:
        lower = math.nextafter(lower, math.inf)
    if Fraction(upper) > bounds[1]:
        upper = math.nextafter(upper, -math.inf)
    if lower > upper or math.isinf(lower) or math.isinf(upper):
        raise Invalid(f"{label}: bounds must hold at least one double; choose wider ones.")
    return lower + 0.0, upper + 0.0  # no negative zero
