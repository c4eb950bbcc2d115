"""Count and sum by group, per user, with PipelineDP's local backend; runs in an environment of its own, prints JSON.

Takes the path of a table, its number of groups, how often to measure, and how often to release for the errors.
"""

import json
import sys
from typing import Any

import pipeline_dp
import pyarrow.parquet as pq

from bench.tables_data import BOUNDS, EPSILON, names
from bench.timing import cpu

ASKED = pipeline_dp.AggregateParams(
    metrics=[pipeline_dp.Metrics.COUNT, pipeline_dp.Metrics.SUM],
    noise_kind=pipeline_dp.NoiseKind.LAPLACE,
    max_partitions_contributed=1,
    max_contributions_per_partition=1,
    min_value=float(BOUNDS[0]),
    max_value=float(BOUNDS[1]),
)
COLUMNS = pipeline_dp.DataExtractors(
    privacy_id_extractor=lambda row: row[0],
    partition_extractor=lambda row: row[1],
    value_extractor=lambda row: row[2],
)


def release(rows: Any, public: list[str]) -> dict[str, Any]:
    budget = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=1e-9)
    engine = pipeline_dp.DPEngine(budget, pipeline_dp.LocalBackend())
    found = engine.aggregate(rows, ASKED, COLUMNS, public_partitions=public)
    budget.compute_budgets()
    return dict(found)


def main() -> None:
    path, (groups, times, runs) = sys.argv[1], map(int, sys.argv[2:])
    public = names(groups)
    table = pq.read_table(path)
    rows = list(zip(*(table[name].to_pylist() for name in ("user_id", "grp", "value")), strict=True))
    best, median = cpu(lambda: release(rows, public), times=times) if times else (0.0, 0.0)
    answers = []
    for _ in range(runs):
        found = release(rows, public)
        answers.append(
            {"count": [found[key].count for key in public], "total": [found[key].sum for key in public]},
        )
    print(json.dumps({"best": best, "median": median, "answers": answers}))


if __name__ == "__main__":
    main()
