"""Statistics by group, per user, with Tumult Analytics on a local Spark; runs in an environment of its own.

Takes the path of a table, its number of groups, how often to measure, how often to release for the errors, what is
asked of each group, and of how many groups a user may be part; with several of them privacy is concentrated. Prints
JSON. Most of the work is done by the Java process and by workers that it starts, so their CPU time counts too.
"""

import json
import os
import statistics
import sys
from typing import Any

from pyspark.sql import SparkSession
from tmlt.analytics import (
    AddRowsWithID,
    KeySet,
    MaxGroupsPerID,
    MaxRowsPerGroupPerID,
    MaxRowsPerID,
    PureDPBudget,
    QueryBuilder,
    RhoZCDPBudget,
    Session,
)

from bench.processes import seconds
from bench.tables_data import BOUNDS, EPSILON, RHO, names


def release(session: Any, keys: Any, asked: list[str], groups_of_a_user: int) -> dict[str, dict[str, Any]]:
    rows = QueryBuilder("visits")
    if groups_of_a_user == 1:
        each, rows = PureDPBudget(EPSILON / len(asked)), rows.enforce(MaxRowsPerID(1))
    else:
        each = RhoZCDPBudget(RHO / len(asked))
        rows = rows.enforce(MaxGroupsPerID("grp", groups_of_a_user)).enforce(MaxRowsPerGroupPerID("grp", 1))
    grouped = rows.groupby(keys)
    known = {
        "count": lambda: grouped.count("n"),
        "total": lambda: grouped.sum("value", *BOUNDS, name="n"),
        "mean": lambda: grouped.average("value", *BOUNDS, name="n"),
    }
    released = {}
    for name in asked:
        found = session.evaluate(known[name](), each).collect()
        released[name] = {row["grp"]: row["n"] for row in found}
    return released


def main() -> None:
    path, (groups, times, runs), asked = sys.argv[1], map(int, sys.argv[2:5]), sys.argv[5].split(",")
    public, groups_of_a_user = names(groups), int(sys.argv[6])
    os.environ["PYSPARK_PYTHON"] = sys.executable  # the workers must find Tumult too
    builder = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").config("spark.driver.memory", "2g").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    frame = spark.read.parquet(path).cache()
    frame.count()
    budget = PureDPBudget(10**6) if groups_of_a_user == 1 else RhoZCDPBudget(10**6)
    session = Session.from_dataframe(budget, "visits", frame, protected_change=AddRowsWithID("user_id"))
    keys = KeySet.from_dict({"grp": public})
    taken, answers = [], []
    for _ in range(times + 1 if times else 0):
        start = seconds()
        release(session, keys, asked, groups_of_a_user)
        taken.append(seconds() - start)
    for _ in range(runs):
        found = release(session, keys, asked, groups_of_a_user)
        answers.append({name: [found[name][key] for key in public] for name in found})
    timed = taken[1:] or [0.0]  # the first time warms up
    print(json.dumps({"best": min(timed), "median": statistics.median(timed), "answers": answers}))


if __name__ == "__main__":
    main()
