"""Models of Privet, with their defaults."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.models.samples import Array, Fit, Sample
from bench.models.task import DELTA, Task
from privet.models.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression

_NAIVE_BAYES = {
    "categorical NB": ("privet.models.categorical_nb", "CategoricalNB"),
    "Gaussian NB": ("privet.models.gaussian_nb", "GaussianNB"),
}


def rows_of(sample: Sample) -> Array:
    """Numbers, codes of categories, and squares for linear models."""
    return np.column_stack([sample.coded(), sample.squares()])


def facts(task: Task, epsilon: float) -> dict[str, Any]:
    """Give the arguments that say what is public of the columns of `rows_of`, and the budget."""
    numbers, categories = len(task.numbers), list(task.categories.values())
    first = numbers + len(categories)
    known: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": DELTA,
        "bounds": dict(enumerate(task.numbers.values())) | {first + at: (0, 1) for at in range(len(task.squares))},
        "categories": {numbers + at: list(range(len(values))) for at, values in enumerate(categories)},
    }
    if task.classes is None:
        return {**known, "target_bounds": task.target_bounds}
    return {**known, "classes": list(range(len(task.classes)))}


def logistic(train: Sample, test: Sample, epsilon: float, _seed: int) -> Array:
    model = LogisticRegression(**facts(train.task, epsilon)).fit(rows_of(train), train.target)
    return model.predict_proba(rows_of(test))


def linear(train: Sample, test: Sample, epsilon: float, _seed: int) -> Array:
    model = LinearRegression(**facts(train.task, epsilon)).fit(rows_of(train), train.target)
    return model.predict(rows_of(test))


def boosting_classifier(train: Sample, test: Sample, epsilon: float, _seed: int) -> Array:
    task = train.task._replace(squares=())  # trees need no squares
    model = GradientBoostingClassifier(**facts(task, epsilon)).fit(train.coded(), train.target)
    return model.predict_proba(test.coded())


def boosting_regressor(train: Sample, test: Sample, epsilon: float, _seed: int) -> Array:
    task = train.task._replace(squares=())
    model = GradientBoostingRegressor(**facts(task, epsilon)).fit(train.coded(), train.target)
    return model.predict(test.coded())


def naive_bayes(module: str, name: str) -> Fit:
    """Give the fit of one kind of naive Bayes."""

    def fit(train: Sample, test: Sample, epsilon: float, _seed: int) -> Array:
        task = train.task._replace(squares=())
        known = {argument: value for argument, value in facts(task, epsilon).items() if value != {}}
        model = getattr(import_module(module), name)(**known).fit(train.coded(), train.target)
        return model.predict_proba(test.coded())

    return fit


def fits(task: Task) -> Mapping[str, Fit]:
    if task.classes is None:
        return {"linear": linear, "boosting": boosting_regressor}
    found: dict[str, Fit] = {"logistic": logistic, "boosting": boosting_classifier}
    for name, (module, kind) in _NAIVE_BAYES.items():
        if find_spec(module) is not None and (name != "Gaussian NB" or not task.categories):
            found[name] = naive_bayes(module, kind)
    return found
