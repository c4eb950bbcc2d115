"""Models of diffprivlib, with the same bounds; runs in an environment of its own, prints JSON."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from diffprivlib import models

from bench.models.samples import Array, Fit, Sample, main
from bench.models.task import Bounds, Task


def _pair(bounds: list[Bounds]) -> tuple[Array, Array]:
    low, high = np.array(bounds, dtype=float).T
    return low, high


def _chances(model: Any, classes: int, rows: Array) -> Array:
    """Give a column for every class of the task, also for those that the training part has not."""
    found = np.full((len(rows), classes), -np.inf)
    found[:, model.classes_.astype(int)] = model.predict_proba(rows)
    return np.nan_to_num(found, nan=0.0, neginf=-1.0)


def logistic(train: Sample, test: Sample, epsilon: float, seed: int) -> Array:
    rows, norm = train.scaled()
    model = models.LogisticRegression(epsilon=epsilon, data_norm=norm, random_state=seed)
    return _chances(model.fit(rows, train.target), len(train.task.classes or ()), test.scaled()[0])


def forest(train: Sample, test: Sample, epsilon: float, seed: int) -> Array:
    classes = np.arange(len(train.task.classes or ()))
    model = models.RandomForestClassifier(
        epsilon=epsilon, bounds=_pair(train.coded_bounds()), classes=classes, random_state=seed
    )
    return _chances(model.fit(train.coded(), train.target), len(classes), test.coded())


def naive_bayes(train: Sample, test: Sample, epsilon: float, seed: int) -> Array:
    model = models.GaussianNB(epsilon=epsilon, bounds=(-1, 1), random_state=seed)
    return _chances(model.fit(train.scaled()[0], train.target), len(train.task.classes or ()), test.scaled()[0])


def linear(train: Sample, test: Sample, epsilon: float, seed: int) -> Array:
    rows, _ = train.scaled()
    model = models.LinearRegression(
        epsilon=epsilon, bounds_X=(-1, 1), bounds_y=train.task.target_bounds, random_state=seed
    )
    return model.fit(rows, train.target).predict(test.scaled()[0])


def fits(task: Task) -> Mapping[str, Fit]:
    if task.classes is None:
        return {"linear": linear}
    return {"logistic": logistic, "forest": forest, "naive Bayes": naive_bayes}


if __name__ == "__main__":
    main(fits)
