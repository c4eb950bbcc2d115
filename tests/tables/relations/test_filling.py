"""Null policies carried out."""

from fractions import Fraction
from typing import Any

import pytest

from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsAsCategory, NullsDrawn, NullsDrawnFromCategories, NullsReplaced
from privet.tables.columns.column import LARGEST, SMALLEST, Column
from privet.tables.columns.unit import Persons
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.filling import fill_nulls
from privet.tables.relations.id_columns import with_id_columns
from privet.tables.vocabulary.literals import cast
from privet.tables.vocabulary.relation import column as relation_column


def fill(rows: list[dict[str, Any]], columns: dict[str, Any], person: str | None = None) -> dict[str, list[Any]]:
    with DuckDBEngine() as engine:
        table = fill_nulls(
            engine.load(rows, {name: item.column for name, item in columns.items()}), columns, key=7, person=person
        )
        assert dict(table.columns) == {name: item.after_nulls for name, item in columns.items()}
        return dict(engine.execute(table).columns)


def test_a_null_is_dropped_replaced_or_stays() -> None:
    columns = {
        "a": column("integer"),
        "b": column("integer", nulls=NullsReplaced(5)),
        "c": column("text", nulls=NullsAsCategory()),
        "d": column("boolean", nulls=NullsDrawnFromCategories([True])),
        "e": column("integer", categories=(3,), nulls=NullsDrawnFromCategories()),
    }
    found = fill([{}, {"a": 1, "b": 2, "c": "x", "d": False, "e": 3}], columns)
    assert sorted(zip(*found.values(), strict=True), key=repr) == [(1, 2, "x", False, 3), (None, 5, None, True, 3)]


def test_a_real_is_replaced_by_the_nearest_double() -> None:
    columns = {"x": column("real", bounds=(0, 1), nulls=NullsReplaced(Fraction(1, 3)))}
    with DuckDBEngine() as engine:
        loaded = engine.load([{}, {"x": 0.5}], {name: item.column for name, item in columns.items()})
        table = fill_nulls(loaded, columns, key=7)
        told = table.project({"x": (cast(relation_column("x", "r"), "text"), Column(kind="text"))})
        assert sorted(engine.execute(told)["x"]) == [repr(1 / 3), "0.5"]


def test_what_cannot_be_read_is_a_null() -> None:
    assert fill([{"a": "x"}, {"a": float("nan")}], {"a": column("integer", nulls=NullsReplaced(5))}) == {"a": [5, 5]}


@pytest.mark.parametrize("end", [2**63, LARGEST, -(2**70), SMALLEST])
def test_persons_beyond_64_bits_are_nobody(end: int) -> None:
    columns = {"id": column("integer"), "x": column("integer")}
    assert fill([{"id": end, "x": end}], columns, person="id")["id"] == [None]
    assert fill([{"id": end, "x": end}], columns)["id"] != [None]


def test_a_period_is_that_of_the_date_as_read() -> None:
    """Rows without a date are one period of a person, also where a date is put in their place later."""
    bounds = ("2024-01-01", "2024-12-31")
    columns = {"id": column("integer"), "day": column("date", bounds=bounds, nulls=NullsDrawn())}
    unit = Persons(id="id", period=("day", "month"))
    with DuckDBEngine() as engine:
        raw = engine.load(
            [{"id": number} for number in range(40)], {name: item.column for name, item in columns.items()}
        )
        table = fill_nulls(with_id_columns(raw, unit), columns, key=7, person="id")
        assert list(table.columns) == ["id", "day", "month of day"]
        assert len(set(engine.execute(table.select("month of day"))["month of day"])) == 1
