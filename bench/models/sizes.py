"""Which model at which number of rows and epsilon: accuracy on parts of Adult, and a picture of it.

``python -m bench.models.sizes`` measures, writes the figures and the picture of the guide.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from bench.models.known import ADULT
from bench.models.privet_fits import boosting_classifier, logistic, naive_bayes
from bench.models.samples import load
from bench.models.values import keep
from bench.peers import ROOT

ROWS = (300, 1_000, 3_000, 10_000, 39_000)
EPSILONS = (0.1, 0.3, 1.0, 3.0)
SEEDS = 10
MODELS = {
    "logistic": logistic,
    "boosting": boosting_classifier,
    "naive Bayes": naive_bayes("privet.models.categorical_nb", "CategoricalNB"),
}
PICTURE = Path(__file__).parents[2] / "docs" / "guides" / "which_model.png"


def measure() -> dict[str, Any]:
    """Fit every model to parts of Adult, at every epsilon."""
    whole = load(ROOT / ".bench" / "models" / "data", ADULT)  # as python -m bench models adult has prepared it
    found: dict[str, Any] = {name: {} for name in MODELS}
    for rows in ROWS:
        for epsilon in EPSILONS:
            scores: dict[str, list[float]] = {name: [] for name in MODELS}
            for seed in range(SEEDS):
                order = np.random.default_rng(seed).permutation(len(whole.target))
                train, test = whole.rows(order[:rows]), whole.rows(order[-9_000:])
                for name, fit in MODELS.items():
                    chances = fit(train, test, epsilon, seed)
                    scores[name].append(float(np.mean(chances.argmax(axis=1) == test.target)))
            for name in MODELS:
                cell = {"mean": round(float(np.mean(scores[name])), 4), "se": _error(scores[name])}
                found[name].setdefault(str(rows), {})[f"{epsilon:g}"] = cell
    return found


def _error(values: list[float]) -> float:
    return round(float(np.std(values, ddof=1) / np.sqrt(len(values))), 4)


def draw(found: dict[str, Any]) -> None:
    """Draw the accuracy by the number of rows, one panel for each epsilon."""
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 2, figsize=(7.5, 6), sharex=True, sharey=True, layout="constrained")
    for panel, epsilon in zip(grid.ravel(), EPSILONS, strict=True):
        for name, mark in zip(MODELS, "os^", strict=True):
            cells = [found[name][str(rows)][f"{epsilon:g}"] for rows in ROWS]
            means, errors = [cell["mean"] for cell in cells], [2 * cell["se"] for cell in cells]
            panel.errorbar(ROWS, means, yerr=errors, marker=mark, markersize=4, capsize=2, label=name)
        panel.axhline(0.761, color="grey", linestyle=":", linewidth=1)
        panel.set_xscale("log")
        panel.set_title(f"epsilon = {epsilon:g}")
        panel.set_ylim(0.73, 0.87)
    for below, beside in zip(grid[1], grid[:, 0], strict=True):
        below.set_xlabel("rows")
        beside.set_ylabel("accuracy on Adult")
    grid[1, 1].legend(loc="lower right")
    figure.savefig(PICTURE, dpi=130)


if __name__ == "__main__":
    values = measure()
    keep("sizes", values)
    draw(values)
    sys.stdout.write(f"{values}\n")
