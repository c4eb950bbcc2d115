"""Boosted trees: quality with a stated margin, missing values, refusals, and losses within the budget."""

import math
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from privet.errors import InvalidError, NotExactError
from privet.models.boosting import log_odds, start_scores
from privet.models.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from privet.models.json_form import from_json

EDGES: list[Any] = [np.empty((0, 2)), np.full((5, 2), math.nan), np.array([[math.inf, -math.inf], [1e308, 0.0]])]


def classifier(**more: Any) -> GradientBoostingClassifier:
    return GradientBoostingClassifier(**({"epsilon": 1, "delta": 1e-6, "bounds": (-1, 1), "classes": [0, 1]} | more))


def regressor(**more: Any) -> GradientBoostingRegressor:
    return GradientBoostingRegressor(
        **({"epsilon": 1, "delta": 1e-6, "bounds": (-1, 1), "target_bounds": (-2, 2)} | more)
    )


def corners(rows: int) -> tuple[Any, Any]:
    """A target that no linear model predicts, and before it two columns without use."""
    source = np.random.default_rng(1)
    x = source.uniform(-1, 1, size=(rows, 3))
    return x, (np.abs(x[:, 2]) > 0.5).astype(int)


def test_it_learns_what_is_not_linear() -> None:
    """Twelve fits had accuracies of 1.0 to three digits; a constant has about 0.5."""
    x, y = corners(20_000)
    model = classifier().fit(x, y)
    assert model.score(x, y) > 0.85
    assert model.feature_importances_[2] > 0.8
    assert abs(model.feature_importances_.sum() - 1) < 1e-9
    assert np.allclose(model.predict_proba(x[:9]).sum(axis=1), 1)
    assert model.signal_
    assert float(model.loss_.epsilon(1e-6)) <= 1


def test_three_classes_of_which_one_is_absent() -> None:
    x, y = corners(10_000)
    model = classifier(classes=[0, 1, 2]).fit(x, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(x[:2]).shape == (2, 3)
    assert model.score(x, y) > 0.8


def test_a_number() -> None:
    x, _ = corners(20_000)
    y = np.abs(x[:, 0]) * 2 - 1
    model = regressor().fit(x, y)
    assert model.score(x, y) > 0.5
    assert np.abs(model.predict(x)).max() <= 2


def test_no_prediction_leaves_the_bounds_of_the_target() -> None:
    """Whatever trees add up to."""
    x, y = corners(500)
    model = regressor().fit(x, y)
    for start, end in ((7.0, 2.0), (-7.0, -2.0)):
        model._boosted = evolve(model._boosted, start=np.array([start]))
        assert set(model.predict(x).tolist()) == {end}


def test_categories_and_edges() -> None:
    source = np.random.default_rng(2)
    x = np.empty((6000, 2), dtype=object)
    x[:, 0], x[:, 1] = source.choice(["a", "b", "?"], 6000), source.uniform(0, 1e5, 6000)
    y = (x[:, 0] == "a").astype(int)
    model = classifier(bounds={1: (0, 1e5)}, categories={0: ["a", "b"]}, edges={1: [10, 1000, 50_000]}).fit(x, y)
    assert model.score(x, y) > 0.95


@pytest.mark.parametrize("x", EDGES)
def test_any_numbers_are_read(x: Any) -> None:
    for model in (classifier(), classifier(classes=[0, 1, 2]), regressor()):
        model.fit(x, np.zeros(len(x)))
        assert np.isfinite(np.asarray(model.predict(EDGES[1]), dtype=float)).all()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"bounds": None}, "bounds must give"),
        ({"classes": None}, "classes must list"),
        ({"epsilon": None, "delta": None}, "needs a privacy budget"),
        ({"delta": None}, "Gaussian noise"),
        ({"bins": 1}, "bins must be between 2 and 1024"),
        ({"n_estimators": 0}, "n_estimators must be between"),
        ({"max_depth": 11}, "max_depth must be between"),
        ({"learning_rate": 0}, "learning_rate must be above zero"),
        ({"learning_rate": "fast"}, "GradientBoostingClassifier.learning_rate: expected a number"),
        ({"learning_rate": None}, "GradientBoostingClassifier.learning_rate: expected a number"),
        ({"edges": {7: [1]}}, "no column of numbers"),
        ({"edges": {0: [1, 1]}}, "increasing numbers"),
    ],
)
def test_what_is_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises((InvalidError, NotExactError), match=message):
        classifier(**more).fit(np.zeros((4, 2)), [0, 1, 0, 1])


def test_a_model_comes_back_from_its_text() -> None:
    x, y = corners(4000)
    model = classifier().fit(x, y)
    assert (from_json(model.to_json()).predict_proba(x) == model.predict_proba(x)).all()


@pytest.mark.parametrize("middle", [0.0, -3.0])
def test_the_mean_probability_is_the_share_of_the_class(middle: float) -> None:
    """Clipped gradients would give a class with 5 % of the rows about half its share at any epsilon."""
    source = np.random.default_rng(2)
    x = source.uniform(-1, 1, size=(10_000, 2))
    y = (source.random(10_000) < 1 / (1 + np.exp(-x[:, 0] - middle))).astype(int)
    model = GradientBoostingClassifier(rho=2, bounds=(-1, 1), classes=[0, 1]).fit(x, y)
    chances = model.predict_proba(x)
    assert abs(chances[:, 1].mean() / y.mean() - 1) < 0.15
    assert np.allclose(chances.sum(axis=1), 1)
    assert ((chances[:, 1] > 0.5) == (model.predict(x) == 1)).all()


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.7, 0.99])
def test_before_the_first_tree_every_row_has_the_shares_of_the_classes(share: float) -> None:
    """Trees that hardly move, because noise is large, must not leave a rare class with twice its share."""
    start = start_scores(np.array([1 - share, share]), 2)
    assert np.allclose(log_odds(start), math.log(share / (1 - share)))
