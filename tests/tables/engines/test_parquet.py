"""Parquet files: which reader takes them shows in no value and in no error."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import Invalid
from privet.tables.column import Column, Kind
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.table_space import Table, _read

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
            return sorted(map(repr, (row[0] for row in _read(Table(relation=loaded, engine=engine)))))
    except Invalid as refused:
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
    for texts in _TEXTS:
        pq.write_table(pa.table({"v": column, "s": texts}), tmp_path / "data.parquet", **given)
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
