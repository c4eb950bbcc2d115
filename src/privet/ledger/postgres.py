"""A ledger for several hosts: tables of a PostgreSQL server, one writer at a time."""

import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, final

from privet.errors import LedgerError
from privet.ledger.chain import START, Head
from privet.ledger.forking import TURN
from privet.ledger.postgres_address import read_address
from privet.ledger.postgres_checks import TABLES, check_server, check_tables
from privet.ledger.store import Store, Transaction

if TYPE_CHECKING:
    from psycopg import Connection

_WAIT = 30.0  # seconds to wait for other processes and hosts
_STATEMENT = 60.0  # seconds of one statement
_IDLE = 60.0  # seconds of silence within a transaction: a host that vanished frees its lock
_HANG_UP = 60.0  # seconds of a commit, which no other limit ends while it waits for a standby
_CREATION = 0x50525654  # the lock of those who make a ledger
_LOWEST = -(2**63)  # below all numbers of entries, also those that are none of ours
_DIGEST = (
    "SELECT count(*), encode(sha256(convert_to("
    "coalesce(string_agg(text || E'\\t' || hash, E'\\n' ORDER BY number), ''), 'UTF8')), 'hex') "
    "FROM {schema}.entries WHERE number > %s AND number <= %s"
)
_LOST = (
    "there is no connection to the server, or it was lost. Check the address, the role and the server, and try again. "
    "If the charge had arrived, the same query runs again under it"
)
_REASONS = {
    "55P03": f"another process has held it for {_WAIT:.0f} seconds. Try again",
    "53100": "the disk of the server is full. Make room and try again",
    "53": "the server has too many connections or too little memory. Try again",
    "42501": (
        "the role lacks a right. To make a ledger it needs CREATE on the database; to use one, USAGE on its schema, "
        "SELECT and INSERT on entries and releases, SELECT and UPDATE on head"
    ),
    "25006": "the server is read-only, or a standby. Give the address of the primary, and a role that may write",
    "25P03": f"the server waited {_IDLE:.0f} seconds for this process, and ended the transaction. Try again",
    "57014": f"the server did not finish within {_STATEMENT:.0f} seconds. Try again",
    "40": "another program changed it at the same time. Try again",
    "23505": "another program changed it at the same time. Try again",
    "3F000": "there is no ledger in this schema. Check the address",
    "42P01": "there is no ledger in this schema. Check the address",
    "58": "the disk of the server reports an error. Check the server and try again",
    "XX": "the database is damaged. Restore the newest copy that verifies",
    "57P": _LOST,
    "08": _LOST,
}


@final
class PostgresStore(Store):
    """Entries in a schema of a PostgreSQL server. Every transaction has a connection of its own, and sets all it needs.

    Nothing depends on the session of a connection, so a pooler that gives each transaction another session is no harm.

    Args:
        address: Such as ``postgresql://user@host/database``, with ``?schema=...`` for another schema than
            ``privet_ledger``. The schema and its tables are made where there are none.
        must_exist: Whether to refuse an address without a ledger.

    Guarantee: that of ``Store``, where the disks of the server keep what they have synchronised, and no server takes
        over that lacks what this one has committed.
    Proof: docs/ledger/ledger.md.
    """

    def __init__(self, address: str, *, must_exist: bool = False) -> None:
        self._address = read_address(address)
        if not must_exist:
            with self._failing_closed(), TURN, self._connected() as connection:
                self._create_tables(connection)

    def describe(self) -> str:
        """Give the address without its secrets."""
        return self._address.shown

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """See one state of the tables."""
        tables = f"{self._address.schema}.head, {self._address.schema}.entries, {self._address.schema}.releases"
        locks = f"LOCK TABLE {tables} IN ACCESS SHARE MODE"
        with self._transaction(", READ ONLY", locks, "on") as transaction:
            yield transaction

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Keep all other writers out, and append."""
        schema = self._address.schema
        # LOCK TABLE takes no snapshot: the first query after it does, so it sees what the last writer committed. The
        # weaker lock of the other tables keeps triggers and rules from being made until the end.
        locks = (
            f"LOCK TABLE {schema}.head IN EXCLUSIVE MODE; "
            f"LOCK TABLE {schema}.entries, {schema}.releases IN ROW EXCLUSIVE MODE"
        )
        with self._transaction("", locks, "off") as transaction:
            yield transaction

    @contextmanager
    def _transaction(self, mode: str, locks: str, read_only: str) -> Iterator[Transaction]:
        address, level = self._address, f"REPEATABLE READ{mode}"
        with self._failing_closed(), TURN, self._connected() as connection, self._begun(connection, level, locks):
            check_server(connection, address.shown, "repeatable read", read_only)
            check_tables(connection, address.schema, address.shown)
            yield _PostgresTransaction(connection, address.schema)

    def _create_tables(self, connection: "Connection[Any]") -> None:
        """Make the tables where the schema is empty; one process at a time."""
        schema, shown = self._address.schema, self._address.shown
        exists = "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace(%s)"
        with self._begun(connection, "READ COMMITTED"):
            check_server(connection, shown, "read committed")
            if connection.execute(exists, (schema,)).fetchone() != (0,):
                return
            connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_CREATION, schema))
            if connection.execute(exists, (schema,)).fetchone() != (0,):
                return
            if connection.execute("SELECT to_regnamespace(%s) IS NULL", (schema,)).fetchone() == (True,):
                connection.execute(f"CREATE SCHEMA {schema}".encode())
            for statement in TABLES:
                connection.execute(statement.format(schema=schema).encode())
            _PostgresTransaction(connection, schema).start()

    @contextmanager
    def _connected(self) -> Iterator["Connection[Any]"]:
        import psycopg

        connection = psycopg.connect(**self._address.parameters, autocommit=True, prepare_threshold=None)
        try:
            yield connection
        finally:
            connection.close()

    @contextmanager
    def _begun(self, connection: "Connection[Any]", mode: str, *locks: str) -> Iterator[None]:
        """Run a transaction: all of it is durable at the end, or it did not happen."""
        import psycopg

        settings = {
            "search_path": "pg_catalog, pg_temp",
            "row_security": "off",
            "client_min_messages": "notice",  # a commit that did not wait for its standby says so in a warning
            "quote_all_identifiers": "off",  # the checks compare how the server writes names
            "lock_timeout": f"'{_WAIT * 1000:.0f}ms'",
            "statement_timeout": f"'{_STATEMENT * 1000:.0f}ms'",
            "idle_in_transaction_session_timeout": f"'{_IDLE * 1000:.0f}ms'",
        }
        local = [f"SET LOCAL {name} = {value}" for name, value in settings.items()]
        try:
            connection.execute("; ".join([f"BEGIN ISOLATION LEVEL {mode}", *local, *locks]).encode())
            yield
            self._commit(connection)
        except BaseException:
            with suppress(psycopg.Error):
                connection.execute("ROLLBACK")
            raise

    def _commit(self, connection: "Connection[Any]") -> None:
        warned: list[str | None] = []
        connection.add_notice_handler(lambda notice: warned.append(notice.severity_nonlocalized))
        with _no_longer_than(_HANG_UP, connection):
            done = connection.execute("COMMIT").statusmessage
        if done != "COMMIT":  # so PostgreSQL ends a transaction in which a statement had failed
            raise LedgerError(f"the ledger {self.describe()} could not be written, so nothing was released. Try again.")
        if "WARNING" in warned:  # a wait for a synchronous standby that was broken off counts as committed
            raise LedgerError(
                f"the ledger {self.describe()} may not be safe, so nothing was released: the server answered the "
                "commit with a warning. It is being stopped, or it did not wait until its standby had the entries. "
                "Check the server and try again; the same query runs again under its charge."
            )

    @contextmanager
    def _failing_closed(self) -> Iterator[None]:
        """Turn every error of PostgreSQL into one that says what to do, and that holds no data and no secret."""
        import psycopg

        try:
            yield
        except (psycopg.Error, OSError, MemoryError) as error:
            state = getattr(error, "sqlstate", None)
            known = (text for start, text in _REASONS.items() if state is not None and state.startswith(start))
            reason = next(known, _LOST if state is None else f"PostgreSQL reports {state}")
            raise LedgerError(
                f"the ledger {self.describe()} could not be used, so nothing was released: {reason}."
            ) from None


@contextmanager
def _no_longer_than(seconds: float, connection: "Connection[Any]") -> Iterator[None]:
    """Hang up on a server that does not answer: it ends no commit by itself that waits for a standby.

    The commit is not cancelled. It stays invisible to all others until the standby has it.
    """
    import psycopg

    def hang_up() -> None:
        with suppress(OSError, psycopg.Error):  # also where the connection was closed meanwhile
            line = socket.socket(fileno=connection.fileno())
            try:
                line.shutdown(socket.SHUT_RDWR)
            finally:
                line.detach()

    timer = threading.Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


@final
class _PostgresTransaction(Transaction):
    def __init__(self, connection: "Connection[Any]", schema: str) -> None:
        self._connection = connection
        self._schema = schema

    def _read(self, query: str, *parameters: object) -> list[Any]:
        with self._connection.cursor(binary=True) as cursor:
            return cursor.execute(query.format(schema=self._schema).encode(), parameters or None).fetchall()

    def _write(self, statement: str, *parameters: object) -> None:
        done = self._connection.execute(statement.format(schema=self._schema).encode(), parameters)
        if done.rowcount != 1:
            raise LedgerError("the server did not write an entry of the ledger, so nothing was released.")

    def start(self) -> None:
        """Write the head of a ledger without entries."""
        self._write("INSERT INTO {schema}.head VALUES (%s, %s)", 0, START)

    def head(self) -> Head:
        rows = self._read("SELECT number, hash FROM {schema}.head")
        return Head(*rows[0]) if len(rows) == 1 else Head(-1, "")

    def entries(self, after: int | None = None) -> Iterable[tuple[Any, Any, Any]]:
        every = "SELECT number, text, hash FROM {schema}.entries WHERE number > %s ORDER BY number"
        return self._read(every, _LOWEST if after is None else after)

    def digest(self, after: int, last: int) -> str | None:
        ((count, digest),) = self._read(_DIGEST, after or _LOWEST, last)
        return str(digest) if count == last - after else None

    def release_digests(self) -> Iterable[tuple[Any, str]]:
        return self._read("SELECT number, encode(sha256(text), 'hex') FROM {schema}.releases ORDER BY number")

    def text(self, number: int) -> Any:
        rows = self._read("SELECT text FROM {schema}.releases WHERE number = %s", number)
        return rows[0][0] if rows else None

    def append(self, head: Head, text: str, stored: bytes | None = None) -> None:
        self._write("INSERT INTO {schema}.entries VALUES (%s, %s, %s)", head.number, text, head.hash)
        if stored is not None:
            self._write("INSERT INTO {schema}.releases VALUES (%s, %s)", head.number, stored)
        self._write("UPDATE {schema}.head SET number = %s, hash = %s", *head)
