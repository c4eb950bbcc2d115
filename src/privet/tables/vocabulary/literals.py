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

from privet.tables.columns import FIRST_DAY, FIRST_TIMESTAMP, LAST_DAY, LAST_TIMESTAMP, Column, Kind

MEANINGS: dict[str, str] = {
    # numbers
    "abs": "the absolute value",
    "ceil": "the smallest whole number that is not below x",
    "exp": "e to the power x; infinite where that leaves the doubles",
    "floor": "the largest whole number that is not above x",
    "isfinite": "whether a real is neither NaN nor infinite, or a date or timestamp not infinite",
    "isnan": "whether a real is NaN",
    "ln": "the natural logarithm; infinite or NaN where there is none",
    "log10": "the logarithm to base 10; likewise",
    "log2": "the logarithm to base 2; likewise",
    "pow": "x to the power y, of reals; infinite or NaN where there is none",
    "round": "the nearest multiple of 10^-digits, halves away from zero; digits are 0 unless given",
    "sqrt": "the square root, rounded to the nearest double; NaN where x is negative",
    "trunc": "x without its fraction",
    # choices
    "coalesce": "the first argument that is not null; null where all are",
    "greatest": "the largest argument; nulls are passed over, null where all are",
    "least": "the smallest argument; nulls are passed over, null where all are",
    "let": "the third argument, in which the second, a bare column, stands for the first; computed once",
    "nullif": "x, or null where x equals y; x where y is null",
    # texts, as sequences of code points
    "byte_length": "the number of bytes in UTF-8",
    "concat": "texts one after another; nulls are passed over, never null",
    "contains": "whether t occurs in s",
    "each_part": "one row for each of the first n parts of s, cut wherever t occurs; none where s is null",
    "ends_with": "whether s ends with t",
    "ilike_escape": "like_escape, of s and the pattern in small letters",
    "left": "the first n code points",
    "length": "the number of code points",
    "like_escape": "whether s matches a pattern of SQL; the third argument is its escape character",
    "lower": "in small letters, one code point for one",
    "matches": "whether a regular expression (of RE2) matches all of s",
    "part": "what the group that the third argument numbers matches in s, which the regular expression matches",
    "position": "where t begins in s, in code points from 1 on; 0 where it does not occur, 1 where it is empty",
    "regexp_replace": "s with its first match of a regular expression (of RE2) replaced; every one with the option 'g'",
    "replace": "s with another text in the place of every t; s itself where t is empty",
    "right": "the last n code points",
    "starts_with": "whether s begins with t",
    "substr": "the code points from a place on, the first being 1; so many as the third argument says, if there is one",
    "trim": "without spaces (Unicode class Zs) at both ends",
    "upper": "in capitals, one code point for one",
    # lists
    "each_item": "one row for each of the first n items of a list; none where it is null",
    "each_item_or_null": "likewise; one row with null where it is null or empty",
    "item_count": "the number of items of a list",
    "list_text": "a text that writes a list, another one for every other list of its type",
    "map_items": "the list of the last argument for each of the first n items; the third, a bare column, stands for it",
    "map_pairs": "likewise of two lists, with a name for the items of each",
    # dates and timestamps, of the proleptic Gregorian calendar and in UTC
    "add_days": "a date so many days later, or earlier",
    "add_months": "a date or timestamp so many months later; the last day of a month that is too short",
    "date_at": "the date so many days after 1970-01-01",
    "date_trunc": "the first moment of the year, quarter, month, week (Monday), day, hour, minute or second of x",
    "days_between": "the number of days from the first date to the second",
    "microseconds": "the microseconds from 1970-01-01 to a timestamp",
    "parse_timestamp": "the timestamp that a text writes in a format of strptime; null where it writes none",
    "timestamp_at": "the timestamp so many microseconds after 1970-01-01",
    "day": "the day of the month, 1 to 31",
    "dayofweek": "0 on Sunday to 6 on Saturday",
    "dayofyear": "1 to 366",
    "hour": "0 to 23",
    "isodow": "1 on Monday to 7 on Sunday",
    "minute": "0 to 59",
    "month": "1 to 12",
    "quarter": "1 to 4",
    "second": "0 to 59, without the fraction",
    "week": "the week of ISO 8601, 1 to 53",
    "year": "1 to 9999",
    # what rows are ranked, drawn and counted by
    "bin_counts": "an aggregate: how many whole numbers lie up to each of a rising list of ends, above the one before",
    "each_bin": "one row for each end of bin_counts that has a count, and that end",
    "each_count": "likewise that count",
    "each_listed": "one row for each item of a JSON list, which is the first argument; of the type of the second",
    "first_pair": "an aggregate: y of the smallest pair (x, y) of rows where neither is null; null where none is",
    "last_pair": "likewise of the largest pair",
    "keyed_hash": "an unsigned 64-bit hash of a secret number and of values, nulls included; no value shows in it",
    "dense_rank": "the window function",
    "row_number": "the window function",
}
Type = Literal[Kind, "int32", "uint64", "int128", "uint128", "zoned timestamp"]
_T = exp.DType
TYPES: dict[Type, exp.DType] = {  # lists are named by ``column_type``, after their items
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


def column_type(known: Column) -> exp.DataType:
    """Name the type of the values of a column."""
    if known.item is None:
        return type_named(known.kind)
    return exp.DataType(this=exp.DType.ARRAY, expressions=[column_type(known.item)], nested=True)


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
    return call("timestamp_at", whole(min(max(value, FIRST_TIMESTAMP), LAST_TIMESTAMP)))


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
