"""Rows whose key is not listed, in one group."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.statistics.groups import Group, with_other
from privet.tables.vocabulary.relation import table
from tests.tables.one_engine import fresh, one_engine

COLUMNS = {
    "person": Column(kind="integer"),
    "town": Column(kind="text"),
    "year": Column(kind="integer", bounds=(1900, 2100)),
    "open": Column(kind="boolean"),
}


def grouped(
    rows: list[dict[str, Any]], keys: list[str], groups: list[Group], other: Any
) -> tuple[Counter[Any], tuple[Group, ...]]:
    engine = one_engine()
    relation, answered = with_other(engine.load(rows, COLUMNS, fresh()), keys, groups, other, id_columns=["person"])
    found = engine.execute(relation)
    assert set(relation.columns) == set(COLUMNS)
    return Counter(zip(*(found[name] for name in keys), strict=True)), answered


def test_rows_that_are_not_listed_and_nulls_are_together() -> None:
    rows = [{"town": town} for town in ("Ulm", "Ulm", "Bonn", "Köln", "elsewhere", "ulm", None)]
    found, groups = grouped(rows, ["town"], [("Ulm",), ("Bonn",)], "elsewhere")
    assert groups == (("Ulm",), ("Bonn",), ("elsewhere",))
    assert found == {("Ulm",): 2, ("Bonn",): 1, ("elsewhere",): 4}


def test_a_key_of_integers_takes_an_integer_or_null() -> None:
    rows = [{"year": year} for year in (2001, 2002, 2003, 2003, None)]
    assert grouped(rows, ["year"], [(2001,)], -1)[0] == {(2001,): 1, (-1,): 4}  # also beyond the bounds
    assert grouped(rows, ["year"], [(2001,)], None)[0] == {(2001,): 1, (None,): 4}


def test_several_keys_have_one_other_group() -> None:
    rows = [{"town": town, "open": is_open} for town in ("Ulm", "Bonn", None) for is_open in (True, False, None)]
    listed: list[Group] = [("Ulm", True), ("Bonn", False)]
    found, groups = grouped(rows, ["town", "open"], listed, ("rest", None))
    assert groups == (*listed, ("rest", None))
    assert found == {("Ulm", True): 1, ("Bonn", False): 1, ("rest", None): 7}


def test_a_null_that_is_listed_stays_a_group_of_its_own() -> None:
    rows = [{"town": town, "open": is_open} for town in ("Ulm", None) for is_open in (True, None)]
    found, _ = grouped(rows, ["town"], [("Ulm",), (None,)], "rest")
    assert found == {("Ulm",): 2, (None,): 2}
    found, _ = grouped(rows, ["town", "open"], [("Ulm", True), ("Ulm", None)], ("rest", False))
    assert found == {("Ulm", True): 1, ("Ulm", None): 1, ("rest", False): 2}


@pytest.mark.parametrize("rows", [[], [{"town": None}]])
def test_tables_without_keys(rows: list[dict[str, Any]]) -> None:
    found, groups = grouped(rows, ["town"], [("Ulm",)], "rest")
    assert groups == (("Ulm",), ("rest",))
    assert found.total() == len(rows)


ROW = st.fixed_dictionaries(
    {
        "person": st.sampled_from([1, 2, None]),
        "town": st.sampled_from(["a", "b", "c", "", "rest", None]),
        "year": st.sampled_from([1, 1950, 2000, None]),
    }
)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ROW, max_size=8), ROW)
def test_each_row_has_one_group_which_depends_on_it_alone(rows: list[dict[str, Any]], more: dict[str, Any]) -> None:
    keys, listed = ["town", "year"], [("a", 1950), ("b", 2000), ("", 1900)]
    counts = []
    engine = one_engine()
    for part in (rows, [more], [*rows, more]):
        relation, groups = with_other(engine.load(part, COLUMNS, fresh()), keys, listed, ("rest", 0))
        found = engine.execute(relation)
        counts.append(Counter(zip(found["town"], found["year"], strict=True)))
    first, alone, both = counts
    assert set(both) <= set(groups)
    assert first.total() == len(rows)
    assert both == first + alone


def test_what_is_known_of_the_key_is_the_groups() -> None:
    relation, _ = with_other(table("t", COLUMNS), ["year"], [(2001,), (2002,)], None)
    assert relation["year"] == Column(kind="integer", categories=(2001, 2002))
    relation, _ = with_other(table("t", COLUMNS), ["town"], [("Ulm",)], "rest")
    assert relation["town"] == Column(kind="text", categories=("Ulm", "rest"), nullable=False)
    assert relation["year"] == COLUMNS["year"]


@pytest.mark.parametrize(
    ("keys", "groups", "other", "error", "message"),
    [
        (["town"], [("Ulm",)], "Ulm", InvalidError, "must differ from the listed"),
        (["town"], [("Ulm",), (None,)], None, InvalidError, "must differ from the listed"),
        (["year"], [(1,)], "rest", WrongTypeError, "'year' is integer, got str"),
        (["year"], [(1,)], True, WrongTypeError, "'year' is integer, got bool"),
        (["year"], [(1,)], 2**63, InvalidError, "64-bit"),
        (["town"], [("Ulm",)], "\ud800", InvalidError, "surrogate"),
        (["town", "year"], [("Ulm", 1)], "rest", InvalidError, "as there are keys, 2, got 1"),
        (["town"], [("Ulm",)], ("rest", 1), InvalidError, "as there are keys, 1, got 2"),
        (["person"], [(1,)], 0, InvalidError, "derive a copy"),
        ([], [()], (), InvalidError, "at least one key"),
    ],
)
def test_wrong_names_are_refused(
    keys: list[str], groups: list[Group], other: Any, error: type[PrivetError], message: str
) -> None:
    with pytest.raises(error, match=message):
        with_other(table("t", COLUMNS), keys, groups, other, id_columns=["person"])


def test_no_column_of_the_table_is_taken_for_the_mark() -> None:
    columns = {"town": Column(kind="text"), "privet listed": Column(kind="integer")}
    rows = [{"town": town, "privet listed": 50} for town in ("Ulm", "Bonn")]
    with DuckDBEngine() as engine:
        relation, _ = with_other(engine.load(rows, columns), ["town"], [("Ulm",)], "elsewhere")
        assert engine.execute(relation)["privet listed"] == [50, 50]
