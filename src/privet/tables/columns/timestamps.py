"""Dates and timestamps as whole numbers: days, and microseconds in UTC, since 1970-01-01."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from numbers import Integral

import numpy as np

from privet.core import Array
from privet.errors import InvalidError, WrongTypeError

# every date and moment lies in the years 1 to 9999, which Python and all functions of expressions can work with
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # in days since 1970-01-01
FIRST_TIMESTAMP, LAST_TIMESTAMP = FIRST_DAY * 86_400_000_000, (LAST_DAY + 1) * 86_400_000_000 - 1  # in microseconds
_EPOCH = date(1970, 1, 1)
_EPOCH_TIME = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TYPES = {"date": "datetime64[D]", "timestamp": "datetime64[us]"}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", flags=re.ASCII)
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?", flags=re.ASCII)


def read_moment(label: str, kind: str, value: object) -> int:
    """Read a date or a timestamp: ISO text, a date object, or the whole number itself.

    >>> read_moment("bounds", "date", "1970-02-01")
    31
    >>> read_moment("bounds", "timestamp", "1970-01-01T01:00+01:00")
    0
    """
    if isinstance(value, str):
        return _from_text(label, kind, value)
    if isinstance(value, datetime) and kind == "timestamp":
        return _microseconds(label, value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return _number(kind, value)
    if isinstance(value, Fraction) and value.denominator == 1:
        value = int(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return _in_range(label, kind, int(value))
    raise WrongTypeError(f"{label} must be {_expected(kind)}, got {type(value).__name__}.")


def write_moment(kind: str, value: int | Fraction) -> str:
    """Write a whole number of days or microseconds as ISO text.

    >>> write_moment("timestamp", 1_500_000)
    '1970-01-01T00:00:01.500000Z'
    """
    if kind == "date":
        return to_date(kind, value).isoformat()
    moment = _EPOCH_TIME + int(value) * _MICROSECOND
    return moment.replace(tzinfo=None).isoformat() + "Z"


def moments_of(kind: str, numbers: Array, rounding: Callable[[Array], Array] = np.rint) -> Array:
    """Write numbers of days or microseconds as an array of dates or timestamps; what lies beyond year 9999 stays there.

    Args:
        kind: ``date`` or ``timestamp``.
        numbers: Floats; NaN becomes NaT, which is neither.
        rounding: How parts of a day or of a microsecond are rounded.

    >>> moments_of("date", np.array([31.0, 1e30])).tolist()
    [datetime.date(1970, 2, 1), datetime.date(9999, 12, 31)]
    """
    first, last = (FIRST_DAY, LAST_DAY) if kind == "date" else (FIRST_TIMESTAMP, LAST_TIMESTAMP)
    known = ~np.isnan(numbers)
    inside = np.clip(np.where(known, rounding(numbers), 0.0), float(first), float(last)).astype(np.int64)
    moments = np.minimum(inside, last).astype(_TYPES[kind])  # the last moment of all is no double
    moments[~known] = np.datetime64("NaT")
    return moments


def spans_of(kind: str, numbers: Array) -> Array:
    """Write numbers of days or microseconds as spans of time.

    >>> spans_of("date", np.array([1.5])).tolist()
    [datetime.timedelta(days=1, seconds=43200)]
    """
    longest = float(LAST_TIMESTAMP - FIRST_TIMESTAMP)
    known, scale = ~np.isnan(numbers), 86_400_000_000 if kind == "date" else 1
    spans = np.rint(np.minimum(np.where(known, numbers, 0.0) * scale, longest)).astype("timedelta64[us]")
    spans[~known] = np.timedelta64("NaT")
    return np.asarray(spans)


def to_date(kind: str, value: int | Fraction) -> date:
    """Give the day of a date or of a timestamp."""
    if kind == "date":
        return _EPOCH + timedelta(days=int(value))
    return (_EPOCH_TIME + int(value) * _MICROSECOND).date()


def _expected(kind: str) -> str:
    if kind == "date":
        return "a date such as 2024-01-31"
    return "a timestamp such as 2024-01-31T12:00:00Z, or a date for the start of its day"


def _from_text(label: str, kind: str, text: str) -> int:
    stripped = text.strip()
    try:
        if _DAY.fullmatch(stripped):
            return _number(kind, date.fromisoformat(stripped))
        if kind == "timestamp" and _TIME.fullmatch(stripped):
            return _microseconds(label, datetime.fromisoformat(stripped))
    except ValueError:
        raise InvalidError(f"{label} must be {_expected(kind)}; there is no {text[:40]!r} in the calendar.") from None
    raise InvalidError(f"{label} must be {_expected(kind)}, got {text[:40]!r}.")


def _number(kind: str, day: date) -> int:
    days = (day - _EPOCH).days
    return days if kind == "date" else days * 86_400_000_000


def _microseconds(label: str, moment: datetime) -> int:
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return _in_range(label, "timestamp", (aware - _EPOCH_TIME) // _MICROSECOND)


def _in_range(label: str, kind: str, value: int) -> int:
    first, last = (FIRST_DAY, LAST_DAY) if kind == "date" else (FIRST_TIMESTAMP, LAST_TIMESTAMP)
    if not first <= value <= last:
        raise InvalidError(f"{label} must lie between the years 1 and 9999, in UTC.")
    return value
