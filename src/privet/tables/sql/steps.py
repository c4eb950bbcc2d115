"""Steps of queries as SQL needs them: the one place where the reading of statements meets the builder."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.expressions.node import Expression, Reference
from privet.tables.queries.query import Query

if TYPE_CHECKING:
    from privet.tables.session.session import Session


def tables_of(session: "Session") -> Mapping[str, Query]:
    """Give the private tables of a session, by name."""
    return {name: session.query(name) for name in session.codebooks}


def shown_of(query: Query, table: str) -> tuple[str, ...]:
    """Name the columns of a private table that its codebook describes; others are made by the session."""
    return tuple(name for name in query.session.codebooks[table].columns if name in query.columns)


def id_columns_of(query: Query) -> tuple[str, ...]:
    """Name the columns that tell whose rows are whose."""
    return query.session.owner


def columns_of(query: Query) -> Mapping[str, Column]:
    """What is known of the columns."""
    return query.columns


def filtered(query: Query, condition: Expression) -> Query:
    """Keep the rows of which a condition is true."""
    return query.filter(condition)


def added(query: Query, values: Mapping[str, Expression]) -> Query:
    """Add columns that are computed from those there are, all at once: each by itself would be one SELECT more."""
    return query.project({**_all(query), **values}, query.missing) if values else query


def projected(query: Query, values: Mapping[str, Expression]) -> Query:
    """Compute every column anew; the owner's stays. A column under another name keeps all that is known of it."""
    sources = {name: value.name for name, value in values.items() if isinstance(value, Reference)}
    missing = {name for name, source in sources.items() if source in query.missing}
    return query.project(values, frozenset(missing) | (query.missing & set(id_columns_of(query))))


def renamed(query: Query, names: Mapping[str, str]) -> Query:
    """Give columns other names, old to new, all at once."""
    if all(old == new for old, new in names.items()):
        return query
    return projected(query, {names.get(name, name): value for name, value in _all(query).items()})


def joined(left: Query, right: Query, on: Sequence[str], rows: Any, how: Literal["inner", "left"]) -> Query:
    """Match rows of the same person that agree in these columns."""
    return left.join(right, on=tuple(on), rows=rows, how=how)


def needs_rows(query: Query) -> bool:
    """Tell whether a join has to say how many rows of a person it takes of this query."""
    return not query.single


def united(first: Query, second: Query) -> Query:
    """Put rows after each other."""
    return first.union(second)


def summarized(query: Query, keys: Sequence[str], summaries: Mapping[str, str]) -> Query:
    """Make one row of all rows of a person with the same keys."""
    return query.summarize(*keys, **summaries)


def capped(query: Query, caps: Mapping[str, Any]) -> Query:
    """Bound what a person adds, and leave the other caps as they are."""
    return query.cap(**caps)


def most_rows(query: Query, keys: Sequence[str]) -> int | None:
    """Say how many rows of a person count in one group; None where nothing bounds them."""
    try:
        return query.contribution(keys).linf
    except InvalidError:
        return None


def _all(query: Query) -> dict[str, Expression]:
    return {name: Reference(name, known) for name, known in columns_of(query).items()}
