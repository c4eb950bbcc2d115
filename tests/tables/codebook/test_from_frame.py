"""Codebooks from a schema: no value is looked at, and all that is missing is asked for at once."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, PrivetWarning, WrongTypeError
from privet.tables.codebook.codebook import Codebook
from tests.pandas_texts import with_text_types

VALUES = {"visitor_id": ["a", "b"], "age": [31, 42], "spending": [1.5, 2.5], "member": [True, False]}
KINDS = {"visitor_id": "text", "age": "integer", "spending": "real", "member": "boolean"}


def kinds(book: Codebook) -> dict[str, str]:
    return {name: item.column.kind for name, item in book.columns.items()}


class Unreadable:
    """An object that must not be looked at, once it is armed."""

    armed = False

    def __getattribute__(self, name: str) -> Any:
        if Unreadable.armed:
            raise AssertionError(f"a value was looked at: {name}")
        return object.__getattribute__(self, name)


@pytest.mark.parametrize(
    "make", [lambda values: with_text_types(pd.DataFrame(values)), pl.DataFrame, pl.LazyFrame, pa.table]
)
def test_types_come_from_the_schema(make: Any) -> None:
    book = Codebook.from_frame(make(VALUES), id="visitor_id", rows=10, bounds={"spending": (0, 200)}, table="visits")
    assert kinds(book) == KINDS
    assert book.unit == pv.Persons("visitor_id", rows=10)
    assert book["spending"] == pv.column("real", bounds=(0, 200))
    assert book.table == "visits"


def test_types_of_parquet_and_of_a_schema(tmp_path: Path) -> None:
    table = pa.table(VALUES)
    pq.write_table(table, tmp_path / "visits.parquet")
    for source in (tmp_path / "visits.parquet", str(tmp_path / "visits.parquet"), table.schema):
        assert kinds(Codebook.from_frame(source, unit=pv.Rows())) == KINDS


def test_no_value_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"a": pd.Series([Unreadable(), None], dtype=object), "b": [1, 2]})
    rows: list[Any] = [Unreadable()]
    monkeypatch.setattr(Unreadable, "armed", True)
    book = Codebook.from_frame(frame, unit=pv.Rows(), types={"a": str})
    assert kinds(book) == {"a": "text", "b": "integer"}
    assert kinds(Codebook.from_frame(rows, unit=pv.Rows(), types={"a": int})) == {"a": "integer"}


def test_categories_tell_the_type_that_the_schema_lacks() -> None:
    frame = pd.DataFrame({"a": pd.Series([1, "x"], dtype=object)})
    book = Codebook.from_frame(frame, unit=pv.Rows(), categories={"a": {"y", "x"}})
    assert book["a"] == pv.column("text", categories=("x", "y"))


def test_a_type_may_be_a_whole_column() -> None:
    frame = pa.table({"a": ["x"], "b": ["01/31/2024"]})
    day = {"type": "date", "format": "%m/%d/%Y"}
    book = Codebook.from_frame(frame, unit=pv.Rows(), types={"a": pv.column(str, length=5), "b": day})
    assert book["a"].column.length == 5
    assert book["b"].column.notation.format == ("%m/%d/%Y",)
    with pytest.raises(InvalidError, match="types\\['a'\\] is a whole column; write its nulls there"):
        Codebook.from_frame(frame, unit=pv.Rows(), types={"a": pv.column(str)}, nulls={"a": "drop"})


def test_what_a_codebook_cannot_hold_is_left_out_with_a_warning() -> None:
    table = pa.table({"a": [1], "b": [[1, 2]]})
    with pytest.warns(PrivetWarning) as caught:
        book = Codebook.from_frame(table, unit=pv.Rows())
    assert kinds(book) == {"a": "integer"}
    assert str(caught[0].message) == (
        "Codebook.from_frame leaves out 'b' (list<item: int64>): no type of a codebook holds such values. Convert what "
        "you need first; choose columns with columns=(...) to leave out the others without this warning. For lists "
        "write types={'tags': pv.column('text', most_items=10)} with the type of an item."
    )
    assert caught[0].filename == __file__


def test_all_missing_types_are_asked_for_at_once(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("visitor_id,day\n1,2024-01-31\n", encoding="utf-8")
    with pytest.raises(InvalidError) as caught:
        Codebook.from_frame(path, id="visitor_id", rows=10)
    assert str(caught.value) == (
        "Codebook.from_frame needs the types of 2 columns: a CSV file has no types, and its values are not looked at. "
        "Add types={'visitor_id': str, 'day': str} with the right type for each: integer, real, boolean, text, date or "
        "timestamp; or int, float, bool, str. Choose fewer columns with columns=(...). Or name a public file that "
        "shows them: sample='made_up.csv'."
    )
    book = Codebook.from_frame(path, id="visitor_id", rows=10, columns=["visitor_id"], types={"visitor_id": int})
    assert kinds(book) == {"visitor_id": "integer"}


def test_a_public_sample_shows_types_and_formats(tmp_path: Path) -> None:
    path, sample = tmp_path / "visits.csv", tmp_path / "public.csv"
    path.write_text("visitor_id,day,note\nQZXCANARY,QZXCANARY,QZXCANARY\n", encoding="utf-8")
    sample.write_text("day;visitor_id;note\n01/31/2024;7;x\n", encoding="utf-8")
    book = Codebook.from_frame(path, id="visitor_id", rows=1, sample=sample)
    assert kinds(book) == {"visitor_id": "integer", "day": "date", "note": "text"}
    assert book["day"].column.notation.format == ("%m/%d/%Y",)
    with pytest.raises(InvalidError, match="is the private file itself"):
        Codebook.from_frame(path, id="visitor_id", rows=1, sample=path)
    with pytest.raises(InvalidError, match="there is no file"):
        Codebook.from_frame(path, id="visitor_id", rows=1, sample=tmp_path / "no.csv")


TABLE = pa.table(VALUES)


@pytest.mark.parametrize(
    ("source", "arguments", "message"),
    [
        (TABLE, {"rows": 3}, "Codebook.from_frame: rows= limits the rows of a person, so give id= as well."),
        (TABLE, {"unit": pv.Rows(), "id": "age"}, "Codebook.from_frame takes unit=..., or id= and rows="),
        (
            TABLE,
            {"id": "agge", "rows": 1},
            "Codebook.unit.id must be one of the columns, got 'agge'. Did you mean age?",
        ),
        (
            TABLE,
            {"unit": pv.Rows(), "bounds": {"agee": (0, 1)}},
            "Codebook.from_frame.bounds: there is no column 'agee'",
        ),
        (TABLE, {"unit": pv.Rows(), "bounds": (0, 1)}, "Codebook.from_frame.bounds must be a dictionary by column"),
        (TABLE, {"unit": pv.Rows(), "columns": "age"}, "Codebook.from_frame.columns must be names of columns such as"),
        (TABLE, {"unit": pv.Rows(), "columns": ["age", "age"]}, "one or more and all different"),
        (TABLE, {"unit": pv.Rows(), "columns": ["agee"]}, "Did you mean 'age'?"),
        (TABLE, {"unit": pv.Rows(), "bounds": {"age": (9, 1)}}, "columns.age.bounds: lower must be below upper"),
        (TABLE, {"unit": pv.Rows(), "nulls": {"age": "zero"}}, "columns.age.nulls must be 'drop', 'category'"),
        (
            pd.DataFrame([(1, 2.0)]),
            {"unit": pv.Rows()},
            "Codebook.from_frame: the names of columns must be texts, got 0, 1. Name them first: frame.columns = [",
        ),
        ([], {"unit": pv.Rows()}, "a list of rows has no schema, and its rows are not looked at."),
        (
            3,
            {"unit": pv.Rows()},
            "Codebook.from_frame needs a path, a pandas or polars frame or an Arrow schema, got int.",
        ),
    ],
)
def test_what_is_wrong_is_named(source: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PrivetError) as caught:
        Codebook.from_frame(source, **arguments)
    assert message in str(caught.value)
    assert isinstance(caught.value, InvalidError | WrongTypeError)
