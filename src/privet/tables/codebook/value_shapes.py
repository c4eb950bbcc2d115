"""What texts look like: numbers, amounts, truth values, and dates in the formats that people write.

Only for texts that may be looked at: a public sample, or the exact check of whoever holds the data.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, final
from unicodedata import category

from attrs import evolve, field, frozen

from privet.tables.codebook.write import quoted
from privet.tables.columns import Kind, Notation, format_pattern, number_pattern

Texts = Mapping[str, int]  # how often each occurs
_DAYS = (
    *("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d", "%m-%d-%Y", "%d-%m-%Y", "%Y.%m.%d", "%Y%m%d"),
    *("%m/%d/%y", "%d/%m/%y", "%d.%m.%y"),
)
_NAMED_DAYS = ("%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%y")
_CLOCKS = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", " %I:%M %p", " %I:%M:%S %p", " %H:%M:%S.%f")
_MEANING = {
    "%m/%d/%Y": "US dates mm/dd/yyyy",
    "%m/%d/%y": "US dates mm/dd/yy",
    "%m-%d-%Y": "US dates mm-dd-yyyy",
}
_LETTERS = {
    "%Y": "yyyy",
    "%y": "yy",
    "%m": "mm",
    "%d": "dd",
    "%H": "hh",
    "%M": "mm",
    "%S": "ss",
    "%b": "Jan",
    "%B": "January",
    "%I": "hh",
    "%p": "am/pm",
    "%f": "ffffff",
}
_MARKS: tuple[tuple[str | None, str | None], ...] = (  # decimal marks and separators of thousands, the plainest first
    *(
        (None, None),
        (None, ","),
        (",", None),
        (",", "."),
        (",", " "),
        (None, " "),
        (None, "'"),
        (",", "'"),
        (None, "_"),
    ),
)
_CURRENCY = re.compile(r"^[+-]?\s*([^\s\d.,+%()'’_-]{1,4})\s*[+-]?\s*[\d.,]|\d\s*([^\s\d.,+%()'’_-]{1,4})\s*$")
_CODES = (
    *("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF"),
    *("BRL", "MXN", "ZAR", "TRY", "RUB", "kr", "Kr", "Ft", "Fr", "Rs", "zł", "Kč"),
)
_FORM_KEYS = ("decimal", "thousands", "currency", "percent")
_FEW = 100  # a sign in fewer than one text of so many is none
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
        "marker": r"n\.?\s?[ad]\.?|#?n/a!?|nan|#?null!?|none|nil|missing|unknown|k\.?\s?a\.?|\(blank\)|-+|\?+|\.+",
    }.items()
}


def number_forms(values: Texts) -> list[tuple[Notation, int]]:
    """Give the notations that write most of the texts as numbers, with how many: several where the texts do not decide.

    >>> [(each.thousands, each.decimal, count) for each, count in number_forms({"1,250": 2, "$7": 1})]
    [(',', None, 3), (None, ',', 3)]
    """
    total = sum(values.values())
    signs: Counter[str] = Counter()
    for value, count in values.items():
        found = _CURRENCY.search(value.strip())
        sign = found and (found[1] or found[2])
        if sign and (sign in _CODES or any(category(each) == "Sc" for each in sign)):
            signs[sign] += count
    currency = tuple(sign for sign, count in signs.most_common(3) if count * _FEW >= total)
    percent = "points" if sum(count for value, count in values.items() if "%" in value) * _FEW >= total > 0 else None
    forms = [Notation(decimal=one, thousands=other, currency=currency, percent=percent) for one, other in _MARKS]  # type: ignore[arg-type]
    counts = [(form, count_numbers(form, values)) for form in forms]
    most = max(count for _, count in counts)
    best = [(form, count) for form, count in counts if count == most and count > 0]
    fewest = min((_keys(form) for form, _ in best), default=0)
    return [(form, count) for form, count in best if _keys(form) == fewest]


def _keys(form: Notation) -> int:
    return (form.decimal is not None) + (form.thousands is not None)


def count_numbers(form: Notation, values: Texts) -> int:
    """Count the texts that write a number in a notation."""
    pattern = re.compile(number_pattern(form))
    return sum(count for value, count in values.items() if pattern.fullmatch(value))


def notation_lines(form: Notation) -> list[str]:
    """Write the keys of a notation as a codebook does; ``percent`` has two meanings, of which a person chooses."""
    lines = [f'{name}: "{mark}"' for name in ("decimal", "thousands") if (mark := getattr(form, name)) is not None]
    lines += [f"currency: [{', '.join(quoted(each) for each in form.currency)}]"] if form.currency else []
    return [*lines, *(["percent: points (12 % is read as 12) or percent: share (0.12)"] if form.percent else [])]


@final
@frozen
class Guess:
    """What the values of a column look like.

    Args:
        kind: The type that fits all of them; text where no other does.
        format: How they write dates, where that is not ISO 8601.
        note: What a person must decide, or nothing.
        keys: Other keys of the codebook that say how they are written.
    """

    kind: Kind
    format: str | None = None
    note: str = ""
    keys: tuple[tuple[str, Any], ...] = field(default=(), repr=False)


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
    counts = {day + clock: count_format(day + clock, values) for day in (*_DAYS, *_NAMED_DAYS) for clock in clocks}
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
    markers = tuple(dict.fromkeys(text.strip() for text in texts if SHAPES["marker"].fullmatch(text.strip())))
    plain = Counter({text: count for text, count in texts.items() if text.strip() not in markers})
    guess = _guess(plain) if plain else Guess("text")
    return evolve(guess, keys=(*guess.keys, ("missing", markers))) if markers else guess


def _guess(texts: Counter[str]) -> Guess:
    kinds: tuple[Kind, ...] = ("boolean", "integer", "real", "date", "timestamp")
    for kind in kinds:
        if count_shape(kind, texts) == texts.total() and not count_shape("code", texts):
            return Guess(kind)
    for kind in ("date", "timestamp"):
        fitting = [written for written, count in date_formats(kind, texts) if count == texts.total()]
        if fitting:
            others = f"the sample fits {' and '.join(fitting)}; choose one" if len(fitting) > 1 else ""
            return Guess(kind, fitting[0], others)
    forms = [form for form, count in number_forms(texts) if count == texts.total()]
    if not forms or count_shape("code", texts):
        return Guess("text")
    keys = tuple((name, value) for name in _FORM_KEYS if (value := getattr(forms[0], name)))
    notes = ["percent: points reads 12 % as 12, share as 0.12"] if forms[0].percent else []
    notes += ["the sample fits other marks too; choose"] if len(forms) > 1 else []
    return Guess("real", None, "; ".join(notes), keys)
