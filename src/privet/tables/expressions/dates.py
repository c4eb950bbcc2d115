"""Dates and timestamps: their parts, truncation, and differences in days. Timestamps are naive, in UTC."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import Kind
from privet.tables.expressions.accepting import brief, check_kind, constant, count
from privet.tables.expressions.node import Expression, Function, Literal, Nodes
from privet.tables.expressions.ranges import (
    DAY,
    EPOCH,
    EPOCH_DAY,
    MICROSECOND,
    Range,
    ordinal,
    within,
)
from privet.tables.expressions.time_of_day import clock_part, is_time
from privet.tables.vocabulary import call, cast

MOMENTS: tuple[Kind, ...] = ("date", "timestamp")
PARTS: dict[str, tuple[int, int]] = {
    "year": (1, 9999),
    "quarter": (1, 4),
    "month": (1, 12),
    "week": (1, 53),
    "day": (1, 31),
    "dayofweek": (0, 6),
    "isodow": (1, 7),
    "dayofyear": (1, 366),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
}
TIMES = ("hour", "minute", "second")
TRUNCATIONS = ("year", "quarter", "month", "week", "day", *TIMES)


def moment(kind: Kind, place: Fraction) -> Any:
    """Give the date or timestamp at a place in their order."""
    return EPOCH_DAY + timedelta(days=int(place)) if kind == "date" else EPOCH + int(place) * MICROSECOND


def _part_accept(name: str, allowed: tuple[str, ...]) -> Callable[[Nodes], Nodes]:
    def accept(arguments: Nodes) -> Nodes:
        count(name, arguments, 2)
        part = constant(name, "the part", check_kind(name, arguments[0], ["text"])).lower()
        if part not in allowed:
            raise InvalidError(f"{name}: the part must be one of {', '.join(allowed)}, got '{part}'.")
        x = check_kind(name, arguments[1], MOMENTS)
        if part in TIMES and x.kind == "date":
            raise InvalidError(f"{name}: a date has no {part}. Use a timestamp, or a part of a day or longer.")
        return Literal(part, "text"), x

    return accept


def _extract_accept(arguments: Nodes) -> Nodes:
    """Accept a part of a date or of a timestamp, or one of a time of day."""
    clock = len(arguments) == 2 and is_time(arguments[1])
    if not clock:
        if len(arguments) == 2 and arguments[1].kind == "text":
            raise InvalidError(
                f"extract takes a date, a timestamp or a time of day, got text: {brief(arguments[1])}. Write "
                "cast(... as date), cast(... as timestamp) or cast(... as time)."
            )
        return _PARTS_ACCEPTED(arguments)
    part = constant("extract", "the part", check_kind("extract", arguments[0], ["text"])).lower()
    if part not in TIMES:
        raise InvalidError(f"extract: the part of a time must be one of {', '.join(TIMES)}, got '{part}'.")
    return Literal(part, "text"), arguments[1]


def _extract_infer(part: Range, x: Range) -> Range:
    (name,) = part.categories or ("year",)
    low, high = PARTS[name]
    if name == "year":
        low, high = (moment(x.kind, end).year for end in (x.low, x.high))
    return within("integer", low, high, nullable=x.nullable)


def _extract_compile(part: Expression, x: Expression) -> exp.Expr:
    (name,) = part.range.categories or ("year",)
    return clock_part(name, x.sql()) if x.kind == "text" else call(name, x.sql())


_PARTS_ACCEPTED = _part_accept("extract", tuple(PARTS))
EXTRACT = Function(
    name="extract",
    usage="extract(year from d), date_part('year', d), year(d), ...",
    meaning=f"a part: {', '.join(PARTS)}; weeks as in ISO 8601, dayofweek 0 on Sunday, isodow 7; "
    "of a time of day the last three",
    nulls="d is null",
    domain="the years between the bounds; 1 to 12 months, 0 to 23 hours, ...",
    accept=_extract_accept,
    infer=_extract_infer,
    compile=_extract_compile,
    write=lambda texts: f"extract({texts[0][1:-1]} from {texts[1]})",
)


def truncate(part: str, x: Any) -> Any:
    """Give the first moment of the year, month, ... that holds this one."""
    if isinstance(x, datetime):
        if part in TIMES:
            return x.replace(
                microsecond=0,
                second=x.second if part == "second" else 0,
                minute=0 if part == "hour" else x.minute,
            )
        return datetime.combine(truncate(part, x.date()), time.min)
    day: date = x
    if part == "week":
        return day - timedelta(days=day.weekday())
    if part == "day":
        return day
    month = {"year": 1, "quarter": (day.month - 1) // 3 * 3 + 1, "month": day.month}[part]
    return date(day.year, month, 1)


def _trunc_infer(part: Range, x: Range) -> Range:
    (name,) = part.categories or ("year",)
    low, high = (ordinal(truncate(name, moment(x.kind, end))) for end in (x.low, x.high))
    return within(x.kind, low, high, nullable=x.nullable)


def _trunc_compile(part: Expression, x: Expression) -> exp.Expr:
    tree = call("date_trunc", part.sql(), x.sql())
    return cast(tree, "date") if x.kind == "date" else tree


DATE_TRUNC = Function(
    name="date_trunc",
    usage="date_trunc('month', d)",
    meaning=f"the first moment of the {', '.join(TRUNCATIONS)} that holds d; of the kind of d; weeks begin on Monday",
    nulls="d is null",
    domain="the truncated bounds",
    accept=_part_accept("date_trunc", TRUNCATIONS),
    infer=_trunc_infer,
    compile=_trunc_compile,
)


def _day_range(known: Range) -> tuple[Fraction, Fraction]:
    unit = 1 if known.kind == "date" else DAY
    return Fraction(known.low // unit), Fraction(known.high // unit)


def _diff_accept(arguments: Nodes) -> Nodes:
    count("date_diff", arguments, 3)
    part = constant("date_diff", "the part", check_kind("date_diff", arguments[0], ["text"])).lower()
    if part != "day":
        raise InvalidError(
            f"date_diff: the part must be 'day', got '{part}'. Divide the days, or subtract extracted parts."
        )
    return Literal(part, "text"), *(check_kind("date_diff", argument, MOMENTS) for argument in arguments[1:])


def _diff_infer(_: Range, x: Range, y: Range) -> Range:
    (start, stop), (begin, end) = _day_range(x), _day_range(y)
    return within("integer", begin - stop, end - start, nullable=x.nullable or y.nullable)


DATE_DIFF = Function(
    name="date_diff",
    usage="date_diff('day', d, e), e - d",
    meaning="the number of midnights from d to e, negative if e comes first",
    nulls="d or e is null",
    domain="the exact interval",
    accept=_diff_accept,
    infer=_diff_infer,
    compile=lambda _, *moments: call(
        "days_between", *(x.sql() if x.kind == "date" else cast(x.sql(), "date") for x in moments)
    ),
)

FUNCTIONS = (EXTRACT, DATE_TRUNC, DATE_DIFF)
