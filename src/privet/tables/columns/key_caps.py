"""Caps by column: how much one person may count in groups by one column."""

from collections.abc import Mapping
from typing import Any, final

from attrs import field, frozen, validators
from attrs.converters import optional

from privet.core import count_text, positive, read_whole, whole
from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.auto import Auto

CAPS_BY = ("groups", "rows_per_group")
_EXAMPLE = '{"month": {"groups": 3, "rows_per_group": 2}}'


@final
@frozen(kw_only=True)
class KeyCaps:
    """How much one person may count in groups by one column.

    Args:
        column: The column.
        groups: How many different values of the column a person has, at most; null is a value.
        rows_per_group: How many rows of a person have the same value of the column, at most.

    Guarantee: caps are enforced, whatever the table holds. Proof: docs/tables/caps.md.

    >>> KeyCaps(column="month", groups=3, rows_per_group=2).most_rows
    6
    """

    column: str = field(validator=validators.instance_of(str))
    groups: int | None = field(default=None, converter=optional(whole), validator=validators.optional(positive))
    rows_per_group: int | None = field(default=None, converter=optional(whole), validator=validators.optional(positive))

    @property
    def most_rows(self) -> int | None:
        """How many rows of a person count at most; None where one of the two numbers is missing."""
        return None if self.groups is None or self.rows_per_group is None else self.groups * self.rows_per_group

    def describe(self) -> str:
        """Write both numbers in words."""
        name = repr(self.column)
        values = f"{count_text(self.groups, 'value')} of {name}" if self.groups is not None else ""
        if self.rows_per_group is None:
            return values
        rows = count_text(self.rows_per_group, "row")
        return f"{values} with {rows} each" if values else f"{rows} for each value of {name}"


def read_key_caps(label: str, value: object) -> tuple[KeyCaps, ...]:
    """Read caps by column: a mapping from names to mappings, or caps that were read before.

    Args:
        label: The argument, for messages.
        value: What was given; None for no caps.
    """
    if value is None:
        return ()
    if isinstance(value, tuple) and all(isinstance(each, KeyCaps) for each in value):
        return value
    if not isinstance(value, Mapping):
        raise WrongTypeError(f"{label} must map columns to caps, such as {_EXAMPLE}, got {type(value).__name__}.")
    return tuple(_read_one(label, name, caps) for name, caps in value.items())


def _read_one(label: str, name: object, caps: object) -> KeyCaps:
    if not isinstance(name, str):
        kind = type(name).__name__
        raise WrongTypeError(f"{label}: a cap is for one column, by its name, such as {_EXAMPLE}, got {kind}.")
    if isinstance(caps, KeyCaps):
        caps = {each: getattr(caps, each) for each in CAPS_BY}
    place = f"{label}[{name!r}]"
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
    return KeyCaps(column=name, **given)


def _number(label: str, value: object) -> int:
    if isinstance(value, Auto):
        raise InvalidError(f"{label} must be a number: caps by column are not estimated, so give no auto().")
    number = read_whole(label, value)
    if number < 1:
        raise InvalidError(f"{label} must be 1 or more, got {number}.")
    return number
