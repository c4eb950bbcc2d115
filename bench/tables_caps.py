"""Contribution caps on 10 M rows and 1 M users, against the window query that one would write by hand.

The hand-written query keeps the same rows: the same caps, the same keyed hashes, the same content order.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from bench.report import show, write
from bench.tables_data import BOUNDS, visits_file
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.caps import Caps, cap
from privet.tables.vocabulary.grid_sql import exact_sum, rows, steps
from privet.tables.vocabulary.relation import Relation, column, named

KEY = 1_234_567_890_123_456_789
CAPS = Caps(groups=3, rows_per_group=10)
COLUMNS = {
    "user_id": Column(kind="integer"),
    "grp": Column(kind="text"),
    "value": Column(kind="real", bounds=BOUNDS),
}
TIMES = 5
ALLOWED = 1.3
HAND_WRITTEN = f"""
SELECT grp, count(*) AS n, sum(CAST(value * 33554432 AS BIGINT)) AS s
FROM (
    SELECT user_id, grp, value
    FROM (
        SELECT user_id, grp, CASE WHEN value > 100.0 THEN 100.0 WHEN value < 0.0 THEN 0.0 ELSE value END AS value
        FROM visits WHERE user_id IS NOT NULL
        QUALIFY dense_rank() OVER (PARTITION BY user_id ORDER BY hash(hash({KEY}::BIGINT, user_id, grp)), grp) <= 3
    )
    QUALIFY row_number() OVER (
        PARTITION BY user_id, grp ORDER BY hash(hash({KEY}::BIGINT, user_id, grp, value)), value
    ) <= 10
)
GROUP BY grp ORDER BY grp
"""


def ours(source: Relation) -> Relation:
    """Count and sum by group, of capped rows."""
    kept = cap(source, CAPS, person="user_id", groups=["grp"], used=["value"], key=KEY)
    total = exact_sum(steps("value", column("value", "r"), source["value"]))
    outputs = [column("grp", "r"), named(rows(), "n"), named(total, "s")]
    query = exp.Select(expressions=outputs).from_(kept.derived()).group_by(column("grp", "r"))
    whole = Column(kind="integer")
    return Relation(query=query, columns={"grp": COLUMNS["grp"], "n": whole, "s": whole})


def run() -> None:
    """Compare the two, in turns."""
    with tempfile.TemporaryDirectory() as directory, DuckDBEngine() as engine:
        path = visits_file(Path(directory))
        plan = ours(engine.load(path, COLUMNS, "visits"))
        by_hand = duckdb.connect(config={"preserve_insertion_order": False})
        by_hand.execute(f"CREATE VIEW visits AS SELECT * FROM read_parquet('{path}')")
        ways: dict[str, Callable[[], Any]] = {
            "Privet": lambda: list(zip(*engine.execute(plan, order_by=["grp"]).columns.values(), strict=True)),
            "window query by hand": lambda: by_hand.execute(HAND_WRITTEN).fetchall(),
        }
        answers = [way() for way in ways.values()]
        if answers[0] != answers[1]:
            raise SystemExit("the two queries do not agree")
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for _ in range(TIMES):  # in turns, so that a busy machine slows both
            for name, way in ways.items():
                taken[name].append(_seconds(way))
    wall, cpu = (
        {name: statistics.median(pair[at] for pair in pairs) for name, pairs in taken.items()} for at in (0, 1)
    )
    hand = "window query by hand"
    verdict = "met" if cpu["Privet"] <= ALLOWED * cpu[hand] else "missed"
    lines = [
        [name, f"{wall[name]:.2f}", f"{cpu[name]:.2f}", f"{cpu[name] / cpu[hand]:.2f}x", told]
        for name, told in zip(ways, (f"at most {ALLOWED}x: {verdict}", ""), strict=True)
    ]
    heading = ["10 M rows, 1 M users", "wall, s", "CPU, s", "of the query by hand", "target"]
    note = (
        f"Medians of {TIMES}, in turns; at most 3 groups per user and 10 rows per user and group; equal answers. "
        "Written by `python -m bench tables_caps`."
    )
    show("contribution caps", heading, lines, note)
    write("caps", heading, lines, note)


def _seconds(work: Callable[[], Any]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu
