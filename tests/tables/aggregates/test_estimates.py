"""Without noise to speak of, every aggregate gives what the rows have."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.correlation import correlation
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_distinct import count_distinct
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.covariance import covariance
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.quantile import maximum, median, minimum, quantile, quantiles
from privet.tables.aggregates.ranks import node_matrix, rank_weights, spaced
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.sum import sum as sum_
from privet.tables.aggregates.top_k import mode, top_k
from privet.tables.aggregates.variance import variance
from privet.tables.columns.column import Column
from privet.tables.noise.plan import add_noise
from tests.tables.aggregates.reference import plan_of, statistics

COLUMNS = {
    "x": Column(kind="integer", bounds=(0, 20)),
    "y": Column(kind="real", bounds=(-1, 1)),
    "c": Column(kind="text", categories=("r", "s", "t")),
}
X = [1, 2, 2, 5, 9, 9, 9, 14, 20, 25, None]
Y = [-0.5, -0.4, 0.0, 0.1, 0.3, 0.2, 0.9, 0.7, 1.0, 0.8, 0.0]
C = ["r", "s", "s", "s", "t", "t", "r", "s", None, "s", "unseen"]
ROWS = [
    {"person": at // 2, "group": 0, "x": x, "y": y, "c": c} for at, (x, y, c) in enumerate(zip(X, Y, C, strict=True))
]
CLAMPED = np.array([min(x, 20) for x in X if x is not None], dtype=float)
BESIDE = np.array([y for x, y in zip(X, Y, strict=True) if x is not None])


def answer(aggregate: Aggregate, epsilon: int = 10**9) -> list[Any]:
    bound = aggregate.bind(COLUMNS)
    plan = plan_of(bound, pv.budget(epsilon=epsilon))
    numbers = add_noise(plan, statistics(ROWS, [0], plan.statistics))[0]
    found: list[Any] = bound.estimate(numbers, plan.planned[0].noise).value[0].tolist()
    return found


@pytest.mark.parametrize(
    ("aggregate", "exact"),
    [
        (count(), [11]),
        (count("x"), [10]),
        (count_ids(), [6]),
        (count_distinct("c"), [4]),
        (sum_("x"), [CLAMPED.sum()]),
        (sum_("x", bounds=(0, 10)), [np.minimum(CLAMPED, 10).sum()]),
        (mean("x"), [CLAMPED.mean()]),
        (variance("x"), [CLAMPED.var(ddof=1)]),
        (variance("x", ddof=0), [CLAMPED.var()]),
        (std("x"), [CLAMPED.std(ddof=1)]),
        (covariance("x", "y"), [np.cov(CLAMPED, BESIDE)[0, 1]]),
        (correlation("x", "y"), [np.corrcoef(CLAMPED, BESIDE)[0, 1]]),
        (median("x"), [9]),
        (quantiles("x", [0.25, 0.75]), [2, 14]),
        (histogram("x", [0, 3, 10, 20]), [3, 4, 3]),
        (histogram("c"), [2, 5, 2]),
    ],
    ids=lambda item: item.name if isinstance(item, Aggregate) else "",
)
def test_an_aggregate_is_what_it_says(aggregate: Aggregate, exact: list[float]) -> None:
    assert answer(aggregate) == pytest.approx(exact, abs=1e-3)


def test_the_most_frequent_categories_come_first() -> None:
    assert answer(mode("c")) == ["s"]
    assert answer(top_k("c", 3)) == ["s", "r", "t"]  # r and t have the same count: public order


def test_extremes_are_quantiles_near_the_ends() -> None:
    assert (minimum("x").alphas, maximum("x").alphas) == ((Fraction(1, 100),), (Fraction(99, 100),))
    assert answer(minimum("x"))[0] <= answer(maximum("x"))[0]


def test_rank_weights_are_unbiased_for_every_bin() -> None:
    nodes = np.zeros((len(node_matrix(10, 3)), 10))
    for at, row in enumerate(node_matrix(10, 3)):
        nodes[at, [item for item, _ in row]] = 1
    wanted = np.tril(np.ones((9, 10))) - 0.25
    assert rank_weights(10, 3, Fraction(1, 4)) @ nodes == pytest.approx(wanted, abs=1e-12)


def test_bins_share_out_all_steps() -> None:
    assert spaced(0, 9, 4) == (0, 2, 5, 7, 10)
    assert spaced(3, 5, 100) == (3, 4, 5, 6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: quantile("x", 1.5), r"quantile.alpha must be between zero and one, got 1.5"),
        (lambda: quantiles("x", []), r"one or more different shares"),
        (lambda: quantile("x", 0.5, bins=10**6), r"quantile.bins must be at most 4096"),
        (lambda: variance("x", ddof=2), r"ddof must be 0 \(population\) or 1 \(sample\), got 2"),
        (lambda: histogram("x", [3, 2]).bind(COLUMNS), r"two or more rising edges"),
        (lambda: histogram("y").bind(COLUMNS), r"needs the categories of 'y'"),
        (lambda: top_k("c", 4).bind(COLUMNS), r"has 3 categories to choose from, got count=4"),
        (lambda: covariance("x", "x").bind(COLUMNS), r"take variance\('x'\)"),
    ],
)
def test_what_is_wrong_is_said(make: Any, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        make()
