"""What public bounds cost on small data: as they are listed, from zero, and two and four times as wide."""

import warnings
from collections.abc import Mapping

from bench.models.known import BREAST_CANCER, DIABETES, IRIS, WINE
from bench.models.privet_fits import linear, logistic
from bench.models.samples import load, measure
from bench.models.stored import prepared
from bench.models.task import EPSILONS, Bounds, Task
from bench.models.values import keep, shown, summary
from bench.report import show, write

_SEEDS = 100


def run() -> None:
    """Measure, print and write the table."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    rows = []
    for task in (IRIS, WINE, BREAST_CANCER, DIABETES):
        folder = prepared(task)
        kind, fit = ("accuracy", logistic) if task.classes is not None else ("r2", linear)
        for name, numbers in _bounds(task).items():
            other = task._replace(numbers=numbers, seeds=_SEEDS)
            assert folder is not None
            sample = load(folder, task)._replace(task=other)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # models say when the data are too few
                scores = measure({"fit": fit}, sample, EPSILONS)["fit"]
            cells = {epsilon: summary(kinds[kind]) for epsilon, kinds in scores.items()}
            found[f"{task.name}, {name}"] = cells
            rows.append((task.name, name, "R²" if kind == "r2" else "accuracy", *map(shown, cells.values())))
    keep("bounds", found)
    heading = ("data", "bounds", "score", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS))
    note = (
        f"`LogisticRegression`, and for diabetes `LinearRegression`, with standard errors over {_SEEDS} splits; "
        "approximate privacy, delta = 1e-06. The rows and the models are the same, only the public bounds of the "
        "columns differ. Written by `python -m bench models_bounds`."
    )
    show("models and their bounds", heading, rows, note)
    write("models and their bounds", heading, rows, note)


def _bounds(task: Task) -> Mapping[str, Mapping[str, Bounds]]:
    return {
        "as in the tables above": task.numbers,
        "from zero": {name: (0.0 if low > 0 else low, high) for name, (low, high) in task.numbers.items()},
        "2 times as wide": {name: _wider(pair, 2) for name, pair in task.numbers.items()},
        "4 times as wide": {name: _wider(pair, 4) for name, pair in task.numbers.items()},
    }


def _wider(pair: Bounds, factor: float) -> Bounds:
    low, high = pair
    return low - (factor - 1) / 2 * (high - low), high + (factor - 1) / 2 * (high - low)


if __name__ == "__main__":
    run()
