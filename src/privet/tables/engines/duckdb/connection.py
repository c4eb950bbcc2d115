"""Connections to DuckDB: opened with settings of our own, checked, and locked before the first query.

Whatever DuckDB says about an error is dropped, since it quotes data. Argument: docs/tables/engine.md.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import duckdb
from duckdb import DuckDBPyConnection
from sqlglot import exp

from privet.errors import InvalidError, UnavailableError
from privet.tables.engines.compiler import write
from privet.tables.engines.duckdb.dialect import DIALECT

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


def connect(configuration: Mapping[str, Any]) -> DuckDBPyConnection:
    """Open a connection in memory whose settings are those that meanings depend on, or refuse it.

    Args:
        configuration: Limits, and where to spill to.

    Raises:
        duckdb.Error: The configuration was not understood.
        UnavailableError: A setting keeps another value; nothing is loaded yet.
    """
    connection = duckdb.connect(":memory:", config={**CONFIGURATION, **configuration})
    connection.execute("SET enable_progress_bar = false")
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
