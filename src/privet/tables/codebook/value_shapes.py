"""What texts look like: numbers, amounts, truth values, and dates in the formats that people write.

Only for texts that may be looked at: a public sample, or the exact check of whoever holds the data.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import final

from attrs import frozen

from privet.tables.columns import Kind, format_pattern

Texts = Mapping[str, int]  # how often each occurs
_DAYS = (
    *("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d", "%m-%d-%Y", "%d-%m-%Y", "%Y.%m.%d", "%Y%m%d"),
    *("%m/%d/%y", "%d/%m/%y", "%d.%m.%y"),
)
_CLOCKS = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S")
_MEANING = {
    "%m/%d/%Y": "US dates mm/dd/yyyy",
    "%m/%d/%y": "US dates mm/dd/yy",
    "%m-%d-%Y": "US dates mm-dd-yyyy",
}
_LETTERS = {"%Y": "yyyy", "%y": "yy", "%m": "mm", "%d": "dd", "%H": "hh", "%M": "mm", "%S": "ss"}
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
SHAPES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, flags=re.ASCII | re.IGNORECASE)
    for name, pattern in {
        "integer": r"[+-]?(?:0|[1-9]\d*)",
        "code": r"[+-]?0\d+",
        "real": _NUMBER,
        "boolean": r"true|false",
        "date": r"\d{4}-\d{2}-\d{2}",
        "timestamp": r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?",
        "amount": r"[+-]?(?:[$€£¥]|usd|eur|gbp|chf)\s?[+-]?[\d.,' ]*\d|[+-]?[\d.,' ]*\d\s?(?:[$€£¥]|usd|eur|gbp|chf)",
        "thousands": r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?",
        "decimal comma": r"[+-]?\d+(?:\.\d{3})*,\d+",
        "percent": rf"{_NUMBER}\s?%",
        "yes or no": r"yes|no|y|n",
        "marker": r"na|n/a|nan|null|none|nil|missing|unknown|-+|\?+|\.",
    }.items()
}


@final
@frozen
class Guess:
    """What the values of a column look like.

    Args:
        kind: The type that fits all of them; text where no other does.
        format: How they write dates, where that is not ISO 8601.
        note: What a person must decide, or nothing.
    """

    kind: Kind
    format: str | None = None
    note: str = ""


def count_shape(name: str, values: Texts) -> int:
    """Count the texts of one shape."""
    pattern = SHAPES[name]
    return sum(count for value, count in values.items() if pattern.fullmatch(value.strip()))


def count_format(written: str, values: Texts) -> int:
    """Count the texts that write a date or a time in a format."""
    pattern = re.compile(format_pattern(written), flags=re.ASCII)
    return sum(count for value, count in values.items() if pattern.fullmatch(value) and _is_there(value, written))


def _is_there(value: str, written: str) -> bool:
    try:
        datetime.strptime(value, written)  # noqa: DTZ007 - only whether there is such a day
    except ValueError:
        return False
    return True


def date_formats(kind: Kind, values: Texts) -> list[tuple[str, int]]:
    """Give the formats that write most of the texts, with how many: several where the texts do not decide.

    >>> date_formats("date", {"01/31/2024": 1, "02/03/2024": 1}), len(date_formats("date", {"01/02/2024": 5}))
    ([('%m/%d/%Y', 2)], 2)
    """
    clocks = _CLOCKS[:1] if kind == "date" else _CLOCKS
    counts = {day + clock: count_format(day + clock, values) for day in _DAYS for clock in clocks}
    most = max(counts.values())
    return [(written, count) for written, count in counts.items() if count == most and count > 0]


def describe_format(written: str) -> str:
    """Say in words what a format writes.

    >>> describe_format("%m/%d/%Y"), describe_format("%d.%m.%Y %H:%M")
    ('US dates mm/dd/yyyy', 'dates dd.mm.yyyy hh:mm')
    """
    return _MEANING.get(written) or "dates " + re.sub("%.", lambda part: _LETTERS[part.group()], written)


def guess_kind(values: Sequence[str]) -> Guess | None:
    """Give the type that fits all texts that are not empty; None where there are none.

    >>> guess_kind(["3", "", "-7"]), guess_kind(["007"]), guess_kind(["31.01.2024"])
    (Guess(kind='integer', format=None, note=''), Guess(kind='text', format=None, note=''), \
Guess(kind='date', format='%d.%m.%Y', note=''))
    """
    texts = Counter(value for value in values if value.strip())
    if not texts:
        return None
    kinds: tuple[Kind, ...] = ("boolean", "integer", "real", "date", "timestamp")
    for kind in kinds:
        if count_shape(kind, texts) == texts.total() and not count_shape("code", texts):
            return Guess(kind)
    for kind in ("date", "timestamp"):
        fitting = [written for written, count in date_formats(kind, texts) if count == texts.total()]
        if fitting:
            others = f"the sample fits {' and '.join(fitting)}; choose one" if len(fitting) > 1 else ""
            return Guess(kind, fitting[0], others)
    return Guess("text")
