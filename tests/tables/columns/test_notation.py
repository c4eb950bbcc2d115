"""How a source writes values: markers of missing texts, and formats of dates."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.column import Column, Kind
from privet.tables.columns.notation import Notation
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.table_space import Table, read_rows

DAY = 15_370  # 2012-01-31


def read(source: Any, known: Column) -> list[Any]:
    with DuckDBEngine(threads=1) as engine:
        loaded = engine.load(source, {"v": known})
        return [row[0] for row in read_rows(Table(relation=loaded, engine=engine))]


def sources(values: list[str | None], path: Path) -> list[Any]:
    (path / "x.csv").write_text("".join(f'"{each}"\n' if each is not None else ",\n" for each in ["v", *values]))
    frame = pd.DataFrame({"v": pd.Series(values, dtype=object)})
    return [path / "x.csv", frame, [{"v": each} for each in values], pa.table({"v": pa.array(values, pa.string())})]


FORMATS = [
    ("%m/%d/%Y", "01/31/2012"),
    ("%d.%m.%Y", "31.01.2012"),
    ("%Y%m%d", "20120131"),
    ("%d/%m/%y", "31/01/12"),
    ("%Y-%m-%d", "2012-01-31"),
    ("%m%%%d %Y", "01%31 2012"),
]


@pytest.mark.parametrize(("written", "value"), FORMATS)
def test_dates_are_read_by_their_format_from_every_source(tmp_path: Path, written: str, value: str) -> None:
    odd = ["31 January", "13/13/2012", "x", "99999999", "infinity", f"{value}x", ""]
    for source in sources([value, *odd, None], tmp_path):
        assert read(source, Column(kind="date", notation=Notation(format=(written,)))) == [
            DAY,
            *[None] * (len(odd) + 1),
        ]


def test_there_is_no_year_zero(tmp_path: Path) -> None:
    for source in sources(["01.01.0000", "31.01.2012"], tmp_path):
        assert read(source, Column(kind="date", notation=Notation(format=("%d.%m.%Y",)))) == [None, DAY]


def test_timestamps_are_read_by_their_format(tmp_path: Path) -> None:
    for source in sources(["31.01.2012 13:45", "31.01.2012"], tmp_path):
        found = read(source, Column(kind="timestamp", notation=Notation(format=("%d.%m.%Y %H:%M",))))
        assert found == [(DAY * 86_400 + 49_500) * 1_000_000, None]


@pytest.mark.parametrize("marker", ["NA", "N/A", "-", "", "'", "☃"])
def test_markers_of_missing_texts_are_null(tmp_path: Path, marker: str) -> None:
    for source in sources([marker, "a", f"{marker} ", "na"], tmp_path):
        assert read(source, Column(kind="text", notation=Notation(missing=(marker,)))) == [
            None,
            "a",
            f"{marker} ",
            "na",
        ]


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("text", {"format": "%Y-%m-%d"}, "Column.format is for date and timestamp columns"),
        ("date", {"format": "%Y-%m"}, "Column.format must name"),
        ("date", {"format": "%Y-%m-%d %H"}, "Column.format must name"),
        ("date", {"format": "%Y-%y-%m-%d"}, "Column.format must name"),
        ("timestamp", {"format": "%Y-%m-%d %z"}, "Column.format must name"),
        ("date", {"format": " %d.%m.%Y"}, "neither begin nor end with white space"),
        ("date", {"format": "%d.%m.%Y\t"}, "neither begin nor end with white space"),
        ("date", {"format": "%d1%m1%Y"}, "nor have a digit beside a part"),
        ("timestamp", {"format": "%S.%f%Y-%m-%d"}, "or a number directly behind %f"),
        ("date", {"format": "%B %d %Y %m"}, "Column.format must name"),
        ("date", {"format": "%Q"}, "Column.format must name"),
        ("text", {"missing": ("NA",), "categories": ("NA", "a")}, "a category too"),
    ],
)
def test_what_cannot_be_meant_is_refused(kind: Kind, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        pv.column(kind, **given)


@pytest.mark.parametrize("given", [{"missing": "NA"}, {"missing": (None,)}, {"missing": (b"x",)}])
def test_markers_are_a_tuple_of_texts(given: dict[str, Any]) -> None:
    with pytest.raises(WrongTypeError, match="Column.missing must be a tuple of texts"):
        pv.column("text", **given)


BOOK = """
unit: {rows: 1}
columns:
  city: {type: text, missing: [NA, "N/A", "-"]}
  day: {type: date, format: "%m/%d/%Y"}
"""


def test_codebooks_hold_them() -> None:
    book = pv.Codebook.from_yaml(BOOK)
    assert book.columns["city"].column.notation.missing == ("NA", "N/A", "-")
    assert book.columns["day"].column.notation.format == ("%m/%d/%Y",)
    assert pv.Codebook.from_yaml(book.to_yaml()) == book == pv.Codebook.from_dict(book.to_dict())
    assert book.columns["city"] == pv.column("text", missing=["NA", "N/A", "-"])


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{type: text, missing: NA}", "missing must be a list"),
        ("{type: date, format: {a: b}}", "format must be one value"),
        ("{type: date, format: [a]}", "must name %Y"),
        ('{type: date, format: "%Y"}', "must name %Y"),
    ],
)
def test_codebooks_with_wrong_ones_are_refused(entry: str, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        pv.Codebook.from_yaml(f"unit: {{rows: 1}}\ncolumns:\n  x: {entry}\n")


def test_a_session_counts_missing_ids_for_nobody() -> None:
    columns = {"person": pv.column("text", missing=("NA",))}
    book = pv.Codebook(columns=columns, unit=pv.Persons(id="person", rows=1))
    session = pv.Session([{"person": "NA"}, {"person": "x"}] * 500, book, pv.budget(epsilon=100))
    assert session.query().agg(pv.count_ids()).release(epsilon=90).values("count_ids")[0] < 50


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5)
LISTS = st.lists(WORDS, max_size=3, unique=True)
KEYS: dict[Kind, dict[str, st.SearchStrategy[Any]]] = {
    "text": {"missing": LISTS, "clean": st.sampled_from(["trim", "lower", ["trim", "upper"]])},
    "integer": {
        "missing": LISTS | st.lists(st.integers(-99, 99), max_size=3, unique=True),
        "decimal": st.sampled_from([".", ","]),
        "thousands": st.sampled_from(["'", " ", "_"]),
        "currency": st.lists(st.sampled_from(["$", "EUR", "zł", "R$", "^", "\\", "[x]"]), max_size=3, unique=True),
        "percent": st.just("points"),
    },
    "date": {
        "missing": LISTS,
        "format": st.lists(st.sampled_from(["iso", "%d.%m.%Y", "%d-%b-%y", "%Y%m%d"]), min_size=1, unique=True),
    },
    "boolean": {"true_words": st.just(["yes", "'"]), "false_words": st.just(["no", "off", "1"])},
}


@pytest.mark.parametrize("kind", KEYS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_notation_is_written_and_read_again(kind: Kind, data: st.DataObject) -> None:
    chosen = data.draw(st.sets(st.sampled_from(sorted(KEYS[kind]))))
    names = chosen if kind != "boolean" else set(KEYS[kind]) if chosen else set()
    stated = {name: data.draw(KEYS[kind][name]) for name in sorted(names)}
    markers: Any = data.draw(st.none() | LISTS)
    book = pv.Codebook(columns={"x": pv.column(kind, **stated)}, unit=pv.Rows(), missing=markers)
    assert pv.Codebook.from_yaml(book.to_yaml()) == book
    assert pv.Codebook.from_dict(json.loads(json.dumps(book.to_dict()))) == book


@pytest.mark.parametrize("text", ["\0", "a\0b", "\ud800", "x" * 1_001])
def test_texts_that_no_engine_holds_are_refused(text: str) -> None:
    for kind, given_ in (("text", {"missing": [text]}), ("boolean", {"true_words": [text], "false_words": ["n"]})):
        with pytest.raises(InvalidError, match="characters that UTF-8 can hold, without NUL"):
            pv.column(kind, **given_)  # type: ignore[arg-type]


@pytest.mark.parametrize("marker", ["');--", "\\", "%", "$1", "\\1", "{}", "\n", "NULL"])
def test_markers_and_words_are_texts_and_nothing_else(marker: str) -> None:
    for kind in ("text", "integer", "date"):
        known = pv.column(kind, missing=[marker]).column
        assert read([{"v": marker}, {"v": None}], known) == [None, None]
    words = pv.column("boolean", true_words=[f"{marker}x"], false_words=["n"]).column
    assert read([{"v": f"{marker}x"}, {"v": "n"}, {"v": "x"}], words) == [True, False, None]


def test_unknown_words_of_a_column_are_named() -> None:
    with pytest.raises(WrongTypeError, match="column has no parameter 'formt'. Did you mean format?"):
        pv.column("date", formt="%d.%m.%Y")  # type: ignore[call-arg]


def test_a_marker_of_the_table_that_is_a_category() -> None:
    columns = {"x": {"type": "text", "categories": ["NA", "b"]}}
    with pytest.raises(InvalidError, match=r"does not fit what the codebook says of all columns.*missing: \[\]"):
        pv.Codebook.from_dict({"unit": {"rows": 1}, "missing": ["NA"], "columns": columns})
    columns["x"]["missing"] = []
    book = pv.Codebook.from_dict({"unit": {"rows": 1}, "missing": ["NA"], "columns": columns})
    assert book.source_columns["x"].notation.markers == ()
