"""How a source writes the values of a column: which texts mean that a value is missing, and how dates are written."""

import re
from collections.abc import Sequence
from typing import Any

from privet.core import short
from privet.errors import InvalidError, WrongTypeError

_PARTS = "YymdHMS"  # the same to Python and to engines; names of months would depend on a language
_FORMAT = re.compile(rf"(?:%[{_PARTS}%]|[^%\0])+")
_UNCLEAR = re.compile(rf"^\s|\s$|[0-9]%[{_PARTS}]|%[{_PARTS}][0-9]")  # readers would skip, or not know where to stop
_YEAR = "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"  # there is no year zero


def check_missing(kind: str, markers: object, categories: Sequence[Any] | None) -> tuple[str, ...]:
    """Refuse markers of missing values that could be values, or that are not for this kind of column."""
    if not isinstance(markers, tuple) or not all(isinstance(each, str) for each in markers):
        raise WrongTypeError('Column.missing must be a tuple of texts, such as ("NA", "N/A").')
    if not markers:
        return markers
    if kind != "text":
        raise InvalidError(
            f"Column.missing is for text columns, got a {kind} column: there, what is no {kind} is null anyway."
        )
    both = [each for each in markers if categories is not None and each in categories]
    if both:
        raise InvalidError(f"Column.missing names {both[0]!r}, which is a category too; choose one of them.")
    return markers


def check_date_format(kind: str, written: object) -> str | None:
    """Refuse a format that does not say where year, month and day stand, or that is not for this kind of column."""
    if written is None:
        return None
    if not isinstance(written, str):
        raise WrongTypeError(f'Column.format must be text such as "%d.%m.%Y", got {type(written).__name__}.')
    if kind not in ("date", "timestamp"):
        raise InvalidError(f"Column.format is for date and timestamp columns, got a {kind} column.")
    parts = re.findall(rf"%([{_PARTS}])", written.replace("%%", ""))
    once = len(set(parts)) == len(parts) and {"m", "d"} <= set(parts) and len({"Y", "y"} & set(parts)) == 1
    if not _FORMAT.fullmatch(written) or not once or (kind == "date" and set(parts) & set("HMS")):
        clock = "" if kind == "date" else ", and perhaps %H, %M, %S,"
        raise InvalidError(
            f'Column.format must name %Y (or %y), %m and %d{clock} once each, such as "%m/%d/%Y"; got {short(written)}.'
        )
    if _UNCLEAR.search(written.replace("%%", "\0")):
        raise InvalidError(
            "Column.format must neither begin nor end with white space, nor have a digit beside a part: nobody could "
            f"tell where the part ends; got {short(written)}."
        )
    return written


def format_pattern(written: str) -> str:
    """Write the regular expression of a format, for Python and for RE2: their own parsers take other texts too.

    >>> format_pattern("%m/%d/%y"), format_pattern("%y%m%d")
    ('([0-9]{1,2})/([0-9]{1,2})/([0-9]{2})', '([0-9]{2})([0-9]{2})([0-9]{2})')
    """
    adjacent = re.search(rf"%[{_PARTS}]%[{_PARTS}]", written.replace("%%", "\0")) is not None
    short_part = "([0-9]{2})" if adjacent else "([0-9]{1,2})"
    patterns = []
    for part in re.findall(rf"%[{_PARTS}%]|[^%]", written):
        if part == "%%" or not part.startswith("%"):
            patterns.append(_literal(part[-1]))
        else:
            patterns.append({"%Y": _YEAR, "%y": "([0-9]{2})"}.get(part, short_part))
    return "".join(patterns)


def _literal(character: str) -> str:
    return f"\\{character}" if character in r".^$*+?{}[]\|()" else character
