"""What a privacy unit needs of the columns: an id column that keeps persons apart, a period of dates."""

from collections.abc import Mapping

from privet.errors import InvalidError
from privet.tables.codebook.column import CodebookColumn
from privet.tables.codebook.nulls import NullsDropped
from privet.tables.columns.columns import closest
from privet.tables.columns.unit import Period


def check_identifier(label: str, name: str, columns: Mapping[str, CodebookColumn | None]) -> str:
    """Refuse an id column that is not there, or that would merge persons; one that is None has problems of its own."""
    if name not in columns:
        raise InvalidError(f"{label} must be one of the columns, got {name!r}.{closest(name, columns)}")
    known = columns[name]
    if known is None:
        return name
    if known.column.kind not in ("integer", "text"):
        raise InvalidError(f"{label} must be an integer or text column, got {known.column.kind} column {name!r}.")
    if known.column.bounds is not None or known.column.categories is not None:
        raise InvalidError(
            f"{label}: column {name!r} must not have bounds or categories, which would merge or drop persons."
        )
    if known.nulls != NullsDropped():
        raise InvalidError(
            f"{label}: column {name!r} must leave out nulls: anything in place of them would make one person of many."
        )
    return name


def check_period_column(label: str, period: Period, columns: Mapping[str, CodebookColumn | None]) -> Period:
    """Refuse a period of a column that is not there, or is no date; one that is None has problems of its own."""
    name = period[0]
    if name not in columns:
        raise InvalidError(f"{label} must be of one of the columns, got {name!r}.{closest(name, columns)}")
    known = columns[name]
    if known is not None and known.column.kind not in ("date", "timestamp"):
        raise InvalidError(f"{label} must be of a date or timestamp column, got {known.column.kind} column {name!r}.")
    return period
