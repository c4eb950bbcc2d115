"""Fitting noise to a budget for sets that differ in distance and number of groups."""

from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.tables.aggregates.count import count
from privet.tables.noise.fit import FittedNumbers, WeightedNumbers, fit_noise
from privet.tables.noise.odds import likely_kind
from privet.tables.noise.planner import plan_noise
from privet.tables.statistics.contribution import Contribution

ONCE = Contribution(l0=1, l1=1, linf=1)
OFTEN = Contribution(l0=50, l1=100, linf=2)
BUDGETS = [pv.budget(epsilon=1), pv.budget(epsilon=1, delta=1e-6), pv.budget(rho=0.1)]


def counts(contribution: Contribution, groups: int, weight: int = 1) -> WeightedNumbers:
    return WeightedNumbers(
        measured=count().measured(), contribution=contribution, groups=groups, weight=Fraction(weight)
    )


@pytest.mark.parametrize("budget", BUDGETS, ids=["pure", "approximate", "concentrated"])
def test_all_sets_together_fit_the_budget_and_hardly_less_would(budget: Any) -> None:
    sets = (counts(ONCE, 1), counts(OFTEN, 100, 2))
    found = fit_noise(sets, budget)
    assert found.loss <= budget
    assert not found.scaled(Fraction(99, 100)).loss <= budget


@pytest.mark.parametrize("budget", BUDGETS, ids=["pure", "approximate", "concentrated"])
def test_one_set_gets_what_a_plan_of_one_aggregate_gets(budget: Any) -> None:
    plan = plan_noise({"n": count()}, contribution=OFTEN, groups=60, budget=budget)
    assert fit_noise((counts(OFTEN, 60),), budget).noises == (plan.planned[0].noise,)


def test_weights_share_out_a_pure_budget() -> None:
    found = fit_noise((counts(ONCE, 5, 1), counts(ONCE, 9, 3)), pv.budget(epsilon=1))
    assert [each.scale for each in found.noises] == [4, Fraction(4, 3)]


def test_a_loss_that_forgets_a_set_is_noticed() -> None:
    sets, budget = (counts(ONCE, 5), counts(ONCE, 9)), pv.budget(epsilon=1)
    half = fit_noise(sets, budget).scaled(Fraction(1, 2))
    forgetful = FittedNumbers(sets=sets[:1], noises=half.noises[:1])
    assert forgetful.loss <= budget
    assert not half.loss <= budget


def test_the_likely_kind_is_that_of_the_budget() -> None:
    few, many = ONCE.rows(5), OFTEN.rows(100)
    assert likely_kind([few, many], pv.budget(epsilon=1)) == "laplace"
    assert likely_kind([many, many], pv.budget(epsilon=1, delta=1e-6)) == "gaussian"
    assert likely_kind([few], pv.budget(epsilon=1, delta=1e-6)) == "laplace"
