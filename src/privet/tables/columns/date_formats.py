"""How texts write dates and times: formats of strptime, and the regular expressions that decide what fits one."""

import re

from privet.core import short
from privet.errors import InvalidError, WrongTypeError

ISO = "iso"  # the form of ISO 8601, which is read where no format is stated
# the same to every engine; names of months and days are English, with capitals or without
_PARTS = "YymdHMSbBaAIpf"
_NAMES = "bBaAp"  # parts that are no digits
_CLOCK = "HMSIpf"
_DATE_FORMAT = re.compile(rf"(?:%[{_PARTS}%]|[^%\0])+")
_NUMBERS = "".join(part for part in _PARTS if part not in _NAMES)
# readers would skip, or not know where to stop
_UNCLEAR = re.compile(rf"^\s|\s$|[0-9]%[{_PARTS}]|%[{_PARTS}][0-9]|%f%[{_NUMBERS}]")
_YEAR = "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"  # there is no year zero
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _any_case(words: tuple[str, ...]) -> str:
    """Write a pattern of words in capitals or small letters, for engines without a switch for it."""
    return "(" + "|".join("".join(f"[{each.upper()}{each.lower()}]" for each in word) for word in words) + ")"


_PATTERNS = {
    "%Y": _YEAR,
    "%y": "([0-9]{2})",
    "%f": "([0-9]{1,6})",
    "%p": _any_case(("AM", "PM")),
    "%B": _any_case(_MONTHS),
    "%b": _any_case(tuple(name[:3] for name in _MONTHS)),
    "%A": _any_case(_WEEKDAYS),
    "%a": _any_case(tuple(name[:3] for name in _WEEKDAYS)),
}


def is_plain_text(text: str) -> bool:
    """Tell whether an engine can hold a text: UTF-8 without NUL."""
    return "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text)


def check_date_formats(kind: str, given: object) -> tuple[str, ...]:
    """Read one format or several, in the order in which they are tried."""
    if given is None:
        return ()
    listed = list(given) if isinstance(given, list | tuple) else [given]
    formats = tuple(check_date_format(kind, each) for each in listed)
    if len(set(formats)) != len(formats):
        raise InvalidError("Column.format must name different formats, got one twice.")
    return formats


def check_date_format(kind: str, written: object, label: str = "Column.format") -> str:
    """Refuse a format that does not say where year, month and day stand, or that is not for this kind of column.

    Args:
        kind: The kind of the column.
        written: The format.
        label: What to call it in messages.
    """
    if not isinstance(written, str):
        raise WrongTypeError(f'{label} must be text such as "%d.%m.%Y", got {type(written).__name__}.')
    if kind not in ("date", "timestamp"):
        raise InvalidError(f"{label} is for date and timestamp columns, got a {kind} column.")
    if written == ISO:
        return written
    parts = re.findall(rf"%([{_PARTS}])", written.replace("%%", ""))
    if (
        not is_plain_text(written)
        or not _DATE_FORMAT.fullmatch(written)
        or not _is_complete(parts)
        or (kind == "date" and set(parts) & set(_CLOCK))
    ):
        clock = "" if kind == "date" else ", and perhaps %H (or %I and %p), %M, %S, %f,"
        raise InvalidError(
            f"{label} must name %Y (or %y), %m (or %b, %B) and %d{clock} once each, such as "
            f'"%m/%d/%Y"; got {short(written)}.'
        )
    _check_clear(written, label)
    return written


def check_clock_format(label: str, written: str) -> str:
    """Refuse a format that does not say where the hour stands, or that names a day.

    >>> check_clock_format("parse_time", "%I:%M %p")
    '%I:%M %p'
    """
    parts = re.findall(rf"%([{_PARTS}])", written.replace("%%", ""))
    named = set(parts)
    if (
        not is_plain_text(written)
        or not _DATE_FORMAT.fullmatch(written)
        or not named <= set(_CLOCK)
        or len(named) < len(parts)
        or len(named & set("HI")) != 1
        or not _is_clock(named)
    ):
        raise InvalidError(
            f"{label}: the format must name %H (or %I and %p), and perhaps %M, %S and %f, once each, such as "
            f'"%H:%M"; got {short(written)}.'
        )
    _check_clear(written, f"{label}: the format")
    return written


def _check_clear(written: str, label: str) -> None:
    if _UNCLEAR.search(written.replace("%%", "\0")):
        raise InvalidError(
            f"{label} must neither begin nor end with white space, nor have a digit beside a part, or a number "
            f"directly behind %f: nobody could tell where the part ends; got {short(written)}."
        )


def _is_complete(parts: list[str]) -> bool:
    """Tell whether there is one year, one month and one day, and a clock of 12 hours says which half of the day."""
    named = set(parts)
    once = len(named) == len(parts) and "d" in named
    one_each = all(len(named & set(group)) == 1 for group in ("Yy", "mbB"))
    return once and one_each and len(named & set("aA")) <= 1 and _is_clock(named)


def _is_clock(named: set[str]) -> bool:
    """Tell whether a clock of 12 hours says which half of the day, and fractions have their seconds."""
    return ("I" in named) == ("p" in named) and len(named & set("HI")) <= 1 and ("f" not in named or "S" in named)


def format_pattern(written: str) -> str:
    """Write the regular expression of a format, for Python and for RE2: their own parsers take other texts too.

    >>> format_pattern("%m/%d/%y"), format_pattern("%y%m%d")
    ('([0-9]{1,2})/([0-9]{1,2})/([0-9]{2})', '([0-9]{2})([0-9]{2})([0-9]{2})')
    """
    adjacent = re.search(rf"%[{_NUMBERS}]%[{_NUMBERS}]", written.replace("%%", "\0")) is not None
    short_part = "([0-9]{2})" if adjacent else "([0-9]{1,2})"
    patterns = []
    for part in re.findall(rf"%[{_PARTS}%]|[^%]", written):
        if part == "%%" or not part.startswith("%"):
            patterns.append(_literal(part[-1]))
        else:
            patterns.append(_PATTERNS.get(part, short_part))
    return "".join(patterns)


def _literal(character: str) -> str:
    return f"\\{character}" if character in r".^$*+?{}[]\|()" else character
