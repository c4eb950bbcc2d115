"""Statistics by group, per user, with PipelineDP's local backend; runs in an environment of its own, prints JSON.

Takes the path of a table, its number of groups, how often to measure, how often to release for the errors, what is
asked of each group, and of how many groups a user may be part; with several of them the noise is Gaussian.
"""

import json
import sys
from typing import Any

import pipeline_dp
import pyarrow.parquet as pq

from bench.tables_data import BOUNDS, DELTA, EPSILON, names
from bench.timing import cpu

KNOWN = {"count": ("COUNT", "count"), "total": ("SUM", "sum"), "mean": ("MEAN", "mean")}
COLUMNS = pipeline_dp.DataExtractors(
    privacy_id_extractor=lambda row: row[0],
    partition_extractor=lambda row: row[1],
    value_extractor=lambda row: row[2],
)


def parameters(asked: list[str], partitions: int) -> Any:
    noise = pipeline_dp.NoiseKind.LAPLACE if partitions == 1 else pipeline_dp.NoiseKind.GAUSSIAN
    return pipeline_dp.AggregateParams(
        metrics=[getattr(pipeline_dp.Metrics, KNOWN[name][0]) for name in asked],
        noise_kind=noise,
        max_partitions_contributed=partitions,
        max_contributions_per_partition=1,
        min_value=float(BOUNDS[0]),
        max_value=float(BOUNDS[1]),
    )


def release(rows: Any, public: list[str], wanted: Any) -> dict[str, Any]:
    budget = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=DELTA)
    engine = pipeline_dp.DPEngine(budget, pipeline_dp.LocalBackend())
    found = engine.aggregate(rows, wanted, COLUMNS, public_partitions=public)
    budget.compute_budgets()
    return dict(found)


def main() -> None:
    path, (groups, times, runs), asked = sys.argv[1], map(int, sys.argv[2:5]), sys.argv[5].split(",")
    public, wanted = names(groups), parameters(asked, int(sys.argv[6]))
    table = pq.read_table(path)
    rows = list(zip(*(table[name].to_pylist() for name in ("user_id", "grp", "value")), strict=True))
    best, median = cpu(lambda: release(rows, public, wanted), times=times) if times else (0.0, 0.0)
    answers = []
    for _ in range(runs):
        found = release(rows, public, wanted)
        answers.append({name: [getattr(found[key], KNOWN[name][1]) for key in public] for name in asked})
    print(json.dumps({"best": best, "median": median, "answers": answers}))


if __name__ == "__main__":
    main()
