"""DuckDB without private rows: computes with values that everybody may see, such as constants and released numbers.

One connection for each process, opened when it is first needed. It is locked like that of private rows: no files, no
variables of Python, no settings, no extensions.
"""

import os
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, final

from duckdb import DuckDBPyConnection
from sqlglot import exp

from privet.errors import UnavailableError
from privet.tables.columns import Kind
from privet.tables.engines.compiler import write
from privet.tables.engines.duckdb.connection import close_doors, connect, quietly
from privet.tables.engines.duckdb.dialect import DIALECT, function
from privet.tables.engines.process import ProcessLock, leave_open
from privet.tables.vocabulary import column, derived, named, type_named

_ROW = "privet row"
_CONFIGURATION = {"threads": 1, "temp_directory": ""}  # nothing is spilled
_FAILED = "the engine could not compute with public values; perhaps memory ran out."
Values = tuple[Kind, Sequence[Any]]


@final
class PublicConnection:
    """A connection that holds no tables."""

    def __init__(self) -> None:
        self._turn = ProcessLock("a public connection")
        self._connection = connect(_CONFIGURATION)
        close_doors(self._connection)
        self._close = weakref.finalize(self, _cleanup, self._connection, os.getpid())

    def evaluate(self, trees: Sequence[exp.Expr], columns: Mapping[str, Values], rows: int) -> list[list[Any]]:
        """Compute trees for each row, and give the values of each.

        Args:
            trees: What to compute, from the columns of a row.
            columns: The kind of each column that they name, and its values.
            rows: How many rows there are.
        """
        lists: dict[str, Values] = {_ROW: ("integer", range(rows)), **columns}
        inputs = [named(_listed(place, kind), name) for place, (name, (kind, _)) in enumerate(lists.items(), start=1)]
        outputs = [named(tree, f"privet {place}") for place, tree in enumerate(trees)]
        query = exp.Select(expressions=outputs).from_(derived(exp.Select(expressions=inputs), "r"))
        sql = write(query.order_by(column(_ROW)), DIALECT)
        parameters = [list(values) for _, values in lists.values()]
        with self._turn:
            results = quietly(lambda: self._connection.execute(sql, parameters).fetchall(), _FAILED, UnavailableError)
        return [list(values) for values in zip(*results, strict=True)] if results else [[] for _ in trees]


def _listed(place: int, kind: Kind) -> exp.Expr:
    """Give one row for each value of a list, which is a parameter of the query."""
    listed = exp.DataType(this=exp.DType.ARRAY, expressions=[type_named(kind)], nested=True)
    return function("unnest", exp.Cast(this=exp.Parameter(this=exp.Literal.number(place)), to=listed))


def _cleanup(connection: DuckDBPyConnection, process: int) -> None:
    if os.getpid() == process:
        connection.close()
    else:
        leave_open(connection)


_connections: dict[int, PublicConnection] = {}  # by process: a forked child opens its own


def public_connection() -> PublicConnection:
    """Give the connection of this process."""
    connection = _connections.get(os.getpid())
    if connection is None:  # two threads may both open one; the second is forgotten
        connection = _connections.setdefault(os.getpid(), PublicConnection())
    return connection
