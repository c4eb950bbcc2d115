"""Statistics by group with OpenDP's Polars context; runs in an environment of its own, prints JSON.

Takes the path of a table, its number of groups, how often to measure, how often to release for the errors, and what is
asked of each group.
"""

import json
import sys
from typing import Any

import opendp.prelude as dp
import polars as pl

from bench.tables_data import BOUNDS, EPSILON, names
from bench.timing import cpu


def release(table: Any, keys: Any, rows: int, asked: list[str]) -> Any:
    context = dp.Context.compositor(
        data=table,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=EPSILON),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=rows)],
    )
    value: Any = pl.col("value").fill_null(0.0).fill_nan(0.0)
    known = {"count": dp.len(signed=True), "total": value.dp.sum(BOUNDS), "mean": value.dp.mean(BOUNDS)}
    query = context.query().group_by("grp").agg(*(known[name].alias(name) for name in asked))
    return query.with_keys(keys).release().collect()


def main() -> None:
    dp.enable_features("contrib")
    path, (groups, times, runs), asked = sys.argv[1], map(int, sys.argv[2:5]), sys.argv[5].split(",")
    public = names(groups)
    frame = pl.read_parquet(path).select("grp", "value")
    rows = frame.height
    table, keys = frame.lazy(), pl.LazyFrame({"grp": public})
    best, median = cpu(lambda: release(table, keys, rows, asked), times=times) if times else (0.0, 0.0)
    answers = []
    for _ in range(runs):
        found = {row[0]: row[1:] for row in release(table, keys, rows, asked).select("grp", *asked).iter_rows()}
        answers.append({name: [found[key][at] for key in public] for at, name in enumerate(asked)})
    print(json.dumps({"best": best, "median": median, "answers": answers}))


if __name__ == "__main__":
    main()
