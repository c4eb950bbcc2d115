"""Numbers in the notation of a column: every source reads what an obvious model reads, value by value."""

import re
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

import privet as pv
from privet.errors import InvalidError
from privet.tables.columns.column import Column, Kind
from privet.tables.columns.notation import Notation
from privet.tables.columns.number_forms import plain_digits
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.table_space import Table, read_rows
from privet.tables.vocabulary.source_casts import admit, plain_text

SPACES = " \u00a0\u2009\u202f"
NOTATIONS = [
    Notation(decimal=","),
    Notation(thousands=","),
    Notation(decimal=",", thousands="."),
    Notation(decimal=",", thousands=" ", currency=("€", "EUR")),
    Notation(thousands="'", currency=("$", "CHF")),
    Notation(thousands="_"),
    Notation(percent="points", decimal=","),
    Notation(percent="share"),
    Notation(percent="share", thousands=",", currency=("R$",)),
    Notation(currency=("$", "$U", "(kr".strip("("))),
]
MARKS = {"'": "'\u2019", " ": SPACES}


def model(text: str, notation: Notation) -> Fraction | None:
    """Read a number character by character, as docs/tables/reading.md says."""
    rest = text.strip(SPACES)
    sign, rest = (rest[:1], rest[1:]) if rest[:1] in ("+", "-") and rest else ("", rest)
    rest = rest.lstrip(SPACES)
    for each in sorted(notation.currency, key=len, reverse=True):
        if rest.startswith(each):
            rest = rest.removeprefix(each).lstrip(SPACES)
            break
    if not sign and rest[:1] in ("+", "-"):
        sign, rest = rest[:1], rest[1:]
    for each in sorted(notation.currency, key=len, reverse=True):
        if rest.endswith(each) and rest != each:
            rest = rest.removesuffix(each).rstrip(SPACES)
            break
    share = notation.percent is not None and rest.endswith("%")
    if share:
        rest = rest[:-1].rstrip(SPACES)
    digits, exponent = rest, ""
    if not notation.percent and "e" in rest.lower():
        digits, _, exponent = re.split("([eE])", rest, maxsplit=1)
        if not re.fullmatch("[+-]?[0-9]{1,4}", exponent):
            return None
    whole, _, fraction = digits.partition(notation.decimal or ".")
    if not re.fullmatch("[0-9]*", fraction) or (not whole and not fraction):
        return None
    if whole and not re.fullmatch("[0-9]+", whole):
        groups = re.split(f"[{re.escape(MARKS.get(notation.thousands or '', notation.thousands or chr(0)))}]", whole)
        last, first, between = groups[-1], groups[0], groups[1:-1]
        if len(groups) < 2 or not all(re.fullmatch("[0-9]+", each) for each in groups):
            return None
        if len(last) != 3 or not 1 <= len(first) <= 3 or any(len(each) not in (2, 3) for each in between):
            return None
        whole = "".join(groups)
    value = Fraction(int(whole or "0")) + (Fraction(int(fraction), 10 ** len(fraction)) if fraction else 0)
    value *= Fraction(10) ** int(exponent or "0") * (Fraction(1, 100) if share and notation.percent == "share" else 1)
    return -value if sign == "-" else value


def read(source: Any, known: Column) -> list[Any]:
    with DuckDBEngine(threads=1) as engine:
        loaded = engine.load(source, {"v": known})
        return [row[0] for row in read_rows(Table(relation=loaded, engine=engine))]


TOKENS = st.sampled_from(
    [
        *(*"0123456789", "12", "345", "678", ",", ".", "'", "\u2019", " ", "\u00a0", "_", "+", "-"),
        *("$", "€", "EUR", "CHF", "R$", "%", "e", "E", "x", "(", "\t", "kr", "U", "٣", "½", "inf", "nan", "0x1"),
    ]
)
TEXTS = st.lists(TOKENS, max_size=7).map("".join)
USUAL = st.sampled_from(
    ["1,234.50", "1.234,50", "€ 12", "-$3.10", "12 %", "7%", "1 234", "12,34,567", "0", "-0", "1e3", "1e-400"]
)


@pytest.mark.parametrize("kind", ["real", "integer"])
@pytest.mark.parametrize("notation", NOTATIONS, ids=str)
@settings(max_examples=8, deadline=None)
@given(texts=st.lists(TEXTS | USUAL, min_size=1, max_size=40))
def test_numbers_are_read_by_the_rule(kind: Kind, notation: Notation, texts: list[str]) -> None:
    if kind == "integer" and notation.percent == "share":
        return
    found = read(pa.table({"v": pa.array(texts, pa.string())}), Column(kind=kind, notation=notation))
    for text, value in zip(texts, found, strict=True):
        wanted = model(text, notation)
        if wanted is None:
            assert value is None, text
        elif kind == "real":
            assert float(value) == float(wanted) if abs(wanted) < 10**308 else value is None, text
        else:
            nearest = int(abs(wanted) + Fraction(1, 2)) * (-1 if wanted < 0 else 1)
            assert value is None or value == min(max(nearest, -(2**63)), 2**63 - 1), text
            assert value is not None or abs(wanted) > 10**18 or "e" in text.lower(), text


def sources(values: list[str | None], path: Path) -> list[Any]:
    table = pa.table({"v": pa.array(values, pa.string())})
    lines = ["v", *('""' if each == "" else "," if each is None else f'"{each}"' for each in values)]
    (path / "x.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    pq.write_table(table, path / "x.parquet")
    return [
        path / "x.csv",
        path / "x.parquet",
        table,
        pd.DataFrame({"v": pd.Series(values, dtype=object)}),
        pd.DataFrame({"v": pd.Series(values, dtype="category")}),
        pd.DataFrame({"v": pd.Series(values, dtype="string")}),
        pl.DataFrame({"v": pl.Series(values, dtype=pl.String)}),
        pl.DataFrame({"v": pl.Series(values, dtype=pl.Categorical)}),
        [{"v": each} for each in values],
    ]


VALUES: list[str | None] = [
    *("1.234,5", " 7 ", "NA", "-999", "-999,0", "€ 3", "x", "", None, "12 %", "ja", "Nein", "31.01.2024"),
]
COLUMNS = [
    Column(kind="real", notation=Notation(decimal=",", thousands=".", currency=("€",), missing=("NA", "-999"))),
    Column(kind="integer", notation=Notation(decimal=",", percent="points", missing=("-999",))),
    Column(kind="integer", exact=True, notation=Notation(thousands=".", decimal=",")),
    Column(kind="boolean", notation=Notation(true_words=("Ja",), false_words=("nein",))),
    Column(kind="date", notation=Notation(format=("%d.%m.%Y", "iso"), missing=("1900-01-01",))),
    Column(kind="timestamp", notation=Notation(format=("%d.%m.%Y", "iso"))),
    Column(kind="text", notation=Notation(clean=("trim", "upper"), missing=("NA", "JA"))),
    Column(kind="real"),
    Column(kind="integer", bounds=(0, 10)),
    Column(kind="date"),
    Column(kind="timestamp"),
    Column(kind="boolean"),
]


@pytest.mark.parametrize("known", COLUMNS, ids=lambda each: f"{each.kind} {each.notation.missing}")
def test_every_source_reads_the_same(known: Column, tmp_path: Path) -> None:
    more = ["2024-01-31", "2024-01-31T10:00:00Z", "1900-01-01", "true", "5", "5.5", "1e2", "+3"]
    found = [read(source, known) for source in sources([*VALUES, *more], tmp_path)]
    assert all(each == found[0] for each in found), [found[0], *(each for each in found if each != found[0])]


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("text", {"decimal": ","}, "Column.decimal is for integer and real columns, got a text column"),
        ("real", {"decimal": ";"}, "Column.decimal must be one of"),
        ("real", {"thousands": "|"}, "Column.thousands must be one of"),
        ("real", {"thousands": ",", "decimal": ","}, "Column.thousands and Column.decimal must differ"),
        ("date", {"currency": ["$"]}, "Column.currency is for"),
        ("real", {"currency": ["1$"]}, "Column.currency must be signs such as"),
        ("real", {"currency": ["-"]}, "Column.currency must be signs such as"),
        ("real", {"currency": [""]}, "Column.currency must be signs such as"),
        ("real", {"percent": "yes"}, 'Column.percent must be "points", where 12 % is read as 12, or "share"'),
        ("integer", {"percent": "share"}, "a share is no whole number"),
    ],
)
def test_what_cannot_be_meant_is_refused(kind: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidError, match=re.escape(message)):
        pv.column(kind, **given)


def test_a_point_cannot_be_both_marks() -> None:
    columns = {"x": pv.column("real", thousands=".")}
    with pytest.raises(InvalidError, match="Without decimal=',' a point is the decimal mark"):
        pv.Codebook(columns=columns, unit=pv.Rows())
    assert pv.Codebook(columns=columns, unit=pv.Rows(), decimal=",").source_columns["x"].notation.decimal == ","


def test_an_identifier_is_no_percentage_and_is_never_rounded() -> None:
    with pytest.raises(InvalidError, match="must not have percent"):
        pv.Codebook(columns={"id": pv.column("integer", percent="points")}, unit=pv.Persons("id", rows=1))
    known = Column(kind="integer", exact=True, notation=Notation(thousands=","))
    values = ["1,234", "1234", "1,234.0", "1,234.5", "1e3", "12,34"]
    with tempfile.TemporaryDirectory():
        assert read(pa.table({"v": values}), known) == [1234, 1234, 1234, None, None, None]


@settings(max_examples=30, deadline=None)
@given(texts=st.lists(TEXTS | USUAL, min_size=1, max_size=200))
def test_markers_are_read_in_python_as_the_engine_reads_columns(texts: list[str]) -> None:
    for notation in NOTATIONS:
        for text in texts:
            digits, wanted = plain_digits(text, notation), model(text, notation)
            assert (digits is None) == (wanted is None), text
            assert digits is None or wanted is None or abs(wanted) > 10**300 or Fraction(digits) == wanted, text


def test_a_column_of_many_marks_is_written_in_few_words() -> None:
    """Sixty such columns once took minutes to open: their texts were taken apart dozens of times in one statement."""
    known = Column(
        kind="integer", bounds=(0, 9), notation=Notation(decimal=",", thousands=".", missing=("NA", "-999", "-1"))
    )
    whole = plain_text(exp.column("v"), "text", known)
    assert whole is not None
    written = admit(exp.column("v"), "text", known, plain=exp.column("d"))
    assert len(whole.sql(dialect="duckdb")) + len(written.sql(dialect="duckdb")) < 20_000
    assert "regexp" not in written.sql(dialect="duckdb").lower()


@pytest.mark.parametrize("name", ["privet digits 0", "Privet Digits 0 "])
def test_a_column_may_have_the_name_of_what_is_computed_first(name: str) -> None:
    known = Column(kind="real", bounds=(0, 9), notation=Notation(decimal=","))
    with DuckDBEngine(threads=1) as engine:
        loaded = engine.load(pa.table({name: ["1,5"], "v": ["2,5"]}), {name: known, "v": known})
        assert [tuple(map(float, row)) for row in read_rows(Table(relation=loaded, engine=engine))] == [(1.5, 2.5)]
