"""Id columns: those that name the privacy unit of each row."""

from collections.abc import Mapping

from sqlglot import exp

from privet.errors import InvalidError, MismatchError
from privet.tables.codebook.codebook import Codebook
from privet.tables.columns import Column, Period, Persons, PrivacyUnit, Rows
from privet.tables.vocabulary import Relation, call, cast, column, number, whole

_NO_DATE = -(2**62)  # rows without a date form a period of their own


def period_name(period: Period) -> str:
    """Name the column that holds the calendar period."""
    return f"{period[1]} of {period[0]}"


def id_columns_of(codebooks: Mapping[str, Codebook]) -> tuple[str, ...]:
    """Give the id columns, the same in every table; none where rows are protected one by one."""
    first = next(iter(codebooks.values())).unit
    ids = _ids(first)
    kinds = set()
    for name, book in codebooks.items():
        unit = book.unit
        if type(unit) is not type(first) or _ids(unit) != ids:
            raise MismatchError(
                f"Session: all tables must protect the same unit; that of {name!r} differs from the first."
            )
        if isinstance(unit, Rows) and unit != first:
            raise MismatchError(f"Session: all tables must protect as many rows; {name!r} differs from the first.")
        if isinstance(unit, Persons):
            kinds.add(book.columns[unit.id].column.kind)
            if unit.period is not None and period_name(unit.period) in book.columns:
                raise InvalidError(f"Session: {name!r} has a column {period_name(unit.period)!r}, which is used here.")
    if len(kinds) > 1:
        raise MismatchError("Session: the column that tells persons apart must have the same type in every table.")
    return ids


def _ids(unit: PrivacyUnit) -> tuple[str, ...]:
    if not isinstance(unit, Persons):
        return ()
    return (unit.id,) if unit.period is None else (unit.id, period_name(unit.period))


def with_id_columns(relation: Relation, unit: PrivacyUnit) -> Relation:
    """Add the column of the calendar period, where the unit is a person within one."""
    if not isinstance(unit, Persons) or unit.period is None:
        return relation
    name, length = unit.period
    begun = cast(call("date_trunc", exp.Literal.string(length), column(name, "r")), "date")
    days = number(begun, Column(kind="date"))
    value = exp.Coalesce(this=days, expressions=[whole(_NO_DATE)])
    return relation.with_column(period_name(unit.period), value, Column(kind="integer", nullable=False))
