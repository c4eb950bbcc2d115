"""Naive Bayes on counts: quality, pure privacy, missing and unknown values."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from privet.errors import InvalidError
from privet.models.categorical_nb import CategoricalNB


def make(**more: Any) -> CategoricalNB:
    return CategoricalNB(**({"epsilon": 1, "delta": 1e-6, "bounds": (0, 8), "classes": [0, 1, 2]} | more))


def test_iris() -> None:
    """The mean of twenty fits; a constant has 0.33."""
    x, y = load_iris(return_X_y=True)
    assert np.mean([make(epsilon=3).fit(x, y).score(x, y) for _ in range(20)]) > 0.8


@pytest.mark.parametrize("delta", [None, 1e-6])
def test_the_loss_is_within_the_budget(delta: Any) -> None:
    x, y = load_iris(return_X_y=True)
    model = make(delta=delta).fit(x, y)
    assert float(model.loss_.epsilon(delta or 0)) <= 1
    assert [part.shape[0] for part in model.feature_log_prob_] == [3] * 4
    assert np.allclose(np.exp(model.feature_log_prob_[0]).sum(axis=1), 1)


def test_missing_and_unknown_values_contribute_nothing() -> None:
    x, y = load_iris(return_X_y=True)
    model = make().fit(x, y)
    alone = model.predict_joint_log_proba(np.full((1, 4), math.nan))
    assert np.allclose(alone, model.class_log_prior_)


@pytest.mark.parametrize("x", [np.empty((0, 2)), np.full((5, 2), math.nan), np.array([[math.inf, -math.inf]])])
def test_any_numbers_are_read(x: Any) -> None:
    assert np.isfinite(make().fit(x, np.zeros(len(x))).predict_proba([[1, math.nan]])).all()


@pytest.mark.parametrize("more", [{"bounds": None}, {"classes": None}, {"bins": 1}, {"epsilon": None, "delta": None}])
def test_what_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(InvalidError):
        make(**more).fit(np.zeros((4, 2)), [0, 1, 0, 1])
