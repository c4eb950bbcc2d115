"""Tables that an engine holds for the length of one answer: read as arrays of whole numbers, and dropped again."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count

import numpy as np
from sqlglot import exp

from privet.core.rows import Array
from privet.errors import InvalidError, UnavailableError
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.vocabulary.relation import DIALECT, SCHEMA, Relation, identifier

_numbers = count(1)
_FAILED = "the query could not be run; DuckDB's own message may quote data and is withheld."


def fresh_name(purpose: str) -> str:
    """Give the name of a table that nobody used before."""
    return f"privet {purpose} {next(_numbers)}"


@contextmanager
def dropping(engine: DuckDBEngine, names: Sequence[str]) -> Iterator[None]:
    """Drop tables at the end, whatever happens.

    Args:
        engine: Where they are held.
        names: Their names.
    """
    try:
        yield
    finally:
        for name in names:
            drop(engine, name)


def drop(engine: DuckDBEngine, name: str) -> None:
    """Forget a table that was held; nothing happens where there is none."""
    target = exp.Table(this=identifier(name), db=identifier(SCHEMA))
    statement = exp.Drop(tables=[target], kind="TABLE", exists=True).sql(dialect=DIALECT)
    with engine._turn:
        if engine._close.alive:
            engine._quietly(lambda: engine._connection.execute(statement), _FAILED, UnavailableError)
        engine._names.discard(name.casefold())


def arrays(engine: DuckDBEngine, relation: Relation) -> dict[str, tuple[Array, Array]]:
    """Run a query of integers and give each column as an array of 64 bits and a mask of what is null.

    The order of the rows means nothing.
    """
    for name, known in relation.columns.items():
        if known.kind != "integer":
            raise InvalidError(f"arrays are of integers, but {name!r} is {known.kind}.")
    with engine._turn:
        engine._check_open()
        engine.lock()
        found = engine.scan(lambda: engine._connection.sql(relation.sql).to_arrow_table().combine_chunks(), _FAILED)
    return {name: _read(found.column(at)) for at, name in enumerate(relation.columns)}


def _read(column: object) -> tuple[Array, Array]:
    null = np.asarray(column.is_null())  # type: ignore[attr-defined]
    values = np.asarray(column.fill_null(0) if null.any() else column)  # type: ignore[attr-defined]
    return values.astype(np.int64, copy=False), null
