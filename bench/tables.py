"""Count and sum by group, against other libraries and the plain engine: CPU time and errors, in one run.

All read the same files. Loading is not measured, nor is starting a library; the second query of a session is.
"""

import math
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq

from bench.peers import OPENDP_POLARS, PIPELINEDP, SMARTNOISE, TUMULT, Peer
from bench.report import show, write
from bench.tables_data import BOUNDS, EPSILON, GROUPS, names, visitors, visits
from bench.tables_data import write as store
from bench.timing import cpu
from privet.accounting.budget import budget
from privet.tables.aggregates.count import count
from privet.tables.aggregates.sum import sum as total
from privet.tables.codebook import Codebook
from privet.tables.codebook_column import column
from privet.tables.session import Session
from privet.tables.unit import Persons, PrivacyUnit, Rows

LARGE, USERS, SMALL = 1_000_000, 100_000, 1_000
SINGLE, MANY = 20_000, 2_000  # users with one row each, and groups, for the errors of a user-level release
TIMES, PEERS, SLOW = 9, 5, 2
RUNS, FEW, OURS = 60, 5, 200
ROWS, PERSONS = Rows(), Persons(id="user_id", groups=1, rows_per_group=1)
PLAIN = "SELECT grp, count(*), sum(value) FROM visits GROUP BY grp"
CLAMPED = f"SELECT grp, count(*), sum(greatest({BOUNDS[0]}.0, least({BOUNDS[1]}.0, value))) FROM visits GROUP BY grp"
Found = dict[str, Any]


def session(source: Any, unit: PrivacyUnit, groups: int = GROUPS) -> Session:
    """Open a session whose budget no benchmark exhausts."""
    columns = {
        "user_id": column("integer"),
        "grp": column("text", categories=names(groups)),
        "value": column("real", bounds=BOUNDS),
    }
    return Session(source, Codebook(columns=columns, unit=unit), budget(epsilon=10**9))


def ask(opened: Session) -> Found:
    """Release both numbers of every group."""
    question = opened.query().group_by("grp").agg(count(), total=total("value"))
    answer = question.release(epsilon=EPSILON)
    return {name: answer.values(name) for name in ("count", "total")}


def ours(source: Any, unit: PrivacyUnit) -> float:
    """Measure Privet."""
    opened = session(source, unit)
    return cpu(lambda: ask(opened), times=TIMES)[0]


def plain(connection: Any, query: str) -> float:
    """Measure DuckDB."""
    return cpu(lambda: connection.execute(query).fetchall(), times=TIMES)[0]


def peer(which: Peer, path: Path, groups: int, times: int, runs: int) -> Found | None:
    """Measure a library and collect its answers, or give nothing where it does not run."""
    arguments = (str(path), str(groups), str(times), str(runs))
    try:
        found: Found = which.run(f"bench.{which.name.partition('_')[0]}_tables", *arguments)
    except subprocess.CalledProcessError:
        return None
    return found


def mean_squares(answers: list[Found], path: Path, groups: int) -> dict[str, float]:
    """Compare answers with the exact counts and clamped sums."""
    table = pq.read_table(path)
    place = {name: at for at, name in enumerate(names(groups))}
    at = np.array([place[name] for name in table["grp"].to_pylist()])
    clamped = np.clip(table["value"].to_numpy(), *BOUNDS)
    truth = {
        "count": np.bincount(at, minlength=groups),
        "total": np.bincount(at, weights=clamped, minlength=groups),
    }
    return {
        name: float(np.mean([(np.asarray(one[name], dtype=float) - exact) ** 2 for one in answers]))
        for name, exact in truth.items()
    }


def speed_row(what: str, mine: float, other: str, theirs: float | None, target: int) -> list[str]:
    """Compare with a library, of which Privet must be a multiple, or with the plain engine, of which it may be one."""
    shown = [what, f"{mine * 1e3:.1f}", other]
    if theirs is None:
        return [*shown, "did not run", "", ""]
    engine = other.startswith("DuckDB")
    ratio = mine / theirs if engine else theirs / mine
    verdict = "met" if (ratio <= target if engine else ratio >= target) else "missed"
    told = (
        [f"{ratio:.1f}x slower", f"at most {target}x: {verdict}"]
        if engine
        else [f"{ratio:.1f}x faster", f"{target}x: {verdict}"]
    )
    return [*shown, f"{theirs * 1e3:,.1f}", *told]


def error_rows(what: str, other: str, mine: list[Found], found: Found | None, path: Path, groups: int) -> list[Any]:
    if found is None:
        return [[f"{name}, {what}", other, "", "did not run", "", ""] for name in ("count", "total")]
    here, there = mean_squares(mine, path, groups), mean_squares(found["answers"], path, groups)
    # the square of Laplace noise has a variance of five times its squared mean
    unsure = math.sqrt(5 / (groups * len(mine)) + 5 / (groups * len(found["answers"])))
    lines = []
    for name in ("count", "total"):
        ratio = here[name] / there[name]
        verdict = "met" if ratio <= 1.05 else "missed" if ratio > 1.05 + 2 * unsure else "within chance"
        shown = [f"{here[name]:.4g}", f"{there[name]:.4g}", f"{ratio:.2f} ± {unsure:.2f}"]
        lines.append([f"{name}, {what}", other, *shown, f"1.05: {verdict}"])
    return lines


def run() -> None:
    """Measure everything and write both tables."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        large = store(visits(LARGE, USERS), place / "large.parquet")
        small = store(visits(SMALL, SMALL // 10), place / "small.parquet")
        single = store(visitors(SINGLE, MANY), place / "single.parquet")
        speed, errors, clamped = _measure(large, small, single)
    heading = ["query", "Privet, ms", "against", "its ms", "ratio", "target"]
    note = (
        f"CPU milliseconds of all threads and processes, loading apart; the best of {TIMES} warm queries ({PEERS} for "
        f"OpenDP and SmartNoise, {SLOW} for PipelineDP and Tumult). Against DuckDB both read the same source, and its "
        f"query does not clamp; where it does, Privet takes {clamped}. Against the others Privet reads the Arrow "
        "table; SmartNoise has loaded its frame into SQLite. Written by `python -m bench tables`."
    )
    show("tables", heading, speed, note)
    write("tables", heading, speed, note)
    heading = ["mean squared error", "against", "Privet", "its", "ratio", "target"]
    note = (
        f"At epsilon = {EPSILON:g} for both numbers together. Rows: on the table of a million rows, {RUNS} releases "
        f"({OURS} of Privet). Users: {SINGLE:,} users with one row each in {MANY:,} groups, so that no cap leaves "
        f"out a row and the error is that of the noise; {FEW} releases ({OURS // 10} of Privet). "
        "The ratio with its standard error. Written by `python -m bench tables`."
    )
    show("errors of tables", heading, errors, note)
    write("table errors", heading, errors, note)


def _measure(large: Path, small: Path, single: Path) -> tuple[list[list[str]], list[list[str]], str]:
    held, little, few = pq.read_table(large), pq.read_table(small), pq.read_table(single)
    connection = duckdb.connect()
    connection.register("visits", held)
    database = duckdb.connect()
    database.register("held", held)
    database.execute("CREATE TABLE visits AS SELECT * FROM held")
    files = duckdb.connect()
    files.execute(f"CREATE VIEW visits AS SELECT * FROM read_parquet('{large}')")
    sources = {
        "Arrow table": (held, connection),
        "Parquet file": (large, files),
        "DuckDB table": ((database, "visits"), database),
    }
    rows, users, warm = "1,000,000 rows", "1,000,000 rows, 100,000 users", "1,000 rows"
    against_engine, against_clamped = [], []
    mine = {}
    for name, (source, engine) in sources.items():
        mine[name] = ours(source, ROWS)
        against_engine.append(speed_row(rows, mine[name], f"DuckDB, {name}", plain(engine, PLAIN), 4))
        against_clamped.append(f"{mine[name] / plain(engine, CLAMPED):.1f}x ({name})")
    by_row, by_user, tiny = mine["Arrow table"], ours(held, PERSONS), ours(little, ROWS)
    opendp = peer(OPENDP_POLARS, large, GROUPS, PEERS, RUNS)
    smartnoise = peer(SMARTNOISE, large, GROUPS, PEERS, RUNS)
    opendp_small = peer(OPENDP_POLARS, small, GROUPS, PEERS, 0)
    slow = {
        "PipelineDP": (peer(PIPELINEDP, large, GROUPS, SLOW, 0), peer(PIPELINEDP, single, MANY, 0, FEW)),
        "Tumult": (peer(TUMULT, large, GROUPS, SLOW, 0), peer(TUMULT, single, MANY, 0, FEW)),
    }
    speed = [
        speed_row(rows, by_row, "OpenDP", _best(opendp), 10),
        speed_row(rows, by_row, "SmartNoise", _best(smartnoise), 10),
        *against_engine,
        *(speed_row(users, by_user, name, _best(timed), 25) for name, (timed, _) in slow.items()),
        speed_row(warm, tiny, "OpenDP", _best(opendp_small), 30),
    ]
    opened, persons = session(held, ROWS), session(few, PERSONS, MANY)
    answers, persons_answers = [ask(opened) for _ in range(OURS)], [ask(persons) for _ in range(OURS // 10)]
    errors = [
        *error_rows("rows", "OpenDP", answers, opendp, large, GROUPS),
        *error_rows("rows", "SmartNoise", answers, smartnoise, large, GROUPS),
    ]
    for name, (_, found) in slow.items():
        errors += error_rows("users", name, persons_answers, found, single, MANY)
    return speed, errors, ", ".join(against_clamped)


def _best(found: Found | None) -> float | None:
    return None if found is None else found["best"]
