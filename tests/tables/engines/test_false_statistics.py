"""Files say of each column which values it has at least and at most; a clamp must hold where they lie."""

import struct
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine

pytestmark = pytest.mark.usefixtures("parquet_way")
LARGE = 123_456_789_012


@pytest.fixture
def lying(tmp_path: Path) -> Path:
    """A file with the values 1, 2 and a large one, which says that 2 is the largest."""
    path = tmp_path / "lying.parquet"
    pq.write_table(pa.table({"x": [1, 2, LARGE]}), path, compression="none", use_dictionary=False, store_schema=False)
    held = path.read_bytes()
    footer = len(held) - 8 - struct.unpack("<I", held[-8:-4])[0]
    told = held[footer:].replace(struct.pack("<q", LARGE), struct.pack("<q", 2))
    path.write_bytes(held[:footer] + told)
    return path


def test_values_are_clamped_whatever_a_file_says_of_them(lying: Path) -> None:
    with DuckDBEngine() as engine:
        relation = engine.load(lying, {"x": Column(kind="integer", bounds=(0, 100))})
        assert sorted(engine.execute(relation)["x"]) == [1, 2, 100]


def test_an_engine_that_believes_the_file_leaves_the_clamp_out(lying: Path) -> None:
    found = duckdb.connect().execute(f"SELECT CASE WHEN x > 100 THEN 100 ELSE x END FROM '{lying}'").fetchall()
    assert (LARGE,) in found
