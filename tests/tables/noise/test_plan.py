"""Noise plans: data-free, exactly within the budget, and with the loss of the mechanisms that run."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.laplace import LaplaceLoss
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.noise import discrete_gaussian_mass, discrete_laplace_mass
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.correlation import correlation
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.noise import Noise
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.sum import sum as sum_
from privet.tables.aggregates.variance import variance
from privet.tables.columns.column import Column
from privet.tables.noise.plan import add_noise
from privet.tables.noise.planner import equal_error_weights, plan_noise
from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.statistic import ROWS, Statistic

COLUMNS = {"x": Column(kind="integer", bounds=(0, 10)), "y": Column(kind="real", bounds=(-3, 7))}
ONE = Contribution(l0=1, l1=1, linf=1)
CAPS = Contribution(l0=3, l1=30, linf=10)
ASKED: dict[str, Aggregate] = {
    "n": count(),
    "ids": count_ids(),
    "total": sum_("x").bind(COLUMNS),
    "average": mean("y").bind(COLUMNS),
}


@pytest.mark.parametrize("caps", [ONE, CAPS])
@pytest.mark.parametrize(
    "budget",
    [pv.budget(epsilon=1), pv.budget(epsilon=1, delta=1e-6), pv.budget(rho=0.1)],
    ids=["pure", "approximate", "rho"],
)
def test_a_plan_fits_its_budget_and_leaves_nothing_over(budget: Any, caps: Contribution) -> None:
    plan = plan_noise(ASKED, contribution=caps, groups=20, budget=budget)
    assert plan.loss <= budget
    point = budget.point()
    cost = budget.price(plan.loss, point.delta if isinstance(budget, type(pv.budget(epsilon=1))) else None).cost
    assert Fraction(999, 1000) * point.cost <= cost <= point.cost


def test_pure_shares_are_exact() -> None:
    plan = plan_noise(ASKED, contribution=CAPS, groups=20, budget=pv.budget(epsilon=1), weights={})
    assert plan.loss.epsilon() == 1
    assert [part.noise.scale for part in plan.planned] == [120, 12, 1200, 1200]
    assert {part.noise.kind for part in plan.planned} == {"laplace"}


def test_without_weights_a_count_and_a_sum_share_numbers_at_both_their_costs() -> None:
    plan = plan_noise(ASKED, contribution=CAPS, groups=20, budget=pv.budget(epsilon=1))
    assert plan.loss.epsilon() == 1
    assert [part.names for part in plan.planned] == [("n", "total"), ("ids",), ("average",)]
    assert [part.noise.scale for part in plan.planned] == [600, 12, 1200]


@pytest.mark.parametrize("delta", [1e-9, 1e-3])
@pytest.mark.parametrize("groups", [1, 2, 5, 10, 20, 50])
def test_the_kind_that_closed_forms_choose_is_the_better_one(groups: int, delta: float) -> None:
    """Against noise of the other kind, fitted to the same budget."""
    wide, budget = Contribution(l0=groups, l1=groups, linf=1), pv.budget(epsilon=1, delta=delta)
    noise = plan_noise({"n": count()}, contribution=wide, groups=50, budget=budget).planned[0].noise
    loss = {"laplace": _laplace, "gaussian": _gaussian}["gaussian" if noise.kind == "laplace" else "laplace"]
    other = float(pc.calibrate(lambda scale: loss(scale, groups), budget=budget).value)
    assert noise.deviation <= 1.02 * other * (1 if noise.kind == "laplace" else math.sqrt(2))


def _laplace(scale: Fraction, times: int) -> Any:
    return LaplaceLoss(distance=1, scale=scale) * times


def _gaussian(scale: Fraction, times: int) -> Any:
    return GaussianLoss(squared=times, scale=scale)


def test_gaussian_noise_costs_what_the_normal_law_does() -> None:
    """Ten rows in each of 30 groups move whole numbers; on their own grid only rho would be known."""
    wide, budget = Contribution(l0=30, l1=300, linf=10), pv.budget(epsilon=1, delta=1e-9)
    plan = plan_noise({"n": count(), "m": count_ids()}, contribution=wide, groups=50, budget=budget)
    ideal = pc.calibrate(lambda factor: GaussianLoss(squared=2, scale=factor), budget=budget).value
    assert [part.noise.kind for part in plan.planned] == ["gaussian", "gaussian"]
    for part in plan.planned:
        distance = part.measured.distance(wide, 50)
        assert float(part.noise.scale**2) == pytest.approx(float(distance.l2_squared * ideal**2), rel=1e-3)


def test_weights_share_out_the_budget() -> None:
    budget = pv.budget(epsilon=1)
    plan = plan_noise({"n": count(), "m": count_ids()}, contribution=ONE, groups=5, budget=budget, weights={"n": 3})
    assert [part.noise.scale for part in plan.planned] == [Fraction(4, 3), 4]


def test_many_groups_of_one_person_take_gaussian_noise() -> None:
    wide = Contribution(l0=50, l1=50, linf=1)
    plan = plan_noise(ASKED, contribution=wide, groups=100, budget=pv.budget(epsilon=1, delta=1e-6))
    assert {part.noise.kind for part in plan.planned} == {"gaussian"}


def test_one_row_in_one_group_takes_laplace_noise() -> None:
    plan = plan_noise({"n": count()}, contribution=ONE, groups=100, budget=pv.budget(epsilon=1, delta=1e-9))
    assert plan.planned[0].noise == Noise(kind="laplace", scale=1, grid=1)


def test_aggregates_that_read_the_same_numbers_pay_once() -> None:
    asked = {"v": variance("x").bind(COLUMNS), "s": std("x").bind(COLUMNS)}
    plan = plan_noise(asked, contribution=ONE, groups=5, budget=pv.budget(epsilon=1))
    assert [part.names for part in plan.planned] == [("v", "s")]
    assert plan.planned[0].noise.scale == 100


def test_equal_error_weights_equalise_relative_errors() -> None:
    told: dict[str, Any] = {"contribution": CAPS, "groups": 20, "budget": pv.budget(epsilon=1)}
    weights = equal_error_weights(ASKED, rows=10**6, **told)
    plan = plan_noise(ASKED, weights=weights, **told)
    found = [
        item.expected(plan.planned[plan.part(name)].noise, Fraction(10**6)).relative for name, item in ASKED.items()
    ]
    assert max(found) == pytest.approx(min(found), rel=0.01)


SPREADS = [rows for rows in product(range(3), repeat=2) if sum(rows) <= 3]  # rows of one person in two groups


def test_the_pure_loss_is_the_largest_ratio_of_exact_masses() -> None:
    """Counts of rows and of persons in two groups: over all ways to spread a person's rows, the worst output."""
    caps = Contribution(l0=2, l1=3, linf=2)
    plan = plan_noise({"n": count(), "ids": count_ids()}, contribution=caps, groups=2, budget=pv.budget(epsilon=1))
    rows, persons = (part.noise.scale for part in plan.planned)
    worst = max(
        sum(_log_ratio(rows, moved) + _log_ratio(persons, min(moved, 1)) for moved in spread) for spread in SPREADS
    )
    assert worst == pytest.approx(float(plan.loss.epsilon()), abs=1e-9)


def _log_ratio(scale: Fraction, moved: int) -> float:
    """The largest log ratio of the masses of a count and of one that differs, over outputs around both."""
    masses = [
        (_float(discrete_laplace_mass(scale, z)), _float(discrete_laplace_mass(scale, z - moved)))
        for z in range(-9, 10)
    ]
    return max(math.log(a / b) for a, b in masses)


def test_the_gaussian_loss_is_that_of_exact_masses() -> None:
    """One count that moves by one: the claimed delta bounds the exact one, and is not far above it."""
    plan = plan_noise({"n": count()}, contribution=ONE, groups=1, budget=pv.budget(rho=0.1))
    scale = plan.planned[0].noise.scale
    masses = {z: _float(discrete_gaussian_mass(scale, z)) for z in range(-60, 61)}
    for epsilon in (0.1, 0.5, 1.0):
        exact = math.fsum(max(masses[z] - math.exp(epsilon) * masses[z - 1], 0.0) for z in range(-59, 61))
        claimed = float(plan.loss.delta(epsilon))
        assert exact <= claimed * (1 + 1e-9)
        assert claimed <= exact * 1.05


def _float(enclosure: Any) -> float:
    return float(enclosure.mid())


def test_noise_is_added_to_each_number_of_each_group() -> None:
    plan = plan_noise({"n": count()}, contribution=ONE, groups=20_000, budget=pv.budget(epsilon=1))
    noisy = add_noise(plan, {ROWS: np.full(20_000, 1000)})[0]
    assert noisy.shape == (20_000, 1)
    assert noisy.dtype == np.int64
    deviation = plan.planned[0].noise.deviation
    assert abs(noisy.mean() - 1000) < 6 * deviation / math.sqrt(20_000)  # 6 standard errors: 2e-9
    assert noisy.std() == pytest.approx(deviation, rel=0.1)


@pytest.mark.parametrize("values", [[0, 0, 0], [None, 3, None], [2**63, -1, 5], [2**100, 1, 1], np.array([1, 2, 3])])
def test_empty_null_and_huge_statistics_give_the_same_shape_and_type(values: Any) -> None:
    plan = plan_noise({"s": sum_("x").bind(COLUMNS)}, contribution=ONE, groups=3, budget=pv.budget(epsilon=1))
    noisy = add_noise(plan, {plan.statistics[0]: values})[0]
    assert (noisy.shape, noisy.dtype) == ((3, 1), np.dtype(np.int64))


def test_whole_numbers_of_any_size_stay_exact() -> None:
    measured = mean("x").bind(COLUMNS).measured()
    total, present = measured.statistics
    exact = measured.exact({total: [2**63, -1], present: [2**62, 3]}, 2)
    assert exact.tolist() == [2**63, 10 * 2**62 - 2**63, -1, 31]


def test_floats_are_refused_as_statistics() -> None:
    plan = plan_noise({"n": count()}, contribution=ONE, groups=2, budget=pv.budget(epsilon=1))
    with pytest.raises(WrongTypeError, match=r"statistics must be whole numbers"):
        add_noise(plan, {ROWS: np.array([1.0, 2.0])})


def test_very_wide_bounds_are_planned_exactly() -> None:
    wide = {"x": Column(kind="real", bounds=(-1e74, 1e74)), "z": Column(kind="real", bounds=(0, 1e74))}
    asked = {"r": correlation("x", "z").bind(wide)}
    budget = pv.budget(rho=0.5)
    assert plan_noise(asked, contribution=ONE, groups=2, budget=budget).loss <= budget


def test_statistics_are_asked_for_once() -> None:
    asked = {"a": mean("x").bind(COLUMNS), "v": variance("x").bind(COLUMNS)}
    plan = plan_noise(asked, contribution=ONE, groups=5, budget=pv.budget(epsilon=1))
    assert len(plan.statistics) == len(set(plan.statistics)) == 3
    assert all(isinstance(item, Statistic) for item in plan.statistics)


def test_a_plan_is_printable() -> None:
    text = plan_noise(ASKED, contribution=CAPS, groups=20, budget=pv.budget(epsilon=1)).describe(1000)
    assert "95 % half-width" in text
    assert "20 groups x 2 numbers" in text
    assert text.endswith("loss: epsilon = 1")


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"aggregates": {}}, InvalidError, "must hold one or more"),
        ({"aggregates": {"n": "count"}}, WrongTypeError, "must be an aggregate"),
        ({"groups": 0}, InvalidError, "groups must be one or more, got 0"),
        ({"budget": 1}, WrongTypeError, "must be a budget"),
        ({"weights": {"m": 1}}, InvalidError, "names 'm', which is no aggregate"),
        ({"weights": {"n": 0}}, InvalidError, r"weights\['n'\] must be above zero, got 0"),
        ({"budget": pv.budget(epsilon=0)}, UnavailableError, "budget of zero"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], kind: type[Exception], message: str) -> None:
    told: dict[str, Any] = {
        "aggregates": {"n": count()},
        "contribution": ONE,
        "groups": 2,
        "budget": pv.budget(epsilon=1),
    }
    with pytest.raises(kind, match=message):
        plan_noise(**(told | change))
