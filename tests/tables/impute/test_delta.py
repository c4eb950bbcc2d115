"""Imputed releases with a delta: many numbers compose to less than their sum."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.accounting.losses.pure import PureLoss
from privet.errors import BudgetExceededError, InvalidError
from privet.imputation.smooth_calibration import Guess
from privet.tables.codebook.codebook import Codebook
from privet.tables.columns.unit import Rows
from privet.tables.impute.plan import ImputedPlanner
from privet.tables.impute.release import ImputedRelease
from privet.tables.session.session import Session
from tests.tables.imputed_tables import COLUMNS

DELTA = Fraction(1, 10**6)
ROWS = [{"id": n, "age": n % 4, "sex": "fm"[n % 2], "income": None if n % 9 == 0 else 2, "job": "a"} for n in range(80)]


def session(epsilon: float = 9, delta: Any = 1e-5) -> Session:
    return Session(ROWS, Codebook(unit=Rows(), columns=COLUMNS), pv.budget(epsilon=epsilon, delta=delta))


def asked(within: Session, *keys: str) -> Any:
    rows = within.query().impute("income", by="age", guess=Guess(incomplete=20, changes=3))
    return rows.group_by(*keys).agg(pv.mean("income"), pv.count()) if keys else rows.agg(pv.mean("income"))


def planner(together: int) -> ImputedPlanner:
    totals = asked(session()).totals
    return ImputedPlanner(plain={}, totals=totals, groups=together, together=together, rows=1)


def optimal_delta(cost: float, times: int, epsilon: float) -> float:
    """The delta of so many pure releases at an epsilon, by the formula of Kairouz, Oh and Viswanath."""
    total = 0.0
    for lost in range(times + 1):
        gap = math.exp((times - 2 * lost) * cost - epsilon)
        if gap > 1:
            total += math.comb(times, lost) * math.exp(lost * cost + epsilon) * (gap - 1)
    return total / (1 + math.exp(cost)) ** times


def imputed_cost(plan: Any) -> Fraction:
    return Fraction(plan.imputed[0].choice.calibration.cost)


@pytest.mark.parametrize("together", [1, 30, 100])
@pytest.mark.parametrize("interval", [0, Fraction(1, 4)])
def test_the_composed_loss_is_within_epsilon_and_delta(together: int, interval: Any) -> None:
    plan = planner(together).plan(1, interval, DELTA)
    assert plan.delta == DELTA
    assert plan.loss.epsilon(DELTA) <= 1
    assert plan.loss.epsilon(DELTA) > Fraction(99, 100)


@pytest.mark.parametrize(("together", "factor"), [(10, 1.0), (30, 1.36), (60, 1.87), (100, 2.38)])
def test_many_numbers_get_larger_shares(together: int, factor: float) -> None:
    """The table of the page, but for the ordinary total that a mean needs beside the imputed one."""
    pure, longer = planner(together).plan(1), planner(together).plan(1, 0, DELTA)
    grown = float(imputed_cost(longer) / imputed_cost(pure))
    assert grown == pytest.approx(factor, abs=0.03)
    assert optimal_delta(float(imputed_cost(longer)), together, 1) <= DELTA, "by a formula of its own"
    assert longer.imputed[0].half_width() <= pure.imputed[0].half_width()
    if factor > 1:
        assert longer.imputed[0].half_width() * factor < pure.imputed[0].half_width() * 1.05


def test_without_a_delta_nothing_changes() -> None:
    plan = planner(30).plan(1)
    assert plan == planner(30).plan(1, 0, 0)
    assert imputed_cost(plan) * 30 <= 1
    assert plan.loss.epsilon() <= 1


def test_one_number_is_never_worse_with_a_delta() -> None:
    assert imputed_cost(planner(1).plan(2, 0, DELTA)) >= imputed_cost(planner(1).plan(2))


def test_a_sum_of_parts_that_forgets_its_number_would_be_caught() -> None:
    """Shares that grow with the square root of their number, as if delta were free."""
    share = math.sqrt(100) / 100
    assert optimal_delta(share, 100, 1) > 10**6 * DELTA * Fraction(1, 10**4)
    assert PureLoss(Fraction(str(share))).epsilon() * 100 > 1


def test_a_release_charges_epsilon_and_delta() -> None:
    within = session()
    release = asked(within, "sex", "job").release(epsilon=2, delta=DELTA)
    assert release.epsilon <= 2
    assert release.delta == DELTA
    assert release.loss.delta(release.epsilon) <= DELTA
    spent = within.spent.loss()
    assert spent.epsilon(DELTA) <= 2
    assert spent.epsilon(0) == math.inf or spent.epsilon(0) >= release.epsilon


def test_a_pure_budget_has_no_delta_to_spend() -> None:
    within = session(delta=0)
    with pytest.raises(BudgetExceededError):
        asked(within).release(epsilon=1, delta=DELTA)
    assert within.spent.loss().epsilon() == 0


@pytest.mark.parametrize("delta", [-0.1, 1, 2])
def test_what_is_no_probability_is_refused(delta: Any) -> None:
    with pytest.raises(InvalidError, match="delta"):
        asked(session()).plan(epsilon=1, delta=delta)
    with pytest.raises(InvalidError, match="delta"):
        planner(2).plan(1, 0, delta)


def test_rho_is_refused() -> None:
    with pytest.raises(InvalidError, match=r"epsilon=\.\.\., with or without delta"):
        asked(session()).plan(rho=1)


def test_a_release_with_a_delta_is_written_and_read() -> None:
    release = ImputedRelease(keys=(), groups=((),), columns={"m": [1.5]}, epsilon=Fraction(1), delta=DELTA)
    assert ImputedRelease.from_json(release.to_json()) == release
    pure = ImputedRelease(keys=(), groups=((),), columns={"m": [1.5]}, epsilon=Fraction(1))
    assert "delta" not in pure.to_json()


def test_a_plan_with_a_delta_is_written_and_read() -> None:
    within = session()
    plan = asked(within).plan(epsilon=1, delta=1e-6)
    again: Any = within.read_plan(plan.to_yaml()).plan
    assert again.delta == plan.delta
    assert "delta" in plan.to_yaml()


def test_a_description_says_what_is_charged() -> None:
    assert "at delta = 0.000001" in asked(session()).describe(epsilon=1, delta=1e-6)
