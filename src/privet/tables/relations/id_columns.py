"""Id columns: those that name the privacy unit of each row."""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from privet.errors import InvalidError, MismatchError
from privet.tables.codebook.codebook import Codebook
from privet.tables.columns import Column, Period, Persons, PrivacyUnit, Rows
from privet.tables.vocabulary import Relation, call, cast, column, number, whole

WITHOUT_DATE = -(2**62)  # rows without a date form a period of their own


def period_name(period: Period) -> str:
    """Name the column that holds the calendar period."""
    return f"{period[1]} of {period[0]}"


def id_columns_of(unit: PrivacyUnit) -> tuple[str, ...]:
    """Give the id columns of a table with this unit; none where rows are protected one by one."""
    if not isinstance(unit, Persons):
        return ()
    return (unit.id,) if unit.period is None else (unit.id, period_name(unit.period))


def id_columns_by_table(codebooks: Mapping[str, Codebook]) -> dict[str, tuple[str, ...]]:
    """Give the id columns of each table, or refuse tables that do not protect the same unit.

    The columns of two tables stand for each other by their place: the same value is the same person, whatever the
    columns are called. Proof: docs/tables/id_columns.md.
    """
    (first, book), *others = codebooks.items()
    for name, other in others:
        _check_same_unit((first, book), (name, other))
    for name, each in codebooks.items():
        period = each.unit.period if isinstance(each.unit, Persons) else None
        if period is not None and period_name(period) in each.columns:
            raise InvalidError(f"Session: {name!r} has a column {period_name(period)!r}, which is used here.")
    return {name: id_columns_of(each.unit) for name, each in codebooks.items()}


def _check_same_unit(first: tuple[str, Codebook], second: tuple[str, Codebook]) -> None:
    """Refuse units that do not protect the same; caps and names of columns may differ."""
    (one, book), (two, other) = first, second
    units = [kind_of_unit(each.unit) for each in (book, other)]
    if units[0] != units[1]:
        raise MismatchError(
            f"Session: {one!r} protects {units[0]}, and {two!r} protects {units[1]}. All tables of a session must "
            "protect the same; give their codebooks the same kind of unit."
        )
    if isinstance(book.unit, Persons) and isinstance(other.unit, Persons):
        kinds = [each.columns[each.unit.id].column.kind for each in (book, other) if isinstance(each.unit, Persons)]
        if kinds[0] != kinds[1]:
            raise MismatchError(
                f"Session: the id column {book.unit.id!r} of {one!r} is {kinds[0]}, and {other.unit.id!r} of {two!r} "
                f"is {kinds[1]}. One person has one identifier in all tables; declare both as text, or both as integer."
            )


def kind_of_unit(unit: PrivacyUnit) -> str:
    """Say what kind of unit it is, whatever its columns and caps."""
    if isinstance(unit, Persons):
        return "persons" if unit.period is None else f"persons within a {unit.period[1]}"
    return f"rows, {unit.count} at a time" if isinstance(unit, Rows) else type(unit).__name__


def describe_protected(codebooks: Mapping[str, Codebook]) -> str:
    """Say what the tables of a session protect together; where their id columns have different names, name each."""
    units = {name: book.unit for name, book in codebooks.items()}
    texts = list(dict.fromkeys(unit.protects for unit in units.values()))
    persons = {name: unit for name, unit in units.items() if isinstance(unit, Persons)}
    if len(texts) == 1 or len(persons) < len(units):
        return "; ".join(texts)
    ids = ", ".join(f"column {unit.id!r} of {name!r}" for name, unit in persons.items())
    periods = {name: unit.period for name, unit in persons.items() if unit.period is not None}
    if not periods:
        return f"all rows of any one person ({ids})"
    length = next(iter(periods.values()))[1]
    dates = ", ".join(f"{period[0]!r} of {name!r}" for name, period in periods.items())
    return f"all rows of any one person ({ids}) within any one calendar {length} ({dates})"


def with_id_columns(relation: Relation, unit: PrivacyUnit) -> Relation:
    """Add the column of the calendar period, where the unit is a person within one."""
    if not isinstance(unit, Persons) or unit.period is None:
        return relation
    name, length = unit.period
    begun = cast(call("date_trunc", exp.Literal.string(length), column(name, "r")), "date")
    days = number(begun, Column(kind="date"))
    value = exp.Coalesce(this=days, expressions=[whole(WITHOUT_DATE)])
    return relation.with_column(period_name(unit.period), value, Column(kind="integer", nullable=False))


def rows_of_periods(relation: Relation, unit: PrivacyUnit, days: Sequence[int]) -> Relation:
    """Keep the rows of some calendar periods, by the id column that holds the period of each row.

    Args:
        relation: The rows, with their id columns.
        unit: The privacy unit, a person within a period.
        days: The first day of each period, as the id column holds it.

    Guarantee: the result is the same whatever rows there are of other periods. Proof: docs/ledger/ledger.md.
    """
    if not isinstance(unit, Persons) or unit.period is None:
        raise InvalidError("rows have a period where the privacy unit is a person within one.")
    listed: list[exp.Expr] = [whole(day) for day in days]
    return relation.filter(exp.In(this=column(period_name(unit.period), "r"), expressions=listed))
