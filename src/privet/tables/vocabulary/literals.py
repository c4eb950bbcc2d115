"""Typed values and calls as nodes of a query: nothing is ever formatted into SQL.

Every value is a quoted text with a cast. A bare ``0.1`` would be a decimal to DuckDB, and the most negative integer
would be the negation of a number that does not fit.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from sqlglot import exp

from privet.tables.columns.timestamps import FIRST_DAY, FIRST_MOMENT, LAST_DAY, LAST_MOMENT

_LARGEST = Fraction(math.nextafter(math.inf, 0.0))


def type_named(name: str) -> exp.DataType:
    """Name a type of the engine; a new node each time, since a node has one parent."""
    return _type_named(name).copy()


@lru_cache(maxsize=64)
def _type_named(name: str) -> exp.DataType:
    return exp.DataType.build(name, dialect="duckdb", udt=True)  # which parses the name


def cast(value: exp.Expr, name: str) -> exp.Cast:
    """Convert a value that certainly fits."""
    return exp.Cast(this=value, to=type_named(name))


def try_cast(value: exp.Expr, name: str) -> exp.TryCast:
    """Convert a value, to null where that fails."""
    return exp.TryCast(this=value, to=type_named(name))


def whole(value: int, name: str = "BIGINT") -> exp.Expr:
    """Write a whole number."""
    return cast(exp.Literal.string(str(value)), name)


def real(value: float) -> exp.Expr:
    """Write a double; seventeen digits read back as the same one."""
    return cast(exp.Literal.string(repr(value)), "DOUBLE")


def text(value: str) -> exp.Expr:
    """Write a text."""
    return cast(exp.Literal.string(value), "VARCHAR")


def day(value: int) -> exp.Expr:
    """Write a date, given in days since 1970-01-01."""
    epoch = cast(exp.Literal.string("1970-01-01"), "DATE")
    return exp.Paren(this=exp.Add(this=epoch, expression=whole(min(max(value, FIRST_DAY), LAST_DAY), "INTEGER")))


def moment(value: int) -> exp.Expr:
    """Write a timestamp, given in microseconds since 1970-01-01, UTC."""
    return call("make_timestamp", whole(min(max(value, FIRST_MOMENT), LAST_MOMENT)))


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Call a function of the engine."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def case(branches: Iterable[tuple[exp.Expr, exp.Expr]], default: exp.Expr | None) -> exp.Case:
    """Choose the value of the first branch that is true."""
    return exp.Case(ifs=[exp.If(this=when, true=then) for when, then in branches], default=default)


def clamped(value: exp.Expr, lowest: exp.Expr, highest: exp.Expr, inside: exp.Expr) -> exp.Expr:
    """Give ``inside`` within the ends and the nearer end beyond them; null stays null.

    ``least`` and ``greatest`` would not do: they skip nulls.
    """
    above, below = exp.GT(this=value, expression=highest), exp.LT(this=value.copy(), expression=lowest)
    return case([(above, highest.copy()), (below, lowest.copy())], inside)


def double_bounds(bounds: tuple[Fraction, Fraction]) -> tuple[float, float]:
    """Give the doubles nearest to exact bounds: a column up to 0.2 holds the double that is written so."""
    lower, upper = (float(min(max(end, -_LARGEST), _LARGEST)) for end in bounds)
    return lower + 0.0, upper + 0.0  # no negative zero
