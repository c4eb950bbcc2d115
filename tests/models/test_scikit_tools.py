"""The tools of scikit-learn that fit estimators: they keep notes on an estimator, which a fit must leave alone."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

import privet as pv
from privet._model_names import MODELS
from privet.models.json_form import from_json
from privet.models.learnt import learnt
from tests.models.test_check_estimator import estimators

RNG = np.random.default_rng(3)
FRAME = pd.DataFrame({"age": RNG.integers(18, 90, 600), "pay": RNG.uniform(0, 100, 600)})
OLD = (FRAME["age"] > 50).astype(int)


def logistic(**more: Any) -> Any:
    given = {"rho": 1, "bounds": {"age": (18, 90), "pay": (0, 100)}, "classes": [0, 1]}
    return pv.models.LogisticRegression(**given | more)


def test_a_pipeline_of_scikit_learn_fits_and_writes_json() -> None:
    made = Pipeline([("model", logistic())]).fit(FRAME, OLD)
    assert made.score(FRAME, OLD) > 0.9
    again = Pipeline([("model", made["model"])]).fit(FRAME, OLD)
    model = again["model"]
    copy = from_json(model.to_json())
    assert np.array_equal(copy.predict_proba(FRAME), model.predict_proba(FRAME))
    assert "_callback" not in model.to_json()


def test_a_grid_search_fits_every_candidate() -> None:
    search = GridSearchCV(logistic(), {"rho": [0.5, 1]}, cv=2, error_score="raise").fit(FRAME, OLD)
    assert search.best_score_ > 0.9
    nested = GridSearchCV(make_pipeline(logistic()), {"logisticregression__rho": [1]}, cv=2, error_score="raise")
    assert nested.fit(FRAME, OLD).best_estimator_[0].loss_.rho() <= 1
    assert cross_val_score(logistic(), FRAME, OLD, cv=2, error_score="raise").mean() > 0.9


def test_our_pipeline_is_searched_too() -> None:
    steps = [
        ("scale", pv.models.StandardScaler(bounds=(0, 100))),
        ("model", pv.models.LogisticRegression(classes=[0, 1])),
    ]
    search = GridSearchCV(pv.models.pipeline(steps, rho=1), {"rho": [1, 2]}, cv=2, error_score="raise").fit(FRAME, OLD)
    assert search.best_score_ > 0.9
    assert from_json(search.best_estimator_.to_json()).predict(FRAME).shape == (600,)


def test_a_scaler_gives_frames_where_they_are_asked_for() -> None:
    scaler = pv.models.StandardScaler(bounds=(0, 100)).set_output(transform="pandas")
    for _ in range(2):  # the setting stays after another fit
        found = scaler.fit(FRAME).transform(FRAME)
        assert isinstance(found, pd.DataFrame)
        assert list(found.columns) == ["age", "pay"]
    columns = ColumnTransformer([("scale", pv.models.StandardScaler(bounds=(0, 100)), ["age", "pay"])])
    assert make_pipeline(columns, logistic(bounds=(-1, 1))).fit(FRAME, OLD).score(FRAME, OLD) > 0.9


def names() -> Iterator[tuple[str, str]]:
    for home, each in MODELS.items():
        for name in each:
            yield home, name


@pytest.mark.parametrize(("home", "name"), list(names()))
def test_each_public_name_is_that_of_its_module(home: str, name: str) -> None:
    """``load`` once was the helper that loads names."""
    assert getattr(pv.models, name) is getattr(import_module(home), name)


def test_a_saved_model_is_loaded(tmp_path: Path) -> None:
    model = logistic().fit(FRAME, OLD)
    model.save(tmp_path / "model.json")
    assert np.array_equal(pv.models.load(tmp_path / "model.json").predict_proba(FRAME), model.predict_proba(FRAME))


@pytest.mark.parametrize("estimator", list(estimators()), ids=lambda each: type(each).__name__)
def test_everything_that_a_fit_writes_is_learnt(estimator: Any) -> None:
    """An attribute that is not would survive the next fit and miss in the text."""
    before = set(vars(estimator))
    x = RNG.uniform(-1, 1, (200, 2))[:, : 1 if type(estimator).__name__ == "TheilSenRegressor" else 2]
    estimator.fit(x, (x[:, 0] > 0).astype(int))
    assert set(vars(estimator)) - before - {"_seen"} == set(learnt(estimator))
