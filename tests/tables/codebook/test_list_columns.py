"""Columns of lists in a codebook: declared by how many items a list has at most."""

from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, PrivetWarning, WrongTypeError
from privet.tables.codebook.template import template
from privet.tables.columns.column import Column
from tests.tables.nodes.test_split_text import exact

TAGS = pv.column("text", categories=["a", "b"], most_items=3, description="what was eaten")
BOOK = pv.Codebook(
    columns={"id": pv.column("integer"), "tags": TAGS, "n": pv.column(float, bounds=(0, 5), most_items=4)},
    unit=pv.Persons("id", rows=2),
    missing=["?"],
)


def test_the_keys_of_a_column_say_what_an_item_is() -> None:
    assert TAGS.column == Column(kind="list", item=Column(kind="text", categories=("a", "b")), most=3)
    assert TAGS.describe() == (
        "list of text, up to 3, 2 categories; rows with a null are left out where the column is used"
    )


def test_a_codebook_with_lists_is_written_and_read() -> None:
    assert "most_items: 3" in BOOK.to_yaml()
    assert pv.Codebook.from_dict(BOOK.to_dict()) == BOOK
    assert pv.Codebook.from_yaml(BOOK.to_yaml()) == BOOK
    assert "list of real, up to 4" in BOOK._repr_html_()
    assert "tags: list" in repr(BOOK)


def test_markers_of_the_table_hold_for_items() -> None:
    read = BOOK.source_columns["n"].item
    assert read is not None
    assert read.notation.missing == ("?",)
    assert BOOK.source_columns["n"].as_read.item == Column(kind="real", bounds=(0, 5))
    rows = [{"id": 1, "tags": ["a", "?", "c"], "n": ["?", "2", 9, None]}]
    session = pv.Session(rows, BOOK, pv.budget(epsilon=1))
    assert exact(session, session.query().unnest("n").agg(pv.count("n"))) == [2]
    assert exact(session, session.query().unnest("tags").agg(pv.count("tags"), pv.count())) == [1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"most_items": 0}, InvalidError, "most_items must be from 1 to 1,000, got 0"),
        ({"most_items": 1_001}, InvalidError, "no query makes more rows of one"),
        ({"most_items": "x"}, WrongTypeError, "a whole number"),
        ({"most_items": 2, "nulls": {"value": "a"}}, InvalidError, "nulls of a list must be drop"),
    ],
)
def test_what_no_list_can_be_is_refused(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pv.column("text", **options)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("{type: text, most_items: 0}", "most_items must be from 1 to 1,000"),
        ("{type: text, most_items: many}", "most_items"),
        ("{type: list}", "write the type of its items, and most_items: 10"),
        ("{type: text, most_items: 2, nulls: {value: a}}", "nulls of a list must be drop"),
        ("{type: text, most_item: 2}", "Did you mean most_items"),
    ],
)
def test_a_wrong_file_is_refused(lines: str, message: str) -> None:
    with pytest.raises(PrivetError, match=message):
        pv.Codebook.from_yaml(f"unit: {{rows: 1}}\ncolumns:\n  a: {lines}\n")


def test_a_list_tells_no_persons_and_no_periods_apart() -> None:
    lists = {"id": pv.column("integer", most_items=2), "day": pv.column("date", most_items=2)}
    with pytest.raises(InvalidError, match="must be an integer or text column, got list"):
        pv.Codebook(columns=lists, unit=pv.Persons("id"))
    with pytest.raises(InvalidError, match="must be of a date or timestamp column, got list"):
        pv.Codebook(columns={**lists, "id": pv.column("integer")}, unit=pv.Persons("id", period=("day", "month")))


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"a": [1], "b": [["x"]]}),
        pa.table({"a": [1], "b": pa.array([["x"]], pa.large_list(pa.string()))}),
        pa.table({"a": [1], "b": pa.array([["x"]], pa.list_(pa.string(), 1))}),
        pl.DataFrame({"a": [1], "b": [["x"]]}),
    ],
)
def test_a_source_with_lists_is_answered_with_the_key(frame: Any) -> None:
    with pytest.warns(PrivetWarning, match="most_items=10"):
        pv.Codebook.from_frame(frame, unit=pv.Rows())
    book = pv.Codebook.from_frame(frame, unit=pv.Rows(), types={"b": pv.column("text", most_items=2)})
    assert book["b"].column.most == 2
    assert "write type: of its items, and most_items:" in " ".join(template(frame).split())


def test_a_table_without_its_lists_opens() -> None:
    frame = pl.DataFrame({"a": [1, 2], "b": [[1], None], "c": [[[1]], []]})
    book = pv.Codebook(columns={"a": pv.column("integer", bounds=(0, 9))}, unit=pv.Rows())
    session = pv.Session(frame, book, pv.budget(epsilon=1))
    assert exact(session, session.query().agg(pv.count())) == [2]
