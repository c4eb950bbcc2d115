"""What a session says at its opening depends on the schema of the source and on nothing else."""

import warnings
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, PrivetWarning
from privet.tables.columns import KINDS
from privet.tables.session import opening
from privet.tables.session.opening import DOUBTFUL, FITTING
from tests.pandas_texts import with_text_types

BUDGET = pv.budget(epsilon=1)
TYPES = {
    "integer": pa.int64(),
    "real": pa.float64(),
    "boolean": pa.bool_(),
    "text": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}
VALUES: dict[str, tuple[Any, Any]] = {
    "integer": (1, 7),
    "real": (0.5, 3.0),
    "boolean": (True, False),
    "text": ("12", "twelve"),
    "date": (date(2024, 1, 31), date(2023, 5, 5)),
    "timestamp": (datetime(2024, 1, 31), datetime(2023, 5, 5, 12)),  # noqa: DTZ001 - a clock without a zone
}


def book(kind: str, **more: Any) -> pv.Codebook:
    return pv.Codebook(columns={"a": pv.column(kind, **more)}, unit=pv.Rows())


def warned(source: Any, codebook: pv.Codebook) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pv.Session(source, codebook, BUDGET).close()
    return [str(each.message) for each in caught]


@pytest.fixture(autouse=True)
def first_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_said", set())


@pytest.mark.parametrize("declared", KINDS)
@pytest.mark.parametrize("there", KINDS)
def test_every_pair_of_types_fits_or_warns_or_is_refused(declared: str, there: str) -> None:
    """The tables of the module agree with the engine: what is in neither is refused at loading."""
    empty = pa.table({"a": pa.array([], TYPES[there])})
    if there in FITTING[declared]:  # type: ignore[index]
        assert warned(empty, book(declared)) == []
    elif there in DOUBTFUL[declared]:  # type: ignore[index]
        [message] = warned(empty, book(declared))
        assert message.startswith(
            f"Session: column 'a' of 'data' is {declared} in the codebook and {there} in the schema of the source."
        )
    else:
        with pytest.raises(InvalidError, match=f"cannot be read as {declared}; change the codebook"):
            warned(empty, book(declared))


@pytest.mark.parametrize("declared", KINDS)
@pytest.mark.parametrize("there", KINDS)
def test_values_change_nothing_that_is_said(declared: str, there: str) -> None:
    """Neighbours have the same schema, so the same warnings: none, one row, another row."""
    if there not in (*FITTING[declared], *DOUBTFUL[declared]):  # type: ignore[index]
        return
    first, second = VALUES[there]
    columns: tuple[list[Any], ...] = ([], [first], [second, None], [None])
    said = [warned(pa.table({"a": pa.array(each, TYPES[there])}), book(declared)) for each in columns]
    assert said.count(said[0]) == len(said)


def test_a_list_and_objects_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    for rows in ([], [{"a": 1}], [(1,)], ["x", None], [{"b": "text"}]):
        monkeypatch.setattr(opening, "_said", set())
        assert len(warned(rows, book("integer"))) == 1
    said = []
    for values in ([], [1], ["x"], [None]):
        monkeypatch.setattr(opening, "_said", set())
        said.append(warned(pd.DataFrame({"a": pd.Series(values, dtype=object)}), book("integer")))
    assert said.count(said[0]) == 4
    assert said[0][0].startswith("Session: a column of Python objects ('a') has no types, so 'data' is not compared")


def test_a_source_without_types_is_said_once_in_a_process() -> None:
    assert len(warned([{"a": 1}], book("integer"))) == 1
    assert warned([{"a": 1}], book("integer")) == []
    with pv.Session([{"a": 1}], book("integer"), BUDGET) as session:
        assert len(session.opening) == 1  # kept all the same


def test_a_format_says_that_texts_are_meant() -> None:
    table = pa.table({"a": ["01/31/2024"]})
    assert "or say how its texts write a date, such as format='%Y-%m-%d'" in warned(table, book("date"))[0]
    assert warned(table, book("date", format="%m/%d/%Y")) == []


def test_frames_and_files_with_a_schema_warn_alike(tmp_path: Path) -> None:
    table = pa.table({"a": ["x"], "unused": ["y"]})
    pq.write_table(table, tmp_path / "data.parquet")
    frames = (with_text_types(table.to_pandas()), pl.from_arrow(table))
    sources = (table, *frames, tmp_path / "data.parquet", str(tmp_path / "*.parquet"))
    said = [warned(source, book("integer")) for source in sources]
    assert said.count(said[0]) == len(sources)
    assert len(said[0]) == 1


def test_the_warning_points_at_the_line_that_opens_the_session() -> None:
    with pytest.warns(PrivetWarning) as caught:
        pv.Session(pa.table({"a": ["x"]}), book("integer"), BUDGET)
    assert caught[0].filename == __file__


def test_children_of_a_partition_say_nothing() -> None:
    known = pv.Codebook(columns={"a": pv.column("integer", categories=(1, 2))}, unit=pv.Rows())
    session = pv.Session(pa.table({"a": ["1", "2"]}), known, BUDGET)
    children = session.partition("a").release(epsilon=1)
    assert [len(session.opening), *(len(child.opening) for child in children.values())] == [1, 0, 0]


def test_a_first_try_needs_no_codebook() -> None:
    frame = with_text_types(pd.DataFrame({"visitor_id": ["a", "b"] * 5, "spending": [10.0] * 10}))
    budget = pv.budget(epsilon=10_000)
    facts: dict[str, Any] = {"unit": pv.Persons("visitor_id", rows=10), "bounds": {"spending": (0, 200)}}
    session = pv.Session(frame, budget=budget, **facts)
    assert session.codebook == pv.Codebook.from_frame(frame, **facts)
    release = session.query().agg(pv.count(), total=pv.sum("spending")).release(epsilon=10_000)
    assert release.values("count") == [10]
    chosen = pv.Session(frame, unit=pv.Rows(), columns=("spending",), budget=BUDGET)
    assert list(chosen.codebook.columns) == ["spending"]


def test_a_first_try_with_a_public_sample(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("a,b\n1,x\n", encoding="utf-8")
    (tmp_path / "public.csv").write_text("a,b\n7,y\n", encoding="utf-8")
    session = pv.Session(
        tmp_path / "visits.csv", unit=pv.Rows(), sample=tmp_path / "public.csv", bounds={"a": (0, 9)}, budget=BUDGET
    )
    assert session.codebook == pv.Codebook(columns={"a": pv.column(int, bounds=(0, 9)), "b": str}, unit=pv.Rows())


def test_a_column_that_is_left_out_is_said_where_the_session_is_opened() -> None:
    with pytest.warns(PrivetWarning, match="Session leaves out 'b'") as caught:
        pv.Session(pa.table({"a": [1], "b": [[1]]}), unit=pv.Rows(), budget=BUDGET)
    assert caught[0].filename == __file__


def test_a_list_of_tuples_takes_the_names_of_its_positions() -> None:
    rows: list[Any] = [(10.0, 1), [20.0, 2], {"visitor_id": 3, "spending": 30.0}, (40.0,), None, (50.0, 5, "more")]
    known = pv.Codebook(columns={"visitor_id": int, "spending": float}, unit=pv.Persons("visitor_id", rows=1))
    session = pv.Session(rows, known, pv.budget(epsilon=10_000), columns=("spending", "visitor_id"))
    assert session.query().agg(pv.count_ids()).release(epsilon=10_000).values("count_ids") == [4]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pv.Session(pa.table({"a": [1]}), book("integer"), BUDGET, columns=("a",)), "names of its own"),
        (lambda: pv.Session([], book("integer"), BUDGET, columns=("b",)), "data has no column 'a'; it has 'b'."),
        (lambda: pv.Session([], book("integer"), BUDGET, columns="a"), "must be names of columns such as"),
        (lambda: pv.Session([], book("integer"), BUDGET, unit=pv.Rows()), "not both"),
        (lambda: pv.Session([], book("integer"), BUDGET, delimiter=";"), "this source is none"),
        (lambda: pv.Session([], BUDGET), "got a budget"),  # type: ignore[arg-type]
        (lambda: pv.Session([], bounds={"a": (0, 1)}, budget=BUDGET), "Session.unit is missing"),
        (lambda: pv.Session([], unit=pv.Rows(), budget=BUDGET), "Session: a list of rows has no schema"),
        (lambda: pv.Session({"a": [1]}, book("integer"), BUDGET), "A dictionary of columns is no source"),
        (lambda: pv.Session({"t": []}, {"t": book("integer")}, BUDGET, columns=("a",)), "for one list of rows"),
    ],
)
def test_what_is_wrong_is_named(make: Any, message: str) -> None:
    with pytest.raises(PrivetError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize("odd", [None, 1, b"x", 2.5])
def test_categories_of_pandas_say_nothing_of_the_values(odd: object) -> None:
    pandas = pytest.importorskip("pandas")
    book = pv.Codebook(columns={"g": pv.column("text")}, unit=pv.Rows())
    said = [
        pv.Session(
            pandas.DataFrame({"g": pandas.Series(values, dtype=object).astype("category")}), book, pv.budget(epsilon=1)
        ).opening
        for values in ([], ["a", "b"], ["a", odd], [odd])
    ]
    assert len(set(said)) == 1
