"""Chapter 8 of the book: each of its mistakes about models would fail a test here.

The check of its sufficient statistics is in test_linear_regression.py, the gains of its Table 8-1 in
tests/transforms/test_split_scores.py.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet.calculus as pc
from privet.models.categorical_nb import CategoricalNB
from privet.models.gaussian_nb import GaussianNB
from privet.models.linear_regression import LinearRegression
from privet.models.one_hot_encoder import OneHotEncoder
from privet.transforms.sum_of_outer_products import symmetric

ROWS = 20_000


def drawn() -> tuple[Any, Any]:
    """Draw y = 2 x + 1 with errors of 3; the mean of y is 11."""
    source = np.random.default_rng(8)
    x = source.uniform(0, 10, size=ROWS)
    return x, 2 * x + 1 + source.normal(0, 3, size=ROWS)


@pytest.mark.parametrize("inference", ["none", "two_step"])
def test_the_intercept_is_not_the_mean_of_the_target(inference: Any) -> None:
    """B37: the error of the intercept is 0.05, so 0.6 has a probability under 1e-6; the mean is ten away."""
    x, y = drawn()
    public: dict[str, Any] = {"bounds": (0, 10), "target_bounds": (-10, 35)}
    model = LinearRegression(inference=inference, epsilon=1, delta=1e-6, **public).fit(x[:, None], y)
    assert abs(model.intercept_ - 1) < 0.6
    assert y.mean() > 10


def test_rows_are_not_weighted_by_their_target() -> None:
    """B42: shortening rows (1, x, y) pulls the slope down by 0.15; weights of the features alone leave it at 2."""
    x, y = drawn()
    products = pc.ClampNorm(radius=10, grid=2**-10) >> pc.SumOfOuterProducts()
    sums = symmetric(np.asarray((pc.matrix(3) >> products)(np.column_stack([np.ones(ROWS), x, y]))), 3)
    assert np.linalg.solve(sums[:2, :2], sums[:2, 2])[1] < 1.9
    model = LinearRegression(epsilon=1, delta=1e-6, bounds=(0, 10), target_bounds=(-10, 35)).fit(x[:, None], y)
    assert abs(model.coef_[0] - 2) < 0.09  # its error is 0.008


def test_normal_densities_have_an_area_of_one() -> None:
    """B11: with 1 / sqrt(2 pi sigma) the areas would be the roots of the scaled deviations, 0.4 and 0.15."""
    source = np.random.default_rng(9)
    wide, narrow = source.normal(20, 4, size=ROWS), source.normal(30, 0.5, size=ROWS)
    model = GaussianNB(epsilon=1, bounds=(0, 50), classes=["a", "b"], variance="by class")
    model.fit(np.concatenate([wide, narrow])[:, None], np.repeat(["a", "b"], ROWS))
    steps = np.linspace(0, 50, 20_001)
    joint = np.exp(model.predict_joint_log_proba(steps[:, None]))
    areas = joint.sum(axis=0) * (steps[1] - steps[0]) / 25 / model.class_prior_  # densities are of numbers in -1 .. 1
    assert np.allclose(areas, 1, rtol=0.001)
    assert model.var_[0, 0] > 5 * model.var_[1, 0]  # 64 without noise; of 200 fits the smallest ratio was 22


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_naive_bayes_adds_noise_to_counts_and_not_to_shares(columns: int) -> None:
    """A row is in one cell of each table: the scale is the number of columns by epsilon, whatever the classes hold."""
    scales = set()
    for rows in (0, 1, 1_000):
        model = CategoricalNB(epsilon=1, bins=4, bounds=(0, 1), classes=["a", "b"])
        model.fit(np.zeros((rows, columns)), np.repeat("a", rows))
        assert list(model.noise_scale_) == ["class by category"]
        scales |= set(model.noise_scale_.values())
    assert scales == {float(columns)}


def test_a_table_is_not_encoded_by_its_own_categories() -> None:
    """B41: the place of a category is public; that nobody else comes from Holland moves nothing."""
    encoder = OneHotEncoder(categories={0: ["France", "Holland", "Italy"]}).fit([["Holland"]])
    assert encoder.transform([["Italy"], ["Holland"]])[0].tolist() == encoder.transform([["Italy"]])[0].tolist()
    assert encoder.fit([["France"]]).transform([["Italy"]]).tolist() == [[0.0, 0.0, 1.0]]


def test_the_weight_of_products_halves_their_variance_at_the_same_loss() -> None:
    """The book averages two noisy copies of a product; one weighted copy has the same variance and half the numbers."""
    ball = pc.matrix(3) >> pc.ClampNorm(radius=2, grid=2**-20)
    chain = ball >> pc.SumOfOuterProducts(weight=Fraction(140, 99)) >> pc.Gaussian(scale=40)
    assert chain.map(1).rho() == Fraction(1, 200)
    release = np.array([chain(np.zeros((0, 3))) for _ in range(2_000)], dtype=np.float64)
    ratio = release[:, [1, 2, 4]].var() / release[:, [0, 3, 5]].var()
    assert math.isclose(ratio, 0.5, rel_tol=0.15)  # its error is 0.026 of itself: 0.15 is 5.8 of them; unweighted 1
