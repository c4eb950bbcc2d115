"""Texts have a largest length: they are cut there when they are read, by characters, and no two persons become one."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsDrawnFromCategories, NullsReplaced
from privet.tables.columns.column import DEFAULT_LENGTH, Column
from privet.tables.engines.default import write_query
from privet.tables.engines.duckdb import DuckDBEngine

TEXTS = ["", "abc", "abcd", "ßßßß", "e\u0301e\u0301e\u0301", "🤦🏼\u200d♂️", "\U0010ffff" * 9, "日本語日本", None]
CUT = ["", "abc", "abc", "ßßß", "e\u0301e", "🤦🏼\u200d", "\U0010ffff" * 3, "日本語", None]


def sources(folder: Path) -> dict[str, Any]:
    table = pa.table({"t": pa.array(TEXTS, pa.string())})
    pq.write_table(table, folder / "t.parquet")
    lines = ["t", *(f'"{text}"' if text is not None else "" for text in TEXTS)]
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {"rows": [{"t": text} for text in TEXTS], "arrow": table, "parquet": folder / "t.parquet",
            "large": table.cast(pa.schema({"t": pa.large_string()})), "csv": folder / "t.csv",
            "dictionary": pa.table({"t": table["t"].combine_chunks().dictionary_encode()})}  # fmt: skip


@pytest.mark.parametrize("name", ["rows", "arrow", "parquet", "large", "csv", "dictionary"])
def test_texts_are_cut_by_characters(name: str, tmp_path: Path) -> None:
    with DuckDBEngine() as engine:
        loaded = engine.load(sources(tmp_path)[name], {"t": Column(kind="text", length=3)})
        found = engine.execute(loaded)["t"]
    assert {text for text in found if text} == {text for text in CUT if text}
    assert name == "csv" or sorted(found, key=repr) == sorted(CUT, key=repr)  # CSV has one way to write nothing


@pytest.mark.parametrize("name", ["rows", "arrow", "parquet", "csv"])
def test_identifiers_that_are_too_long_belong_to_nobody(name: str, tmp_path: Path) -> None:
    with DuckDBEngine() as engine:
        loaded = engine.load(sources(tmp_path)[name], {"t": Column(kind="text", length=3, exact=True)})
        found = engine.execute(loaded)["t"]
    assert {text for text in found if text} == {"abc"}


def test_two_long_identifiers_are_not_one_person() -> None:
    book = Codebook(columns={"id": column("text", length=5)}, unit=pv.Persons(id="id", rows=1))
    rows = [{"id": f"{at:05d}"} for at in range(50)] + [{"id": f"00007{at}"} for at in range(50)]
    session = pv.Session(rows, book, pv.budget(epsilon=10**6))
    assert session.query().agg(pv.count_ids()).release(epsilon=10**5).values("count_ids").tolist() == [50]


def test_a_text_without_a_length_has_the_default() -> None:
    assert Column(kind="text").length == DEFAULT_LENGTH == column("text").column.length
    assert Column(kind="integer").length is None
    with DuckDBEngine() as engine:
        loaded = engine.load([{"t": "a" * 5_000}, {"t": "b" * 1_000}], {"t": Column(kind="text")})
        assert sorted(engine.execute(loaded)["t"]) == ["a" * 1_000, "b" * 1_000]


def test_categories_are_not_cut() -> None:
    known = Column(kind="text", categories=("a" * 1_500, "b"))
    assert known.length == 1_500
    with DuckDBEngine() as engine:
        loaded = engine.load([{"t": "a" * 1_500}, {"t": "a" * 1_501}, {"t": "b"}], {"t": known})
        assert "left" not in write_query(loaded)
        assert sorted(engine.execute(loaded)["t"], key=repr) == sorted(["a" * 1_500, None, "b"], key=repr)


def test_numbers_as_texts_are_cut_too() -> None:
    with DuckDBEngine() as engine:
        loaded = engine.load(pa.table({"t": [12345, -1]}), {"t": Column(kind="text", length=3)})
        assert sorted(engine.execute(loaded)["t"]) == ["-1", "123"]


YAML = "table: t\nunit: {rows: 1}\ncolumns:\n  note:\n    type: text\n    length: 40\n"


def test_a_codebook_says_the_length(tmp_path: Path) -> None:
    path = tmp_path / "book.yaml"
    path.write_text(YAML, encoding="utf-8")
    book = Codebook.read(path)
    assert book["note"].column.length == 40
    path.write_text(book.to_yaml(), encoding="utf-8")
    assert "length: 40" in book.to_yaml()
    assert Codebook.read(path) == book
    assert "length" not in Codebook(columns={"note": column("text")}, unit=pv.Rows()).to_yaml()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"length": 0}, "between 1 and 10,000"),
        ({"length": 10_001}, "between 1 and 10,000"),
        ({"length": 2, "categories": ("a",)}, "categories or length, not both"),
        ({"length": 2, "nulls": NullsReplaced("abc")}, "at most 2 characters"),
        ({"length": 2, "nulls": NullsDrawnFromCategories(("a", "abc"))}, "at most 2 characters"),
    ],
)
def test_a_wrong_length_is_refused(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidError, match=told):
        column("text", **asked)
    with pytest.raises(InvalidError, match="for text columns"):
        column("integer", length=3)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("length: 0", "between 1 and 10,000"),
        ("length: many", "must be a number"),
        ("length: 1.5", "whole number"),
        ("categories: [a, b]\n    length: 3", "categories or length"),
    ],
)
def test_a_wrong_length_in_a_file_is_told(line: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "book.yaml"
    path.write_text(YAML.replace("length: 40", line), encoding="utf-8")
    with pytest.raises(PrivetError, match=told):
        Codebook.read(path)
