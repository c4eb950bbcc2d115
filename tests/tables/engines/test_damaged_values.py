"""Values that break the rules of their own format are null or refused at loading; none stops a query later."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.columns.column import Column, Kind
from privet.tables.relations.table_space import Table, read_rows
from tests.tables.one_engine import engine_for, fresh
from tests.tables.raw_arrow import LAYOUTS, TEXTS, texts
from tests.tables.raw_arrow import decimals as raw_decimals

pytestmark = pytest.mark.usefixtures("parquet_way")


def decimals(numbers: list[int], precision: int, scale: int) -> Any:
    """Put whole numbers of 128 bits into decimals that need not have room for them."""
    return raw_decimals(numbers, pa.decimal128(precision, scale))


def read(source: Any, kind: Kind) -> list[Any]:
    with engine_for(source) as engine:
        loaded = engine.load(source, {"v": Column(kind=kind)}, fresh())
        return [row[0] for row in read_rows(Table(relation=loaded, engine=engine))]


@pytest.mark.parametrize("kind", ["integer", "real"])
@pytest.mark.parametrize(("precision", "scale"), [(38, 10), (38, 0), (38, 38), (20, 19)])
def test_a_decimal_of_too_many_digits_is_null(tmp_path: Path, precision: int, scale: int, kind: Kind) -> None:
    beyond = [10**precision, -(10**precision)] + ([-(2**127), 2**127 - 1] if precision == 38 else [])
    table = pa.table({"v": decimals([*beyond, 0], precision, scale)})
    pq.write_table(table, tmp_path / "x.parquet")
    for source in (table, tmp_path / "x.parquet"):
        assert [each is None for each in read(source, kind)] == [True] * len(beyond) + [False]


@pytest.mark.parametrize(("precision", "scale"), [(9, 0), (4, 2), (18, 3), (10, 9)])
def test_a_decimal_of_arrow_never_shows_other_memory(precision: int, scale: int) -> None:
    far = [2**127 - 1, -(2**127), 10**precision, 2**64, 2**32]
    far = [each for each in far if abs(each) >= 10**precision]
    held = pa.chunked_array([decimals([*far, 10**scale], precision, scale).slice(1), decimals(far, precision, scale)])
    found = read(pa.table({"v": held}), "integer")
    assert found == [None] * (len(far) - 1) + [1] + [None] * len(far)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("kind", [pa.decimal32(4, 0), pa.decimal64(12, 0), pa.decimal128(9, 0), pa.decimal128(38, 0)])
def test_one_decimal_beyond_its_precision_changes_no_other_row(layout: Any, kind: Any) -> None:
    most, bits = 10**kind.precision - 1, 8 * kind.byte_width
    good = [1, -most, most, 0]
    wanted = [min(max(each, -(2**63)), 2**63 - 1) for each in good]
    for bad in (most + 1, -most - 1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))):
        table = pa.table({"v": layout(raw_decimals([*good[:2], bad, *good[2:]], kind))})
        assert read(table, "integer") == [*wanted[:2], None, *wanted[2:]]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("kind", TEXTS, ids=repr)
@pytest.mark.parametrize("bad", [b"\xff", b"more than twelve bytes \xc3"])
def test_one_text_that_is_not_utf_8_changes_no_other_row(layout: Any, kind: Any, bad: bytes) -> None:
    table = pa.table({"v": layout(texts([b"1", None, bad, b"\xc3\xa4"], kind))})
    assert read(table, "text") == ["1", None, None, "ä"]
    assert read(table, "integer") == [1, None, None, None]


def test_decimals_that_fit_are_as_they_were(tmp_path: Path) -> None:
    values = [Decimal("99999999.99"), Decimal("-99999999.99"), Decimal("0.01"), None]
    pq.write_table(pa.table({"v": pa.array(values, pa.decimal128(10, 2))}), tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet", "integer") == [100_000_000, -100_000_000, 0, None]


@pytest.mark.parametrize("code", [2, 100, -1])
def test_a_code_that_its_dictionary_lacks_is_null(code: int) -> None:
    codes = pa.array(np.array([0, code, 1], dtype=np.int8))
    coded = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False)
    assert read(pa.table({"v": coded}), "text") == ["a", None, "b"]


@pytest.mark.parametrize("compression", ["snappy", "zstd", "gzip", "none"])
@pytest.mark.parametrize("kind", ["integer", "text"])
def test_damaged_pages_are_refused_at_loading_or_read_as_something(
    tmp_path: Path, compression: str, kind: Kind
) -> None:
    """Whatever a byte of a page becomes, a session that opened answers all its questions."""
    values = [each * 7919 % 100_003 for each in range(3_000)]
    table = pa.table({"v": values if kind == "integer" else [f"text {each}" for each in values]})
    pq.write_table(table, tmp_path / "x.parquet", compression=compression)
    held = (tmp_path / "x.parquet").read_bytes()
    book = pv.Codebook(columns={"v": pv.column(kind)}, unit=pv.Rows())
    for at in range(4, len(held) - 1_000, len(held) // 6):
        damaged = bytearray(held)
        damaged[at] ^= 0xFF
        (tmp_path / "x.parquet").write_bytes(damaged)
        try:
            session = pv.Session(tmp_path / "x.parquet", book, pv.budget(epsilon=9))
        except InvalidError:
            continue
        session.query().agg(n=pv.count_distinct("v")).release(epsilon=1)
        session.close()


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(pd.to_timedelta([1, 2], unit="s")),
        pd.Series(pd.period_range("2024-01", periods=2, freq="M")),
        pd.Series([1j, 2j]),
        pd.Series(pd.interval_range(0, 2)),
    ],
    ids=["duration", "period", "complex", "interval"],
)
@pytest.mark.parametrize("kind", ["integer", "real", "date", "text"])
def test_a_type_of_pandas_that_has_no_reading_is_refused(series: Any, kind: Kind) -> None:
    with pytest.raises(
        InvalidError, match=rf"data \d+\.v is .* in the frame, which cannot be read as {kind}; convert it first"
    ):
        read(pd.DataFrame({"v": series}), kind)
