"""Calendar periods by name: ``2026-05-31``, ``2026-W22``, ``2026-05``, ``2026-Q2``, ``2026``."""

import re
from datetime import date

from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.unit import Length

NO_DATE = "no date"  # the period of the rows without a date
MOST_PERIODS = 1_000
_EPOCH = date(1970, 1, 1)
_FORMS: dict[Length, tuple[str, str]] = {
    "day": (r"(\d{4})-(\d{2})-(\d{2})", "2026-05-31"),
    "week": (r"(\d{4})-W(\d{2})", "2026-W22"),
    "month": (r"(\d{4})-(\d{2})", "2026-05"),
    "quarter": (r"(\d{4})-Q([1-4])", "2026-Q2"),
    "year": (r"(\d{4})", "2026"),
}


def read_periods(label: str, length: Length, value: object) -> tuple[str, ...]:
    """Read the names of calendar periods, one or a list; each once, the earliest first.

    Args:
        label: What to call them in messages.
        length: The length of the periods.
        value: A name, or a list of names. ``"no date"`` is the period of the rows without a date.

    >>> read_periods("period", "month", ["2026-05", "2026-04"])
    ('2026-04', '2026-05')
    """
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(each, str) for each in names):
        raise WrongTypeError(
            f"{label} must be the name of a {length}, such as {_FORMS[length][1]!r}, or a list of names, got "
            f"{type(value).__name__}."
        )
    if not 1 <= len(names) <= MOST_PERIODS:
        raise InvalidError(f"{label} must name between 1 and {MOST_PERIODS:,} {length}s, got {len(names):,}.")
    days = {name: None if name == NO_DATE else first_day(label, length, name) for name in names}
    return tuple(sorted(days, key=lambda name: (days[name] is not None, days[name] or 0)))


def first_day(label: str, length: Length, name: str) -> int:
    """Give the first day of a period, in days since 1970-01-01.

    Args:
        label: What to call it in messages.
        length: The length of the period.
        name: Its name.

    >>> first_day("period", "month", "1970-02"), first_day("period", "week", "1970-W02")
    (31, 4)
    """
    pattern, example = _FORMS[length]
    parts = re.fullmatch(pattern, name, flags=re.ASCII)
    try:
        if parts is None:
            raise ValueError
        return (_first(length, *map(int, parts.groups())) - _EPOCH).days
    except ValueError:
        raise InvalidError(
            f"{label} must be a {length} of the calendar, such as {example!r}, or {NO_DATE!r} for rows without a date; "
            f"got {name[:40]!r}."
        ) from None


def _first(length: Length, year: int, part: int = 1, day: int = 1) -> date:
    if length == "week":
        return date.fromisocalendar(year, part, 1)
    return date(year, 3 * part - 2 if length == "quarter" else part, day)
