"""Counts, sums and means from the same numbers: claimed distances hold, values are exact, and nobody is worse off."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import privet as pv
from privet.errors import WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.aggregates.shared import SharedColumn, share
from privet.tables.aggregates.sum import sum as sum_
from privet.tables.aggregates.variance import variance
from privet.tables.columns.column import Column
from privet.tables.noise.planner import plan_noise
from tests.tables.aggregates.reference import BUDGETS, ONE_ROW, coverage, statistics
from tests.tables.aggregates.test_distances import COLUMNS, GROUPS, TABLES, _violations
from tests.tables.nodes.spaces import VISITS

EXACTLY = Noise(kind="laplace", scale=Fraction(1, 10**9), grid=1)
ASKED: list[Aggregate] = [count(), count("x"), sum_("x"), mean("x")]


def shared(asked: Aggregate, *, nulls: bool = True, column: str = "x", columns: Any = COLUMNS) -> SharedColumn:
    on_grid = sum_(column).bind(columns).on_grid
    assert on_grid is not None
    return SharedColumn(of=asked.bind(columns), on_grid=on_grid, nulls=nulls)


CASES: list[Aggregate] = [
    *(shared(each, column="minutes", columns=VISITS) for each in (count(), count("minutes"), sum_("minutes"))),
    *(shared(each, column="cost", columns=VISITS, nulls=False) for each in (sum_("cost"), mean("cost"))),
]


def joined(*asked: Aggregate, kinds: Any = ("laplace",), weights: Any = None, columns: Any = COLUMNS) -> list[Any]:
    """Tell for each aggregate whether it shares its numbers."""
    named = tuple((str(at), item.bind(columns)) for at, item in enumerate(asked))
    found = share(named, weights or [Fraction(1)] * len(named), kinds)
    return [isinstance(item, SharedColumn) for _, item in found]


@pytest.mark.parametrize("nulls", [True, False])
def test_removing_a_person_moves_the_numbers_by_no_more_than_claimed(nulls: bool) -> None:
    assert _violations(shared(mean("x"), nulls=nulls).measured()) == 0


def test_a_smaller_claim_is_caught() -> None:
    measured = shared(count()).measured()
    assert _violations(evolve(measured, row=evolve(measured.row, l1=measured.row.l1 - 1))) > 0


@pytest.mark.parametrize("asked", ASKED, ids=lambda item: item.name)
def test_without_noise_the_value_is_that_of_the_aggregate_alone(asked: Aggregate) -> None:
    for rows in TABLES:
        values = []
        for item in (asked.bind(COLUMNS), shared(asked)):
            measured = item.measured()
            numbers = measured.exact(statistics(rows, GROUPS, measured.statistics), len(GROUPS))
            values.append(item.estimate(numbers.reshape(len(GROUPS), -1), EXACTLY).value)
        assert values[0].dtype == values[1].dtype
        assert np.allclose(values[0], values[1], rtol=1e-12)


@pytest.mark.parametrize("budget", BUDGETS.values())
@pytest.mark.parametrize(("asked", "true"), [(count(), 320), (count("x"), 300), (sum_("x"), 1700)], ids=str)
def test_intervals_hold_the_exact_value(asked: Aggregate, true: int, budget: Any) -> None:
    """300 rows with values that add up to 1700, and 20 without: numbers 3200, 1000 and 280."""
    item = shared(asked)
    summed, present, rows = item.measured().statistics
    found = coverage(item, budget, {summed: 1700 + 5 * 300, present: 300, rows: 320}, true)
    assert 0.932 <= found <= 0.98  # whole ends leave a little more


def test_the_error_is_that_of_the_draws() -> None:
    noise = Noise(kind="laplace", scale=14, grid=1)
    draws = noise.mechanism.release(np.zeros(60_000, dtype=np.int64), noise.space(60_000, int)).reshape(20_000, 3)
    for asked in (count(), sum_("x")):
        estimate = shared(asked).estimate(draws, noise)
        assert float(estimate.error[0, 0]) == pytest.approx(estimate.value.std(), rel=0.05)


@pytest.mark.parametrize("size", [1e200, -1e200, 1e18, 1e20])
def test_noise_of_any_size_gives_counts_within_their_intervals(size: float) -> None:
    noise, numbers = Noise(kind="laplace", scale=10**200, grid=1), np.full((1, 3), size)
    value = shared(count()).estimate(numbers, noise).value
    low, high = shared(count()).interval(numbers, noise, Fraction(95, 100))
    assert (low <= value).all()
    assert (value <= high).all()
    assert value[0, 0] == pytest.approx(size * 3 / 14)  # 2^62 would be no answer
    assert value.dtype == (np.int64 if abs(size) < 1e19 else np.float64)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_nobody_is_worse_off(kind: NoiseKind) -> None:
    """By the variances that plans without and with sharing really have."""
    budget = pv.budget(epsilon=1) if kind == "laplace" else pv.budget(rho=0.01)
    asked = {str(at): item.bind(COLUMNS) for at, item in enumerate([count(), sum_("x"), mean("x"), sum_("y")])}
    together = plan_noise(asked, contribution=ONE_ROW, groups=3, budget=budget)
    apart = plan_noise(asked, contribution=ONE_ROW, groups=3, budget=budget, weights={})
    for name, item in asked.items():
        mine, alone = (plan.planned[plan.part(name)] for plan in (together, apart))
        sharing = dict(together.aggregates)[name]
        weights = sharing.weights if isinstance(sharing, SharedColumn) else None
        factor = sum(float(weight) ** 2 for weight in weights) if weights else 1.0
        assert mine.noise.deviation**2 * factor <= alone.noise.deviation**2 * 1.001, item


def test_what_is_of_one_column_shares() -> None:
    assert joined(count(), sum_("x"), mean("x"), sum_("y")) == [True, True, True, False]
    assert joined(sum_("x"), mean("x", bounds=(0, 3))) == [False, False]
    assert joined(count("y"), sum_("x"), mean("y")) == [True, False, True]


def test_a_count_shares_with_one_column_only() -> None:
    named = tuple((item.name, item.bind(COLUMNS)) for item in (count(), sum_("x"), sum_("y"), mean("y")))
    found = dict(share(named, [Fraction(1)] * 4, ("laplace",)))
    assert {item.on_grid.column for item in found.values() if isinstance(item, SharedColumn)} == {"x", "y"}
    assert len({item.measured() for item in found.values()}) == 2


def test_what_stands_alone_stays_alone() -> None:
    assert joined(count(), count_ids(), variance("x")) == [False, False, False]
    assert joined(mean("x"), mean("x")) == [False, False]  # they share already


def test_rows_without_a_value_cost_a_count_too_much_of_gaussian_noise() -> None:
    assert joined(count(), sum_("x"), kinds=("gaussian",)) == [False, False]
    assert joined(count("x"), sum_("x"), kinds=("gaussian",)) == [True, True]


def test_who_has_most_of_the_budget_does_not_share() -> None:
    assert joined(count(), sum_("x"), weights=[Fraction(100), Fraction(1)]) == [False, False]


def test_steps_that_leave_64_bits_are_not_counted_from_their_end() -> None:
    wide = {"x": Column(kind="integer", bounds=(-(2**63), 2**63 - 1))}
    assert joined(count(), sum_("x"), columns=wide) == [False, False]


def test_other_aggregates_are_refused() -> None:
    with pytest.raises(WrongTypeError, match=r"SharedColumn.of must be a count, a sum or a mean, got CountIds"):
        shared(count_ids())
