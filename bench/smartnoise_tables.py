"""Count and sum by group with SmartNoise SQL over a pandas frame; runs in an environment of its own, prints JSON.

Takes the path of a table, its number of groups, how often to measure, and how often to release for the errors. Its
epsilon is that of each column of the result: half of the total.
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
QUERY = "SELECT grp, COUNT(*) AS n, SUM(value) AS total FROM data.visits GROUP BY grp"


def main() -> None:
    path, (groups, times, runs) = sys.argv[1], map(int, sys.argv[2:])
    public = names(groups)
    frame = pq.read_table(path, columns=["grp", "value"]).to_pandas()
    reader = from_df(frame, privacy=Privacy(epsilon=EPSILON / 2, delta=1e-9), metadata=METADATA)

    def release() -> Any:
        return reader.execute(QUERY)

    best, median = cpu(release, times=times)
    answers = []
    for _ in range(runs):
        found = {row[0]: row[1:] for row in release()[1:]}
        answers.append({name: [found[key][at] for key in public] for at, name in enumerate(("count", "total"))})
    print(json.dumps({"best": best, "median": median, "answers": answers}))


if __name__ == "__main__":
    main()
