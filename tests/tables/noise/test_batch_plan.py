"""Plans of batches: shares follow the weights, and one factor makes everything together fit."""

from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.aggregates.count import count
from privet.tables.noise.batch_plan import BatchMember, plan_batch
from privet.tables.noise.planner import plan_noise
from privet.tables.statistics.contribution import Contribution

ONCE = Contribution(l0=1, l1=1, linf=1)
BUDGETS = [pv.budget(epsilon=1), pv.budget(epsilon=1, delta=1e-6), pv.budget(rho=0.1)]


def members(count_of_queries: int) -> dict[str, BatchMember]:
    one = BatchMember(aggregates={"n": count()}, contribution=ONCE, groups=3)
    return {f"q{at}": one for at in range(count_of_queries)}


@pytest.mark.parametrize("often", [1, 3, 30])
@pytest.mark.parametrize("budget", BUDGETS, ids=["pure", "approximate", "concentrated"])
def test_everything_together_fits_and_hardly_less_would(budget: Any, often: int) -> None:
    plan = plan_batch(members(often), budget=budget)
    assert plan.loss <= budget
    assert not plan.scaled(Fraction(98, 100)).loss <= budget


@pytest.mark.parametrize("budget", BUDGETS, ids=["pure", "approximate", "concentrated"])
def test_a_batch_of_one_is_the_plan_of_the_query(budget: Any) -> None:
    plan = plan_noise({"n": count()}, contribution=ONCE, groups=3, budget=budget)
    assert plan_batch(members(1), budget=budget).plans["q0"].planned == plan.planned


def test_weights_far_apart_and_unknown_names_are_refused() -> None:
    with pytest.raises(InvalidError, match="within a factor of"):
        plan_batch(members(2), budget=BUDGETS[0], weights={"q0": 10**13})
    with pytest.raises(InvalidError, match="'zz', which is no query of the batch"):
        plan_batch(members(2), budget=BUDGETS[0], weights={"zz": 1})
