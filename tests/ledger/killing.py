"""Writers that are killed at random points, and what may be seen of them afterwards."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import final

from attrs import frozen

from privet.accounting.losses.pure import PureLoss
from privet.errors import LedgerError
from privet.ledger.account import Account
from privet.ledger.ledger import Ledger
from tests.ledger.files import Place, fork, wait

LOSS = PureLoss(0.001)
KEYS = 40  # each writer draws from these, so that writers meet
Release = Callable[[Account, str, "Log"], None]


@final
@frozen
class Log:
    """What a writer did, one line each; a line that was written survives the writer."""

    path: Path

    def write(self, *words: str) -> None:
        """Append a line at once."""
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, (" ".join(words) + "\n").encode())
        os.close(file)

    def lines(self) -> Iterator[list[str]]:
        """Give the words of each line."""
        return (line.split() for line in self.path.read_text().splitlines()) if self.path.exists() else iter(())


def release(account: Account, key: str, log: Log) -> None:
    """Charge, read, store, show: as a curator does."""
    claim = account.charge(LOSS, key=key)
    text = claim.text
    if text is None:
        log.write("read", key)
        text = account.store(claim, f"{os.getpid()}-{random.getrandbits(60)}")
    log.write("shown", key, text)


def release_reading_first(account: Account, key: str, log: Log) -> None:
    """The twin that reads before it charges."""
    log.write("read", key)
    time.sleep(0.001)
    claim = account.charge(LOSS, key=key)
    log.write("shown", key, claim.text or account.store(claim, f"{os.getpid()}-{random.getrandbits(60)}"))


def release_showing_first(account: Account, key: str, log: Log) -> None:
    """The twin that shows before it stores."""
    claim = account.charge(LOSS, key=key)
    text = claim.text
    if text is None:
        log.write("read", key)
        text = f"{os.getpid()}-{random.getrandbits(60)}"
    log.write("shown", key, text)
    if claim.text is None:
        account.store(claim, text)


def kill_writers(path: Place, log: Log, kills: int, how: Release = release, writers: int = 4) -> None:
    """Keep some writers at work, and kill one after the other at a random time."""
    longest = 0.04 if isinstance(path, Path) else 0.12  # seconds between two kills; connections take time

    def work() -> None:
        keep_writing(path, log, how)

    with at_work(work, writers) as running:
        for _ in range(kills):
            time.sleep(random.random() * longest)
            at = random.randrange(writers)
            os.kill(running[at], signal.SIGKILL)
            assert wait(running[at]) == -signal.SIGKILL
            running[at] = fork(work)


def keep_writing(path: Place, log: Log, how: Release = release) -> None:
    """Release under keys that others use too, and under keys of one's own, for ever."""
    random.seed(os.getpid() * time.time_ns())
    account: Account | None = None
    for count in range(100_000):
        key = f"{random.randrange(KEYS)}" if random.random() < 0.5 else f"{os.getpid()}/{count}"
        try:
            account = account or Ledger(path).account("visits", "ann")
            how(account, key, log)
        except LedgerError as error:
            log.write("refused", key, str(error).replace(" ", "_"))


@contextmanager
def at_work(work: Callable[[], None], writers: int = 4) -> Iterator[list[int]]:
    """Let some processes work, and kill them at the end."""
    running = [fork(work) for _ in range(writers)]
    try:
        yield running
    finally:
        for process in running:
            os.kill(process, signal.SIGKILL)
            wait(process)


def faults(path: Place, log: Log, *allowed: str) -> list[str]:
    """Say what must not be: reads or releases without a charge, releases that differ from the stored one.

    Args:
        path: The ledger.
        log: What its writers did.
        allowed: What else a message of a refusal may hold.
    """
    usual = ("were_read_for_it_3_times", *allowed)
    ledger = Ledger(path)  # it checks the chain
    charges = {each.key: each for each in ledger.charges("visits")}
    found = []
    reads: dict[str, int] = {}
    for kind, key, *text in log.lines():
        if kind == "read":
            reads[key] = reads.get(key, 0) + 1
            if key not in charges:
                found.append(f"{key} was read and not charged")
        if kind == "shown" and (key not in charges or ledger.release_text(charges[key]) != text[0]):
            found.append(f"{key} was shown and is not the stored release")
        if kind == "refused" and not any(each in text[0] for each in usual):
            found.append(f"{key} was refused: {text[0]}")
    found += (
        [f"{key} was read {times} times" for key, times in reads.items() if times > charges[key].attempts]
        if not found
        else []
    )
    if ledger.spent("visits").point().cost * 1000 != len(charges):
        found.append("the total is not that of the charges")
    return found
