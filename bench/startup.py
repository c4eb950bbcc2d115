"""How long a new process takes to open its first session, and to its first release after that."""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.csv as csv
import pyarrow.parquet as parquet

import privet as pv
from bench.peers import environment
from bench.report import show, write

TIMES = 10
LIMIT = 0.5  # seconds until the first session is open
ROWS = 900
_BOOK = """pv.Codebook(
    columns={"visitor_id": pv.column("integer"), "spending": pv.column("real", bounds=(0, 100))},
    unit=pv.Persons("visitor_id", rows=10),
)"""
_YAML = """format: codebook/1
unit: {id: visitor_id, caps: {rows: 10}}
columns:
  visitor_id: {type: integer}
  spending: {type: real, bounds: [0, 100]}
"""
_PROGRAM = """
import time
PREPARE
start = time.perf_counter()
import privet as pv
session = pv.Session(SOURCE, BOOK, pv.budget(epsilon=1))
opened = time.perf_counter()
str(session.query().agg(pv.count(), pv.mean("spending")).release(epsilon=1))
print(opened - start, time.perf_counter() - opened)
"""
_LIST = f"[{{'visitor_id': n % 99, 'spending': 10.0}} for n in range({ROWS})]"
_READ = "import pyarrow.parquet; table = pyarrow.parquet.read_table('visits.parquet')"
CASES = {  # what is done before the clock starts, the source, the codebook
    "a list of rows": ("", _LIST, _BOOK),
    "a CSV file": ("", "'visits.csv'", _BOOK),
    "a CSV file, the codebook in YAML": ("", "'visits.csv'", "'visits.yaml'"),
    "a Parquet file": ("", "'visits.parquet'", _BOOK),
    "an Arrow table": (_READ, "table", _BOOK),
}


def seconds(case: tuple[str, str, str], folder: Path) -> tuple[float, float]:
    """Open a session and release in a new process.

    Returns:
        The seconds until the session is open, and those of the release.
    """
    prepare, source, book = case
    program = _PROGRAM.replace("PREPARE", prepare).replace("SOURCE", source).replace("BOOK", book)
    variables = environment(PYTHONPATH=str(Path(pv.__file__).parents[1]))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], check=True, stdout=subprocess.PIPE, cwd=folder, env=variables
    )
    opened, released = map(float, done.stdout.split())
    return opened, released


def run() -> None:
    """Measure in turns, print and write the table."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in CASES}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        table = pv.datasets.visits(ROWS)
        csv.write_csv(table, place / "visits.csv")
        parquet.write_table(table, place / "visits.parquet")
        (place / "visits.yaml").write_text(_YAML, encoding="utf-8")
        for case in CASES.values():
            seconds(case, place)  # compiled files are written once, and not counted
        for _ in range(TIMES):
            for name, case in CASES.items():
                found[name].append(seconds(case, place))
    heading = ("source", "session, s", "first release, s", "target")
    rows = []
    for name, times in found.items():
        opened, released = (statistics.median(each) for each in zip(*times, strict=True))
        rows.append((name, f"{opened:.2f}", f"{released:.2f}", f"{LIMIT} s, {'met' if opened <= LIMIT else 'missed'}"))
    note = (
        f"Seconds of wall time in a new process, the median of {TIMES} taken in turns; {os.cpu_count()} cores. The "
        f"first column holds `import privet`, the codebook, the budget and the session of {ROWS} rows. Written by "
        "`python -m bench startup`."
    )
    show("startup", heading, rows, note)
    write("startup", heading, rows, note)
