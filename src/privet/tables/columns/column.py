"""Columns: what is publicly known of the values of one column.

Nothing here is an assertion about the private data. Whatever a source holds is *read into* the column by a total
function that is the same for every row: a value of another type, NaN, or a text that is no category becomes null; a
number beyond the bounds is moved to the nearer one; a text beyond the largest length is cut there. Expressions give
columns too, inferred from those of their parts.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, final, get_args

from attrs import field, frozen

from privet.core import optional_grid, read_bounds, readable, short
from privet.errors import InvalidError, WrongTypeError

_PARTS = "YymdHMS"  # the same to Python and to engines; names of months would depend on a language
_DATE_FORMAT = re.compile(rf"(?:%[{_PARTS}%]|[^%\0])+")
_UNCLEAR = re.compile(rf"^\s|\s$|[0-9]%[{_PARTS}]|%[{_PARTS}][0-9]")  # readers would skip, or not know where to stop
_YEAR = "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"  # there is no year zero
Kind = Literal["integer", "real", "boolean", "text", "date", "timestamp"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NUMBERS: tuple[Kind, ...] = ("integer", "real")
ORDERED: tuple[Kind, ...] = ("integer", "real", "date", "timestamp")
SMALLEST, LARGEST = -(2**63), 2**63 - 1  # what an integer column can hold, and a timestamp in microseconds
DEFAULT_LENGTH = 1_000  # characters of a text of a source, where nothing else is said
LONGEST_TEXT = 10_000  # characters that any text may have at most, declared or derived
Bounds = tuple[Fraction, Fraction]


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
    if not _DATE_FORMAT.fullmatch(written) or not once or (kind == "date" and set(parts) & set("HMS")):
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


def _bounds(value: object) -> Bounds | None:
    return None if value is None else read_bounds("Column.bounds", value)


@final
@frozen(kw_only=True)
class Column:
    """What every value of a column is.

    Args:
        kind: ``integer`` (64 bits), ``real`` (finite doubles), ``boolean``, ``text``, ``date`` or ``timestamp``.
        bounds: Where values lie: numbers; for dates days, for timestamps microseconds, since 1970-01-01.
        grid: The grid step to which reals are rounded before they are added up; None for the default of their bounds.
        categories: The values that may occur, in their public order; None where any may.
        nullable: Whether values may be null.
        exact: Whether a value that would have to be rounded or cut is null instead: a number with a fraction in an
            integer column, a text beyond the largest length. An id column is exact, or two persons could become one.
        length: How many characters (code points) a text has at most; by default that of the longest category, or
            1,000.
        missing: Texts of a text column that mean that there is no value, such as ``("NA", "N/A")``.
        format: How a text writes a date or a timestamp, such as ``"%m/%d/%Y"``; by default as ISO 8601 does.
    """

    kind: Kind = field()
    bounds: Bounds | None = field(default=None, converter=_bounds, repr=short)
    grid: Fraction | None = field(default=None, converter=optional_grid, validator=readable, repr=short)
    categories: tuple[Any, ...] | None = field(default=None)
    nullable: bool = field(default=True)
    exact: bool = field(default=False, repr=False)
    length: int | None = field(default=None, repr=False)
    missing: tuple[str, ...] = field(default=(), repr=False)
    format: str | None = field(default=None, repr=False)

    @kind.validator
    def _check_kind(self, _: object, value: object) -> None:
        if value not in KINDS:
            raise InvalidError(f"Column.kind must be one of {', '.join(KINDS)}, got {value!r}.")

    @bounds.validator
    def _check_bounds(self, _: object, value: Bounds | None) -> None:
        if value is not None and self.kind not in ORDERED:
            raise InvalidError(f"Column.bounds are for {', '.join(ORDERED)}, got a {self.kind} column.")

    @missing.validator
    def _check_missing(self, _: object, value: object) -> None:
        check_missing(self.kind, value, self.categories)

    @format.validator  # noqa: A003 - the field, by the name that codebooks give it
    def _check_format(self, _: object, value: object) -> None:
        check_date_format(self.kind, value)

    @grid.validator
    def _check_grid(self, _: object, value: Fraction | None) -> None:
        if value is not None and (self.kind != "real" or value <= 0):
            raise InvalidError(
                f"Column.grid is a step above zero of a real column, got {short(value)} for {self.kind}."
            )

    @categories.validator
    def _check_categories(self, _: object, value: object) -> None:
        if value is None:
            return
        if not isinstance(value, tuple) or not value or len(set(value)) != len(value):
            raise WrongTypeError("Column.categories must be a tuple of different values, at least one.")
        if self.kind not in ("integer", "text", "boolean"):
            raise InvalidError(
                f"Column.categories are for integer, text and boolean columns, got a {self.kind} column."
            )
        expected = {"integer": int, "text": str, "boolean": bool}[self.kind]
        if any(type(item) is not expected for item in value):
            raise WrongTypeError(f"Column.categories of a {self.kind} column must all be {expected.__name__}.")

    @length.validator
    def _check_length(self, _: object, value: object) -> None:
        if value is None:
            return
        if self.kind != "text":
            raise InvalidError(f"Column.length is for text columns, got a {self.kind} column.")
        if type(value) is not int or not 0 <= value <= LONGEST_TEXT:
            raise InvalidError(
                f"Column.length must be a whole number of characters up to {LONGEST_TEXT:,}, got {value!r}."
            )

    def __attrs_post_init__(self) -> None:
        if self.kind != "text":
            return
        length = DEFAULT_LENGTH if self.length is None else self.length
        if self.categories is not None:  # the categories bound the length, also where one column is made from another
            length = max(map(len, self.categories))
            if length > LONGEST_TEXT:
                raise InvalidError(
                    f"Column.categories must have at most {LONGEST_TEXT:,} characters each, got {length:,}."
                )
        object.__setattr__(self, "length", length)
