"""AdaSSP, linear regression by noisy sufficient statistics, as a reference: floats and numpy's noise, prints JSON.

Wang, "Revisiting differentially private linear regression" (2018), algorithm 2: a third of epsilon and delta each for
the least eigenvalue, for X'X and for X'y. Approximate privacy.
"""

import math
from collections.abc import Mapping

import numpy as np

from bench.models.samples import Array, Fit, Sample, main
from bench.models.task import DELTA, Task

_RARE = 0.05  # the chance that the ridge is too small


def solve(rows: Array, target: Array, length: float, epsilon: float, random: np.random.Generator) -> Array:
    """Give coefficients; rows are at most as long as said, targets in [-1, 1]."""
    columns, part, log = rows.shape[1], epsilon / 3, math.log(6 / DELTA)
    squares = rows.T @ rows
    least = float(np.linalg.eigvalsh(squares)[0])
    noisy_least = max(least + (math.sqrt(log) * random.normal() - log) * length**2 / part, 0.0)
    wanted = math.sqrt(columns * log * math.log(2 * columns**2 / _RARE)) * length**2 / part
    ridge = max(0.0, wanted - noisy_least)
    upper = np.triu(random.normal(size=(columns, columns)))
    squares = squares + (upper + np.triu(upper, 1).T) * math.sqrt(log) * length**2 / part
    products = rows.T @ target + random.normal(size=columns) * math.sqrt(log) * length / part
    return np.linalg.solve(squares + ridge * np.eye(columns), products)


def linear(train: Sample, test: Sample, epsilon: float, seed: int) -> Array:
    low, high = train.task.target_bounds or (-1.0, 1.0)
    rows, norm = train.scaled()
    target = 2 * (train.target - low) / (high - low) - 1
    weights = solve(
        np.column_stack([rows, np.ones(len(rows))]),
        target,
        math.hypot(norm, 1),
        epsilon,
        np.random.default_rng(10_000 + seed),
    )
    predicted = test.scaled()[0] @ weights[:-1] + weights[-1]
    return low + (predicted + 1) / 2 * (high - low)


def fits(task: Task) -> Mapping[str, Fit]:
    return {"AdaSSP": linear} if task.classes is None else {}


if __name__ == "__main__":
    main(fits)
