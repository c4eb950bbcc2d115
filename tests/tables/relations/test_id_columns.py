"""Whose rows are whose: calendar periods, and units of several tables."""

from datetime import date
from typing import Any

import pytest

from privet.errors import InvalidError, MismatchError
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.id_columns import (
    describe_protected,
    id_columns_by_table,
    id_columns_of,
    period_name,
    with_id_columns,
)

EPOCH = date(1970, 1, 1)


def days(text: str) -> int:
    return (date.fromisoformat(text) - EPOCH).days


def periods(length: Any, values: list[Any], kind: str = "date") -> list[int]:
    """The period of each value, in days since 1970."""
    with DuckDBEngine() as engine:
        known = {"id": column("integer").column, "day": column(kind).column}
        table = engine.load([{"id": at, "day": value} for at, value in enumerate(values)], known)
        has_ids = with_id_columns(table, Persons(id="id", period=("day", length)))
        found = engine.execute(has_ids.select("id", f"{length} of day"), order_by=["id"])
        return found[f"{length} of day"]


@pytest.mark.parametrize(
    ("length", "day", "begun"),
    [
        ("day", "2024-02-29", "2024-02-29"),
        ("week", "2024-01-01", "2024-01-01"),  # a Monday
        ("week", "2024-01-07", "2024-01-01"),  # a Sunday
        ("week", "2023-12-31", "2023-12-25"),
        ("month", "2024-02-29", "2024-02-01"),
        ("quarter", "2024-03-31", "2024-01-01"),
        ("quarter", "2024-04-01", "2024-04-01"),
        ("year", "1969-12-31", "1969-01-01"),
        ("week", "0001-01-01", "0001-01-01"),
        ("year", "9999-12-31", "9999-01-01"),
    ],
)
@pytest.mark.parametrize("kind", ["date", "timestamp"])
def test_a_period_begins_where_the_calendar_says(length: str, day: str, begun: str, kind: str) -> None:
    assert periods(length, [day], kind) == [days(begun)]


def test_moments_belong_to_the_day_in_utc() -> None:
    late = ["2024-01-31T23:59:59.999999", "2024-02-01T00:00:00", "2024-01-31T23:30:00-01:00"]
    assert periods("month", late, "timestamp") == [days("2024-01-01"), days("2024-02-01"), days("2024-02-01")]


def test_rows_without_a_date_are_one_period_of_their_own() -> None:
    found = periods("day", [None, "never", "0001-01-01", "1970-01-01"])
    assert found[0] == found[1]
    assert len(set(found)) == 3


@pytest.mark.parametrize("unit", [Rows(), Persons(id="id")])
def test_without_a_period_nothing_is_added(unit: PrivacyUnit) -> None:
    with DuckDBEngine() as engine:
        table = engine.load([], {"id": column("integer").column})
        assert with_id_columns(table, unit) is table


def book(unit: PrivacyUnit, kind: str = "integer", more: Any = None) -> Codebook:
    return Codebook(columns={"id": column(kind), "day": column("date"), **(more or {})}, unit=unit)


MONTHLY = Persons(id="id", period=("day", "month"), rows=1)


def test_the_owner_is_told_by_the_unit() -> None:
    assert id_columns_of(Rows()) == ()
    books = {"a": book(Persons(id="id", rows=1)), "b": book(Persons(id="id", rows=5))}
    assert id_columns_by_table(books) == {"a": ("id",), "b": ("id",)}
    assert id_columns_of(MONTHLY) == ("id", "month of day")
    assert period_name(("day", "month")) == "month of day"


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (book(Rows()), book(Persons(id="id")), "'a' protects rows, 1 at a time, and 'b' protects persons. All tables"),
        (book(Rows()), book(Rows(count=2)), "'b' protects rows, 2 at a time"),
        (book(Persons(id="id")), book(MONTHLY), "'a' protects persons, and 'b' protects persons within a month"),
        (
            book(Persons(id="id")),
            book(Persons(id="id"), "text"),
            "id column 'id' of 'a' is integer, and 'id' of 'b' is text. One person has one identifier",
        ),
        (book(MONTHLY), book(Persons(id="id", period=("day", "year"))), "'b' protects persons within a year"),
    ],
)
def test_tables_of_different_units_are_refused(first: Codebook, second: Codebook, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        id_columns_by_table({"a": first, "b": second})


def test_a_column_with_the_name_of_the_period_is_refused() -> None:
    with pytest.raises(InvalidError, match="'a' has a column 'month of day', which is used here"):
        id_columns_by_table({"a": book(MONTHLY, more={"month of day": column("integer")})})


def test_id_columns_of_two_tables_may_have_different_names() -> None:
    """They stand for each other by place, the dates of the period too."""
    more = {"person": column("integer"), "born": column("date")}
    books = {"a": book(MONTHLY), "b": book(Persons("person", period=("born", "month"), rows=9), more=more)}
    assert id_columns_by_table(books) == {"a": ("id", "month of day"), "b": ("person", "month of born")}
    assert describe_protected(books) == (
        "all rows of any one person (column 'id' of 'a', column 'person' of 'b') within any one calendar month "
        "('day' of 'a', 'born' of 'b')"
    )


def test_the_protection_is_said_once_where_the_names_are_the_same() -> None:
    one, other = Persons("id", rows=1), Persons("id", rows=5)
    assert describe_protected({"a": book(one), "b": book(other)}) == one.protects
    assert describe_protected({"a": book(Rows())}) == Rows().protects
    assert describe_protected({"a": book(one), "b": book(Persons("day_id"), more={"day_id": column("integer")})}) == (
        "all rows of any one person (column 'id' of 'a', column 'day_id' of 'b')"
    )
