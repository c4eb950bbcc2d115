"""95 % intervals hold the exact value of the clamped rows in at least 93.2 % of 5,000 draws, and not in nearly all.

Of 5,000 draws at exactly 95 %, the share falls below 93.2 % or rises above 97.2 % with probability below 1e-7 (5.8 and
7.1 standard deviations); at 95.6 % it rises above with probability below 1e-7 too.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.correlation import correlation
from privet.tables.aggregates.count import count
from privet.tables.aggregates.covariance import covariance
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.quantile import quantile
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.sum import sum as sum_
from privet.tables.aggregates.variance import variance
from privet.tables.columns.column import Column
from privet.tables.statistics.statistic import Statistic
from tests.tables.aggregates.reference import BUDGETS, coverage, draws

Table = dict[str, np.ndarray[Any, Any]]
AT_LEAST, AT_MOST = 0.932, 0.972
COLUMNS = {"x": Column(kind="real", bounds=(0, 100)), "y": Column(kind="real", bounds=(-1, 1))}


def _tables() -> dict[str, Table]:
    random = np.random.default_rng(7)
    skewed = random.exponential(10, 20_000).clip(0, 100)
    return {
        "even": {"x": random.uniform(0, 100, 20_000), "y": random.uniform(-1, 1, 20_000)},
        "skewed": {"x": skewed, "y": (skewed / 50 - 1 + random.normal(0, 0.3, 20_000)).clip(-1, 1)},
        "narrow": {"x": random.normal(30, 5, 20_000).clip(0, 100), "y": random.normal(0.5, 0.1, 20_000).clip(-1, 1)},
    }


TABLES = _tables()
MOST = ["even", "skewed", pytest.param("narrow", marks=pytest.mark.long)]


def _exact(table: Table, wanted: Statistic) -> Any:
    steps = [np.clip(np.rint(table[item.column] / float(item.grid)), item.low, item.high) for item in wanted.of]
    if wanted.kind in ("rows", "present"):
        return len(table["x"])
    if wanted.kind == "bins":
        return np.histogram(steps[0], bins=np.array(wanted.edges) - 0.5)[0]
    product = np.ones(len(table["x"]))
    for part, item in zip(steps, wanted.of, strict=True):
        product = product * (part - item.origin)
    return int(product.sum())


def _share(aggregate: Aggregate, table: Table, budget: Any, true: float) -> float:
    bound = aggregate.bind(COLUMNS)
    exact = {item: _exact(table, item) for item in bound.measured().statistics}
    return coverage(bound, budget, exact, true)


TIGHT: dict[str, tuple[Aggregate, Callable[[Table], float]]] = {
    "count": (count(), lambda table: len(table["x"])),
    "sum": (sum_("x"), lambda table: float(table["x"].sum())),
    "mean": (mean("x"), lambda table: float(table["x"].mean())),
    "variance": (variance("x"), lambda table: float(table["x"].var(ddof=1))),
    "std": (std("x", ddof=0), lambda table: float(table["x"].std())),
    "covariance": (covariance("x", "y"), lambda table: float(np.cov(table["x"], table["y"])[0, 1])),
}
WIDE: dict[str, tuple[Aggregate, Callable[[Table], float]]] = {
    "median": (quantile("x", 0.5), lambda table: float(np.quantile(table["x"], 0.5, method="inverted_cdf"))),
    "p90": (quantile("x", 0.9), lambda table: float(np.quantile(table["x"], 0.9, method="inverted_cdf"))),
    "correlation": (correlation("x", "y"), lambda table: float(np.corrcoef(table["x"], table["y"])[0, 1])),
}


@pytest.mark.parametrize("kind", BUDGETS)
@pytest.mark.parametrize("table", MOST)
@pytest.mark.parametrize("name", TIGHT)
@pytest.mark.share(2)
def test_intervals_hold_the_exact_value_and_hardly_more_often_than_stated(name: str, table: str, kind: str) -> None:
    aggregate, exactly = TIGHT[name]
    share = _share(aggregate, TABLES[table], BUDGETS[kind], exactly(TABLES[table]))
    assert AT_LEAST <= share <= AT_MOST


@pytest.mark.parametrize("kind", BUDGETS)
@pytest.mark.parametrize("table", MOST)
@pytest.mark.parametrize("name", WIDE)
@pytest.mark.share(2)
def test_conservative_intervals_hold_the_exact_value(name: str, table: str, kind: str) -> None:
    aggregate, exactly = WIDE[name]
    assert _share(aggregate, TABLES[table], BUDGETS[kind], exactly(TABLES[table])) >= AT_LEAST


@pytest.mark.parametrize("rows", [1, 5, 40])
@pytest.mark.parametrize("name", ["mean", "variance", "covariance", "median", "correlation"])
@pytest.mark.share(2)
def test_intervals_hold_where_noise_is_as_large_as_the_group(name: str, rows: int) -> None:
    small = {column: values[:rows] for column, values in TABLES["even"].items()}
    if rows == 1 and name in ("variance", "covariance", "correlation"):
        return  # one row has no variance
    aggregate, exactly = (TIGHT | WIDE)[name]
    assert _share(aggregate, small, pv.budget(epsilon=1), exactly(small)) >= AT_LEAST


@pytest.mark.parametrize("middle", [50, 70, 90])
def test_a_mean_without_the_noise_of_one_sum_is_caught(middle: int) -> None:
    """The sum that is taken for exact has the weight of the mean's place between the bounds.

    So the mistake shows from the middle upward (it covers 87, 67 and 27 % there) and not near the lower bound, where
    it changes next to nothing: 94 % at 30, 95 % at 10. This test has no power there.
    """
    values = np.random.default_rng(5).normal(middle, 2, 200).clip(0, 100)
    bound = mean("x").bind(COLUMNS)
    exact = {item: _exact({"x": values}, item) for item in bound.measured().statistics}
    numbers, noise = draws(bound, pv.budget(epsilon=0.2), exact)
    sums = numbers.astype(float) * float(noise.grid)
    size = sums.sum(axis=1) / 100
    found, half = sums[:, 0] / size, float(noise.half_width(Fraction(95, 100))) / size
    share = float((np.abs(found - values.mean()) <= half * (1 - found / 100)).mean())
    assert share < AT_LEAST


def test_a_mean_whose_size_is_taken_for_exact_is_caught() -> None:
    values = np.random.default_rng(5).normal(50, 2, 200).clip(0, 100)
    bound = mean("x").bind(COLUMNS)
    exact = {item: _exact({"x": values}, item) for item in bound.measured().statistics}
    numbers, noise = draws(bound, pv.budget(epsilon=0.2), exact)
    sums = numbers.astype(float) * float(noise.grid)
    size = sums.sum(axis=1) / 100
    half = float(noise.half_width(Fraction(95, 100))) / size
    assert float((np.abs(sums[:, 0] / size - values.mean()) <= half).mean()) > AT_MOST
