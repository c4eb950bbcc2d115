"""Correlations: intervals hold the exact one as often as stated where both variances are clear, and more often else."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import privet as pv
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.correlation import ColumnsCorrelation, correlation
from privet.tables.aggregates.noise import Noise
from privet.tables.columns.column import Column
from tests.tables.aggregates.reference import draws

DRAWS = 4000
CASES: list[Aggregate] = [correlation("minutes", "paid"), correlation("cost", "minutes")]
AT_LEAST, AT_MOST = 0.928, 0.969  # 94.6 % and 95.2 % fall beyond these with probability below 1e-6 in 4,000 draws
BUDGETS = {"laplace": pv.budget(epsilon=0.5), "gaussian": pv.budget(rho=0.05)}
COLUMNS = {"x": Column(kind="integer", bounds=(0, 100)), "y": Column(kind="integer", bounds=(0, 100))}


def table(strength: float, rows: int) -> tuple[Any, Any]:
    random = np.random.default_rng(4)
    both, y = random.normal(size=(2, rows))
    weak = np.sqrt(1 - strength**2)
    columns = (50 + 20 * both, 50 + 20 * (strength * both + weak * y))
    first, second = (np.rint(column).clip(0, 100).astype(np.int64) for column in columns)
    return first, second


def noisy(bound: ColumnsCorrelation, x: Any, y: Any, kind: str) -> tuple[Any, Any]:
    powers = [(i, j) for i in range(3) for j in range(3)]
    statistics = bound.measured().statistics
    exact = {item: int((x**i * y**j).sum()) for item, (i, j) in zip(statistics, powers, strict=True)}
    return draws(bound, BUDGETS[kind], exact, DRAWS)


def share(strength: float, rows: int, kind: str) -> float:
    bound, (x, y) = correlation("x", "y").bind(COLUMNS), table(strength, rows)
    low, high = bound.interval(*noisy(bound, x, y, kind), Fraction(95, 100))
    true = float(np.corrcoef(x, y)[0, 1])
    return float(((low <= true + 1e-9) & (true - 1e-9 <= high)).mean())


@pytest.mark.parametrize("kind", BUDGETS)
@pytest.mark.parametrize("strength", [0.0, 0.5, 0.98])
def test_intervals_hold_as_often_as_stated_where_variances_are_clear(strength: float, kind: str) -> None:
    assert AT_LEAST <= share(strength, 3000, kind) <= AT_MOST


def test_a_correlation_of_one_is_held_by_one_end() -> None:
    assert share(1.0, 3000, "gaussian") >= 0.96  # half of what may go wrong cannot happen: 97.5 %


@pytest.mark.parametrize("rows", [20, 150])
def test_intervals_hold_where_noise_is_as_large_as_variances(rows: int) -> None:
    assert share(0.5, rows, "laplace") >= AT_LEAST


def test_intervals_for_half_the_noise_are_caught() -> None:
    bound, (x, y) = correlation("x", "y").bind(COLUMNS), table(0.5, 3000)
    numbers, noise = noisy(bound, x, y, "gaussian")
    low, high = bound.interval(numbers, evolve(noise, scale=noise.scale / 2), Fraction(95, 100))
    true = float(np.corrcoef(x, y)[0, 1])
    assert float(((low <= true) & (true <= high)).mean()) < AT_LEAST - 0.1


def test_the_value_lies_in_its_interval_within_one() -> None:
    bound, (x, y) = correlation("x", "y").bind(COLUMNS), table(0.9, 200)
    numbers, noise = noisy(bound, x, y, "gaussian")
    value = bound.estimate(numbers, noise).value
    low, high = bound.interval(numbers, noise, Fraction(1, 2))
    assert ((low >= -1) & (low <= value) & (value <= high) & (high <= 1)).all()


def test_no_groups_have_no_intervals() -> None:
    bound = correlation("x", "y").bind(COLUMNS)
    low, high = bound.interval(np.empty((0, 9)), Noise(kind="laplace", scale=1, grid=1), Fraction(95, 100))
    assert low.shape == high.shape == (0, 1)
