"""Dates and timestamps on PostgreSQL, within its calendar, which is shorter in the past than that of others."""

from sqlglot import exp

from privet.tables.columns import FIRST_DAY, FIRST_TIMESTAMP, LAST_DAY, LAST_TIMESTAMP
from privet.tables.engines.postgres.typed import convert, fill, let
from privet.tables.engines.typed_sql.trees import Typed

PARTS = {
    "day": "day",
    "dayofweek": "dow",
    "dayofyear": "doy",
    "hour": "hour",
    "isodow": "isodow",
    "minute": "minute",
    "month": "month",
    "quarter": "quarter",
    "second": "second",
    "week": "week",
    "year": "year",
}
_AT = f"""CASE WHEN v > {LAST_TIMESTAMP} THEN TIMESTAMP '10000-01-01'
    WHEN v < {FIRST_TIMESTAMP} THEN TIMESTAMP '0001-01-01 BC'
    ELSE TIMESTAMP '1970-01-01' + MAKE_INTERVAL(days => (v / 86400000000)::int)
        + (v % 86400000000) * INTERVAL '1 microsecond' END"""
# beyond the years 1 to 9999 there is no date; whoever adds months says null there
_MONTHS_LATER = """CASE WHEN (EXTRACT(year FROM v) * 12 + EXTRACT(month FROM v) - 1 + m) BETWEEN 12 AND 119999
    THEN v::timestamp + MAKE_INTERVAL(months => m::int) END"""
_DAYS_LATER = f"""CASE WHEN v - DATE '1970-01-01' + d > {LAST_DAY} THEN DATE '10000-01-01'
    WHEN v - DATE '1970-01-01' + d < {FIRST_DAY} THEN DATE '0001-01-01 BC' ELSE v + d::int END"""
_MICROSECONDS = """CASE WHEN NOT ISFINITE(v) THEN NULL WHEN v >= '10000-01-01' THEN 300000000000000000
    WHEN v < '0001-01-01' THEN -100000000000000000 ELSE (EXTRACT(epoch FROM v) * 1000000)::bigint END"""


def timestamp_at(value: Typed) -> Typed:
    """Give the timestamp so many microseconds after 1970; beyond the calendar, one beyond it."""
    return Typed(let(_AT, v=convert(value.tree, "integer")), "timestamp")


def microseconds(value: Typed) -> Typed:
    """Give the microseconds since 1970; beyond the calendar, a number beyond it."""
    return Typed(let(_MICROSECONDS, v=value.tree), "integer")


def date_at(value: Typed) -> Typed:
    """Give the date so many days after 1970."""
    return Typed(fill("DATE '1970-01-01' + v::int", v=value.tree), "date")


def days_later(value: Typed, days: Typed) -> Typed:
    """Move a date by days."""
    return Typed(let(_DAYS_LATER, v=value.tree, d=days.tree), "date")


def months_later(value: Typed, months: Typed) -> Typed:
    """Move a date or timestamp by months."""
    return Typed(let(_MONTHS_LATER, v=value.tree, m=months.tree), "timestamp")


def days_between(one: Typed, other: Typed) -> Typed:
    """Give the number of days from one date to another."""
    return Typed(fill("(b - a)::bigint", a=one.tree, b=other.tree), "integer")


def truncate(part: Typed, value: Typed) -> Typed:
    """Give the first moment of a year, a month, ..."""
    tree: exp.Expr = part.tree
    while isinstance(tree, exp.Paren | exp.Cast | exp.Collate):
        tree = tree.this
    moment = value.tree if value.kind == "timestamp" else convert(value.tree, "timestamp")
    return Typed(exp.Anonymous(this="date_trunc", expressions=[tree.copy(), moment]), "timestamp")


def part_of(name: str, value: Typed) -> Typed:
    """Give a part of a date or timestamp."""
    return Typed(fill(f"TRUNC(EXTRACT({PARTS[name]} FROM v))::bigint", v=value.tree), "integer")
