"""DuckDB at several sizes: a release against the plain query, and how time, memory and disk grow.

``python -m bench engines`` measures 1 and 10 million rows. ``python -m bench.engines --large`` adds 100 million and
writes the table of growth; it takes some minutes, 2 GB of disk for the data, and what a query spills.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from bench.engine_release import UNITS
from bench.engines_data import PERSON_ROWS, visits_of
from bench.peers import ROOT
from bench.report import show, write
from bench.tables import PLAIN, ROWS, ask, codebook
from privet.accounting.planning.budget import budget
from privet.tables.session.session import Session

MILLION = 10**6
SIZES = (MILLION, 10 * MILLION)
LARGE = (*SIZES, 100 * MILLION)
TIMES = 9
ALLOWED, GROWTH = 2, 12  # times the plain query at a million rows, and times the time of a tenth of the rows
MEMORY, LITTLE = "8GB", "2GB"
Measurement = dict[str, Any]


def _cpu(work: Callable[[], Any]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def against_plain(path: Path) -> tuple[float, float, float]:
    """Give the CPU seconds of the plain query, of a release, and of opening the session; in turns."""
    plain = duckdb.connect()
    plain.execute("SET enable_progress_bar = false")
    plain.execute(f"CREATE VIEW visits AS SELECT * FROM read_parquet('{path}')")

    def opened() -> Session:
        return Session(path, codebook(ROWS), budget(epsilon=10**9))

    session = opened()
    works: list[Callable[[], Any]] = [lambda: plain.execute(PLAIN).fetchall(), lambda: ask(session)]
    for work in works:
        work()
    taken = [[_cpu(work) for work in works] for _ in range(TIMES)]
    opening = statistics.median(_cpu(lambda: opened().close()) for _ in range(3))
    session.close()
    return *(statistics.median(times) for times in zip(*taken, strict=True)), opening


def plain_rows(sizes: Sequence[int], place: Path) -> Iterator[list[str]]:
    """Compare a release of rows with the plain query, at each size."""
    for rows in sizes:
        plain, release, opening = against_plain(visits_of(rows, place))
        ratio = release / plain
        verdict = f"at most {ALLOWED}x: {'met' if ratio <= ALLOWED else 'missed'}" if rows == MILLION else ""
        shown = [f"{seconds * 1e3:.1f}" for seconds in (plain, release, opening)]
        yield [f"{rows:,} rows", *shown, f"{ratio:.1f}x", f"{(opening + release) / plain:.1f}x", verdict]


def measure_growth(path: Path, unit: str, memory: str) -> Measurement:
    """Release in a process of its own, whose memory and disk are its alone."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TMPDIR": folder}
        command = [sys.executable, "-m", "bench.engine_release", str(path), unit, memory, "2"]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT, env=environment)
    found: Measurement = json.loads(done.stdout)
    return found


def growth_rows(sizes: Sequence[int], place: Path) -> Iterator[list[str]]:
    """Measure each privacy unit at each size."""
    cases = [(unit, MEMORY) for unit in UNITS] + [(list(UNITS)[-1], LITTLE)]
    for unit, memory in cases:
        before: tuple[float, ...] = ()
        for rows in sizes if memory == MEMORY else sizes[1:]:
            found = measure_growth(visits_of(rows, place), unit, memory)
            best = tuple(min(times) for times in zip(*found["releases"], strict=True))
            growth = [f"{now / then:.1f}x" for now, then in zip(best, before, strict=True)] if before else ["", ""]
            if rows == LARGE[-1] and memory == MEMORY:
                met = [now <= GROWTH * then for now, then in zip(best, before, strict=True)]
                growth = [f"{each}: {'met' if ok else 'missed'}" for each, ok in zip(growth, met, strict=True)]
            used = [f"{found[which] / 1e9:.1f}" for which in ("memory", "disk")]
            limit = memory.removesuffix("GB") + " GB"
            yield [f"{unit}, {limit}", f"{rows:,}", *(f"{each:.2f}" for each in best), *growth, *used]
            before = best


def run(sizes: Sequence[int] = SIZES, place: Path | None = None) -> None:
    """Compare with the plain query, and measure growth where all sizes are asked for."""
    with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = place or Path(directory)
        heading = ["count and sum by 100 groups", "DuckDB, ms", "release, ms", "opening, ms", "ratio", "with opening"]
        lines = list(plain_rows(SIZES, data))
        note = (
            f"CPU milliseconds of all threads, medians of {TIMES}, in turns, on one Parquet file. DuckDB runs "
            f"`{PLAIN}` without clamping. A release is everything from the query to the noisy table, in a "
            "session that is open; the last ratio is of opening the session and one release. "
            "Written by `python -m bench engines`."
        )
        show("engines", [*heading, "target"], lines, note)
        write("engines", [*heading, "target"], lines, note)
        if len(sizes) < len(LARGE):
            return
        heading = ["unit, limit of memory", "rows", "s", "CPU s", "growth", "CPU growth", "memory, GB", "disk, GB"]
        lines = list(growth_rows(sizes, data))
    note = (
        f"One release of a count and a sum by 100 groups, the better of 2, 2 cores; {PERSON_ROWS} rows of a person on "
        f"average. Growth is against a tenth of the rows and should be at most {GROWTH}x with 8 GB; other work on the "
        "machine shows in seconds more than in CPU seconds. Memory is the largest of the "
        "whole process, disk what was spilled. Written by `python -m bench.engines --large`."
    )
    show("growth", heading, lines, note)
    write("growth", heading, lines, note)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.engines", description="Measure DuckDB at several sizes.")
    parser.add_argument("--large", action="store_true", help="100 million rows too, and the table of growth")
    parser.add_argument("--data", type=Path, help="a folder that keeps the data; by default they are removed")
    given = parser.parse_args()
    run(LARGE if given.large else SIZES, given.data)
