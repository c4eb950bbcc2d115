"""The privacy unit: what one neighbouring table has that the other lacks, and so what a release protects.

Tables are compared *as read* (see ``Column``): a date beyond its bounds lies in the first or last period, a row without
a readable identifier belongs to nobody and is left out.
"""

from abc import ABC, abstractmethod
from datetime import date
from typing import Any, Literal, final, get_args

from attrs import Attribute, field, frozen, validators
from attrs.converters import optional

from privet.accounting.losses.loss import Loss
from privet.core import positive, read_whole, whole
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.columns.key_caps import KeyCaps, read_key_caps

Length = Literal["day", "week", "month", "quarter", "year"]
LENGTHS: tuple[Length, ...] = get_args(Length)
Period = tuple[str, Length]
# how many periods of the first length make up a period of the second at most, where they fit as a whole
_WHOLE: dict[tuple[str, str], int] = {
    ("day", "week"): 7,
    ("day", "month"): 31,
    ("day", "quarter"): 92,
    ("day", "year"): 366,
    ("month", "quarter"): 3,
    ("month", "year"): 12,
    ("quarter", "year"): 4,
}
_DAYS = {"month": 31, "quarter": 92, "year": 366}


def read_period(label: str, value: object) -> Period:
    """Read a pair (column, length of a calendar period)."""
    if not isinstance(value, tuple | list) or len(value) != 2 or not isinstance(value[0], str):
        raise WrongTypeError(f'{label} must be a pair (column, length) such as ("day", "month").')
    if value[1] not in LENGTHS:
        raise InvalidError(f"{label}: the length must be one of {', '.join(LENGTHS)}, got {value[1]!r}.")
    return value[0], value[1]


def check_caps(label: str, rows: int | None, groups: int | None, rows_per_group: int | None) -> None:
    """Refuse caps that cannot be reached beside the cap on all rows."""
    for name, value in (("groups", groups), ("rows_per_group", rows_per_group)):
        if rows is not None and value is not None and value > rows:
            raise InvalidError(f"{label}{name} must be at most rows, got {name}={value}, rows={rows}.")


class PrivacyUnit(ABC):
    """What is protected: either rows, or persons with all of their rows."""

    @property
    @abstractmethod
    def protects(self) -> str:
        """What no release reveals, in one sentence for reports."""

    @property
    @abstractmethod
    def leaves_open(self) -> str:
        """What is *not* protected at the stated loss, in one sentence for reports."""


@final
@frozen(kw_only=True)
class Rows(PrivacyUnit):
    """Neighbours differ in rows, added or removed.

    Args:
        count: How many rows, at most.

    >>> Rows().protects
    'whether any one row is in the table, and what it holds'
    """

    count: int = field(default=1, converter=whole, validator=positive)

    @property
    def protects(self) -> str:
        """Rows, one by one or up to the count together."""
        if self.count == 1:
            return "whether any one row is in the table, and what it holds"
        return f"whether any {self.count} rows together are in the table, and what they hold"

    @property
    def leaves_open(self) -> str:
        """Persons with more rows than the count."""
        rows = "one row" if self.count == 1 else f"{self.count} rows"
        return (
            f"a person with more than {rows}: someone with n rows is protected at the loss of a group of "
            f"{'n' if self.count == 1 else f'n/{self.count}, rounded up'}"
        )


def _optional_period(value: object) -> Period | None:
    return None if value is None else read_period("Persons.period", value)


def _caps_by(value: object) -> tuple[KeyCaps, ...]:
    return read_key_caps("Persons.by", value)


def _column_name(_: object, attribute: "Attribute[Any]", value: object) -> None:
    if not isinstance(value, str):
        raise WrongTypeError(f"Persons.{attribute.name} must be the name of a column, got {type(value).__name__}.")


@final
@frozen
class Persons(PrivacyUnit):
    """Neighbours differ in all rows of one person, however many; or in those of one calendar period.

    A person may have any number of rows. Caps limit how many of them a query uses. They are enforced for everyone,
    whatever the table holds, and assert nothing about it. With a period they hold for each person and period.

    Args:
        id: The id column: text or integer. Rows without an identifier belong to nobody and are left out.
        rows: How many rows of a person a query uses, at most; None where each query must say.
        groups: In how many groups of a query a person counts, at most.
        rows_per_group: How many rows of a person count in one group, at most.
        by: Caps by column, such as ``{"month": {"groups": 3, "rows_per_group": 2}}``: a person counts in at most 3
            months, with at most 2 rows in each. They hold for groups by this column, alone or among others. A tuple
            of names caps several columns together: ``{("city", "month"): {"groups": 3}}``.
        period: A pair (column, length): one person within one calendar ``day``, ``week`` (from Monday), ``month``,
            ``quarter`` or ``year`` of a date or timestamp (in UTC). Rows without a date form a period of their own.

    >>> unit = Persons("patient", groups=3, rows_per_group=10, period=("day", "month"))
    >>> unit.protects
    "all rows of any one person (column 'patient') within any one calendar month of 'day'"
    >>> unit.most_rows
    30
    """

    id: str = field(default="person", validator=_column_name)
    rows: int | None = field(
        default=None, converter=optional(whole), validator=validators.optional(positive), kw_only=True
    )
    groups: int | None = field(
        default=None, converter=optional(whole), validator=validators.optional(positive), kw_only=True
    )
    rows_per_group: int | None = field(
        default=None, converter=optional(whole), validator=validators.optional(positive), kw_only=True
    )
    by: tuple[KeyCaps, ...] = field(default=(), converter=_caps_by, kw_only=True)
    period: Period | None = field(default=None, converter=_optional_period, kw_only=True)

    def __attrs_post_init__(self) -> None:
        check_caps("Persons.", self.rows, self.groups, self.rows_per_group)
        for each in self.by:
            check_caps(f"Persons.by[{each.label}].", self.rows, each.groups, each.rows_per_group)
            if self.id in each.columns:
                raise InvalidError("Persons.by must name other columns than the identifier: a person has one.")
        if self.period is not None and self.period[0] == self.id:
            raise InvalidError("Persons.period must name a date or timestamp, not the identifier.")

    @property
    def most_rows(self) -> int | None:
        """How many rows of one unit a query uses at most, from all caps together; None where nothing limits them."""
        product = None if self.groups is None or self.rows_per_group is None else self.groups * self.rows_per_group
        every = (self.rows, product, *(each.most_rows for each in self.by))
        return min((cap for cap in every if cap is not None), default=None)

    @property
    def protects(self) -> str:
        """The person, or the person within a period."""
        rows = f"all rows of any one person (column {self.id!r})"
        if self.period is None:
            return rows
        return f"{rows} within any one calendar {self.period[1]} of {self.period[0]!r}"

    @property
    def leaves_open(self) -> str:
        """What persons have in common; with a period, what a person does over several."""
        if self.period is None:
            return "households and other groups: n persons together are protected at the loss of a group of n"
        length = self.period[1]
        return (
            f"what shows in several {length}s: that a person is in the table at all, in which {length}s, and what "
            f"stays the same from {length} to {length}; someone with rows in n {length}s is protected at the loss of a "
            "group of n"
        )


@final
@frozen(kw_only=True)
class Implication:
    """What follows for ``other`` from a guarantee for ``unit``.

    Args:
        unit: What the guarantee is for.
        other: The unit to compare with.
        steps: Tables that are neighbours for ``other`` are at most so many steps of ``unit`` apart; None where there is
            no such number.
        reason: Why, in one sentence.
    """

    unit: PrivacyUnit
    other: PrivacyUnit
    steps: int | None
    reason: str

    @property
    def relation(self) -> str:
        """``implied`` at the same loss, ``implied by a group``, or ``not implied``."""
        if self.steps is None:
            return "not implied"
        return "implied" if self.steps == 1 else f"implied at the loss of a group of {self.steps}"

    def loss(self, loss: Loss) -> Loss:
        """Restate a loss for the other unit."""
        if self.steps is None:
            raise UnavailableError(f"no loss follows: {self.reason}.")
        return loss.group(self.steps)


def implied(
    unit: PrivacyUnit,
    other: PrivacyUnit,
    *,
    periods: int | None = None,
    inside: int | None = None,
    across: int | None = None,
) -> Implication:
    """Say what a guarantee for ``unit`` is worth for ``other``.

    Args:
        unit: What the guarantee is for.
        other: The unit to compare with.
        periods: In how many periods of ``unit`` a person can have rows, where bounds of the date make that public.
        inside: For units with other id columns: how many of ``unit`` lie inside one of ``other`` with all their rows,
            at most, such as the persons of a household.
        across: How many of ``unit`` have rows both in one of ``other`` and outside it, at most, such as the one
            household of a person. Both numbers are public and asserted: the answer is for those who keep to them.

    Guarantee: a loss for ``unit`` gives ``loss.group(steps)`` for ``other``.
    Proof: docs/tables/unit.md.

    >>> answer = implied(Persons(id="patient"), Rows())
    >>> answer.relation
    'implied at the loss of a group of 2'
    >>> answer.reason
    'a person of whom one row changes is removed, and added again with the other rows'
    """
    if not isinstance(unit, Rows | Persons) or not isinstance(other, Rows | Persons):
        raise WrongTypeError("implied takes two privacy units, Rows(...) or Persons(...).")
    shared = [_read_shared(f"implied.{name}", most) for name, most in (("inside", inside), ("across", across))]
    if isinstance(unit, Persons) and isinstance(other, Persons) and unit.id != other.id:
        steps, reason = _other_ids(unit, other, *shared)
    elif any(most is not None for most in shared):
        raise InvalidError("implied.inside and implied.across are for units of persons with different id columns.")
    else:
        steps, reason = _steps(unit, other, periods)
    return Implication(unit=unit, other=other, steps=steps, reason=reason)


def _steps(unit: Rows | Persons, other: Rows | Persons, periods: int | None) -> tuple[int | None, str]:
    if isinstance(unit, Rows):
        if isinstance(other, Persons):
            return None, "a person may have any number of rows, and caps are kept to for persons only"
        steps = -(-other.count // unit.count)
        if steps == 1:
            rows = "one row is" if unit.count == 1 else f"up to {unit.count:,} rows are"
            return 1, f"{rows} added or removed in one step"
        several, verb = ("one", "is") if unit.count == 1 else (f"up to {unit.count:,}", "are")
        return steps, f"{several} of the {other.count:,} rows {verb} added or removed in one step"
    if isinstance(other, Rows):
        if other.count == 1:
            return 2, "a person of whom one row changes is removed, and added again with the other rows"
        return 2 * other.count, (
            f"the {other.count} rows may belong to as many persons, and each of them is removed, and added again with "
            "the other rows"
        )
    return _periods(unit, other, periods)


def _read_shared(label: str, value: object) -> int | None:
    if value is None:
        return None
    number = read_whole(label, value)
    if number < 0:
        raise InvalidError(f"{label} must be 0 or more, got {number}.")
    return number


def _other_ids(unit: Persons, other: Persons, inside: int | None, across: int | None) -> tuple[int | None, str]:
    """Compare persons with households, or with anything else that another column names."""
    if not inside and not across:
        return None, f"persons of column {unit.id!r} may be told apart otherwise in column {other.id!r}"
    if unit.period != other.period:
        return None, "both units must be within the same period, or within none"
    parts = []
    if inside:
        parts.append(f"{inside} of {unit.id!r} inside one of {other.id!r}, each added or removed in one step")
    if across:
        parts.append(f"{across} of {unit.id!r} that are also outside it, each removed and added again")
    return (inside or 0) + 2 * (across or 0), f"at most {', and '.join(parts)}"


def _periods(unit: Persons, other: Persons, periods: int | None) -> tuple[int | None, str]:
    if unit.period == other.period:
        return 1, "the persons are the same; caps say how much of them is used, not who is protected"
    if unit.period is None:
        return 2, "a person of whom one period changes is removed, and added again with the other periods"
    name, length = unit.period
    if other.period is None:
        if periods is None:
            return None, f"a person may have rows in any number of {length}s, and each is a step of its own"
        return periods, f"the bounds of {name!r} leave {periods} periods, one of them for rows without a date"
    if other.period[0] != name:
        if periods is None:
            return None, f"rows of one period of {other.period[0]!r} may lie in any number of {length}s of {name!r}"
        return (
            2 * periods,
            f"rows of one period of {other.period[0]!r} may be some of those in each of {periods} {length}s",
        )
    return _lengths(length, other.period[1])


def _lengths(ours: Length, theirs: Length) -> tuple[int, str]:
    whole = _WHOLE.get((ours, theirs))
    if whole is not None:
        return whole, f"a {theirs} is made of at most {whole} {ours}s"
    if (theirs, ours) in _WHOLE:
        return 2, f"a person whose {ours} loses one {theirs} is removed for that {ours}, and added again without it"
    if theirs == "week":
        return 4, f"a week may be parts of two {ours}s, and a {ours} of which a part changes is removed and added again"
    # most weeks are cut where at least one day hangs over at each end and the weeks between are whole
    inside = (_DAYS[theirs] - 2) // 7
    return inside + 4, f"a {theirs} has up to {inside} whole weeks and parts of two, which are removed and added again"


def count_periods(length: Length, first: date, last: date) -> int:
    """Count the calendar periods from one date to another, both included, and one for rows without a date."""
    if length not in LENGTHS:
        raise WrongTypeError(f"count_periods.length must be one of {', '.join(LENGTHS)}.")
    if length in ("day", "week"):
        ordinals = [int(day.toordinal()) - 1 for day in (first, last)]  # ordinal 1 is a Monday
        width = 1 if length == "day" else 7
        return ordinals[1] // width - ordinals[0] // width + 2
    months = {"month": 1, "quarter": 3, "year": 12}[length]
    ends = [(12 * day.year + day.month - 1) // months for day in (first, last)]
    return int(ends[1] - ends[0]) + 2
