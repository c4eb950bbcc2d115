"""Dates and timestamps plus a number of days, months, hours, ... that is written out."""

from calendar import monthrange
from datetime import date
from fractions import Fraction
from typing import Any

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions.accepting import check_kind, constant, count, to_timestamp
from privet.tables.expressions.dates import MOMENTS, TIMES, moment
from privet.tables.expressions.node import Expression, Function, Literal, Nodes
from privet.tables.expressions.ranges import DAY, LIMITS, Range, ordinal, within
from privet.tables.expressions.syntax import let
from privet.tables.vocabulary import bare, call, cast, when

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "week": 7}
_MICROSECONDS = {"second": 1_000_000, "minute": 60_000_000, "hour": 3_600_000_000}
UNITS = (*_DAYS, *_MONTHS, *TIMES)
_FURTHEST = 9_999  # years: from one end of the calendar to the other


def add_months(x: Any, months: int) -> Any:
    """Move a date or timestamp by whole months; the day is that of x, or the last of a shorter month.

    Years beyond 1 to 9999 have no date, so the result is then None.

    >>> add_months(date(2024, 1, 31), 1), add_months(date(9999, 12, 1), 1)
    (datetime.date(2024, 2, 29), None)
    """
    years, month = divmod(x.year * 12 + x.month - 1 + months, 12)
    if not date.min.year <= years <= date.max.year:
        return None
    return x.replace(year=years, month=month + 1, day=min(x.day, monthrange(years, month + 1)[1]))


def _accept(arguments: Nodes) -> Nodes:
    count("date_add", arguments, 3)
    part = constant("date_add", "the unit", check_kind("date_add", arguments[0], ["text"])).lower()
    if part not in UNITS:
        raise InvalidError(f"An interval must be of {', '.join(UNITS)}, got '{part}'.")
    number = constant("date_add", "the number of units", check_kind("date_add", arguments[1], ["integer"]))
    if part in _MONTHS:
        most = _FURTHEST * 12 // _MONTHS[part]
    else:
        most = _FURTHEST * 366 // _DAYS.get(part, 1) * (DAY // _MICROSECONDS.get(part, DAY))
    if abs(number) > most:
        raise InvalidError(f"An interval of '{part}' must have at most {most:,} of them, got {number:,}.")
    x = check_kind("date_add", arguments[2], MOMENTS)
    return Literal(part, "text"), Literal(number, "integer"), to_timestamp(x) if part in TIMES else x


def _facts(part: Range, number: Range) -> tuple[str, int]:
    (name,) = part.categories or ("day",)
    return name, int(number.low)


def _steps(kind: str, name: str, number: int) -> int:
    """Give an interval in days, for dates, or in microseconds."""
    if name in _DAYS:
        return number * _DAYS[name] * (1 if kind == "date" else DAY)
    return number * _MICROSECONDS[name]


def _moved(x: Range, end: Fraction, name: str, number: int) -> Fraction:
    """Move one end of a range; beyond the calendar, past its end."""
    if name not in _MONTHS:
        return end + _steps(x.kind, name, number)
    later = add_months(moment(x.kind, end), number * _MONTHS[name])
    least, most = LIMITS[x.kind]
    return (most + 1 if number > 0 else least - 1) if later is None else ordinal(later)


def _infer(part: Range, number: Range, x: Range) -> Range:
    ends = [_moved(x, end, *_facts(part, number)) for end in (x.low, x.high)]
    least, most = LIMITS[x.kind]
    return within(x.kind, *ends, nullable=x.nullable or ends[0] < least or ends[1] > most)


def _compile(part: Expression, number: Expression, x: Expression) -> exp.Expr:
    name, count_of = _facts(part.range, number.range)
    if name in _MONTHS:
        tree = call("add_months", x.sql(), bare(count_of * _MONTHS[name]))
    elif x.kind == "date":
        tree = call("add_days", x.sql(), bare(_steps("date", name, count_of)))
    else:
        tree = call("timestamp_at", exp.Add(this=call("microseconds", x.sql()), expression=_whole(x, name, count_of)))
    tree = cast(tree, "date") if x.kind == "date" else tree
    least, most = LIMITS[x.kind]
    ends = [_moved(x.range, end, name, count_of) for end in (x.range.low, x.range.high)]
    if ends[0] >= least and ends[1] <= most:
        return tree
    limits = [cast(bare(moment(x.kind, end)), x.kind) for end in (least, most)]
    return let(tree, lambda value: when(exp.Between(this=value.copy(), low=limits[0], high=limits[1]), value.copy()))


def _whole(x: Expression, name: str, number: int) -> exp.Expr:
    return exp.Paren(this=cast(bare(_steps(x.kind, name, number)), "integer"))


def _write(texts: tuple[str, ...]) -> str:
    part, number, x = texts
    return f"({x} + interval ({number}) {part[1:-1]})"


DATE_ADD = Function(
    name="date_add",
    usage="d + interval '3' month, d - interval 90 day, d + 7",
    meaning=f"d moved by so many {', '.join(UNITS)}, which are written out; the last day of a month that is too short",
    nulls="d is null; the result leaves the years 1 to 9999",
    domain="the moved bounds",
    accept=_accept,
    infer=_infer,
    compile=_compile,
    write=_write,
)

FUNCTIONS = (DATE_ADD,)
