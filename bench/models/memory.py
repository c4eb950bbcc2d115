"""Fit one model on made-up rows in a fresh process, and print the peak of memory before and after as JSON.

Takes the name of the model and the number of rows.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bench.models.task import DELTA
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression

COLUMNS = 20


def peak() -> int:
    """Give the peak of this process in bytes; the one of getrusage would be that of its parent, if that was larger."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def main() -> None:
    name, rows = sys.argv[1], int(sys.argv[2])
    random = np.random.default_rng(0)
    table = random.uniform(-1, 1, size=(rows, COLUMNS))
    target = table[:, 0] + random.uniform(-1, 1, size=rows)
    budget: dict[str, Any] = {"epsilon": 1, "delta": DELTA, "bounds": (-1, 1)}
    LinearRegression(target_bounds=(-2, 2), **budget).fit(table[:1000], target[:1000])  # all that is imported late
    before = peak()
    if name == "linear":
        LinearRegression(target_bounds=(-2, 2), **budget).fit(table, target)
    else:
        LogisticRegression(classes=[0, 1], **budget).fit(table, (target > 0).astype(int))
    after = peak()
    print(json.dumps({"before": before, "after": after, "table": table.nbytes}))


if __name__ == "__main__":
    main()
