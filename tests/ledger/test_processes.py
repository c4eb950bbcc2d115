"""Many processes, threads and forks; writers that are killed at any point."""

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import privet as pv
from privet.errors import BudgetExceededError
from privet.ledger.ledger import Ledger
from tests.ledger.files import LOSS, Place, charge, fork, in_child, wait
from tests.ledger.killing import Log, faults, kill_writers, release_reading_first, release_showing_first

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")


def race(path: Place, processes: int, room: int) -> Counter[int]:
    """Let processes charge at the same time; count how many were granted (0) and refused (2)."""
    Ledger(path).account("visits", budget=pv.budget(epsilon=f"{room}/10"))
    gate, opening = os.pipe()

    def work() -> None:
        os.close(opening)
        account = Ledger(path).account("visits")
        os.read(gate, 1)  # until the parent closes its end
        try:
            charge(account, f"{os.getpid()}")
        except BudgetExceededError:
            os._exit(2)

    children = [fork(work) for _ in range(processes)]
    os.close(gate)
    os.close(opening)
    return Counter(wait(child) for child in children)


def check_races(places: Callable[[], Place], races: int) -> None:
    for _ in range(races):
        path = places()
        assert race(path, 16, 3) == {0: 3, 2: 13}
        ledger = Ledger(path)
        assert ledger.remaining("visits") == pv.budget(epsilon=0)
        assert len(ledger.charges()) == 3


def test_the_last_units_are_granted_once(places: Callable[[], Place]) -> None:
    check_races(places, 3)


@pytest.mark.long
def test_the_last_units_are_granted_once_in_a_hundred_races(places: Callable[[], Place]) -> None:
    check_races(places, 100)


def check_kills(path: Place, log: Log, kills: int) -> None:
    Ledger(path).account("visits", "ann", pv.budget(epsilon=10**6))
    kill_writers(path, log, kills)
    deadline = time.monotonic() + 120
    while sum(words[0] == "shown" for words in log.lines()) <= kills // 5:
        assert time.monotonic() < deadline, "the writers must have had time to work"
        kill_writers(path, log, 10)
    assert faults(path, log) == []


@pytest.mark.engines
def test_writers_that_are_killed_release_nothing_without_a_charge(place: Place, tmp_path: Path) -> None:
    check_kills(place, Log(tmp_path / "log"), 50)


@pytest.mark.long
def test_a_thousand_kills(places: Callable[[], Place], tmp_path: Path) -> None:
    for number in range(10):  # the chain is checked by every transaction: short ones leave more time for kills
        check_kills(places(), Log(tmp_path / f"log {number}"), 100)


@pytest.mark.parametrize("twin", [release_reading_first, release_showing_first])
def test_a_twin_that_reads_or_shows_too_early_is_caught(tmp_path: Path, twin: object) -> None:
    """Ten kills notice a twin in more than half of the trials, so 20 rounds miss it with a probability below 1e-6.

    Of 80 trials on a busy machine, 77 noticed it in the first round, and the others in the second or third.
    """
    path, log = tmp_path / "budget.db", Log(tmp_path / "log")
    Ledger(path).account("visits", "ann", pv.budget(epsilon=10**6))
    for _ in range(20):
        kill_writers(path, log, 10, twin)  # type: ignore[arg-type]
        if faults(path, log):
            return
    pytest.fail("nothing was noticed")


def test_threads_share_a_ledger(place: Place) -> None:
    account = Ledger(place).account("visits", budget=pv.budget(epsilon=1))
    granted: list[str] = []

    def work(name: str) -> None:
        for number in range(3):
            with suppress(BudgetExceededError):
                granted.append(charge(account, f"{name} {number}").key)

    threads = [threading.Thread(target=work, args=(f"{name}",)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(granted)) == len(granted) == 10


def test_a_forked_child_uses_the_same_ledger(place: Place) -> None:
    """Also while another thread of the parent is within a transaction: the fork waits for its end."""
    ledger = Ledger(place)
    account = ledger.account("visits", budget=pv.budget(epsilon=10**6))
    ending = threading.Event()

    def work() -> None:
        while not ending.wait(0.001):
            account.charge(LOSS)

    def in_the_child() -> None:
        charge(account, f"{os.getpid()}")

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert [in_child(in_the_child) for _ in range(10)] == [0] * 10
    finally:
        ending.set()
        thread.join()
    keyed = [each for each in ledger.charges() if each.result == "release"]
    assert len(keyed) == 10
    assert ledger.spent("visits").point().cost * 10 == len(ledger.charges())
