"""Fits of ten million rows of a Parquet file through a session, next to the same sums of the plain engine."""

import json
import subprocess
import sys
import time

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import privet as pv
from bench.models.memory import peak
from bench.models.task import DELTA
from bench.models.values import keep
from bench.peers import ROOT, environment
from bench.report import show, write

ROWS, COLUMNS, BLOCK = 10_000_000, 20, 500_000
FILE = ROOT / ".bench" / "models" / "large.parquet"
NAMES = [f"x{at}" for at in range(COLUMNS)]
SUMS = [f"sum({one} * {other})" for at, one in enumerate([*NAMES, "y"]) for other in [*NAMES, "y"][at:]]
PLAIN = {
    "linear regression": [f"SELECT {', '.join(SUMS)} FROM rows"],
    "naive Bayes": [
        f"SELECT least(floor({name} * 0.32), 31) AS b, c, count(*) FROM rows GROUP BY b, c" for name in NAMES
    ],
}


def make() -> None:
    """Write the file: numbers with two decimals, a number and a class that depend on them."""
    random = np.random.default_rng(0)
    slopes = random.normal(size=COLUMNS) / 4
    FILE.parent.mkdir(parents=True, exist_ok=True)
    writer = None
    for _ in range(0, ROWS, BLOCK):
        table = np.round(random.uniform(0, 100, size=(BLOCK, COLUMNS)), 2)
        target = np.clip(table @ slopes + 50 + random.normal(size=BLOCK) * 10, -400, 400)
        columns = {name: table[:, at] for at, name in enumerate(NAMES)}
        rows = pa.table({**columns, "y": target, "c": (target > 50).astype(np.int64)})
        writer = writer or pq.ParquetWriter(FILE, rows.schema)
        writer.write_table(rows)
    assert writer is not None
    writer.close()


def fit(name: str) -> None:
    """Fit one model in this process, and print seconds and the peak of memory as JSON."""
    columns = {each: pv.column("real", bounds=(0, 100)) for each in NAMES}
    columns |= {"y": pv.column("real", bounds=(-400, 400)), "c": pv.column("integer", categories=[0, 1])}
    session = pv.Session(FILE, pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(epsilon=1, delta=DELTA))
    model, target = (pv.models.LinearRegression, "y") if name == "linear regression" else (pv.models.CategoricalNB, "c")
    start = time.perf_counter(), time.process_time()
    session.query().select(*NAMES, target).fit(model(target=target), epsilon=1, delta=DELTA)
    wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": peak()}))


def plain(name: str) -> None:
    """Run the queries of the plain engine, and print the same."""
    engine = duckdb.connect()
    engine.execute(f"CREATE VIEW rows AS SELECT * FROM '{FILE}'")
    start = time.perf_counter(), time.process_time()
    for query in PLAIN[name]:
        engine.execute(query).fetchall()
    wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": peak()}))


def run() -> None:
    """Measure, print and write the table."""
    if not FILE.is_file():
        make()
    lines, kept = [], {}
    for name in PLAIN:
        own, theirs = (_run(kind, name) for kind in ("fit", "plain"))
        kept[name] = {"privet": own, "duckdb": theirs}
        seconds = [f"{each['wall']:.1f} ({each['cpu']:.1f})" for each in (own, theirs)]
        ratio, memory = own["cpu"] / theirs["cpu"], own["peak"] / 1e9
        lines.append((name, *seconds, f"{ratio:.1f}", f"{memory:.1f}"))
    keep("large", kept)
    heading = ("model", "Privet, s (CPU s)", "DuckDB, s (CPU s)", "ratio of CPU", "peak, GB")
    note = (
        f"{ROWS:,} rows x {COLUMNS} columns of a Parquet file, each fit in a fresh process; approximate privacy, "
        f"epsilon = 1, delta = {DELTA:g}. DuckDB computes the sums that the model is made of without privacy: all "
        "products of two columns, once, where the regression reads rows for its products and for 20 gradients; and the "
        "counts by class and bin. Written by `python -m bench models_large`."
    )
    show("fits of large tables", heading, lines, note)
    write("fits of large tables", heading, lines, note)


def _run(kind: str, name: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.models.large", kind, name]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, cwd=ROOT, env=environment(PYTHONPATH=str(ROOT / "src"))
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    {"fit": fit, "plain": plain}[sys.argv[1]](sys.argv[2])
