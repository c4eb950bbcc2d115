"""Caps by column: how much one person may count in groups by one column, or by several columns together."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, final

from attrs import Attribute, field, frozen, validators
from attrs.converters import optional

from privet.core import count_text, positive, read_whole, whole
from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.auto import Auto

CAPS_BY = ("groups", "rows_per_group")
_EXAMPLE = '{"month": {"groups": 3, "rows_per_group": 2}}'
_SEVERAL = '{("city", "month"): {"groups": 3}}'


def _in_order(value: object) -> Any:
    """Take one name or several; their order means nothing."""
    names = (value,) if isinstance(value, str) else value
    several = isinstance(names, tuple | list) and all(isinstance(name, str) for name in names)
    return tuple(sorted(names)) if several else names  # type: ignore[call-overload]


@final
@frozen(kw_only=True)
class KeyCaps:
    """How much one person may count in groups by one column, or by several columns together.

    Args:
        columns: The column, or several; a value of several columns is a combination of their values.
        groups: How many different values of the columns a person has, at most; null is a value.
        rows_per_group: How many rows of a person have the same value of the columns, at most.

    Guarantee: caps are enforced, whatever the table holds. Proof: docs/tables/caps.md.

    >>> KeyCaps(columns="month", groups=3, rows_per_group=2).most_rows
    6
    >>> KeyCaps(columns=("month", "city"), groups=3).describe()
    "3 combinations of 'city' and 'month'"
    """

    columns: tuple[str, ...] = field(converter=_in_order)
    groups: int | None = field(default=None, converter=optional(whole), validator=validators.optional(positive))
    rows_per_group: int | None = field(default=None, converter=optional(whole), validator=validators.optional(positive))

    @columns.validator
    def _check(self, _: "Attribute[Any]", value: object) -> None:
        if not isinstance(value, tuple) or not value or not all(isinstance(name, str) for name in value):
            raise WrongTypeError('KeyCaps.columns must be a name or several, such as "month" or ("city", "month").')
        if len(set(value)) < len(value):
            raise InvalidError("KeyCaps.columns must be different columns.")

    @property
    def most_rows(self) -> int | None:
        """How many rows of a person count at most; None where one of the two numbers is missing."""
        return None if self.groups is None or self.rows_per_group is None else self.groups * self.rows_per_group

    @property
    def label(self) -> str:
        """The columns as one writes them in brackets: ``'city', 'month'``."""
        return ", ".join(map(repr, self.columns))

    def describe(self) -> str:
        """Write both numbers in words."""
        *names, last = map(repr, self.columns)
        value, columns = ("combination", f"{', '.join(names)} and {last}") if names else ("value", last)
        values = f"{count_text(self.groups, value)} of {columns}" if self.groups is not None else ""
        if self.rows_per_group is None:
            return values
        rows = count_text(self.rows_per_group, "row")
        return f"{values} with {rows} each" if values else f"{rows} for each {value} of {columns}"


def most_values(names: Iterable[str], caps: Sequence[KeyCaps], sizes: Mapping[str, int | None]) -> int | None:
    """Give how many different values of these columns together a person has at most; None where nothing bounds them.

    Columns that have at most a and b values together with others have at most a times b together.

    Args:
        names: The columns.
        caps: Caps that hold for the rows of the person.
        sizes: How many values a column has, where that is public.

    >>> most_values(["city", "month", "ward"], [KeyCaps(columns=("city", "month"), groups=3)], {"month": 12, "ward": 2})
    6
    """
    known = [(frozenset(each.columns), each.groups) for each in caps if each.groups is not None]
    known += [(frozenset([name]), size) for name, size in sizes.items() if size is not None]

    @cache
    def least(rest: frozenset[str]) -> int | None:
        if not rest:
            return 1
        first = min(rest)  # something must bound it
        products = []
        for columns, most in known:
            others = least(rest - columns) if first in columns else None
            if others is not None:
                products.append(most * others)
        return min(products, default=None)

    return least(frozenset(names))


def read_key_caps(label: str, value: object) -> tuple[KeyCaps, ...]:
    """Read caps by column: a mapping from names, or from tuples of names, to mappings, or caps that were read before.

    Args:
        label: The argument, for messages.
        value: What was given; None for no caps.
    """
    if value is None:
        return ()
    if isinstance(value, tuple) and all(isinstance(each, KeyCaps) for each in value):
        return value
    if not isinstance(value, Mapping):
        raise WrongTypeError(
            f"{label} must map columns to caps, such as {_EXAMPLE} or {_SEVERAL}, got {type(value).__name__}."
        )
    read: dict[tuple[str, ...], KeyCaps] = {}
    for name, caps in value.items():
        each = _read_one(label, name, caps)
        if each.columns in read:
            raise InvalidError(f"{label}[{each.label}] is there twice; write both numbers in one.")
        read[each.columns] = each
    return tuple(read.values())


def _read_one(label: str, name: object, caps: object) -> KeyCaps:
    names = (name,) if isinstance(name, str) else name
    if not isinstance(names, tuple) or not names or not all(isinstance(each, str) for each in names):
        kind = type(name).__name__
        raise WrongTypeError(
            f"{label}: a cap is for a column, by its name, or for several, by a tuple of names, such as {_EXAMPLE} or "
            f"{_SEVERAL}, got {kind}."
        )
    place = f"{label}[{', '.join(map(repr, names))}]"
    if len(set(names)) < len(names):
        raise InvalidError(f"{place} must name different columns.")
    if isinstance(caps, KeyCaps):
        caps = {each: getattr(caps, each) for each in CAPS_BY}
    if not isinstance(caps, Mapping):
        raise WrongTypeError(
            f'{place} must be a mapping such as {{"groups": 3, "rows_per_group": 2}}, got {type(caps).__name__}.'
        )
    unknown = [each for each in caps if each not in CAPS_BY]
    if unknown:
        raise InvalidError(f"{place} takes groups and rows_per_group; {str(unknown[0])[:100]!r} is neither.")
    given: dict[str, Any] = {each: _number(f"{place}.{each}", most) for each, most in caps.items() if most is not None}
    if not given:
        raise InvalidError(f"{place} must have groups, rows_per_group or both.")
    return KeyCaps(columns=names, **given)


def _number(label: str, value: object) -> int:
    if isinstance(value, Auto):
        raise InvalidError(f"{label} must be a number: caps by column are not estimated, so give no auto().")
    number = read_whole(label, value)
    if number < 1:
        raise InvalidError(f"{label} must be 1 or more, got {number}.")
    return number
