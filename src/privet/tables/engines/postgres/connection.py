"""Connections to PostgreSQL: our own, read-only, with the settings that meanings depend on.

Whatever the server says about an error is dropped, since it quotes data. Argument: docs/tables/engines/postgres.md.
"""

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeVar, final

from privet.errors import InvalidError, UnavailableError
from privet.tables.engines.postgres.dialect import DIALECT
from privet.tables.engines.typed_sql.withhold_errors import quietly

_T = TypeVar("_T")
_numbers = count(1)  # of cursors
WITHHELD = "PostgreSQL's own message may quote data and is withheld."
_OLDEST = 140_000
_TIMEOUT = "10min"
_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_MISSING = (
    "tables of PostgreSQL are read through psycopg, which is not installed; install it with "
    "pip install 'privet[postgres]'."
)
_CLOSED = "the connection to PostgreSQL is lost; open another session."


@final
class ReadOnlyConnection:
    """A connection of our own, on which every statement runs in a read-only transaction.

    Args:
        given: A connection string, or an open connection of psycopg: another one to the same database is opened.
    """

    def __init__(self, given: Any) -> None:
        self._connection = _connect(given)
        self._close = weakref.finalize(self, _cleanup, self._connection, os.getpid())
        self._within = False
        self._timeout = "0"
        try:
            self._check_server()
        except BaseException:
            self._close()
            raise

    def _check_server(self) -> None:
        read = "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')"
        version, encoding = self._plain(read)[0]
        if version < _OLDEST or encoding != "UTF8":
            raise UnavailableError(
                f"PostgreSQL must be version 14 or later with the encoding UTF8, got version {version // 10_000} and "
                f"{encoding}; queries would mean something else there. Nothing was read."
            )
        ((self._timeout,),) = self._plain("SELECT current_setting('statement_timeout')")

    def _plain(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        failed = f"the server did not answer. {WITHHELD}"
        return quietly(lambda: self._connection.execute(sql, parameters or None).fetchall(), failed, UnavailableError)

    def catalog(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Ask the catalog of the server, where names mean what they mean to the owner of the connection."""
        return self._plain(sql, parameters)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run all statements within on one snapshot of the data; a transaction within another is that one."""
        if self._within:
            yield
            return
        quietly(self._begin, _CLOSED, UnavailableError)
        self._within = True
        try:
            yield
        finally:
            self._within = False
            quietly(lambda: self._connection.execute("ROLLBACK"), _CLOSED, UnavailableError)

    def _begin(self) -> None:
        self._connection.execute(_BEGIN)
        settings = {name: values[0] for name, values in DIALECT.settings.items()}
        settings["statement_timeout"] = _TIMEOUT if self._timeout == "0" else self._timeout
        chosen = ", ".join("set_config(%s, %s, true)" for _ in settings)
        values = [part for pair in settings.items() for part in pair]
        self._connection.execute(f"SELECT {chosen}", values)
        self._check_settings()

    def _check_settings(self) -> None:
        read = ", ".join(f"current_setting('{name}')" for name in (*DIALECT.settings, "transaction_read_only"))
        *values, read_only = self._connection.execute(f"SELECT {read}").fetchall()[0]
        for (name, allowed), value in zip(DIALECT.settings.items(), values, strict=True):
            if value.lower() not in [each.lower() for each in allowed]:
                raise UnavailableError(f"PostgreSQL reports {name} = {value!r}, and {allowed[0]!r} is needed.")
        if read_only != "on":
            raise UnavailableError("PostgreSQL does not keep the transaction read-only.")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a query that has no parameters, within a transaction."""
        with self.transaction():
            found: list[tuple[Any, ...]] = self._connection.execute(sql).fetchall()
            return found

    def each_part(self, sql: str, most: int, work: Callable[[list[tuple[Any, ...]]], bool], failed: str) -> None:
        """Run a query that has no parameters, and pass its rows on, at most so many at a time.

        Args:
            sql: The query.
            most: How many rows.
            work: Is called with them, and returns whether it wants more.
            failed: The message where the query does not run.
        """
        name = f'"privet rows {next(_numbers)}"'

        def run(statement: str) -> Any:
            return quietly(lambda: self._connection.execute(statement), failed, UnavailableError)

        with self.transaction():
            run(f"DECLARE {name} NO SCROLL CURSOR FOR {sql}")
            while rows := run(f"FETCH {most} FROM {name}").fetchall():
                if not work(rows):
                    break
            run(f"CLOSE {name}")

    def close(self) -> None:
        """Close the connection; nothing in a forked child."""
        self._close()


def _cleanup(connection: Any, process: int) -> None:
    if os.getpid() == process:  # a forked child would end the session of its parent
        connection.close()


def _connect(given: Any) -> Any:
    try:
        import psycopg
    except ImportError:
        raise UnavailableError(_MISSING) from None
    failed = f"no connection to PostgreSQL could be opened; check the address and the role. {WITHHELD}"
    if isinstance(given, str):
        return quietly(
            lambda: psycopg.connect(given, autocommit=True, prepare_threshold=None), failed, UnavailableError
        )
    if isinstance(given, psycopg.Connection):
        info = given.info
        secret: dict[str, Any] = {"password": info.password} if info.password else {}
        return quietly(
            lambda: psycopg.connect(info.dsn, autocommit=True, prepare_threshold=None, **secret),
            failed,
            UnavailableError,
        )
    raise InvalidError(
        "a table of PostgreSQL is a pair of a psycopg.Connection, or a connection string such as "
        f"'postgresql://reader@host/database', and the name of a table, got {type(given).__name__}."
    )
