"""Releases on a local Spark in a process of its own, in turns with the plain query; seconds as JSON.

Takes the path of a table, the name of a privacy unit of ``bench.engine_release``, and how often to measure.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession

from bench.engine_release import UNITS
from bench.processes import seconds
from bench.spark_queries import PLAIN
from bench.tables import codebook
from bench.tables_data import EPSILON
from privet.accounting.planning.budget import budget
from privet.tables.aggregates.count import count
from privet.tables.aggregates.sum import sum as total
from privet.tables.session.session import Session

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "6g",
    "spark.sql.shuffle.partitions": "8",
}


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Give the seconds and the CPU seconds of something."""
    wall, used = time.perf_counter(), seconds()
    work()
    return time.perf_counter() - wall, seconds() - used


def measure(path: str, unit: str, times: int) -> dict[str, Any]:
    """Run the plain query on the file and on rows that are kept, and release, in turns."""
    spark = SparkSession.builder.master("local[2]").config(map=SETTINGS).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    frame = spark.read.parquet(path)
    opened: list[Session] = []
    opening = timed(lambda: opened.append(Session(frame, codebook(UNITS[unit]), budget(epsilon=10**9))))
    kept = frame.localCheckpoint()

    def plain(rows: Any) -> Any:
        rows.createOrReplaceTempView("visits")
        return spark.sql(PLAIN[unit]).collect()

    works: dict[str, Callable[[], Any]] = {
        "file": lambda: plain(frame),
        "kept": lambda: plain(kept),
        "release": lambda: (
            opened[0].query().group_by("grp").agg(count(), total=total("value")).release(epsilon=EPSILON)
        ),
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for turn in range(times + 1):
        for name, work in works.items():
            found = timed(work)
            if turn:  # the first one warms up
                taken[name].append(found)
    spark.stop()
    return {"opening": opening, **taken}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
