"""Descent along noisy gradients: how far it goes, what it returns, and its preconditioner."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from sklearn.base import clone

from privet.models import linear_regression, logistic_regression, poisson_regression
from privet.models.descent import descend, preconditioner, release_products, shrink_rare
from privet.models.features import Categorical, Features, Numeric
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression
from privet.models.poisson_regression import PoissonRegressor


def descended(gradient: Any, *, steps: int, **more: Any) -> Any:
    """Go down a gradient that is the same everywhere."""
    rows: Any = SimpleNamespace(release=lambda name, *units, share: np.array(gradient))
    start = np.array([[1.0, 0.0]])
    share = Fraction(1)
    return descend(
        rows, np.eye(2), residual="poisson", start=start, clip=Fraction(1), steps=steps, share=share, **more
    )[0]


def test_the_average_of_the_second_half_is_returned() -> None:
    assert descended([0.0, -1.0], steps=4).tolist() == [1.0, 3.5]


def test_no_point_is_farther_from_the_start_than_is_allowed() -> None:
    """A Poisson regression relies on it: noise must not reach where exponentials are huge."""
    assert np.allclose(descended([0.0, -1.0], steps=4, longest=0.5), [1.0, 0.5])
    assert np.allclose(descended([0.0, -1.0], steps=4, longest=100.0), [1.0, 3.5])


MODELS = {
    linear_regression: LinearRegression(target_bounds=(0, 4), bounds=(-1, 1), rho=10),
    logistic_regression: LogisticRegression(classes=[0, 1], bounds=(-1, 1), rho=10),
    poisson_regression: PoissonRegressor(target_bounds=(0, 4), bounds=(-1, 1), rho=10),
}


@pytest.mark.parametrize("module", MODELS, ids=lambda module: module.__name__)
def test_the_radius_of_a_row_has_room_for_its_intercept(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A smaller radius protects as well, and bends the products: it shortens the rows far from the centre."""
    shares = []

    def release(rows: Any, columns: int, radius: Fraction, share: Fraction) -> Any:
        lengths = np.linalg.norm(rows.value[:, :columns], axis=1)
        shares.append(float(lengths.max()) / float(radius))
        return release_products(rows, columns, radius, share)

    monkeypatch.setattr(module, "release_products", release)
    table = np.random.default_rng(1).uniform(-1, 1, size=(2_000, 2))
    table[::2] *= 0.2  # so that the other rows lie at every distance, within the radius and beyond it
    clone(MODELS[module]).fit(table, (table[:, 0] > 0).astype(int))
    assert len(shares) == 1
    assert 0.99 < shares[0] < 1.00001


def test_noisy_products_are_inverted_with_a_ridge_of_their_noise() -> None:
    assert np.allclose(preconditioner(np.diag([9.0, -3.0]), 0.5), np.diag([0.1, 1.0]))


def test_coefficients_of_categories_without_rows_are_shrunk() -> None:
    features = Features(columns=(Numeric(lower=0, upper=1), Categorical(values=("a", "b", "c"))))
    products = np.diag([1.0, 40.0, 10.0, -3.0, 500.0])
    weights = np.array([[8.0, 8.0, 8.0, 8.0, 8.0], [1.0, 1.0, 1.0, 1.0, 1.0]])
    found = shrink_rare(weights, features, products, 10.0)
    assert found[0].tolist() == [8.0, pytest.approx(6.4), 4.0, 0.0, 8.0]
    assert found[1].tolist() == [1.0, pytest.approx(0.8), 0.5, 0.0, 1.0]


@pytest.mark.parametrize("kind", [LinearRegression, LogisticRegression, PoissonRegressor])
def test_linear_models_shrink_categories_without_rows(kind: Any) -> None:
    facts = {"classes": [0, 1]} if kind is LogisticRegression else {"target_bounds": (0, 1)}
    model = kind(rho=0.02, bounds={0: (-1, 1)}, categories={1: [0, 1]}, **facts)
    with mock.patch(f"{kind.__module__}.shrink_rare", side_effect=lambda weights, *_: np.zeros_like(weights)) as shrink:
        model.fit([[0.5, 1]] * 4_000, [1] * 4_000)
    assert np.ravel(model.coef_).tolist() == [0, 0, 0]
    _, features, products, halved = shrink.call_args.args
    assert features is model.features_
    assert products.shape == (4, 4)
    assert halved > 0
