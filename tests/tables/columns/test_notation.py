"""How a source writes values: markers of missing texts, and formats of dates."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

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
