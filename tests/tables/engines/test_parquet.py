"""Parquet files: which reader takes them shows in no value and in no error."""

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import InvalidError
from privet.tables.columns.column import Column, Kind
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.table_space import Table, read_rows
from tests.tables.raw_arrow import texts

pytestmark = pytest.mark.usefixtures("parquet_way")
_OFFSETS = np.array([0, 1, 2, 2, 5], dtype=np.int32).tobytes()
_BROKEN = pa.Array.from_buffers(pa.utf8(), 4, [None, pa.py_buffer(_OFFSETS), pa.py_buffer(b"x\xffabc")])
_TEXTS = (pa.array(["x", "y", "", "abc"]), _BROKEN)
_YEARS = [32_503_680_000_000_000, -14_831_769_600_000_000, 1_704_067_200_000_000, None]  # 3000, 1500 and 2024
_FAR = pa.array(_YEARS, pa.int64()).cast(pa.timestamp("us"))


def values(path: Path, kind: Kind) -> list[Any]:
    """Read the values of one column, or say that it was refused."""
    try:
        with DuckDBEngine() as engine:
            loaded = engine.load(str(path), {"v": Column(kind=kind), "s": Column(kind="text")})
            return sorted(map(repr, (row[0] for row in read_rows(Table(relation=loaded, engine=engine)))))
    except InvalidError as refused:
        return [str(refused)]


@pytest.mark.parametrize(
    ("column", "kind", "given"),
    [
        (_FAR, "timestamp", {"use_deprecated_int96_timestamps": True}),
        (pa.array([Decimal(10**50), Decimal(5), None, Decimal(-5)], pa.decimal256(60, 0)), "integer", {}),
        (pa.array(np.array([1.5, np.nan, np.inf, 0], dtype=np.float16)), "real", {}),
        (pa.array([1, 2, 3, None], pa.duration("us")), "integer", {}),
        (pa.array(["a", "b", "a", None]).dictionary_encode(), "text", {}),
    ],
)
def test_a_text_that_is_not_utf_8_changes_nothing_in_other_columns(
    column: Any, kind: Kind, given: dict[str, Any], tmp_path: Path
) -> None:
    found = []
    for held in _TEXTS:
        pq.write_table(pa.table({"v": column, "s": held}), tmp_path / "data.parquet", **given)
        found.append(values(tmp_path / "data.parquet", kind))
    assert found[0] == found[1]


def test_old_timestamps_do_not_wrap_around(tmp_path: Path) -> None:
    table = pa.table({"v": _FAR, "s": _BROKEN})
    pq.write_table(table, tmp_path / "data.parquet", use_deprecated_int96_timestamps=True)
    assert "32503680000000000" in values(tmp_path / "data.parquet", "timestamp")


def test_json_that_is_not_utf_8_is_null(tmp_path: Path) -> None:
    broken = pa.ExtensionArray.from_storage(pa.json_(pa.utf8()), _BROKEN)
    pq.write_table(pa.table({"v": broken, "s": _TEXTS[0]}), tmp_path / "data.parquet")
    assert values(tmp_path / "data.parquet", "text") == ["''", "'abc'", "'x'", "None"]


@pytest.mark.parametrize("kind", [pa.json_(pa.string()), pa.json_(pa.large_string()), pa.string()], ids=repr)
@pytest.mark.parametrize("stored", [True, False])
def test_a_quoted_text_that_is_not_utf_8_is_null_whatever_duckdb_says_of_it(
    tmp_path: Path, kind: Any, stored: bool
) -> None:
    """DuckDB's message about such a JSON is not UTF-8 itself, so that its binding raises an error of Python."""
    held = texts([b'"fine"', b'"SECRET \xff"', None], kind)
    pq.write_table(pa.table({"v": held, "s": ["a", "b", "c"]}), tmp_path / "data.parquet", store_schema=stored)
    assert values(tmp_path / "data.parquet", "text") == ["'\"fine\"'", "None", "None"]


@pytest.mark.parametrize("kind", ["integer", "real", "boolean", "date", "timestamp", "text"])
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("bad", [b"{", b'"\xff"'])
def test_one_text_that_is_no_json_changes_no_other(tmp_path: Path, kind: Kind, stored: bool, bad: bytes) -> None:
    good = [b"5", b"true", b'"5"', b'"2020-01-01"', b'{"a": 1}', b"null"]
    found = []
    for items in (good, [*good, bad]):
        table = pa.table({"v": texts(items, pa.json_(pa.string())), "s": ["a"] * len(items)})
        pq.write_table(table, tmp_path / "data.parquet", store_schema=stored)
        found.append(values(tmp_path / "data.parquet", kind))
    assert len(found[1]) == len(found[0]) + 1
    assert not Counter(found[0]) - Counter(found[1])


@pytest.mark.parametrize("codes", [pa.int8(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()], ids=str)
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("name", ["v", "v.w"])
def test_categories_with_a_text_that_is_not_utf_8_are_read(
    tmp_path: Path, codes: Any, ordered: bool, name: str
) -> None:
    found = []
    for last in (b"b", b"\xff"):
        entries = texts([b"a", b"", last], pa.string())
        coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2, 0], codes), entries, ordered=ordered)
        pq.write_table(pa.table({name: coded, "n": range(5)}), tmp_path / "data.parquet")
        with DuckDBEngine() as engine:
            loaded = engine.load(
                str(tmp_path / "data.parquet"), {name: Column(kind="text"), "n": Column(kind="integer")}
            )
            found.append(engine.execute(loaded, order_by=["n"])[name])
    assert found == [["a", "", None, "b", "a"], ["a", "", None, None, "a"]]


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_files_that_lay_texts_out_differently_are_read_whichever_has_a_bad_one(tmp_path: Path, bad: int) -> None:
    codes = pa.array([0, 1], pa.int8())
    for at, lay_out in enumerate((pa.string(), pa.large_string(), None)):
        held = texts([b"a", b"\xff" if at == bad else b"b"], lay_out or pa.string())
        column = held if lay_out else pa.DictionaryArray.from_arrays(codes, held)
        pq.write_table(pa.table({"v": column, "s": ["x", "y"]}), tmp_path / f"{at}.parquet")
    assert values(tmp_path / "*.parquet", "text") == ["'a'"] * 3 + ["'b'"] * 2 + ["None"]


def test_ctrl_c_while_values_are_decoded_is_no_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def execute(self, _: str) -> None:
            raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")

    with DuckDBEngine() as engine:
        monkeypatch.setattr(engine._loader, "_connection", Interrupted())
        with pytest.raises(KeyboardInterrupt):
            engine._loader._can_be_read("data", {"v": Column(kind="text")})


def test_a_type_that_only_one_reader_knows_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"v": pl.Series([1, None, 2], dtype=pl.Int128), "s": ["a", "b", "c"]})
    frame.write_parquet(tmp_path / "data.parquet")
    assert values(tmp_path / "data.parquet", "integer") == [
        "data: a column has a type that cannot be read; convert it to another first."
    ]


@pytest.mark.parametrize("moment", [1000, 1001, 2**62])
@pytest.mark.parametrize("units", [("us", "ms"), ("ms", "us")])
def test_files_with_clocks_of_different_steps_are_refused_whatever_they_hold(
    units: tuple[str, str], moment: int, tmp_path: Path
) -> None:
    for unit, value in zip(units, (1000, moment), strict=True):
        times = pa.array([value], pa.int64()).cast(pa.timestamp(unit))
        pq.write_table(pa.table({"v": times, "s": ["a"]}), tmp_path / f"{units.index(unit)}.parquet")
    assert values(tmp_path / "*.parquet", "timestamp") == [
        "data: the files have columns of different types; give files with the same schema."
    ]
