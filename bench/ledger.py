"""How long a durable charge of a ledger takes, against the disk's own fsync, with four writers at once."""

import os
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import privet as pv
from bench.peers import ROOT
from bench.report import show, write
from privet.accounting.losses.pure import PureLoss
from privet.ledger.books import now

WRITERS, TIMES, ROUNDS = 4, 100, 5
LIMIT = 25  # times the disk's own fsync, at the 99th percentile
LONG = 10_000  # entries of a long ledger
_LOSS = PureLoss(0.001)
_BLOCK = b"x" * 4096
Work = Callable[[str, str, int], list[float]]


def fsyncs(folder: str, _: str, number: int) -> list[float]:
    """Append a block to a file of one's own and synchronise it, again and again."""
    file = os.open(Path(folder) / f"fsync-{number}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        return [_timed(lambda: _append(file)) for _ in range(TIMES)]
    finally:
        os.close(file)


def _append(file: int) -> None:
    os.write(file, _BLOCK)
    os.fsync(file)


def charges(folder: str, name: str, number: int) -> list[float]:
    """Charge one ledger under fresh keys, again and again."""
    account = pv.Ledger(Path(folder) / name).account("visits")
    start = f"{number} {time.time_ns()}"
    return [_timed(lambda at=at: account.charge(_LOSS, key=f"{start} {at}")) for at in range(TIMES)]  # type: ignore[misc]


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def at_the_gate(work: Work, gate: Any, answers: Any, folder: str, name: str, number: int) -> None:
    """Wait for the other processes, then work."""
    work(folder, name, number)  # once, so that everything is loaded
    gate.wait()
    answers.put(work(folder, name, number))


def together(work: Work, folder: str, name: str, writers: int) -> list[float]:
    """Let some processes work at the same time, and give all their times."""
    context = get_context("spawn")
    gate, answers = context.Barrier(writers), context.Queue()
    given = [(work, gate, answers, folder, name, number) for number in range(writers)]
    processes = [context.Process(target=at_the_gate, args=each) for each in given]
    for process in processes:
        process.start()
    times = [each for _ in processes for each in answers.get()]
    for process in processes:
        process.join()
    return times


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


def make(path: Path, entries: int) -> None:
    """Make a ledger with some entries."""
    ledger = pv.Ledger(path)
    ledger.grant("visits", pv.budget(epsilon=10**6))
    with ledger.writing() as (_, append):
        for at in range(entries):
            append(
                {
                    "kind": "charge",
                    "dataset": "visits",
                    "part": "",
                    "analyst": "ann",
                    "key": f"{at:064x}",
                    "digest": f"{at:064x}",
                    "cost": "1/1000",
                    "delta": "0/1",
                    "query": "count, mean(duration) of visits; by ward (12 groups)",
                    "result": "release",
                    "time": now(),
                }
            )


def run() -> None:
    """Measure in turns, print and write the table."""
    found: dict[tuple[str, int], list[float]] = {}
    with tempfile.TemporaryDirectory(dir=ROOT) as folder:
        make(Path(folder) / "short.db", 0)
        make(Path(folder) / "long.db", LONG)
        for writers in (1, WRITERS):
            for _ in range(ROUNDS):
                for name, work in (("fsync", fsyncs), ("short.db", charges), ("long.db", charges)):
                    found.setdefault((name, writers), []).extend(together(work, folder, name, writers))
    titles = {
        "fsync": "fsync of 4 KiB",
        "short.db": "charge, a short ledger",
        "long.db": f"charge, {LONG:,} entries before",
    }
    rows = []
    for (name, writers), times in found.items():
        usual, most = percentile(times, 0.5), percentile(times, 0.99)
        ratio = most / percentile(found["fsync", writers], 0.99)
        target = (
            f"{LIMIT}x {'met' if ratio <= LIMIT else 'missed'}" if name == "short.db" and writers == WRITERS else ""
        )
        label = f"{titles[name]}, {writers} writer{'s' if writers > 1 else ''}"
        rows.append(
            (label, f"{usual * 1e3:.2f}", f"{most * 1e3:.2f}", "" if name == "fsync" else f"{ratio:.1f}x", target)
        )
    heading = ("work", "median, ms", "99 %, ms", "times fsync, at 99 %", "target")
    note = (
        f"Milliseconds of wall time of {ROUNDS * TIMES} calls for each writer, all writers at once on one ledger, or "
        f"each on a file of its own for fsync; in turns on one disk, {os.cpu_count()} cores. Written by "
        "`python -m bench ledger`."
    )
    show("ledger", heading, rows, note)
    write("ledger", heading, rows, note)
