"""Spark at 1 and 10 million rows: a release against the plain window query, and against Tumult, in one run."""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.engines_data import visits_of
from bench.peers import ROOT, TUMULT
from bench.report import show, write
from bench.spark_queries import PLAIN
from bench.tables_data import GROUPS

MILLION = 10**6
SIZES = (MILLION, 10 * MILLION)
TIMES, PEER_TIMES = 3, 2
ALLOWED, FASTER = 1.5, 5  # times the plain query of ten million rows; times Tumult on a million
Measurement = dict[str, Any]


def measure_release(path: Path, unit: str) -> Measurement:
    """Release in a process of its own."""
    command = [sys.executable, "-m", "bench.spark_release", str(path), unit, str(TIMES)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT, text=True)
    found: Measurement = json.loads(done.stdout.strip().rpartition("\n")[2])
    return found


def _median(found: Measurement, name: str, which: int) -> float:
    return float(statistics.median(each[which] for each in found[name]))


def plain_rows(place: Path, against: dict[str, float]) -> Iterator[list[str]]:
    """Compare releases with the plain query; note those that Tumult is compared with."""
    for unit in PLAIN:
        for rows in SIZES:
            found = measure_release(visits_of(rows, place), unit)
            plain = min((_median(found, name, 0), name) for name in ("file", "kept"))[1]
            wall, used = (_median(found, "release", each) / _median(found, plain, each) for each in (0, 1))
            verdict = f"at most {ALLOWED}x: {'met' if wall <= ALLOWED else 'missed'}" if rows == SIZES[-1] else ""
            shown = [f"{seconds:.2f}" for seconds in (found["opening"][0], _median(found, plain, 0))]
            shown.append(f"{_median(found, 'release', 0):.2f}")
            yield [f"{unit}, {rows:,} rows", *shown, f"{wall:.2f}x", f"{used:.2f}x", verdict]
            if rows == MILLION:
                against[unit] = min(each[1] for each in found["release"])


def tumult_row(place: Path, ours: float) -> list[str]:
    """Compare the same numbers of the same rows with Tumult, whose CPU time is counted in the same way."""
    path = str(visits_of(MILLION, place))
    arguments = [path, str(GROUPS), str(PEER_TIMES), "0", "count,total", "1"]
    its: float = TUMULT.run("bench.tumult_tables", *arguments)["best"]
    ratio = its / ours
    verdict = f"at least {FASTER}x: {'met' if ratio >= FASTER else 'missed'}"
    return ["a person with 1 row, 1,000,000 rows", f"{ours:.1f}", f"{its:.1f}", f"{ratio:.1f}x", verdict]


def run() -> None:
    """Measure on Spark; pyspark and Java must be there."""
    if find_spec("pyspark") is None:
        raise SystemExit("bench engines_spark needs pyspark: pip install 'privet[spark]', and Java 17.")
    against: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as directory:
        heading = ["unit", "opening, s", "Spark, s", "release, s", "ratio", "CPU ratio", "target"]
        lines = list(plain_rows(Path(directory), against))
        note = (
            f"Seconds, medians of {TIMES} in turns, two threads on one machine. Spark runs the plain window query on "
            "the Parquet file, or on the same rows kept in memory, whichever is faster. A release is everything from "
            "the query to the noisy table, in a session that is open. Written by `python -m bench engines_spark`."
        )
        show("spark", heading, lines, note)
        write("spark", heading, lines, note)
        line = tumult_row(Path(directory), against["a person with 1 row"])
    heading = ["count and sum by 100 groups", "Privet on Spark, CPU s", "Tumult, CPU s", "ratio", "target"]
    note = "CPU seconds of all processes for one release with epsilon = 1 in all, in an open session; the best of each."
    show("spark and tumult", heading, [line], note)
    write("spark and tumult", heading, [line], note)


if __name__ == "__main__":
    run()
