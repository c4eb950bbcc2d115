"""Ledgers for tests, and what a person with the file could do to it."""

import os
import sqlite3
import traceback
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from privet.accounting.losses.pure import PureLoss
from privet.accounting.planning.budget import budget
from privet.ledger.account import Account, Claim
from privet.ledger.ledger import Ledger

LOSS = PureLoss(0.1)


def filled(path: Path, charges: int = 3) -> Ledger:
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


def tamper(path: Path, *statements: str) -> None:
    """Change a file as somebody does who knows SQLite: without its triggers, and with them put back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)


def rechain(path: Path, link: Callable[[str, str], str], start: str) -> None:
    """Compute all hashes anew, as somebody does who knows Privet."""
    with closing(sqlite3.connect(path)) as connection:
        texts = [row[0] for row in connection.execute("SELECT text FROM entries ORDER BY number")]
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
