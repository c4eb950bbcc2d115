"""Statistics by group with SmartNoise SQL over a pandas frame; runs in an environment of its own, prints JSON.

Takes the path of a table, its number of groups, how often to measure, how often to release for the errors, and what is
asked of each group. Its epsilon is that of each noisy column, so that it is told as much less as there are columns.
"""

import json
import sys
from typing import Any

import pyarrow.parquet as pq
from snsql import Privacy, from_df

from bench.tables_data import BOUNDS, EPSILON, names
from bench.timing import cpu

METADATA = {
    "": {
        "data": {
            "visits": {
                "row_privacy": True,
                "censor_dims": False,
                "clamp_counts": False,
                "clamp_columns": True,
                "grp": {"type": "string"},
                "value": {"type": "float", "lower": float(BOUNDS[0]), "upper": float(BOUNDS[1])},
            }
        }
    }
}
KNOWN = {"count": "COUNT(*) AS n", "total": "SUM(value) AS total", "mean": "AVG(value) AS average"}
DELTA = 1e-9


def open_reader(frame: Any, query: str) -> Any:
    """Tell it the epsilon of a column with which the whole query costs what is allowed."""
    whole = from_df(frame, privacy=Privacy(epsilon=EPSILON, delta=DELTA), metadata=METADATA)
    columns = round(whole.get_privacy_cost(query)[0] / EPSILON)
    return from_df(frame, privacy=Privacy(epsilon=EPSILON / columns, delta=DELTA), metadata=METADATA)


def main() -> None:
    path, (groups, times, runs), asked = sys.argv[1], map(int, sys.argv[2:5]), sys.argv[5].split(",")
    public = names(groups)
    frame = pq.read_table(path, columns=["grp", "value"]).to_pandas()
    query = f"SELECT grp, {', '.join(KNOWN[name] for name in asked)} FROM data.visits GROUP BY grp"
    reader = open_reader(frame, query)

    def release() -> Any:
        return reader.execute(query)

    best, median = cpu(release, times=times) if times else (0.0, 0.0)
    answers = []
    for _ in range(runs):
        found = {row[0]: row[1:] for row in release()[1:]}
        answers.append({name: [found[key][at] for key in public] for at, name in enumerate(asked)})
    print(json.dumps({"best": best, "median": median, "answers": answers}))


if __name__ == "__main__":
    main()
