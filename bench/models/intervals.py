"""How often 95 % intervals of private coefficients hold the true ones, and how wide they are relative to least squares.

A made-up population of wages: the logarithm is linear in age, education, sex and region, so that the truth is known.
Every run draws new persons and new noise.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np

from bench.models.samples import Array
from bench.models.task import DELTA, EPSILONS, Bounds
from bench.models.values import keep
from bench.report import show, write
from privet.models.linear_regression import LinearRegression

ROWS, RUNS, LEVEL = 40_000, 1_000, 0.95
COLUMNS: dict[str, tuple[Bounds, float]] = {  # bounds and true coefficient
    "age": ((18, 65), 0.003),
    "education": ((6, 20), 0.04),
    "female": ((0, 1), -0.1),
    "midwest": ((0, 1), -0.02),
    "south": ((0, 1), -0.03),
    "west": ((0, 1), 0.01),
}
CONSTANT, SPREAD = 0.5, 0.2
TARGET: Bounds = (0, 2.5)
_SCHOOL = (8, 10, 11, 12, 13, 14, 16, 18, 20)
_SHARES = (0.02, 0.04, 0.04, 0.35, 0.15, 0.1, 0.2, 0.07, 0.03)
_NORMAL = 1.959963984540054


def persons(seed: int) -> tuple[Array, Array]:
    """Draw persons and the logarithm of their wage."""
    random = np.random.default_rng(seed)
    age = np.clip(random.normal(41, 11, size=ROWS), 21, 64)
    school = random.choice(_SCHOOL, p=_SHARES, size=ROWS)
    female = random.random(ROWS) < 0.44
    region = random.choice(4, p=(0.2, 0.25, 0.33, 0.22), size=ROWS)
    rows = np.column_stack([age, school, female, region == 1, region == 2, region == 3]).astype(float)
    truth = np.array([coefficient for _, coefficient in COLUMNS.values()])
    return rows, CONSTANT + rows @ truth + random.normal(0, SPREAD, size=ROWS)


def least_squares(rows: Array, target: Array) -> tuple[Array, Array]:
    """Give coefficients without privacy and their standard errors."""
    full = np.column_stack([rows, np.ones(len(rows))])
    inverse = np.linalg.inv(full.T @ full)
    found = inverse @ (full.T @ target)
    left = target - full @ found
    variance = left @ left / (len(full) - full.shape[1])
    return found[:-1], np.sqrt(variance * np.diag(inverse))[:-1]


class Run(NamedTuple):
    """Which coefficients an interval held, how wide it was, and whether it was called usable."""

    held: Array
    width: Array
    usable: bool


def private(rows: Array, target: Array, epsilon: float, truth: Array) -> Run:
    """Fit once and look at the intervals."""
    model = LinearRegression(
        epsilon=epsilon,
        delta=DELTA,
        bounds=[bounds for bounds, _ in COLUMNS.values()],
        target_bounds=TARGET,
        inference="two_step",
    ).fit(rows, target)
    if not model.usable_:
        return Run(np.zeros(len(truth), dtype=bool), np.zeros(len(truth)), usable=False)
    low, high = model.conf_int(LEVEL).T
    return Run((low <= truth) & (truth <= high), high - low, usable=True)


def run(runs: int = RUNS) -> None:
    """Measure, print and write the table."""
    truth = np.array([coefficient for _, coefficient in COLUMNS.values()])
    found: dict[str, list[Run]] = {"none": [], **{f"{epsilon:g}": [] for epsilon in EPSILONS}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(runs):
            rows, target = persons(seed)
            centre, error = least_squares(rows, target)
            half = _NORMAL * error
            found["none"].append(Run(abs(centre - truth) <= half, 2 * half, usable=True))
            for epsilon in EPSILONS:
                found[f"{epsilon:g}"].append(private(rows, target, epsilon, truth))
    kept = {epsilon: _figures(each, found["none"]) for epsilon, each in found.items()}
    keep("intervals", {"rows": ROWS, "runs": runs, "level": LEVEL, "by epsilon": kept})
    lines = [
        (
            "least squares, no privacy" if epsilon == "none" else f"epsilon {epsilon}",
            f"{each['usable']:.1%}",
            f"{each['coverage']:.1%} ± {each['se']:.1%}",
            *(f"{each['by column'][name]:.1%}" for name in COLUMNS),
            f"{each['width']:.2f}",
        )
        for epsilon, each in kept.items()
    ]
    heading = ("intervals", "usable", "coverage", *COLUMNS, "width")
    note = (
        f"Shares of 95 % intervals that hold the true coefficient, of {runs:,} samples of {ROWS:,} made-up persons; "
        "all coefficients together, then each; widths relative to least squares. Approximate privacy, "
        f"delta = {DELTA:g}. Runs whose intervals the model calls unusable are left out of the coverage. Written by "
        "`python -m bench models_intervals`."
    )
    show("intervals of coefficients", heading, lines, note)
    write("intervals of coefficients", heading, lines, note)


def _figures(runs: list[Run], plain: list[Run]) -> dict[str, Any]:
    pairs = [(each, other) for each, other in zip(runs, plain, strict=True) if each.usable]
    if not pairs:
        return {"usable": 0.0, "coverage": 0.0, "se": 0.0, "width": 0.0, "by column": dict.fromkeys(COLUMNS, 0.0)}
    held = np.array([each.held for each, _ in pairs])
    shares = held.mean(axis=1)
    return {
        "usable": len(pairs) / len(runs),
        "coverage": round(float(held.mean()), 5),
        "se": round(float(shares.std() / np.sqrt(len(pairs))), 5),
        "width": round(float(np.mean([each.width / other.width for each, other in pairs])), 4),
        "by column": {name: round(float(share), 4) for name, share in zip(COLUMNS, held.mean(axis=0), strict=True)},
    }
