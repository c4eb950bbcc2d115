"""DP-EBM of InterpretML with the same bounds; runs in an environment of its own, prints JSON."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from interpret.privacy import DPExplainableBoostingClassifier, DPExplainableBoostingRegressor

from bench.models.samples import Array, Fit, Sample, main
from bench.models.task import DELTA, Task


def _arguments(train: Sample, epsilon: float, seed: int) -> dict[str, Any]:
    numbers = len(train.task.numbers)
    return {
        "epsilon": epsilon,
        "delta": DELTA,
        "feature_types": ["continuous"] * numbers + ["nominal"] * len(train.sizes),
        "privacy_bounds": np.array(train.coded_bounds(), dtype=float),
        "n_jobs": 1,
        "random_state": seed,
    }


def _rows(sample: Sample) -> Array:
    """Clamp numbers, and give categories as text: it takes numbers of a nominal column for new ones."""
    bounds = np.array(list(sample.task.numbers.values()), dtype=float).reshape(-1, 2)
    numbers = np.clip(sample.numbers, bounds[:, 0], bounds[:, 1]).astype(object)
    return np.column_stack([numbers, sample.codes.astype(str).astype(object)])


def classifier(train: Sample, test: Sample, epsilon: float, seed: int) -> Array:
    model = DPExplainableBoostingClassifier(**_arguments(train, epsilon, seed))
    return model.fit(_rows(train), train.target).predict_proba(_rows(test))


def regressor(train: Sample, test: Sample, epsilon: float, seed: int) -> Array:
    low, high = train.task.target_bounds or (0.0, 1.0)
    more = {"privacy_target_min": low, "privacy_target_max": high}
    model = DPExplainableBoostingRegressor(**_arguments(train, epsilon, seed), **more)
    return model.fit(_rows(train), train.target).predict(_rows(test))


def fits(task: Task) -> Mapping[str, Fit]:
    if task.classes is None:
        return {"DP-EBM": regressor}
    return {"DP-EBM": classifier} if len(task.classes) == 2 else {}  # it takes two classes only


if __name__ == "__main__":
    main(fits)
