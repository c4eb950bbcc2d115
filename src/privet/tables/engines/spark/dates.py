"""Dates and timestamps on Spark: of the proleptic Gregorian calendar, without a zone; that of the session is UTC."""

from sqlglot import exp

from privet.tables.columns import FIRST_DAY, FIRST_TIMESTAMP, LAST_DAY, LAST_TIMESTAMP
from privet.tables.engines.spark.typed import convert, fill, let
from privet.tables.engines.typed_sql.trees import Typed, bare_literal

PARTS = {
    "day": "DAYOFMONTH(v)",
    "dayofweek": "DAYOFWEEK(v) - 1",
    "dayofyear": "DAYOFYEAR(v)",
    "hour": "HOUR(v)",
    "isodow": "WEEKDAY(v) + 1",
    "minute": "MINUTE(v)",
    "month": "MONTH(v)",
    "quarter": "QUARTER(v)",
    "second": "SECOND(v)",
    "week": "WEEKOFYEAR(v)",
    "year": "YEAR(v)",
}
_FIRST, _BEYOND = (f"TIMESTAMP_NTZ '{each} 00:00:00'" for each in ("0000-01-01", "+10000-01-01"))
_AT = f"""CASE WHEN v > {LAST_TIMESTAMP} THEN {_BEYOND} WHEN v < {FIRST_TIMESTAMP} THEN {_FIRST}
    ELSE CAST(TIMESTAMP_MICROS(v) AS TIMESTAMP_NTZ) END"""
# beyond the years 1 to 9999 there is no date; whoever adds months says null there
_MONTHS_LATER = """CASE WHEN CAST(YEAR(v) AS BIGINT) * 12 + MONTH(v) - 1 + m BETWEEN 12 AND 119999
    THEN TIMESTAMPADD(MONTH, CAST(m AS INT), t) END"""
_DAYS = "CAST(DATEDIFF(v, DATE '1970-01-01') AS BIGINT) + d"
_DAYS_LATER = f"""CASE WHEN {_DAYS} > {LAST_DAY} THEN DATE '+10000-01-01'
    WHEN {_DAYS} < {FIRST_DAY} THEN DATE '0000-01-01' ELSE DATE_ADD(v, CAST(d AS INT)) END"""
_MICROSECONDS = f"""CASE WHEN v >= {_BEYOND} THEN 300000000000000000
    WHEN v < TIMESTAMP_NTZ '0001-01-01 00:00:00' THEN -100000000000000000
    ELSE UNIX_MICROS(CAST(v AS TIMESTAMP_LTZ)) END"""


def timestamp_at(value: Typed) -> Typed:
    """Give the timestamp so many microseconds after 1970; beyond the calendar, one beyond it."""
    return Typed(let(_AT, v=convert(value.tree, "integer")), "timestamp")


def microseconds(value: Typed) -> Typed:
    """Give the microseconds since 1970; beyond the calendar, a number beyond it."""
    moment = value.tree if value.kind == "timestamp" else convert(value.tree, "timestamp")
    return Typed(let(_MICROSECONDS, v=moment), "integer")


def date_at(value: Typed) -> Typed:
    """Give the date so many days after 1970."""
    return Typed(fill("DATE_ADD(DATE '1970-01-01', CAST(v AS INT))", v=value.tree), "date")


def days_later(value: Typed, days: Typed) -> Typed:
    """Move a date by days."""
    return Typed(let(_DAYS_LATER, v=value.tree, d=convert(days.tree, "integer")), "date")


def months_later(value: Typed, months: Typed) -> Typed:
    """Move a date or timestamp by months."""
    body = _MONTHS_LATER.replace("t)", "v)" if value.kind == "timestamp" else "CAST(v AS TIMESTAMP_NTZ))")
    return Typed(let(body, v=value.tree, m=convert(months.tree, "integer")), "timestamp")


def days_between(one: Typed, other: Typed) -> Typed:
    """Give the number of days from one date to another."""
    return Typed(fill("CAST(DATEDIFF(b, a) AS BIGINT)", a=one.tree, b=other.tree), "integer")


def truncate(part: Typed, value: Typed) -> Typed:
    """Give the first moment of a year, a month, ..."""
    written = bare_literal(part.tree)
    moment = value.tree if value.kind == "timestamp" else convert(value.tree, "timestamp")
    name = exp.Literal.string("" if written is None else written.name)
    return Typed(convert(exp.Anonymous(this="date_trunc", expressions=[name, moment]), "timestamp"), "timestamp")


def part_of(name: str, value: Typed) -> Typed:
    """Give a part of a date or timestamp."""
    tree = value.tree if value.kind in ("date", "timestamp") else convert(value.tree, "timestamp")
    return Typed(convert(fill(PARTS[name], v=tree), "integer"), "integer")
