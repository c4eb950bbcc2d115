"""Poisson regression: counts with a logarithmic link."""

import math
from typing import Any

import numpy as np
import pytest

from privet.errors import InvalidError
from privet.models.poisson_regression import PoissonRegressor
from tests.laws.replay import replayed

BUDGET: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}
BETA = np.array([0.8, -0.5, 0.3])


def drawn(rows: int) -> tuple[Any, Any]:
    source = np.random.default_rng(4)
    table = source.uniform(-1, 1, size=(rows, 3))
    return table, source.poisson(np.exp(0.5 + table @ BETA))


def test_the_coefficients_are_those_of_the_truth() -> None:
    """20,000 rows at epsilon 1: 60 fits had errors of at most 0.03."""
    table, target = drawn(20_000)
    model = PoissonRegressor(bounds=(-1, 1), target_bounds=(0, 20), **BUDGET).fit(table, target)
    assert np.abs(model.coef_ - BETA).max() < 0.12
    assert abs(model.intercept_ - 0.5) < 0.12
    assert np.abs(model.predict(table) / np.exp(0.5 + table @ BETA) - 1).mean() < 0.08
    assert model.loss_.epsilon(1e-6) <= 1


def test_almost_no_noise_leaves_almost_no_error() -> None:
    """Rows that were shortened to the spread of all rows bent every coefficient by an eighth, at any budget."""
    table, target = drawn(40_000)
    model = PoissonRegressor(bounds=(-1, 1), target_bounds=(0, 30), rho=1_000).fit(table, target)
    assert np.abs(model.coef_ - BETA).max() < 0.04
    assert np.abs(model.predict(table) / np.exp(0.5 + table @ BETA) - 1).mean() < 0.025


def test_targets_beyond_the_bounds_count_as_the_bounds() -> None:
    """With the same coins, bit by bit; unbounded, one person's count decides about everything."""
    table, target = drawn(300)
    target = np.minimum(target, 20.0)
    target[:3] = 20, 20, 0
    far = target.copy()
    far[:3] = 1e9, math.inf, -1e9
    found = []
    for each in (target, far):
        with replayed(seed=1):
            found.append(PoissonRegressor(bounds=(-1, 1), target_bounds=(0, 20), rho=1).fit(table, each))
    assert found[0].coef_.tolist() == found[1].coef_.tolist()
    assert found[0].intercept_ == found[1].intercept_


def test_little_data_give_no_wild_predictions() -> None:
    table, target = drawn(200)
    model = PoissonRegressor(bounds=(-1, 1), target_bounds=(0, 20), epsilon=0.1, delta=1e-6).fit(table, target)
    assert ((model.predict(table) >= 0) & (model.predict(table) <= 20)).all()


@pytest.mark.parametrize("rows", [0, 1])
def test_almost_no_rows_are_an_ordinary_input(rows: int) -> None:
    model = PoissonRegressor(bounds=(-1, 1), target_bounds=(0, 5), **BUDGET)
    model.fit(np.full((rows, 2), math.inf), np.full(rows, math.nan))
    assert np.isfinite(model.predict([[math.nan, 1e300]])).all()


def test_counts_begin_at_zero() -> None:
    with pytest.raises(InvalidError, match="must begin at 0"):
        PoissonRegressor(bounds=(-1, 1), target_bounds=(1, 5), **BUDGET).fit([[0.0]], [1])
