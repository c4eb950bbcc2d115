"""What wide bounds of the target cost models of numbers, on made-up rows."""

import warnings
from typing import Any

import numpy as np

import privet as pv
from bench.models.task import DELTA
from bench.models.values import keep, shown, summary
from bench.report import show, write

_ROWS, _SEEDS, _WIDTHS = 5_000, 20, (1, 5, 10, 20)
_MODELS = (
    "LinearRegression",
    "GradientBoostingRegressor",
    "RandomForestRegressor",
    "DecisionTreeRegressor",
    "ObjectiveHuberRegressor",
)


def run() -> None:
    """Measure, print and write the table."""
    scores: dict[str, dict[str, list[float]]] = {name: {str(width): [] for width in _WIDTHS} for name in _MODELS}
    for seed in range(_SEEDS):
        source = np.random.default_rng(seed)
        x = source.uniform(0, 1, size=(_ROWS + 1_000, 4))
        y = 3 + 4 * x[:, 0] - 2 * x[:, 1] + x[:, 2] + source.normal(size=len(x)) * 0.3
        for name in _MODELS:
            for width in _WIDTHS:
                fitted = _fit(name, x[:_ROWS], y[:_ROWS], (5 - 5 * width, 5 + 5 * width))
                gaps = y[_ROWS:] - fitted.predict(x[_ROWS:])
                scores[name][str(width)].append(1 - float((gaps**2).mean() / y[_ROWS:].var()))
    found = {name: {width: summary(values) for width, values in kinds.items()} for name, kinds in scores.items()}
    keep("wide_targets", found)
    heading = ("model", "as wide as needed", *(f"{width} times" for width in _WIDTHS[1:]))
    rows = [(f"`{name}`", *(shown(each, 2) for each in kinds.values())) for name, kinds in found.items()]
    note = (
        f"R² on rows that no model saw, with standard errors over {_SEEDS} draws of {_ROWS:,} made-up rows with four "
        f"columns; epsilon = 1, delta = {DELTA:g} (the tree and the Huber model are pure). "
        "The rows are the same, only the public bounds of the target differ. Written by "
        "`python -m bench models_targets`."
    )
    show("models and wide targets", heading, rows, note)
    write("models and wide targets", heading, rows, note)


def _fit(name: str, x: Any, y: Any, bounds: tuple[float, float]) -> Any:
    loss = {"epsilon": 1} if name == "ObjectiveHuberRegressor" else {"epsilon": 1, "delta": DELTA}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(pv.models, name)(**loss, bounds=(0, 1), target_bounds=bounds).fit(x, y)


if __name__ == "__main__":
    run()
