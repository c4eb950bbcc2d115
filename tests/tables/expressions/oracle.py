"""The meaning of expressions in Python, row by row: what engines are compared with.

Nothing of it is used by the package. It shares no code with the trees that engines run.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

from privet.tables.columns.column import LARGEST, SMALLEST, Kind
from privet.tables.expressions.casts import SYNTAX
from privet.tables.expressions.node import Call, Expression, Literal, Reference
from tests.tables.expressions.formats import clock, clock_of_text, clock_text, moment, replaced, trim

EPOCH = date(1970, 1, 1)
PARTS: dict[str, Callable[[Any], int]] = {
    "year": lambda moment: int(moment.year),
    "quarter": lambda moment: (int(moment.month) + 2) // 3,
    "month": lambda moment: int(moment.month),
    "week": lambda moment: int(moment.isocalendar().week),
    "day": lambda moment: int(moment.day),
    "dayofweek": lambda moment: int(moment.isoweekday()) % 7,
    "isodow": lambda moment: int(moment.isoweekday()),
    "dayofyear": lambda moment: int(moment.timetuple().tm_yday),
    "hour": lambda moment: int(moment.hour),
    "minute": lambda moment: int(moment.minute),
    "second": lambda moment: int(moment.second),
}
_ANY, _ONE = object(), object()


def evaluate(expression: Expression, row: Mapping[str, Any]) -> Any:
    """Say what an expression means at a row; None is null."""
    if isinstance(expression, Reference):
        return row[expression.name]
    if isinstance(expression, Literal):
        return expression.value
    assert isinstance(expression, Call)
    values = [evaluate(argument, row) for argument in expression.arguments]
    if expression.function.strict and any(value is None for value in values):
        return None
    value = MEANING[expression.function.name](*values)
    return value + 0.0 if isinstance(value, float) else value  # zero has no sign


def whole(value: int) -> int | None:
    """Give null beyond 64 bits."""
    return value if SMALLEST <= value <= LARGEST else None


def finite(value: float) -> float | None:
    """Give null for NaN and infinities."""
    return value if math.isfinite(value) else None


def number(value: Any) -> Any:
    return finite(value) if isinstance(value, float) else whole(value)


def guarded(function: Any, *values: float) -> float | None:
    """Apply a function of Python's; where it raises or overflows, null."""
    try:
        return finite(function(*values))
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def toward_zero(x: int, y: int) -> int:
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def away(value: float) -> float:
    """Round to the nearest whole number, halves away from zero."""
    size = math.floor(abs(value))
    size += Fraction(abs(value)) - size >= Fraction(1, 2)
    return math.copysign(float(size), value)


def round_to(x: Any, places: int) -> Any:
    """Round by a power of ten, in the arithmetic of the kind."""
    if isinstance(x, int):
        if places >= 0:
            return x
        unit = 10**-places
        size = (abs(x) + unit // 2) // unit * unit
        return whole(size if x >= 0 else -size)
    scale = float(10 ** abs(places))
    if places < 0:
        value = away(x / scale) * scale
        return value if math.isfinite(value) else x
    scaled = x * scale
    return away(scaled) / scale if math.isfinite(scaled) else x


def exactly(value: Any) -> Any:
    return Fraction(value) if isinstance(value, float) else value


def compared(apply: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda x, y: apply(exactly(x), exactly(y))


def chain(*, decides: bool) -> Callable[..., bool | None]:
    def evaluated(*values: bool | None) -> bool | None:
        if decides in values:
            return decides
        return None if None in values else not decides

    return evaluated


def listed(x: Any, *items: Any) -> bool | None:
    if x is None:
        return None
    if any(x == item for item in items if item is not None):
        return True
    return None if None in items else False


def case(*values: Any) -> Any:
    for condition, value in zip(values[:-1:2], values[1:-1:2], strict=True):
        if condition:
            return value
    return values[-1]


def extreme(choose: Any) -> Callable[..., Any]:
    return lambda *values: choose((value for value in values if value is not None), default=None)


def lower(text: str) -> str:
    """Lower each code point to one code point."""
    return "".join(character.lower()[0] for character in text)


def upper(text: str) -> str:
    """Raise each code point to one code point, if there is one."""
    return "".join(map(_upper, text))


def _upper(character: str) -> str:
    if character == "ß":
        return "ẞ"
    forms = (character.upper(), character.title(), character)
    return next(form for form in forms if len(form) == 1)


def substr(text: str, start: int, length: int | None = None) -> str:
    return text[start - 1 :] if length is None else text[start - 1 : start - 1 + length]


def _pieces(pattern: str, escape: str | None) -> list[object]:
    pieces: list[object] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            pieces.append(next(characters))
        else:
            pieces.append({"%": _ANY, "_": _ONE}.get(character, character))
    return pieces


def like(text: str, pattern: str, escape: str | None = None) -> bool:
    """Match a text: ``%`` stands for any number of code points, ``_`` for one."""
    pieces = _pieces(pattern, escape)
    reached = {0}  # how many pieces may have been matched so far
    for character in text:
        reached = _closure(reached, pieces)
        reached = {place if pieces[place] is _ANY else place + 1 for place in reached
                   if place < len(pieces) and pieces[place] in (_ANY, _ONE, character)}  # fmt: skip
    return len(pieces) in _closure(reached, pieces)


def _closure(reached: set[int], pieces: list[object]) -> set[int]:
    wider = set(reached)
    for place in reached:
        while place < len(pieces) and pieces[place] is _ANY:
            place += 1
            wider.add(place)
    return wider


def ilike(text: str, pattern: str, escape: str | None = None) -> bool:
    return like(lower(text), lower(pattern), escape)


def truncate(part: str, x: Any) -> Any:
    """Give the first moment of the year, month, ... that holds this one."""
    if isinstance(x, datetime):
        if part in ("hour", "minute", "second"):
            second, minute = x.second if part == "second" else 0, 0 if part == "hour" else x.minute
            return x.replace(microsecond=0, second=second, minute=minute)
        return datetime.combine(truncate(part, x.date()), time.min)
    day: date = x
    if part == "week":
        return day - timedelta(days=day.weekday())
    if part == "day":
        return day
    month = {"year": 1, "quarter": (day.month - 1) // 3 * 3 + 1, "month": day.month}[part]
    return date(day.year, month, 1)


def extract(part: str, x: Any) -> int:
    """Give a part of a date, a timestamp, or the text of a time of day."""
    return int(x[:8].split(":")[("hour", "minute", "second").index(part)]) if isinstance(x, str) else PARTS[part](x)


def cut_clock(part: str, time_text: str) -> str:
    kept = {"hour": 1, "minute": 2, "second": 3}[part]
    return ":".join([*time_text[:8].split(":")[:kept], "00", "00"][:3])


def shift(part: str, number: int, x: Any) -> Any:
    """Move a date or timestamp by so many units; None beyond the calendar."""
    months = {"month": 1, "quarter": 3, "year": 12}.get(part)
    if months is None:
        seconds = {"day": 86400, "week": 7 * 86400, "hour": 3600, "minute": 60, "second": 1}[part]
        try:
            return x + timedelta(seconds=seconds * number)
        except OverflowError:
            return None
    month = x.year * 12 + x.month - 1 + months * number
    if not 12 <= month < 120_000:
        return None
    day = x.day
    while True:
        try:
            return x.replace(year=month // 12, month=month % 12 + 1, day=day)
        except ValueError:
            day -= 1


def day_number(x: Any) -> int:
    day: date = x.date() if isinstance(x, datetime) else x
    return day.toordinal() - EPOCH.toordinal()


def midnight(day: date) -> datetime:
    return datetime.combine(day, time.min)


def moment_text(value: datetime) -> str:
    text = value.isoformat(sep=" ", timespec="microseconds")
    return text.rstrip("0").removesuffix(".") if value.microsecond else text[:19]


def from_text(kind: Kind) -> Callable[[str], Any]:
    return lambda text: read(kind, text)


def read(kind: Kind, text: str) -> Any:
    """Read a text of the right syntax."""
    found = re.fullmatch(SYNTAX[kind], text, re.ASCII)
    if found is None:
        return None
    if kind == "integer":
        return whole(int(text))
    if kind == "real":
        return finite(float(text))
    if kind == "boolean":
        return text[0] in "tTyY1"
    parts = [int(part) for part in found.groups(default="0")[:6]]
    try:
        if kind == "date":
            return date(*parts)
        return datetime(*parts, int((found[7] or "0").ljust(6, "0")))  # type: ignore[call-arg, arg-type]  # noqa: DTZ001
    except ValueError:
        return None


MEANING: dict[str, Callable[..., Any]] = {
    "real of integer": float,
    "midnight of date": midnight,
    "+": lambda x, y: number(x + y),
    "-": lambda x, y: number(x - y),
    "*": lambda x, y: number(x * y),
    "/": lambda x, y: guarded(operator.truediv, x, y),
    "//": lambda x, y: None if y == 0 else whole(toward_zero(x, y)),
    "%": lambda x, y: None if y == 0 else x - toward_zero(x, y) * y,
    "unary -": lambda x: -x if isinstance(x, float) else whole(-x),
    "abs": lambda x: abs(x) if isinstance(x, float) else whole(abs(x)),
    "floor": lambda x: x if isinstance(x, int) else float(math.floor(x)),
    "ceil": lambda x: x if isinstance(x, int) else float(math.ceil(x)),
    "trunc": lambda x: x if isinstance(x, int) else float(math.trunc(x)),
    "sign": lambda x: (x > 0) - (x < 0),
    "round": round_to,
    "sqrt": lambda x: guarded(math.sqrt, x),
    "exp": lambda x: guarded(math.exp, x),
    "ln": lambda x: guarded(math.log, x),
    "log10": lambda x: guarded(math.log10, x),
    "log2": lambda x: guarded(math.log2, x),
    "pow": lambda x, y: guarded(math.pow, x, y),
    "=": compared(operator.eq),
    "<>": compared(operator.ne),
    "<": compared(operator.lt),
    "<=": compared(operator.le),
    ">": compared(operator.gt),
    ">=": compared(operator.ge),
    "is null": lambda x: x is None,
    "and": chain(decides=False),
    "or": chain(decides=True),
    "not": operator.not_,
    "in": listed,
    "case": case,
    "coalesce": lambda *values: next((value for value in values if value is not None), None),
    "nullif": lambda x, y: None if x is None or x == y else x,
    "least": extreme(min),
    "greatest": extreme(max),
    "clip": lambda x, low, high: min(max(x, low), high),
    "lower": lower,
    "upper": upper,
    "trim": trim,
    "length": len,
    "strlen": lambda text: len(text.encode()),
    "strpos": lambda text, part: text.find(part) + 1,
    "substr": substr,
    "right": lambda text, most: text[-most:] if most else "",
    "replace": lambda text, part, other: text.replace(part, other) if part else text,
    "||": operator.add,
    "concat": lambda *values: "".join(value for value in values if value is not None),
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": str.__contains__,
    "like": like,
    "ilike": ilike,
    "extract": extract,
    "regexp_replace": replaced,
    "strptime": moment,
    "parse_time": lambda written, text: clock(text, written),
    "time_trunc": cut_clock,
    "cast timestamp as time": lambda x: clock_text(x.hour, x.minute, x.second, x.microsecond),
    "cast text as time": clock_of_text,
    "date_trunc": truncate,
    "date_add": shift,
    "date_diff": lambda _, one, other: day_number(other) - day_number(one),
    "cast integer as real": float,
    "cast date as timestamp": midnight,
    "cast timestamp as date": datetime.date,
    "cast real as integer": lambda x: whole(int(away(x))),
    "cast boolean as integer": int,
    "cast boolean as real": float,
    "cast integer as boolean": bool,
    "cast real as boolean": bool,
    "cast integer as text": str,
    "cast real as text": repr,
    "cast boolean as text": lambda x: str(x).lower(),
    "cast date as text": date.isoformat,
    "cast timestamp as text": moment_text,
    "cast text as integer": from_text("integer"),
    "cast text as real": from_text("real"),
    "cast text as boolean": from_text("boolean"),
    "cast text as date": from_text("date"),
    "cast text as timestamp": from_text("timestamp"),
}
