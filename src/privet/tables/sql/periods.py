"""Calendar periods between public bounds: the groups of ``GROUP BY day`` and ``GROUP BY DATE_TRUNC('month', day)``."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Final

from privet.errors import InvalidError
from privet.tables.columns import Column
from privet.tables.expressions import Expression
from privet.tables.statistics import MOST_GROUPS

_TRUNCATED = re.compile(r"(?:cast\()?date_trunc\('(\w+)', ")
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - timestamps of a table have no zone
_STEPS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1)}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
UNITS = (*_STEPS, "week", *_MONTHS)


def unit_of(value: Expression) -> str | None:
    """Name the calendar unit to which an expression cuts a date or a timestamp; None if it cuts none."""
    cut = _TRUNCATED.match(str(value))
    return None if cut is None else cut.group(1).lower()


def periods(name: str, column: Column, unit: str | None) -> list[str]:
    """Write all periods that begin between the bounds of a column, as an engine writes them.

    Args:
        name: The key, for messages.
        column: What is known of its values: dates or timestamps, with bounds.
        unit: The calendar unit to which they are cut; None for dates as they are.

    >>> from privet.tables.codebook.column import column
    >>> periods("day", column("date", bounds=("2024-01-31", "2024-03-01")).column, "month")
    ['2024-02-01', '2024-03-01']
    """
    if column.bounds is None:
        raise InvalidError(
            f"SQL: GROUP BY {name!r} needs bounds of the {column.kind} in the codebook, between which the periods are "
            "public. Give it bounds, or list the groups with session.sql(text, groups=[...])."
        )
    if unit is None and column.kind == "date":
        unit = "day"
    if unit not in UNITS:
        raise InvalidError(
            f"SQL: GROUP BY {name!r} of a {column.kind} is not allowed. Cut it to a period: GROUP BY "
            "DATE_TRUNC('month', time), or take parts of it: GROUP BY year(time), month(time), hour(time)."
        )
    low, high = (_moment(column, end) for end in column.bounds)
    written: list[str] = []
    for begin in _from(low, unit):
        if begin > high:
            break
        if len(written) >= MOST_GROUPS:
            raise InvalidError(
                f"SQL: GROUP BY {name!r} makes more than {MOST_GROUPS:,} groups. Take longer periods, or filter the "
                "groups of interest with session.sql(text, groups=[...])."
            )
        written.append(_text(begin.date() if column.kind == "date" else begin))
    return written


def _moment(column: Column, end: object) -> datetime:
    """Read a bound: days or microseconds since 1970."""
    count = int(end)  # type: ignore[call-overload] # bounds are whole numbers of a date
    return _EPOCH + (timedelta(days=count) if column.kind == "date" else timedelta(microseconds=count))


def _from(low: datetime, unit: str) -> Iterator[datetime]:
    """Give the beginnings of periods, the first one not before a moment."""
    begin = _cut(low, unit)
    try:
        while True:
            if begin >= low:
                yield begin
            begin = _next(begin, unit)
    except OverflowError:  # the end of the calendar
        return


def _cut(moment: datetime, unit: str) -> datetime:
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "minute":
        return moment.replace(second=0, microsecond=0)
    if unit == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    if unit == "week":
        return day - timedelta(days=day.weekday())  # 0001-01-01 is a Monday
    if unit in _MONTHS:
        months = _MONTHS[unit]
        return day.replace(day=1, month=(day.month - 1) // months * months + 1)
    return day


def _next(begin: datetime, unit: str) -> datetime:
    if unit not in _MONTHS:
        return begin + _STEPS.get(unit, timedelta(days=7))
    month = begin.month - 1 + _MONTHS[unit]
    if begin.year + month // 12 > date.max.year:
        raise OverflowError
    return begin.replace(year=begin.year + month // 12, month=month % 12 + 1)


def _text(begin: date) -> str:
    return begin.isoformat(sep=" ") if isinstance(begin, datetime) else begin.isoformat()
