"""A ledger in one file: SQLite with a rollback journal, synchronised at every commit."""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, final

from privet.errors import LedgerError, WrongTypeError
from privet.ledger.chain import START, Head
from privet.ledger.forking import TURN
from privet.ledger.store import Store, Transaction

_WAIT = 30.0  # seconds to wait for other processes
_APPLICATION = 0x50525654  # the file says that it is ours
_SCHEMA = (
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, text TEXT NOT NULL, hash TEXT NOT NULL)",
    "CREATE TABLE releases (number INTEGER PRIMARY KEY, text BLOB NOT NULL)",
    "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, hash TEXT NOT NULL)",
    *(
        f"CREATE TRIGGER {table}_{event.lower()} BEFORE {event} ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END"
        for table in ("entries", "releases")
        for event in ("UPDATE", "DELETE")
    ),
)
_IN_FORCE = {"journal_mode": "delete", "synchronous": 3, "fullfsync": 1, "trusted_schema": 0, "query_only": 0}
_LOWEST = -(2**63)  # below all numbers of entries, also those that are none of ours
_JOINED = (
    "SELECT count(*), CAST(group_concat(text || '\t' || hash, '\n') AS BLOB) "
    "FROM entries WHERE number > ? AND number <= ? AND typeof(text) = 'text' AND typeof(hash) = 'text'"
)  # SQLite reads a range of a primary key in its order; in another one the digest would differ, and all is checked
_REASONS = {
    "SQLITE_BUSY": f"another process has held it for {_WAIT:.0f} seconds. Try again",
    "SQLITE_FULL": "the disk is full. Make room and try again",
    "SQLITE_READONLY": "it is read-only. Make the file and its folder writable",
    "SQLITE_CANTOPEN": "it cannot be opened. Check the path, and that the file and its folder are writable",
    "SQLITE_NOTADB": "the file is no ledger. Check the path",
    "SQLITE_CORRUPT": "the file is damaged. Restore the newest copy that verifies",
    "SQLITE_IOERR": "the disk reports an error. Check the disk and try again",
}


@final
class SqliteStore(Store):
    """Entries in an SQLite file. Every transaction has a connection of its own, so threads and forks are safe.

    Args:
        path: The file; it is made where there is none, readable by its owner only.
        must_exist: Whether to refuse a file that is not there.

    Guarantee: that of ``Store``, where the file system and the disk keep what they have synchronised, and the file
        system's locks work.
    Proof: docs/ledger/ledger.md.
    """

    def __init__(self, path: str | os.PathLike[str], *, must_exist: bool = False) -> None:
        text = str(path) if isinstance(path, str | os.PathLike) else ""  # type: ignore[redundant-expr]
        if text in ("", ":memory:") or "\0" in text:
            raise WrongTypeError('Ledger.path must be the path of a file on a disk, such as "budget.db".')
        self._path = Path(path).expanduser().absolute()
        with _failing_closed(self.describe()), TURN:
            if not must_exist:
                self._create_file()
            with self._connected() as connection, _begun(connection, "IMMEDIATE"):
                if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                    for statement in _SCHEMA:
                        connection.execute(statement)
                    connection.execute("INSERT INTO head VALUES (1, 0, ?)", (START,))
                    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                _check_schema(connection)

    def describe(self) -> str:
        """Give the path."""
        return str(self._path)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """See one state of the file."""
        with self._transaction("DEFERRED") as transaction:
            yield transaction

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Keep all other writers out, and append."""
        with self._transaction("IMMEDIATE") as transaction:
            yield transaction

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[Transaction]:
        with _failing_closed(self.describe()), TURN, self._connected() as connection, _begun(connection, kind):
            _check_schema(connection)
            transaction = _SqliteTransaction(connection)
            try:
                yield transaction
            finally:
                transaction.close()

    def _create_file(self) -> None:
        with suppress(FileExistsError):
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            folder = os.open(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)  # otherwise a crash may lose the file with everything in it
            finally:
                os.close(folder)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(
            f"{self._path.as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=_WAIT, check_same_thread=False
        )
        try:
            for name, value in _IN_FORCE.items():
                connection.execute(f"PRAGMA {name} = {value}").fetchall()
                if connection.execute(f"PRAGMA {name}").fetchone() != (value,):
                    raise LedgerError(
                        f"the ledger {self.describe()} cannot be used: SQLite does not put {name} = {value} in force. "
                        "Keep the ledger in a file on a local disk."
                    )
            yield connection
        finally:
            connection.close()


@final
class _SqliteTransaction(Transaction):
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._readers: list[sqlite3.Cursor] = []

    def close(self) -> None:
        """Stop to read: a reader that is kept, say by a traceback, would keep a lock beyond the end."""
        for reader in self._readers:
            reader.close()

    def _read(self, query: str, *parameters: int) -> sqlite3.Cursor:
        self._readers.append(self._connection.execute(query, parameters))
        return self._readers[-1]

    def head(self) -> Head:
        rows = self._connection.execute("SELECT number, hash FROM head").fetchall()
        return Head(*rows[0]) if len(rows) == 1 else Head(-1, "")

    def entries(self, after: int | None = None) -> Iterable[tuple[Any, Any, Any]]:
        lowest = _LOWEST if after is None else after
        return self._read("SELECT number, text, hash FROM entries WHERE number > ? ORDER BY number", lowest)

    def digest(self, after: int, last: int) -> str | None:
        try:
            count, joined = self._connection.execute(_JOINED, (after or _LOWEST, last)).fetchone()
        except sqlite3.DataError:  # too much for one value of SQLite: they are checked one by one
            return None
        return sha256(joined).hexdigest() if count == last - after else None

    def release_digests(self) -> Iterable[tuple[Any, str]]:
        for number, text in self._read("SELECT number, text FROM releases ORDER BY number"):
            yield number, sha256(text).hexdigest() if type(text) is bytes else ""

    def text(self, number: int) -> Any:
        row = self._connection.execute("SELECT text FROM releases WHERE number = ?", (number,)).fetchone()
        return None if row is None else row[0]

    def append(self, head: Head, text: str, stored: bytes | None = None) -> None:
        self._connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (head.number, text, head.hash))
        if stored is not None:
            self._connection.execute("INSERT INTO releases VALUES (?, ?)", (head.number, stored))
        self._connection.execute("UPDATE head SET number = ?, hash = ?", head)


@contextmanager
def _begun(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    """Run a transaction: all of it is durable at the end, or it did not happen."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")  # a failed commit may have done so already
        raise


def _check_schema(connection: sqlite3.Connection) -> None:
    """Refuse a file with other tables or triggers: a trigger of somebody else's could take entries away again."""
    found = {row[0] for row in connection.execute("SELECT sql FROM sqlite_master").fetchall()}
    if found != set(_SCHEMA):
        raise LedgerError("the file is no ledger of this version of Privet: its tables or triggers are others.")


@contextmanager
def _failing_closed(path: str) -> Iterator[None]:
    """Turn every error of SQLite and of the system into one that says what to do, and that holds no data."""
    try:
        yield
    except (sqlite3.Error, OSError, MemoryError) as error:
        name = str(getattr(error, "sqlite_errorname", "") or "")
        known = next((text for start, text in _REASONS.items() if name.startswith(start)), None)
        system = error.strerror if isinstance(error, OSError) else None
        reason = known or system or f"SQLite reports {name or type(error).__name__}"
        raise LedgerError(f"the ledger {path} could not be used, so nothing was released: {reason}.") from None
