"""What a guarantee for one privacy unit says about another: how many units of the one make up one of the other."""

from datetime import date
from typing import final

from attrs import frozen

from privet.accounting.losses.loss import Loss
from privet.errors import UnavailableError, WrongTypeError
from privet.tables.columns.unit import LENGTHS, Length, Persons, PrivacyUnit, Rows

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


def implied(unit: PrivacyUnit, other: PrivacyUnit, *, periods: int | None = None) -> Implication:
    """Say what a guarantee for ``unit`` is worth for ``other``.

    Args:
        unit: What the guarantee is for.
        other: The unit to compare with.
        periods: In how many periods of ``unit`` a person can have rows, where bounds of the date make that public.

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
    steps, reason = _steps(unit, other, periods)
    return Implication(unit=unit, other=other, steps=steps, reason=reason)


def _steps(unit: Rows | Persons, other: Rows | Persons, periods: int | None) -> tuple[int | None, str]:
    if isinstance(unit, Rows):
        if isinstance(other, Persons):
            return None, "a person may have any number of rows, and caps are kept to for persons only"
        steps = -(-other.count // unit.count)
        if steps == 1:
            return 1, f"up to {unit.count} rows are added or removed in one step"
        return steps, f"up to {unit.count} of the {other.count} rows are added or removed in one step"
    if isinstance(other, Rows):
        if other.count == 1:
            return 2, "a person of whom one row changes is removed, and added again with the other rows"
        return 2 * other.count, (
            f"the {other.count} rows may belong to as many persons, and each of them is removed, and added again with "
            "the other rows"
        )
    if unit.id != other.id:
        return None, f"persons of column {unit.id!r} may be told apart otherwise in column {other.id!r}"
    return _periods(unit, other, periods)


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
