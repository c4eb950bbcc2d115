"""Ledgers for tests, and what a person with the file, or with the rights of its owner on the server, could do to it."""

import os
import sqlite3
import traceback
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

from privet.accounting.losses.pure import PureLoss
from privet.accounting.planning.budget import budget
from privet.ledger.account import Account, Claim
from privet.ledger.ledger import Ledger
from privet.ledger.postgres_address import read_address

Place = Path | str  # a file, or an address on a server
Content = dict[str, list[tuple[Any, ...]]]
TABLES = ("entries", "releases", "head")
LOSS = PureLoss(0.1)


def filled(path: Place, charges: int = 3) -> Ledger:
    """Make a ledger with some charges, each with a stored release."""
    ledger = Ledger(path)
    account = ledger.account("visits", "ann", budget(epsilon=10, delta=1e-6))
    for number in range(charges):
        account.store(account.charge(LOSS, key=f"key {number}", digest="d", query="count"), f'{{"value": {number}}}')
    return ledger


def charge(account: Account, key: str = "k", **more: object) -> Claim:
    """Charge a tenth under a key."""
    arguments: dict[str, object] = {"digest": "d", "query": "count", **more}
    return account.charge(LOSS, key=key, **arguments)  # type: ignore[arg-type]


def owner(address: str) -> psycopg.Connection[Any]:
    """Connect to the database of a ledger as its owner; plain names are those of its schema."""
    read = read_address(address)
    connection: psycopg.Connection[Any] = psycopg.connect(**read.parameters, autocommit=True)
    connection.execute(f"SET search_path = {read.schema}".encode())
    return connection


def tamper(path: Place, *statements: str) -> None:
    """Change a ledger as somebody does who knows SQL: in a file without its triggers, and with them put back."""
    if isinstance(path, str):
        with closing(owner(path)) as connection:
            for statement in statements:
                connection.execute(statement.encode())
        return
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.create_function("chr", 1, chr)  # as the server calls it
        triggers = file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            file.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            file.execute(statement)
        for _, sql in triggers:
            file.execute(sql)


def content(path: Place) -> Content:
    """Give all rows of a ledger, by table."""
    with closing(owner(path) if isinstance(path, str) else sqlite3.connect(path)) as connection:
        return {name: connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in TABLES}


def restore(path: str, rows: Content) -> None:
    """Put older rows in the place of all that a server has, as from a copy."""
    with closing(owner(path)) as connection, connection.transaction():
        for name in TABLES:
            connection.execute(f"DELETE FROM {name}".encode())
            for row in rows[name]:
                connection.execute(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(row))})".encode(), row)


def rechain(path: Place, link: Callable[[str, str], str], start: str) -> None:
    """Compute all hashes anew, as somebody does who knows Privet."""
    texts = [row[1] for row in content(path)["entries"]]
    last, statements = start, []
    for number, text in enumerate(texts, 1):
        last = link(last, text)
        statements.append(f"UPDATE entries SET hash = '{last}' WHERE number = {number}")
    tamper(path, *statements, f"UPDATE head SET number = {len(texts)}, hash = '{last}'")


def fork(work: Callable[[], None]) -> int:
    """Run a function in a forked process, and give its id; the process ends with status 1 where the function raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of threads, which these children lack
        process = os.fork()
    if process == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:  # noqa: BLE001 - the child must never return into the tests
            traceback.print_exc()
        finally:
            os._exit(status)
    return process


def wait(process: int) -> int:
    """Wait for the end of a process, and give its status; minus the signal where one killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def in_child(work: Callable[[], None]) -> int:
    """Run a function in a forked process, and give its status."""
    return wait(fork(work))
