"""Models of scikit-learn without privacy, on the same splits; runs in an environment of its own, prints JSON."""

from collections.abc import Mapping

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

from bench.models.samples import Array, Fit, Sample, main
from bench.models.task import Task


def _categorical(sample: Sample) -> list[bool]:
    return [False] * len(sample.task.numbers) + [True] * len(sample.sizes)


def logistic(train: Sample, test: Sample, _epsilon: float, _seed: int) -> Array:
    rows, _ = train.scaled()
    found = np.zeros((len(test.target), len(train.task.classes or ())))
    model = LogisticRegression(max_iter=1000).fit(rows, train.target)
    found[:, model.classes_] = model.predict_proba(test.scaled()[0])
    return found


def linear(train: Sample, test: Sample, _epsilon: float, _seed: int) -> Array:
    return LinearRegression().fit(train.scaled()[0], train.target).predict(test.scaled()[0])


def boosting_classifier(train: Sample, test: Sample, _epsilon: float, seed: int) -> Array:
    model = HistGradientBoostingClassifier(categorical_features=_categorical(train), random_state=seed)
    found = np.zeros((len(test.target), len(train.task.classes or ())))
    model.fit(train.coded(), train.target)
    found[:, model.classes_] = model.predict_proba(test.coded())
    return found


def boosting_regressor(train: Sample, test: Sample, _epsilon: float, seed: int) -> Array:
    model = HistGradientBoostingRegressor(categorical_features=_categorical(train), random_state=seed)
    return model.fit(train.coded(), train.target).predict(test.coded())


def fits(task: Task) -> Mapping[str, Fit]:
    if task.classes is None:
        return {"linear": linear, "boosting": boosting_regressor}
    return {"logistic": logistic, "boosting": boosting_classifier}


if __name__ == "__main__":
    main(fits)
