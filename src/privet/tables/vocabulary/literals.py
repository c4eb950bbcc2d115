"""Typed values, casts and calls as nodes of a tree: nothing is ever formatted into SQL.

Every value is a quoted text with a cast. A bare ``0.1`` would be a decimal to some engines, and the most negative
integer would be the negation of a number that does not fit. Types and functions have names of our own, which the
dialect of an engine translates.
"""

import math
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from sqlglot import exp

from privet.tables.columns import FIRST_DAY, FIRST_MOMENT, LAST_DAY, LAST_MOMENT
from privet.tables.vocabulary.meanings import MEANINGS

Type = Literal[
    "integer", "real", "boolean", "text", "date", "timestamp", "int32", "uint64", "int128", "uint128", "zoned timestamp"
]
_T = exp.DType
TYPES: dict[Type, exp.DType] = {
    "integer": _T.BIGINT,
    "real": _T.DOUBLE,
    "boolean": _T.BOOLEAN,
    "text": _T.TEXT,
    "date": _T.DATE,
    "timestamp": _T.TIMESTAMP,
    "int32": _T.INT,
    "uint64": _T.UBIGINT,
    "int128": _T.INT128,
    "uint128": _T.UINT128,
    "zoned timestamp": _T.TIMESTAMPTZ,
}
_LARGEST = Fraction(math.nextafter(math.inf, 0.0))
_EPOCH = date(1970, 1, 1)


def type_named(name: Type) -> exp.DataType:
    """Name a type; a new node each time, since a node has one parent."""
    return exp.DataType(this=TYPES[name], nested=False)


def cast(value: exp.Expr, name: Type) -> exp.Cast:
    """Convert a value that certainly fits."""
    return exp.Cast(this=value, to=type_named(name))


def try_cast(value: exp.Expr, name: Type) -> exp.TryCast:
    """Convert a value, to null where that fails."""
    return exp.TryCast(this=value, to=type_named(name))


def decimal(value: str, precision: int, scale: int) -> exp.Expr:
    """Write a decimal number of a type with so many digits, so many of them after the point."""
    return exp.Cast(this=exp.Literal.string(value), to=_decimal_type(precision, scale).copy())


@lru_cache(maxsize=64)
def _decimal_type(precision: int, scale: int) -> exp.DataType:
    return exp.DataType.build(f"DECIMAL({precision}, {scale})")


def whole(value: int, name: Type = "integer") -> exp.Expr:
    """Write a whole number."""
    return cast(exp.Literal.string(str(value)), name)


def real(value: float) -> exp.Expr:
    """Write a double; seventeen digits read back as the same one."""
    return cast(exp.Literal.string(repr(value)), "real")


def text(value: str) -> exp.Expr:
    """Write a text."""
    return cast(exp.Literal.string(value), "text")


def day(value: int) -> exp.Expr:
    """Write a date, given in days since 1970-01-01."""
    inside = min(max(value, FIRST_DAY), LAST_DAY)
    return cast(exp.Literal.string((_EPOCH + timedelta(days=inside)).isoformat()), "date")


def moment(value: int) -> exp.Expr:
    """Write a timestamp, given in microseconds since 1970-01-01, UTC."""
    return call("timestamp_at", whole(min(max(value, FIRST_MOMENT), LAST_MOMENT)))


def bare(value: Any) -> exp.Expr:
    """Write a value as an analyst would; reals always with an exponent, since some engines read 0.1 as a decimal."""
    if value is None:
        return exp.Null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, datetime):
        return exp.Literal.string(value.isoformat(sep=" "))
    if isinstance(value, date):
        return exp.Literal.string(value.isoformat())
    digits = repr(abs(value))
    if isinstance(value, float) and "e" not in digits:
        digits += "e0"
    number = exp.Literal.number(digits)
    return exp.Neg(this=number) if value < 0 else number


def call(meaning: str, *arguments: exp.Expr) -> exp.Expr:
    """Call a function by what it means, one of the list of meanings."""
    if meaning not in MEANINGS:
        raise KeyError(meaning)
    return exp.Anonymous(this=meaning, expressions=list(arguments))


def keyed_hash(key: int, values: Iterable[exp.Expr]) -> exp.Expr:
    """Build an unsigned 64-bit number that spreads contents evenly; two contents may share it."""
    return call("keyed_hash", whole(key), *values)


def case(branches: Iterable[tuple[exp.Expr, exp.Expr]], default: exp.Expr | None) -> exp.Case:
    """Choose the value of the first branch that is true."""
    return exp.Case(ifs=[exp.If(this=when, true=then) for when, then in branches], default=default)


def when(condition: exp.Expr, then: exp.Expr) -> exp.Case:
    """Give a value where a condition is true, and null elsewhere."""
    return case([(condition, then)], None)


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
