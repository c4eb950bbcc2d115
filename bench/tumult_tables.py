"""Count and sum by group, per user, with Tumult Analytics on a local Spark; runs in an environment of its own.

Takes the path of a table, its number of groups, how often to measure, and how often to release for the errors; prints
JSON. Most of the work is done by the Java process and by workers that it starts, so their CPU time counts too.
"""

import json
import os
import statistics
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from tmlt.analytics import AddRowsWithID, KeySet, MaxRowsPerID, PureDPBudget, QueryBuilder, Session

from bench.tables_data import BOUNDS, EPSILON, names

TICKS = os.sysconf("SC_CLK_TCK")


def seconds() -> float:
    """Add up the CPU time of this process and of all that it started."""
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        number = int(place.parent.name)
        parents[number], used[number] = int(fields[1]), sum(map(int, fields[11:15]))
    family = {os.getpid()}
    while more := {number for number, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(used[number] for number in family) / TICKS


def release(session: Any, keys: Any) -> dict[str, dict[str, Any]]:
    each = PureDPBudget(EPSILON / 2)
    rows = QueryBuilder("visits").enforce(MaxRowsPerID(1)).groupby(keys)
    asked = {"count": rows.count("n"), "total": rows.sum("value", *BOUNDS, name="n")}
    released = {}
    for name, query in asked.items():
        found = session.evaluate(query, each).collect()
        released[name] = {row["grp"]: row["n"] for row in found}
    return released


def main() -> None:
    path, (groups, times, runs) = sys.argv[1], map(int, sys.argv[2:])
    public = names(groups)
    os.environ["PYSPARK_PYTHON"] = sys.executable  # the workers must find Tumult too
    spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
    spark = spark.config("spark.sql.shuffle.partitions", "2").config("spark.driver.memory", "2g").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    frame = spark.read.parquet(path).cache()
    frame.count()
    session = Session.from_dataframe(PureDPBudget(10**6), "visits", frame, protected_change=AddRowsWithID("user_id"))
    keys = KeySet.from_dict({"grp": public})
    taken, answers = [], []
    for _ in range(times + 1 if times else 0):
        start = seconds()
        release(session, keys)
        taken.append(seconds() - start)
    for _ in range(runs):
        found = release(session, keys)
        answers.append({name: [found[name][key] for key in public] for name in found})
    timed = taken[1:] or [0.0]  # the first time warms up
    print(json.dumps({"best": min(timed), "median": statistics.median(timed), "answers": answers}))


if __name__ == "__main__":
    main()
