"""Connections to DuckDB: opened with settings of our own, checked, and locked before the first query.

Whatever DuckDB says about an error is dropped, since it quotes data. Argument: docs/tables/engine.md.

One connection of each process holds no private rows. It computes with values that everybody may see, such as constants
and released numbers, and is locked in the same way.
"""

import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, final

import duckdb
from duckdb import DuckDBPyConnection
from sqlglot import exp

from privet.errors import InvalidError, UnavailableError
from privet.tables.columns import Kind
from privet.tables.engines.dialect import write
from privet.tables.engines.duckdb.dialect import DIALECT, function
from privet.tables.engines.process import ProcessLock, leave_open
from privet.tables.vocabulary import column, derived, named, type_named

_T = TypeVar("_T")
CONFIGURATION: dict[str, Any] = {
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "disabled_optimizers": "statistics_propagation",  # a file may lie about its values, and a clamp would be left out
    "python_enable_replacements": False,
}
WITHHELD = "DuckDB's own message may quote data and is withheld."
_ROW = "privet row"
_CONFIGURATION = {"threads": 1, "temp_directory": ""}  # nothing is spilled
_FAILED = "the engine could not compute with public values; perhaps memory ran out."
Values = tuple[Kind, Sequence[Any]]


def connect(configuration: Mapping[str, Any]) -> DuckDBPyConnection:
    """Open a connection in memory whose settings are those that meanings depend on, or refuse it.

    Args:
        configuration: Limits, and where to spill to.

    Raises:
        duckdb.Error: The configuration was not understood.
        UnavailableError: A setting keeps another value; nothing is loaded yet.
    """
    connection = duckdb.connect(":memory:", config={**CONFIGURATION, **configuration})
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
        connection.execute("SET enable_progress_bar = false")  # in a notebook without ipywidgets even this is refused
    others = other_settings(connection)
    for name in others:
        value = DIALECT.settings[name][0]
        failed = f"DuckDB does not know {name} = {value!r}, which queries depend on; install another version of it."
        quietly(partial(connection.execute, f"SET {name} = '{value}'"), failed, UnavailableError)
    for name, value in other_settings(connection).items() if others else ():
        connection.close()
        raise UnavailableError(
            f"DuckDB reports {name} = {value!r}, and queries mean what they say only with "
            f"{DIALECT.settings[name][0]!r}. It would not be changed; nothing was loaded."
        )
    return connection


def other_settings(connection: DuckDBPyConnection) -> dict[str, str]:
    """Give the settings that have another value than meanings depend on, with that value."""
    read = ", ".join(f"current_setting('{name}')" for name in DIALECT.settings)
    values = connection.execute(f"SELECT {read}").fetchall()[0]
    reported = dict(zip(DIALECT.settings, map(str, values), strict=True))
    return {name: value for name, value in reported.items() if value.lower() not in DIALECT.settings[name]}


def close_doors(connection: DuckDBPyConnection, files: Sequence[str] = ()) -> None:
    """Close every way to the outside for good, but for some files."""
    allowed = write(exp.Array(expressions=[exp.Literal.string(each) for each in files]), DIALECT)
    for setting in (f"allowed_paths = {allowed}", "enable_external_access = false", "lock_configuration = true"):
        quietly(partial(connection.execute, f"SET {setting}"), WITHHELD)


def fetch(connection: DuckDBPyConnection, sql: str) -> Any:
    """Run a query and give its rows as an Arrow table."""
    return connection.sql(sql).to_arrow_table()


def quietly(work: Callable[[], _T], message: str, error: type[Exception] = InvalidError) -> _T:
    """Run something and replace its error; raised outside of the handler, so that nothing of it is kept."""
    try:
        return work()
    except Exception as caught:  # noqa: BLE001 - whatever it is, it may quote data
        stopped = _interrupted(caught)
    if stopped:
        raise KeyboardInterrupt
    raise error(message)


def _interrupted(error: Exception) -> bool:
    """Tell whether somebody pressed Ctrl-C: DuckDB makes an ordinary error of it."""
    return isinstance(error, duckdb.InterruptException) or (type(error) is RuntimeError and "interrupted" in str(error))


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
