"""Sums by person: bounds, grids, refusals, and releases through a session."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, UnavailableError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import count
from privet.tables.aggregates.noise import Noise
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.sum_by_person import SumByPerson, sum_by_person
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.column import Column
from privet.tables.columns.unit import Persons
from privet.tables.session.session import Session
from privet.tables.statistics.contribution import Contribution

CASES: list[Aggregate] = [
    sum_by_person("minutes", bounds=(5, 70)),
    sum_by_person("cost", bounds=(-3, 2)),
    sum_by_person("cost", bounds=(-3, -1)),
    sum_by_person("free", bounds=(0, 10**6)),
]
COLUMNS = {
    "spent": Column(kind="integer", bounds=(0, 1000)),
    "free": Column(kind="integer"),
    "rate": Column(kind="real", bounds=(-1, 1), grid=Fraction(1, 8)),
    "wild": Column(kind="real"),
    "paid": Column(kind="boolean"),
    "name": Column(kind="text"),
}


@pytest.mark.parametrize(
    ("name", "bounds", "moves"),
    [
        ("spent", (0, 50), 50),
        ("spent", (-7, 3), 7),
        ("free", (-10, 20), 20),
        ("rate", (-3, Fraction(1, 2)), 3),
        ("rate", (0, Fraction(7, 16)), Fraction(3, 8)),  # the last step within the bounds
        ("paid", (0, 4), 4),
        ("spent", (0, 10**20), 10**20),
    ],
)
def test_a_person_moves_the_sum_by_the_farther_end_once_for_each_group(name: str, bounds: Any, moves: Any) -> None:
    measured = sum_by_person(name, bounds=bounds).bind(COLUMNS).measured()
    distance = measured.distance(Contribution(l0=3, l1=30, linf=10), 100)
    assert (distance.l0, distance.l1, distance.l2_squared, distance.linf) == (3, 3 * moves, 3 * moves**2, moves)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: sum_by_person("spent", bounds=(5, 5)), InvalidError, "lower must be below upper"),
        (lambda: sum_by_person("spent", bounds=3), WrongTypeError, "pair"),
        (lambda: sum_by_person("nosuch", bounds=(0, 1)).bind(COLUMNS), InvalidError, "no column 'nosuch'"),
        (lambda: sum_by_person("name", bounds=(0, 1)).bind(COLUMNS), InvalidError, "needs numbers"),
        (lambda: sum_by_person("wild", bounds=(0, 1)).bind(COLUMNS), InvalidError, "needs bounds of 'wild'"),
        (lambda: sum_by_person("rate", bounds=(0, Fraction(1, 9))).bind(COLUMNS), InvalidError, "two totals"),
        (lambda: sum_by_person("free", bounds=(0, 2**91)).bind(COLUMNS), InvalidError, "narrower bounds"),
        (lambda: sum_by_person("free", bounds=(-(2**91), 0)).bind(COLUMNS), InvalidError, "narrower bounds"),
        (lambda: sum_by_person("spent", bounds=(0, 1)).measured(), UnavailableError, "call bind"),
    ],
)
def test_wrong_sums_are_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def opened(rows: list[dict[str, Any]]) -> Session:
    book = Codebook(
        columns={
            "person": column("integer"),
            "ward": column("text", categories=("a", "b")),
            "spent": column("integer", bounds=(0, 1000)),
        },
        unit=Persons(id="person", groups=2, rows_per_group=1),
    )
    return Session(rows, book, pv.budget(epsilon=10**9))


ROWS: list[dict[str, Any]] = [{"person": n % 10, "ward": "ab"[n % 2], "spent": n % 7} for n in range(400)]


def test_all_rows_of_a_person_count_whatever_the_caps_on_rows() -> None:
    session = opened(ROWS)
    question = session.query().group_by("ward").agg(sum_by_person("spent", bounds=(0, 10**4)), count())
    found = question.release(epsilon=10**8)
    assert np.ravel(found.values("sum_by_person_spent")).tolist() == [
        sum(row["spent"] for row in ROWS if row["ward"] == ward) for ward in "ab"
    ]
    assert np.ravel(found.values("count")).tolist() == [5, 5]


def test_the_interval_holds_the_clamped_sum() -> None:
    found = opened(ROWS).query().group_by("ward").agg(sum_by_person("spent", bounds=(0, 20))).release(epsilon=1)
    low, high = found.interval(Fraction(999_999_999, 10**9))["sum_by_person_spent"]
    assert (np.ravel(low) <= 100).all()
    assert (np.ravel(high) >= 100).all()


def test_many_small_rows_need_less_noise_than_a_sum_of_capped_rows() -> None:
    query = opened([]).query().cap(groups=1, rows_per_group=40).group_by("ward")
    rows = query.agg(total("spent", bounds=(0, 10))).plan(epsilon=1).planned[0].noise
    persons = query.agg(sum_by_person("spent", bounds=(0, 200))).plan(epsilon=1).planned[0].noise
    assert [rows.scale, persons.scale] == [400, 200]


def test_a_unit_of_rows_has_no_persons_to_add_up() -> None:
    book = Codebook(columns={"spent": column("integer", bounds=(0, 9))}, unit=pv.Rows())
    session = Session([], book, pv.budget(epsilon=1))
    with pytest.raises(PrivetError):
        session.query().agg(sum_by_person("spent", bounds=(0, 9))).release(epsilon=1)
    assert session.spent == pv.budget(epsilon=0)


def test_signs_are_known_from_the_bounds() -> None:
    assert sum_by_person("spent", bounds=(0, 5)).nonnegative
    assert not sum_by_person("spent", bounds=(-1, 5)).nonnegative


def test_the_expected_error_is_that_of_the_noise() -> None:
    noise = Noise(kind="laplace", scale=100, grid=1)
    expected = SumByPerson(column="spent", bounds=(0, 50)).expected(noise, Fraction(40))
    assert (expected.error, expected.size) == (noise.deviation, 1000.0)
