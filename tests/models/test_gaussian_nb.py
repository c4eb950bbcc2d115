"""Naive Bayes on moments: quality, pure privacy, missing numbers, pooled variances."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from privet.errors import InvalidError
from privet.models.gaussian_nb import GaussianNB


def make(**more: Any) -> GaussianNB:
    return GaussianNB(**({"epsilon": 1, "delta": 1e-6, "bounds": (0, 16), "classes": list(range(10))} | more))


def test_digits_with_pooled_variances() -> None:
    """A constant has 0.1."""
    x, y = load_digits(return_X_y=True)
    assert np.mean([make(epsilon=3).fit(x, y).score(x, y) for _ in range(5)]) > 0.7


@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize("variance", ["pooled", "by class"])
def test_the_loss_is_within_the_budget(delta: Any, variance: str) -> None:
    x, y = load_digits(return_X_y=True)
    model = make(delta=delta, variance=variance).fit(x, y)
    assert float(model.loss_.epsilon(delta or 0)) <= 1
    assert model.var_.shape == model.theta_.shape == (10, 64)
    assert (model.var_ > 0).all()


def test_missing_numbers_contribute_nothing() -> None:
    """Half the numbers are missing, the others are 12: the mean stays near 12, not near the middle 8."""
    x = np.where(np.arange(20_000)[:, None] % 2 == 0, 12.0, math.nan)
    model = make(classes=[0, 1]).fit(x, np.zeros(20_000))
    assert abs(model.theta_[0, 0] - 12) < 0.5
    assert np.allclose(model.predict_joint_log_proba([[math.nan]]), np.log(model.class_prior_))


def test_a_row_without_numbers_has_the_shares_of_the_classes() -> None:
    """Of 10,000 rows, 9,000 are of the second class; the noise of a count is below 100."""
    x = np.full((10_000, 1), 8.0)
    model = make(classes=[0, 1], epsilon=3).fit(x, np.arange(10_000) >= 1_000)
    assert abs(model.class_prior_ - [0.1, 0.9]).max() < 0.05
    assert abs(model.predict_proba([[math.nan]]) - [0.1, 0.9]).max() < 0.05
    assert model.predict([[math.nan]]).tolist() == [1]


@pytest.mark.parametrize("variance", ["pooled", "by class"])
def test_a_variance_is_no_smaller_than_its_noise(variance: str) -> None:
    """Thirty columns of one number each: without a floor the noise makes half of the variances tiny."""
    model = make(classes=[0, 1], variance=variance).fit(np.full((2_000, 30), 8.0), np.arange(2_000) % 2)
    noise = model.noise_scale_["moments by class"]
    floor = noise * math.sqrt(2) / model.n_samples_ if variance == "pooled" else noise / model.class_count_[:, None]
    assert (model.var_ / 8**2 >= 0.999 * floor).all()


@pytest.mark.parametrize("x", [np.empty((0, 2)), np.full((5, 2), math.nan), np.array([[math.inf, -math.inf]])])
def test_any_numbers_are_read(x: Any) -> None:
    assert np.isfinite(make().fit(x, np.zeros(len(x))).predict_proba([[1, math.nan]])).all()


@pytest.mark.parametrize("more", [{"bounds": None}, {"classes": None}, {"variance": "none"}])
def test_what_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(InvalidError):
        make(**more).fit(np.zeros((4, 2)), [0, 1, 0, 1])
