"""Loaded tables are packed, and small Parquet files are copied into them: both show in speed, never in a value."""

import random
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.loading import Loader
from privet.tables.relations.table_space import Table, read_rows

ODD = ["", "a", "A", "'", '"', "a\0b", "\0", "ä", "日本", "🙂", "x" * 300, " a", "NULL", "\\x00", "\n"]
COLUMNS = {
    "t": Column(kind="text"),
    "c": Column(kind="text", categories=("a", "A", "", "'", "a\0b", "ä")),
    "i": Column(kind="integer"),
    "r": Column(kind="real"),
    "b": Column(kind="boolean"),
    "d": Column(kind="date"),
    "m": Column(kind="timestamp"),
}
NUMBERS = [0.1, -2.5, 5e-324, 1.7976931348623157e308, float("nan"), float("-inf"), -0.0, 1e16, 1 / 3]


def rows(count: int, seed: int) -> Any:
    """Rows of every kind with the values on which codecs break: edges, nulls, long and odd texts, runs."""
    draw = random.Random(seed)
    picks: dict[str, Any] = {
        "t": lambda: draw.choice([*ODD, None, f"free {draw.random()}"]),
        "c": lambda: draw.choice([*ODD, None]),
        "i": lambda: draw.choice([0, -1, 2**63 - 1, -(2**63), draw.randrange(2**62), None]),
        "r": lambda: draw.choice([*NUMBERS, draw.random(), None]),
        "b": lambda: draw.choice([True, False, None]),
        "d": lambda: draw.choice([date(1, 1, 1), date(9999, 12, 31), date(2024, 2, 29), None]),
        "m": lambda: draw.choice([datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999), None]),  # noqa: DTZ001
    }
    return pa.table({name: [pick() for _ in range(count)] for name, pick in picks.items()})


def read(engine: DuckDBEngine, source: Any) -> Counter[str]:
    return Counter(map(repr, read_rows(Table(relation=engine.load(source, COLUMNS, "v"), engine=engine))))


def compressions(engine: DuckDBEngine) -> set[str]:
    """Ask DuckDB how the values of the table are stored."""
    found = engine._connection.execute("SELECT DISTINCT compression FROM pragma_storage_info('v')").fetchall()
    return {each[0] for each in found}


@pytest.mark.parametrize("count", [0, 1, 5_000, 150_000])
def test_neither_packing_nor_copying_shows_in_a_value(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = rows(count, seed=count)
    pq.write_table(held, tmp_path / "v.parquet")
    found = []
    for source in (held, tmp_path / "v.parquet"):
        with DuckDBEngine() as engine:
            found.append(read(engine, source))
    monkeypatch.setattr("privet.tables.engines.duckdb.parquet._SMALL", -1)
    monkeypatch.setattr(Loader, "_compress", lambda _: None)
    for source in (held, tmp_path / "v.parquet"):
        with DuckDBEngine() as engine:
            found.append(read(engine, source))
    assert found[0].total() == count
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("from_file", [True, False])
def test_a_loaded_table_is_packed(from_file: bool, tmp_path: Path) -> None:
    held = rows(50_000, seed=3)
    pq.write_table(held, tmp_path / "v.parquet")
    with DuckDBEngine() as engine:
        engine.load(tmp_path / "v.parquet" if from_file else held, COLUMNS, "v")
        assert "DICT_FSST" in compressions(engine) or "Dictionary" in compressions(engine)


def test_only_files_whose_values_have_room_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"t": ["a"] * 10, "i": range(10)}), tmp_path / "v.parquet")
    columns = {"t": Column(kind="text", length=20), "i": Column(kind="integer")}
    bytes_of_rows = 10 * (20 * 4 + 16)
    for room, files in ((bytes_of_rows, 0), (bytes_of_rows - 1, 1)):
        monkeypatch.setattr("privet.tables.engines.duckdb.parquet._SMALL", room)
        with DuckDBEngine() as engine:
            engine.load(tmp_path / "v.parquet", columns, "v")
            assert len(engine._loader.files) == files


def test_a_copy_that_fails_is_read_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(rows(100, seed=1), tmp_path / "v.parquet")
    with DuckDBEngine() as engine:
        expected = read(engine, tmp_path / "v.parquet")
    create = Loader._create

    def without_room(loader: Loader, kind: str, *given: Any) -> None:
        if kind == "TABLE":
            raise InvalidError("no room")
        create(loader, kind, *given)

    monkeypatch.setattr(Loader, "_create", without_room)
    with DuckDBEngine() as engine:
        assert read(engine, tmp_path / "v.parquet") == expected
        assert len(engine._loader.files) == 1


def test_a_table_that_cannot_be_packed_stays_as_it_is() -> None:
    with DuckDBEngine() as engine, engine._connection.cursor() as other:
        other.execute("BEGIN")
        other.execute("CREATE TABLE w AS SELECT 1 AS x")
        assert read(engine, rows(3_000, seed=2)).total() == 3_000
        assert compressions(engine) == {"Uncompressed"}
