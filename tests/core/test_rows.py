"""Reading columns: total, and row by row."""

import math
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.rows import INT_MAX, INT_MIN, read_identifiers, read_items, read_rows
from privet.errors import WrongTypeError
from tests.laws.inputs import FLOATS, INTEGERS, JUNK, WORDS

ANYTHING = st.one_of(
    st.sampled_from([*FLOATS, *INTEGERS, *WORDS, *JUNK]),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.fractions(),
    st.booleans(),
    st.sampled_from([np.float32(1.5), np.int8(-3), np.uint64(2**64 - 1), np.bool_(True), np.str_("x")]),
)


def plain(values: Any, null: Any) -> list[Any]:
    mask = [False] * len(values) if null is None else null.tolist()
    return [None if missing else repr(item) for item, missing in zip(values.tolist(), mask, strict=True)]


@pytest.mark.parametrize("kind", [int, float, bool, str])
@given(rows=st.lists(ANYTHING, max_size=8), more=ANYTHING)
def test_no_row_changes_how_another_is_read(kind: type, rows: list[Any], more: Any) -> None:
    alone = plain(*read_rows(rows, kind))
    assert plain(*read_rows([*rows, more], kind))[:-1] == alone
    assert plain(*read_rows([more, *rows], kind))[1:] == alone


@pytest.mark.parametrize("kind", [int, float, bool, str])
@given(rows=st.lists(ANYTHING, max_size=5))
def test_all_containers_give_the_same_result(kind: type, rows: list[Any]) -> None:
    objects = np.empty(len(rows), dtype=object)
    objects[:] = rows
    wanted = plain(*read_rows(rows, kind))
    assert plain(*read_rows(tuple(rows), kind)) == wanted
    assert plain(*read_rows(objects, kind)) == wanted
    assert plain(*read_rows(pd.Series(objects, dtype=object), kind)) == wanted


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (2**63, INT_MAX),
        (-(10**40), INT_MIN),
        (2.5, 2),
        (3.5, 4),
        (-2.5, -2),
        (1e300, INT_MAX),
        (-math.inf, INT_MIN),
        (math.nan, None),
        (None, None),
        ("7", None),
        (True, 1),
        (Decimal("1e999999"), INT_MAX),
        (Decimal("-1e-999999"), 0),
        (Decimal("NaN"), None),
        (Decimal("2.5"), 2),
        (Fraction(7, 2), 4),
        (9007199254740993, 9007199254740993),
        (np.longdouble(9007199254740993), int(np.longdouble(9007199254740993))),
        (np.longdouble("inf"), INT_MAX),
    ],
)
def test_integers(value: Any, read: Any) -> None:
    values, null = read_rows([value, None], int)
    assert (None if null is not None and null[0] else int(values[0])) == read


def test_values_of_hostile_classes_are_null() -> None:
    class Word(str):
        def __str__(self) -> str:
            raise RuntimeError("secret")

    class Number(float):
        def __float__(self) -> float:
            raise RuntimeError("secret")

    assert plain(*read_rows([Word("x"), "y"], str)) == ["'x'", "'y'"]
    assert plain(*read_rows([Number(1), 2.0, None], float))[1:] == ["2.0", None]


def test_decimals_beyond_64_bits_saturate_after_rounding() -> None:
    assert read_rows([Decimal("9223372036854775807.6"), Decimal("-9223372036854775808.6")], int)[0].tolist() == [
        INT_MAX,
        INT_MIN,
    ]


@pytest.mark.parametrize("kind", [int, float])
def test_times_are_not_numbers(kind: type) -> None:
    durations = np.array([5, "NaT"], dtype="m8[s]")
    assert plain(*read_rows(durations, kind)) == [None, None]
    assert plain(*read_rows(pd.Series(durations), kind)) == [None, None]
    assert plain(*read_rows([np.timedelta64(5, "s"), None], kind)) == [None, None]


ARROW = [
    pa.array([1, 2], pa.int8()),
    pa.array([2**63], pa.uint64()),
    pa.array([1.5], pa.float32()),
    pa.array([True, False]),
    pa.array(["x", "y"]),
    pa.array([5, 6], pa.duration("ns")),
    pa.array([5, 6], pa.duration("s")),
    pa.array([Decimal("1.5")]),
    pa.chunked_array([[1, 2], [3]]),
    pa.array(["x", "y", "x"]).dictionary_encode(),
    pl.Series([1, 2, 3], dtype=pl.Int16),
    pl.Series([1.5, float("nan")]),
    pl.Series([True]),
    pl.Series(["x"]),
    pl.Series([1, 2], dtype=pl.Duration("ns")),
    pl.Series([1, 2], dtype=pl.Int128),
    pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)),
    pl.Series(["x", "y"], dtype=pl.Categorical),
]


@pytest.mark.parametrize("kind", [int, float, bool, str])
@pytest.mark.parametrize("column", ARROW, ids=lambda column: str(getattr(column, "type", getattr(column, "dtype", ""))))
def test_a_null_changes_no_other_row_of_arrow_and_polars_columns(column: Any, kind: type) -> None:
    alone = plain(*read_rows(column, kind))
    if isinstance(column, pl.Series):
        longer: Any = pl.concat([column, pl.Series([None], dtype=column.dtype)])
    elif isinstance(column, pa.DictionaryArray):
        longer = pa.chunked_array([column, pa.array([None], column.type)]).combine_chunks()
    else:
        parts = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        longer = pa.chunked_array([*parts, pa.array([None], column.type)])
    assert plain(*read_rows(longer, kind)) == [*alone, None]


def test_tables_are_refused() -> None:
    for wrong in (pl.DataFrame({"a": [1]}), pa.table({"a": [1]})):
        with pytest.raises(WrongTypeError, match="must be one column"):
            read_rows(wrong, int)


def test_signalling_nan_and_raising_numpy_stay_silent() -> None:
    signal = np.array([0x7FF0000000000001], dtype=np.uint64).view(np.float64)
    chain = pc.vector(float, bounds=(0, 1e300)) >> pc.Sum() >> pc.Laplace(scale=1)
    with np.errstate(all="raise"):
        for column in (signal, np.array([5e-324]), np.array([1e308]), signal.astype(np.float64)):
            assert type(chain(column)) is float


def test_machine_columns_are_read_whole() -> None:
    values, null = read_rows(np.array([0, 2**64 - 1], dtype=np.uint64), int)
    assert values.tolist() == [0, INT_MAX]
    assert read_rows(np.array([2**63, 1], dtype=">u8"), int)[0].tolist() == [INT_MAX, 1]
    assert read_rows(np.array([-5, 1], dtype=">i4"), int)[0].tolist() == [-5, 1]
    assert null is None
    values, null = read_rows(np.array([1.5, np.nan, np.inf, -1e19]), int)
    assert values.tolist() == [2, 0, INT_MAX, INT_MIN]
    assert null is not None
    assert null.tolist() == [False, True, False, False]
    values, _ = read_rows(np.array([1, 2], dtype=np.int8), float)
    assert values.dtype == np.float64
    assert read_rows(np.array([np.float16(0.5)]), float)[0].tolist() == [0.5]
    assert read_rows(np.array([1, 2], dtype="datetime64[s]"), int)[1].tolist() == [True, True]  # type: ignore[union-attr]


@pytest.mark.parametrize("column", [np.array([3, -1, 9]), np.array([0.5, np.nan, np.inf, -2.0])], ids=["int", "float"])
def test_the_data_are_never_changed(column: Any) -> None:
    kind = int if column.dtype.kind == "i" else float
    column.setflags(write=False)
    for space in (pc.vector(kind), pc.vector(kind, nullable=False), pc.vector(kind, size=2), pc.vector(kind, size=9)):
        chain = space >> pc.Clamp(bounds=(0, 5))
        assert len(chain(column)) in (2, len(column), 9)
        (chain >> pc.Sum() >> pc.Laplace(scale=1))(column)


def test_masked_values_are_null_whatever_the_mask_hides() -> None:
    column = np.ma.MaskedArray([1.0, np.nan, np.inf], mask=[False, True, True])
    assert plain(*read_rows(column, float)) == ["1.0", None, None]
    assert plain(*read_rows(np.ma.MaskedArray([5, 6], mask=[True, False]), int)) == [None, "6"]


def test_pandas_columns() -> None:
    assert plain(*read_rows(pd.Series([1, None, 3], dtype="Int64"), int)) == ["1", None, "3"]
    assert plain(*read_rows(pd.Series([2**62 + 1, None], dtype="Int64"), int)) == [str(2**62 + 1), None]
    assert plain(*read_rows(pd.Series([1.5, None]), float)) == ["1.5", "nan"]
    assert plain(*read_rows(pd.Series(["a", None], dtype="string"), str)) == ["'a'", None]
    assert plain(*read_rows(pd.Series([True, None], dtype="boolean"), bool)) == ["True", None]
    assert plain(*read_rows(pd.Series(["x", "y", "x"], dtype="category"), str)) == ["'x'", "'y'", "'x'"]
    assert plain(*read_rows(pd.Series([], dtype=float), float)) == []


@pytest.mark.parametrize(
    "wrong", [5, "text", {"a": 1}, {1, 2}, np.zeros((2, 2)), np.array(3), pd.DataFrame({"a": [1]}), None]
)
def test_objects_that_are_not_columns_are_refused_without_quoting_them(wrong: Any) -> None:
    with pytest.raises(WrongTypeError, match=r"^the data must be"):
        read_rows(wrong, float)


WHOLE: list[Any] = [
    0,
    -0.0,
    7,
    7.0,
    True,
    np.int8(-3),
    np.float32(4),
    Decimal("5.00"),
    Fraction(6, 2),
    np.longdouble(9),
    2.0**53,
]
BROKEN: list[Any] = [
    0.9, 1.2, -0.5, math.nan, math.inf, 2.0**63, 2**63, -(2**63) - 1, 10**30, Decimal("7.0000000000000000000000001"),
    Decimal("1e-999999999"), Decimal("1e999999999"), Decimal("sNaN"), Fraction(7, 2), np.float16(0.25), "7", b"7", None,
    np.longdouble(1) + np.longdouble(2) ** -60, np.timedelta64(7, "s"), [7], 7 + 0j,
]  # fmt: skip


def test_identifiers_that_are_not_whole_belong_to_no_person() -> None:
    values, null = read_identifiers(WHOLE)
    assert null is None or not null.any()
    assert values.tolist() == [int(item) for item in WHOLE]
    for item in BROKEN:
        _, null = read_identifiers([item])
        assert null is not None, item
        assert null.all(), item


@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", ">f8", "longdouble", "int64", ">i4", "uint64", "bool", object]
)
def test_identifiers_of_arrays_are_read_one_by_one(dtype: Any) -> None:
    values = np.array([0, 1, 1.25, 2.5, 3], dtype=dtype)
    alone = [read_identifiers([item]) for item in values.tolist()]
    for form in (
        values,
        values[::-1][::-1],
        np.ma.MaskedArray(values),
        pd.Series(values.astype(values.dtype.newbyteorder("="))),
    ):
        found, null = read_identifiers(form)
        gone = np.zeros(5, dtype=bool) if null is None else null
        assert gone.tolist() == [bool(mask is not None and mask[0]) for _, mask in alone]
        assert found[~gone].tolist() == [int(item[0]) for item, mask in alone if mask is None or not mask[0]]


def test_large_unsigned_identifiers_belong_to_no_person() -> None:
    _, null = read_identifiers(np.array([2**63, 2**64 - 1, 5], dtype=np.uint64))
    assert null is not None
    assert null.tolist() == [True, True, False]
    hidden = read_identifiers(np.ma.MaskedArray([1.5, 2.0, 3.0], mask=[False, True, False]))[1]
    assert hidden is not None
    assert hidden.tolist() == [True, True, False]


FAR = {  # columns whose last item Python cannot hold; the first ones it can
    "polars dates": pl.Series([0, 1, 2**25], dtype=pl.Int32).cast(pl.Date),
    "polars dates beyond its own calendar": pl.Series([0, 1, 2**30], dtype=pl.Int32).cast(pl.Date),
    "polars dates before its own calendar": pl.Series([0, 1, -(2**30)], dtype=pl.Int32).cast(pl.Date),
    "polars lists of dates": pl.Series([[0], [1], [2**30]], dtype=pl.List(pl.Int32)).cast(pl.List(pl.Date)),
    "polars structs of dates": pl.Series([{"a": 0}, {"a": 1}, {"a": 2**30}], dtype=pl.Struct({"a": pl.Int32})).cast(
        pl.Struct({"a": pl.Date})
    ),
    "polars arrays of times": pl.Series([[0], [1], [2**62]], dtype=pl.Array(pl.Int64, 1)).cast(
        pl.Array(pl.Datetime("ms"), 1)
    ),
    "polars times in milliseconds": pl.Series([0, 1, 2**62], dtype=pl.Int64).cast(pl.Datetime("ms")),
    "polars times with a zone": pl.Series([0, 1, 2**62], dtype=pl.Int64).cast(pl.Datetime("us", "Europe/Berlin")),
    "polars times in nanoseconds": pl.Series([0, 1000, 2**62], dtype=pl.Int64).cast(pl.Datetime("ns")),
    "polars durations": pl.Series([0, 1, 2**62], dtype=pl.Int64).cast(pl.Duration("ms")),
    "pandas times with a zone": pd.Series(np.array([0, 1, 2**62]).view("M8[ms]")).dt.tz_localize("UTC"),
    "pandas dates of Arrow": pd.Series(pa.array([0, 1, 2**25], pa.date32()), dtype=pd.ArrowDtype(pa.date32())),
    "pandas times of Arrow": pd.Series(
        pa.array([0, 1, 2**62], pa.timestamp("ms", "UTC")), dtype=pd.ArrowDtype(pa.timestamp("ms", "UTC"))
    ),
    "Arrow dates": pa.array([0, 1, 2**25], pa.date32()),
    "Arrow times": pa.array([0, 1, 2**62], pa.timestamp("s")),
    "Arrow times of day": pa.array([0, 1000, 1001], pa.time64("ns")),
    "Arrow texts": pa.array([b"a", b"b", b"\xff"], pa.binary()).view(pa.string()),
}


@pytest.mark.parametrize("name", list(FAR))
def test_an_item_that_python_cannot_hold_raises_nothing_and_changes_no_other(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    column = FAR[name]
    assert read_items(column)[:2].tolist() == read_items(column[:2]).tolist()
    for kind in (int, float, bool, str):
        values, null = read_rows(column, kind)
        fewer, nothing = read_rows(column[:2], kind)
        assert values[:2].tolist() == fewer.tolist()
        assert (null is not None and null[:2].all()) == (nothing is not None and nothing.all())
    assert not capfd.readouterr().err, "a panic of polars would be seen"


@pytest.mark.parametrize("unit", ["ms", "us"])
def test_the_last_day_of_the_calendar_is_read(unit: Any) -> None:
    """It often stands for no end; a list and a pandas column have it too."""
    ends = [datetime.fromisoformat(each) for each in ("0001-01-01", "9999-12-31T23:59:59")]
    assert read_items(pl.Series(ends, dtype=pl.Datetime(unit))).tolist() == ends
    assert read_items(pd.Series(ends, dtype=object)).tolist() == ends


def test_the_first_and_the_last_date_of_the_calendar_are_read() -> None:
    """The days beyond them are missing, and nothing else is."""
    days = pl.Series([-719_163, -719_162, None, 2_932_896, 2_932_897], dtype=pl.Int32).cast(pl.Date)
    assert read_items(days).tolist() == [None, date(1, 1, 1), None, date(9999, 12, 31), None]
