"""Count and sum by group, against other libraries and the plain engine: CPU time, in one run.

All read the same files. Loading is not measured, nor is starting a library; the second query of a session is.
"""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq

from bench.peers import OPENDP_POLARS, PIPELINEDP, SMARTNOISE, TUMULT, Peer
from bench.report import show, write
from bench.tables_data import BOUNDS, EPSILON, GROUPS, names, visits
from bench.tables_data import write as store
from bench.timing import cpu
from privet.accounting.planning.budget import budget
from privet.tables.aggregates.count import count
from privet.tables.aggregates.sum import sum as total
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.session.session import Session

LARGE, USERS, SMALL = 1_000_000, 100_000, 1_000
TIMES, PEERS, SLOW = 9, 5, 2
ROWS, PERSONS = Rows(), Persons(id="user_id", groups=1, rows_per_group=1)
PLAIN = "SELECT grp, count(*), sum(value) FROM visits GROUP BY grp"
CLAMPED = f"SELECT grp, count(*), sum(greatest({BOUNDS[0]}.0, least({BOUNDS[1]}.0, value))) FROM visits GROUP BY grp"
Found = dict[str, Any]


def codebook(unit: PrivacyUnit, groups: int = GROUPS) -> Codebook:
    """Describe the visits."""
    columns = {
        "user_id": column("integer"),
        "grp": column("text", categories=names(groups)),
        "value": column("real", bounds=BOUNDS),
    }
    return Codebook(columns=columns, unit=unit)


def ask(opened: Session) -> Found:
    """Release both numbers of every group."""
    question = opened.query().group_by("grp").agg(count(), total=total("value"))
    answer = question.release(epsilon=EPSILON)
    return {name: answer.values(name) for name in ("count", "total")}


def ours(source: Any, unit: PrivacyUnit) -> float:
    """Measure Privet, in a session whose budget is not exhausted."""
    opened = Session(source, codebook(unit), budget(epsilon=10**9))
    return cpu(lambda: ask(opened), times=TIMES)[0]


def plain(connection: Any, query: str) -> float:
    """Measure DuckDB."""
    return cpu(lambda: connection.execute(query).fetchall(), times=TIMES)[0]


def peer(
    which: Peer, path: Path, groups: int, *, times: int = 0, runs: int = 0, asked: str = "count,total", each: int = 1
) -> Found | None:
    """Measure a library and collect its answers, or give nothing where it does not run.

    Args:
        which: The library.
        path: The table.
        groups: How many groups it has.
        times: How often to measure.
        runs: How often to release.
        asked: What is asked of each group.
        each: Of how many groups a user may be part.
    """
    arguments = (str(path), str(groups), str(times), str(runs), asked, str(each))
    try:
        found: Found = which.run(f"bench.{which.name.partition('_')[0]}_tables", *arguments)
    except subprocess.CalledProcessError:
        return None
    return found


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


def run() -> None:
    """Measure everything and write the table."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        large = store(visits(LARGE, USERS), place / "large.parquet")
        small = store(visits(SMALL, SMALL // 10), place / "small.parquet")
        speed, clamped = _measure(large, small)
    heading = ["query", "Privet, ms", "against", "its ms", "ratio", "target"]
    note = (
        f"CPU milliseconds of all threads and processes, loading apart; the best of {TIMES} warm queries ({PEERS} for "
        f"OpenDP and SmartNoise, {SLOW} for PipelineDP and Tumult). Against DuckDB both read the same source, and its "
        f"query does not clamp; where it does, Privet takes {clamped}. Against the others Privet reads the Arrow "
        "table; SmartNoise has loaded its frame into SQLite. Written by `python -m bench tables`."
    )
    show("tables", heading, speed, note)
    write("tables", heading, speed, note)


def _measure(large: Path, small: Path) -> tuple[list[list[str]], str]:
    held, little = pq.read_table(large), pq.read_table(small)
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
    speed = [
        speed_row(rows, by_row, "OpenDP", _best(peer(OPENDP_POLARS, large, GROUPS, times=PEERS)), 10),
        speed_row(rows, by_row, "SmartNoise", _best(peer(SMARTNOISE, large, GROUPS, times=PEERS)), 10),
        *against_engine,
        speed_row(users, by_user, "PipelineDP", _best(peer(PIPELINEDP, large, GROUPS, times=SLOW)), 25),
        speed_row(users, by_user, "Tumult", _best(peer(TUMULT, large, GROUPS, times=SLOW)), 25),
        speed_row(warm, tiny, "OpenDP", _best(peer(OPENDP_POLARS, small, GROUPS, times=PEERS)), 30),
    ]
    return speed, ", ".join(against_clamped)


def _best(found: Found | None) -> float | None:
    return None if found is None else found["best"]
