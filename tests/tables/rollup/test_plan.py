"""Plans of roll-ups: hierarchies, what one unit adds to each level, exact sums, and one budget for all levels."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.errors import InvalidError, WrongTypeError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_distinct import count_distinct
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.quantile import median
from privet.tables.aggregates.sum import sum as total
from privet.tables.columns.column import Column
from privet.tables.rollup.plan import Hierarchy, RollupPlan, add_rollup_noise, plan_rollup, readout
from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.statistic import ROWS

RAGGED = Hierarchy(finest=[("n", 1), ("s", 7), ("n", 2), ("w", 1), ("s", 8), ("n", 3)])
COLUMNS = {"x": Column(kind="integer", bounds=(0, 9)), "t": Column(kind="text", categories=("a", "b"))}
BUDGETS = [pv.budget(epsilon=1), pv.budget(epsilon=1, delta=1e-6), pv.budget(rho=0.1)]


def plan(budget: Any = None, **more: Any) -> RollupPlan:
    asked = {"n": count(), "x": total("x").bind(COLUMNS), "h": histogram("t").bind(COLUMNS)}
    caps = Contribution(l0=2, l1=6, linf=3)
    return plan_rollup(asked, hierarchy=RAGGED, contribution=caps, budget=budget or BUDGETS[0], **more)


def test_levels_are_prefixes_in_order_of_appearance() -> None:
    assert RAGGED.levels[:2] == (((),), (("n",), ("s",), ("w",)))
    assert [level.tolist() for level in RAGGED.parents] == [[0, 0, 0], [0, 1, 0, 2, 1, 0]]


def test_a_coarse_group_may_hold_all_rows_of_a_person_but_no_more_than_its_groups_can() -> None:
    found = RAGGED.contributions(Contribution(l0=5, l1=10, linf=2))
    assert [(each.l1, each.linf) for each in found] == [(10, 10), (10, 6), (10, 2)]


def test_rows_as_units_add_the_same_to_every_level() -> None:
    once = Contribution(l0=4, l1=4, linf=4)
    assert RAGGED.contributions(once) == (once,) * 3


def test_sums_of_any_size_are_exact() -> None:
    numbers = [[2**90], [None], [5], [7], [-(2**70)], [11]]
    found = RAGGED.sums({ROWS: np.array(numbers, dtype=object)})
    assert found[1][ROWS].reshape(-1).tolist() == [2**90 + 16, -(2**70), 7]
    assert found[0][ROWS].reshape(-1).tolist() == [2**90 + 23 - 2**70]


@pytest.mark.parametrize("budget", BUDGETS, ids=["pure", "approximate", "concentrated"])
@pytest.mark.parametrize("shares", [None, (1, 1, 1), (0, 2, 1)], ids=["chosen", "equal", "some"])
def test_all_levels_together_fit_the_budget(budget: Any, shares: Any) -> None:
    assert plan(budget, level_weights=shares).loss <= budget


def test_a_level_without_a_share_is_not_measured() -> None:
    found = plan(level_weights=(0, 1, 3), weights={"x": 2})
    assert [len(level.planned) for level in found.levels] == [0, 3, 3]
    assert [part.noise.scale for part in found.levels[2].planned] == [32, 144, 32]
    assert found.levels[1].planned[0].noise.scale == 3 * found.levels[2].planned[0].noise.scale
    assert found.loss.epsilon() == 1


def test_counts_and_sums_share_numbers_where_that_is_better() -> None:
    shared, apart = plan(level_weights=(1, 1, 1)), plan(level_weights=(1, 1, 1), weights={})
    assert [part.names for part in shared.levels[0].planned] == [("n", "x"), ("h",)]
    for name, aggregate in shared.levels[-1].aggregates:
        part, alone = shared.levels[-1].part(name), apart.levels[-1].part(name)
        weights = readout(aggregate, 0, shared.levels[-1].planned[part].measured.length)
        worse = shared.errors(part)[2].times(weights).deviations[0] / apart.errors(alone)[2].deviations[0]
        assert worse < 1 + 1e-9


def test_noise_is_added_to_the_sums_of_every_measured_level() -> None:
    found = plan(pv.budget(epsilon=10**9), level_weights=(1, 0, 1), weights={})
    numbers = add_rollup_noise(found, {each: np.ones((6, each.length), dtype=object) for each in found.statistics})
    assert [len(level) for level in numbers] == [3, 0, 3]
    assert numbers[0][0].tolist() == [[6]]
    assert numbers[0][2].tolist() == [[6, 6]]


@pytest.mark.parametrize(
    ("aggregate", "why"),
    [
        (count_ids(), "counts in each of them, but once in their region"),
        (count_distinct("t"), "counts in each of them, but once in their region"),
        (mean("x"), "ask for the sum and the count, and divide"),
        (median("x"), "do not add up"),
    ],
)
def test_what_does_not_add_up_is_refused_by_name(aggregate: Any, why: str) -> None:
    bound = aggregate.bind(COLUMNS)
    with pytest.raises(InvalidError, match=why) as caught:
        plan_rollup({"q": bound}, hierarchy=RAGGED, contribution=Contribution(l0=1, l1=1, linf=1), budget=BUDGETS[0])
    assert bound.name in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"level_weights": (1, 1)},
        {"level_weights": (1, 1, 0)},
        {"level_weights": (1, -1, 1)},
        {"weights": {"n": 0}},
        {"weights": {"unknown": 1}},
    ],
)
def test_wrong_weights_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidError, match="rollup"):
        plan(**wrong)


def test_wrong_arguments_are_refused() -> None:
    caps = Contribution(l0=1, l1=1, linf=1)
    with pytest.raises(WrongTypeError, match="budget"):
        plan_rollup({"n": count()}, hierarchy=RAGGED, contribution=caps, budget=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidError, match="at least one"):
        plan_rollup({}, hierarchy=RAGGED, contribution=caps, budget=BUDGETS[0])
    for groups in ([], [()], [("a",), ("a",)], [("a",), ("a", 1)]):
        with pytest.raises(InvalidError, match="Hierarchy"):
            Hierarchy(finest=groups)


def test_consistent_errors_are_never_above_those_of_a_level_alone() -> None:
    found = plan(level_weights=(1, 1, 1), weights={})
    for part in range(3):
        for level, errors in zip(found.levels, found.errors(part), strict=True):
            assert (errors.deviations <= level.planned[part].noise.deviation * (1 + 1e-9)).all()
    assert found.levels[0].planned[0].noise.scale == Fraction(54)
