"""Privacy units: parameters, caps taken together, and what is protected in words."""

from typing import Any

import pytest

from privet.errors import InvalidError, NotExactError, WrongTypeError
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows

WRONG: Any = 3


def test_one_row_is_the_default() -> None:
    assert Rows() == Rows(count=1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rows(count=0), "Rows.count must be above zero, got 0."),
        (lambda: Rows(count=1.5), "Rows.count must be a whole number, got float."),
        (lambda: Rows(count=True), "Rows.count must be a whole number, got bool."),
        (lambda: Persons(id=WRONG), "Persons.id must be the name of a column, got int."),
        (lambda: Persons(rows=0), "Persons.rows must be above zero, got 0."),
        (lambda: Persons(groups=-1), "Persons.groups must be above zero, got -1."),
        (lambda: Persons(rows_per_group="3"), "Persons.rows_per_group must be a whole number, got str."),
        (lambda: Persons(rows=3, groups=4), "Persons.groups must be at most rows, got groups=4, rows=3."),
        (
            lambda: Persons(rows=3, rows_per_group=4),
            "Persons.rows_per_group must be at most rows, got rows_per_group=4, rows=3.",
        ),
        (lambda: Persons(period="month"), 'Persons.period must be a pair (column, length) such as ("day", "month").'),
        (
            lambda: Persons(period=("day", "fortnight")),
            "Persons.period: the length must be one of day, week, month, quarter, year, got 'fortnight'.",
        ),
        (
            lambda: Persons(id="day", period=("day", "month")),
            "Persons.period must name a date or timestamp, not the identifier.",
        ),
    ],
)
def test_wrong_parameters_are_named(make: Any, message: str) -> None:
    with pytest.raises((InvalidError, WrongTypeError, NotExactError)) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("caps", "rows"),
    [
        ({}, None),
        ({"rows": 9}, 9),
        ({"groups": 3}, None),
        ({"rows_per_group": 4}, None),
        ({"groups": 3, "rows_per_group": 4}, 12),
        ({"rows": 9, "groups": 3, "rows_per_group": 4}, 9),
        ({"rows": 20, "groups": 3, "rows_per_group": 4}, 12),
        ({"rows": 9, "groups": 3}, 9),
    ],
)
def test_caps_are_taken_together(caps: Any, rows: Any) -> None:
    assert Persons(**caps).most_rows == rows


def test_a_period_protects_less_and_says_so() -> None:
    unit = Persons(id="user", period=("at", "month"))
    assert unit.protects == "all rows of any one person (column 'user') within any one calendar month of 'at'"
    assert "that a person is in the table at all" in unit.leaves_open
    assert "rows in n months" in unit.leaves_open


def test_rows_do_not_protect_persons() -> None:
    assert Rows().leaves_open.startswith("a person with more than one row")
    assert "n/5, rounded up" in Rows(count=5).leaves_open


def test_units_are_values() -> None:
    assert Persons(id="a", rows=3) == Persons(id="a", rows=3) != Persons(id="a", rows=4)
    assert len({Rows(), Rows(count=1), Rows(count=2)}) == 2


@pytest.mark.parametrize("unit", [Rows(), Persons()])
def test_both_kinds_are_units(unit: Any) -> None:
    assert isinstance(unit, PrivacyUnit)


def test_the_id_of_persons_goes_by_position_and_nothing_else_does() -> None:
    assert Persons("patient", rows=2) == Persons(id="patient", rows=2)
    with pytest.raises(TypeError):
        Persons("patient", 2)  # type: ignore[call-arg]
