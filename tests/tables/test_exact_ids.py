"""The id column: numbers that differ are never read as one, so that no two persons are merged."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet.tables.columns.column import Column
from tests.tables.one_engine import engine_for, fresh

ID = Column(kind="integer", exact=True)
SAME = ["7", " 7", "7 ", "+7", "07", "007", "7.", "7.0", "7.000000000000000000000000", "\t7"]
NOBODY = [
    *("7.0000000000000001", "7.00000000001", "7.0000000000000000000000000000000000000000000001", "6.9999999999999999"),
    *("7e0", "7E0", "0.7e1", "70e-1", "7.0e0", "7_0", "0x7", "seven", "7 7", "7,0", "7-", "--7", "+", ".", ".0", "nan"),
    *("inf", "7.0.0", "７", "7\u00a0", "7f"),
]


def read(source: Any) -> list[Any]:
    with engine_for(source) as engine:
        return engine.execute(engine.load(source, {"id": ID}, fresh()))["id"]


@pytest.mark.parametrize("written", SAME)
def test_a_whole_number_may_be_written_in_several_ways(written: str) -> None:
    assert read(pa.table({"id": [written]})) == [7]


@pytest.mark.parametrize("written", NOBODY)
def test_what_is_no_whole_number_belongs_to_nobody(written: str) -> None:
    assert read(pa.table({"id": [written]})) == [None]


def test_text_files_read_ids_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("id\n7\n7.0000000000000001\n7e0\n8.00\n")
    assert sorted(read(tmp_path / "x.tsv"), key=str) == [7, 8, None, None]


@pytest.mark.parametrize(
    "value",
    [Decimal("7.0000000000000000000000000000000000000001"), np.longdouble("7.000000000000000001"), 7.000000000000001],
)
def test_python_numbers_with_a_fraction_belong_to_nobody(value: Any) -> None:
    assert read([{"id": value}]) == [None]


def test_neighbours_above_the_doubles_stay_apart() -> None:
    assert read(pa.table({"id": ["9007199254740993", "9007199254740992.0"]})) == [2**53 + 1, 2**53]
