"""Equal errors: relative errors are alike, the plan fits, and rows are asked for."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.sum_by_person import sum_by_person
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.column import Column
from privet.tables.columns.unit import Rows
from privet.tables.noise.plan import NoisePlan
from privet.tables.noise.planner import plan_equal_errors, plan_noise
from privet.tables.session.session import Session
from privet.tables.statistics.contribution import Contribution

COLUMNS = {"v": Column(kind="integer", bounds=(0, 50)), "r": Column(kind="real", bounds=(-2, 2))}
ASKED: Mapping[str, Aggregate] = {
    "n": count(),
    "persons": count_ids(),
    "t": total("v").bind(COLUMNS),
    "m": mean("r").bind(COLUMNS),
    "p": sum_by_person("v", bounds=(0, 99)).bind(COLUMNS),
}
CAPS: dict[str, Any] = {"contribution": Contribution(l0=2, l1=10, linf=5), "groups": 3}
FORMS = [
    pv.budget(epsilon=1),
    pv.budget(rho=0.1),
    pv.budget(epsilon=1, delta=1e-6),
    pv.budget(epsilon=0.1, delta=1e-3),
]


def errors(plan: NoisePlan, rows: int) -> list[float]:
    noises = [(each, plan.planned[plan.part(name)].noise) for name, each in plan.aggregates]
    return [each.expected(noise, Fraction(rows)).relative for each, noise in noises]


@pytest.mark.parametrize("budget", FORMS, ids=repr)
def test_relative_errors_are_alike_and_the_plan_fits(budget: Any) -> None:
    plan = plan_equal_errors(ASKED, budget=budget, rows=1000, **CAPS)
    found = errors(plan, 1000)
    assert max(found) <= 1.03 * min(found)
    assert plan.loss <= budget


@pytest.mark.parametrize("budget", FORMS, ids=repr)
def test_the_worst_aggregate_gains(budget: Any) -> None:
    equal = plan_equal_errors(ASKED, budget=budget, rows=1000, **CAPS)
    plain = plan_noise(ASKED, budget=budget, weights={}, **CAPS)
    assert max(errors(equal, 1000)) < max(errors(plain, 1000))


def test_a_delta_is_never_worse_than_none() -> None:
    pure = plan_equal_errors(ASKED, budget=pv.budget(epsilon=1), rows=1000, **CAPS)
    with_delta = plan_equal_errors(ASKED, budget=pv.budget(epsilon=1, delta=1e-12), rows=1000, **CAPS)
    assert max(errors(with_delta, 1000)) <= 1.0001 * max(errors(pure, 1000))


def test_one_aggregate_has_all_of_the_budget() -> None:
    plan = plan_equal_errors({"n": count()}, budget=pv.budget(epsilon=1), rows=10, **CAPS)
    assert plan.planned[0].noise.scale == 10


def opened() -> Session:
    book = Codebook(columns={"v": column("integer", bounds=(0, 50))}, unit=Rows())
    return Session([{"v": 1}], book, pv.budget(epsilon=1))


def test_a_release_is_charged_no_more_than_asked() -> None:
    session = opened()
    answer = session.query().agg(count(), total("v")).release(epsilon=1, weights="equal errors", group_size=100)
    assert answer.loss <= pv.budget(epsilon=1)
    assert session.spent.epsilon <= 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"weights": "equal errors"}, "need group_size="),
        ({"weights": "equal"}, '"equal errors", got'),
        ({"weights": "equal errors", "group_size": 0}, "above zero, got 0"),
        ({"weights": "equal errors", "group_size": "many"}, "expected a number"),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_spent(asked: dict[str, Any], message: str) -> None:
    session = opened()
    with pytest.raises((InvalidError, PrivetError), match=message):
        session.query().agg(count(), total("v")).release(epsilon=1, **asked)
    assert session.spent == pv.budget(epsilon=0)
