"""The claimed distance of every aggregate holds when a person is removed, also with nulls and values beyond bounds."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from privet.core.metric import Parts
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.correlation import correlation
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_distinct import count_distinct
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.covariance import covariance
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.quantile import median, quantiles
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.sum import sum as sum_
from privet.tables.aggregates.top_k import mode, top_k
from privet.tables.aggregates.variance import variance
from privet.tables.columns.column import Column
from tests.tables.aggregates.cases import aggregate_cases
from tests.tables.aggregates.reference import caps_of, moved, people
from tests.tables.nodes.spaces import VISITS

COLUMNS = {
    "x": Column(kind="integer", bounds=(-5, 9)),
    "y": Column(kind="real", bounds=(0, 1), grid=Fraction(1, 16)),
    "b": Column(kind="boolean"),
    "c": Column(kind="text", categories=("r", "s", "t")),
}
ASKED: list[Aggregate] = [
    count(),
    count("x"),
    count_ids(),
    count_distinct("c"),
    sum_("x"),
    sum_("y"),
    sum_("x", bounds=(2, 4)),
    mean("x"),
    mean("y"),
    mean("b"),
    variance("x"),
    variance("y", ddof=0),
    std("b"),
    covariance("x", "y"),
    correlation("x", "b"),
    median("x"),
    quantiles("y", [0.1, 0.9], bins=5),
    histogram("x", 4),
    histogram("x", [-5, 0, 3, 9]),
    histogram("c"),
    mode("c"),
    top_k("c", 2),
]
GROUPS = ["a", "b", "c"]


def _row(random: np.random.Generator) -> dict[str, Any]:
    return {
        "x": None if random.random() < 0.2 else int(random.choice([-7, -5, 0, 2, 9, 30])),
        "y": None if random.random() < 0.2 else float(random.choice([0.0, 0.3, 1.0, 2.5])),
        "b": None if random.random() < 0.2 else bool(random.integers(2)),
        "c": None if random.random() < 0.2 else str(random.choice(["r", "s", "t", "unseen"])),
    }


TABLES = [people(seed, 6, _row) for seed in range(12)]


def _visit(random: np.random.Generator) -> dict[str, Any]:
    values: dict[str, list[Any]] = {
        "ward": ["a", "b", "c", "unseen", None],
        "minutes": [-7, 0, 1, 30, 60, 61, None],
        "cost": [-11.0, -10.0, -0.3, 0.0, 0.2, 9.9, 40.0, None],
        "free": [-(2**62), -5, 0, 3, 9, 10**15, None],
        "paid": [False, True, None],
        "day": [1, 2, 3, None],
    }
    return {name: each[int(random.integers(len(each)))] for name, each in values.items()}


VISITS_TABLES = [people(seed, 6, _visit) for seed in range(6)]


def _violations(measured: Any, tables: Any = TABLES) -> int:
    """Count the persons whose removal moves the numbers by more than claimed for what they contribute."""
    found = 0
    for rows in tables:
        for person in range(6):
            fewer = [row for row in rows if row["person"] != person]
            claimed = measured.distance(caps_of(rows, person), len(GROUPS))
            found += not moved(rows, fewer, GROUPS, measured) <= claimed
    return found


@pytest.mark.parametrize("aggregate", ASKED, ids=lambda item: item.name)
def test_removing_a_person_moves_the_numbers_by_no_more_than_claimed(aggregate: Aggregate) -> None:
    assert _violations(aggregate.bind(COLUMNS).measured()) == 0


def test_no_case_moves_the_numbers_by_more_than_it_claims() -> None:
    for case in aggregate_cases():
        assert _violations(case.bind(VISITS).measured(), VISITS_TABLES) == 0, case


@pytest.mark.parametrize("aggregate", [sum_("x"), mean("x"), variance("x"), covariance("x", "y"), count_ids()], ids=str)
def test_the_claimed_distance_is_attained(aggregate: Aggregate) -> None:
    measured = aggregate.bind(COLUMNS).measured()
    row = {"person": 0, "group": "a", "x": 9, "y": 1.0}
    assert moved([row], [], GROUPS, measured).l1 == measured.row.l1


def _scaled(measured: Any, factor: Fraction) -> Any:
    row = measured.row
    parts = Parts(l0=row.l0, l1=row.l1 * factor, l2_squared=row.l2_squared * factor**2, linf=row.linf * factor)
    return evolve(measured, row=parts)


@pytest.mark.parametrize(
    ("aggregate", "broken"),
    [
        (sum_("x"), lambda item: _scaled(item, Fraction(4, 9))),  # the upper less the absolute lower bound
        (sum_("x"), lambda item: _scaled(item, Fraction(7, 9))),  # half the width
        (count(), lambda item: evolve(item, per="persons")),  # rows charged as persons
        (mean("x"), lambda item: _scaled(item, Fraction(1, 2))),
        (variance("x"), lambda item: _scaled(item, Fraction(1, 4))),  # squares about the middle alone
        (histogram("c"), lambda item: evolve(item, per="persons")),
    ],
    ids=["sum_difference", "sum_half", "count", "mean", "variance", "histogram"],
)
def test_a_wrong_distance_is_caught(aggregate: Aggregate, broken: Any) -> None:
    assert _violations(broken(aggregate.bind(COLUMNS).measured())) > 0


def test_sums_over_different_rows_are_caught() -> None:
    measured = covariance("x", "y").bind(COLUMNS).measured()
    careless = tuple(evolve(item, given=()) for item in measured.statistics)
    assert _violations(evolve(measured, statistics=careless)) > 0


def test_persons_charged_as_rows_would_be_safe_but_too_dear() -> None:
    measured = count_ids().measured()
    dear = evolve(measured, per="rows")
    caps = caps_of(TABLES[0], 0)
    assert measured.distance(caps, 3).l1 <= dear.distance(caps, 3).l1
    assert measured.distance(evolve(caps, l0=1, l1=4, linf=4), 3).l1 == 1
