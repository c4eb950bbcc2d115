"""Python values are read one by one: no value decides how another is read, and none raises."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.tables.columns.column import Column, Kind
from privet.tables.engines.python_values import arrow_column
from privet.tables.engines.sources import cleaned, cleaned_type, from_pandas, from_rows
from tests.tables.raw_arrow import LAYOUTS, TEXTS, decimals, in_dictionary, in_runs, texts


class Nasty:
    """Raises whatever is done to it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("canary")


NOON = datetime(2020, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
CASES: list[tuple[Kind, list[Any], list[Any]]] = [
    ("integer", [1, 2**70, "3", None, 2.5, Decimal(7), float("nan")], [1, 2**63 - 1, None, None, 2, 7, None]),
    ("real", [1, 0.5, "x", None, Decimal("0.1")], [1.0, 0.5, None, None, 0.1]),
    ("boolean", [True, 1, None, np.True_], [True, None, None, True]),
    ("text", ["a", 1, None, "\ud800", "☃"], ["a", None, None, None, "☃"]),
    ("date", [date(2020, 1, 1), NOON, "2020-01-01", "x", 5, None], [date(2020, 1, 1)] * 2 + [None] * 4),
    (
        "timestamp",
        [
            NOON,
            datetime(2020, 1, 1, 10),  # noqa: DTZ001
            "2020-01-01T10:00:00Z",
            np.datetime64("2020-01-01T10"),
            np.datetime64("NaT", "s"),
            3,
        ],
        [*[datetime(2020, 1, 1, 10)] * 2, None, datetime(2020, 1, 1, 10), None, None],  # noqa: DTZ001
    ),
]


@pytest.mark.parametrize(("kind", "values", "wanted"), CASES, ids=[kind for kind, *_ in CASES])
def test_values_are_read_by_kind(kind: Kind, values: list[Any], wanted: list[Any]) -> None:
    assert arrow_column(values, kind).to_pylist() == wanted
    assert [arrow_column([value], kind).to_pylist()[0] for value in values] == wanted


@pytest.mark.parametrize("kind", [kind for kind, *_ in CASES])
def test_nothing_raises(kind: Kind) -> None:
    odd = [
        object(),
        [],
        {},
        b"x",
        1j,
        range(2),
        type,
        10**400,
        datetime.max.replace(tzinfo=UTC),
        datetime.min,  # noqa: DTZ901
        np.array([1]),
        pd.NaT,  # a datetime to Python, whose days are no number
        pd.NA,
    ]
    assert len(arrow_column(odd, kind)) == len(odd)
    assert arrow_column([], kind).to_pylist() == []


def test_rows_may_lack_keys_or_be_something_else() -> None:
    table = from_rows([{"a": 1}, {}, None, [1], {"a": 2, "b": 3}], {"a": Column(kind="integer")})
    assert table.table.to_pydict() == {"a": [1, None, None, None, 2]}


def test_the_type_of_a_pandas_column_of_objects_does_not_depend_on_its_values() -> None:
    columns = {"x": Column(kind="integer")}
    tables = [
        from_pandas("t", pd.DataFrame({"x": pd.Series(values, dtype=object)}), columns) for values in ([1], ["a"], [])
    ]
    assert len({str(made.table.schema.field("x")) for made in tables}) == 1
    assert [made.table[made.texts["x"]].to_pylist() for made in tables if made.texts] == [["a"]]


@pytest.mark.parametrize(
    ("series", "kind", "wanted"),
    [
        (pd.Series(["a", "\ud800", None], dtype="string[python]"), "text", ["a", None, None]),
        (pd.Series([pd.NaT, date(2024, 1, 31)], dtype=object), "date", [None, date(2024, 1, 31)]),
    ],
    ids=["half of a surrogate pair", "NaT"],
)
def test_one_odd_value_of_a_pandas_column_is_null(series: Any, kind: Kind, wanted: list[Any]) -> None:
    assert from_pandas("t", pd.DataFrame({"x": series}), {"x": Column(kind=kind)}).table["x"].to_pylist() == wanted


def test_days_that_python_cannot_count_are_passed_on() -> None:
    made = pa.array([2**30, 1], pa.date32())
    frame = pd.DataFrame({"x": pd.Series(pd.arrays.ArrowExtensionArray(made))})
    table = from_pandas("t", frame, {"x": Column(kind="date")})
    assert table.table["x"].cast(pa.int32()).to_pylist() == [2**30, 1]


BAD_TEXT = b"\xff\xfe"
WORDS = st.lists(st.sampled_from([b"a", b"", b"\xc3\xa4", b"a text of more than twelve bytes", BAD_TEXT, None]))
DECIMALS = [(pa.decimal32, 32, 4), (pa.decimal64, 64, 12), (pa.decimal128, 128, 9), (pa.decimal128, 128, 38)]


def mended(values: Any) -> list[Any]:
    """Clean an array as a batch; its type must be the one that was announced."""
    found = cleaned(pa.RecordBatch.from_arrays([values], names=["x"]), ["x"]).column(0)
    assert found.type == cleaned_type(values.type)
    found.validate(full=True)
    return found.to_pylist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("kind", TEXTS, ids=str)
@settings(max_examples=20, deadline=None)
@given(items=WORDS, skipped=st.integers(0, 3))
def test_a_text_that_is_not_utf_8_is_null_and_nothing_else_changes(
    layout: Any, kind: Any, items: list[bytes | None], skipped: int
) -> None:
    wanted = [None if item in (None, BAD_TEXT) else item.decode() for item in items]
    assert mended(layout(texts(items, kind)).slice(skipped)) == wanted[skipped:]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda each: each.__name__)
@pytest.mark.parametrize(("kind", "bits", "precision"), DECIMALS)
@settings(max_examples=20, deadline=None)
@given(data=st.data(), skipped=st.integers(0, 3))
def test_a_decimal_beyond_its_precision_is_null_and_nothing_else_changes(
    layout: Any, kind: Any, bits: int, precision: int, data: st.DataObject, skipped: int
) -> None:
    lowest, highest, end = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 10**precision
    edges = [lowest, highest, end, -end, end - 1, 1 - end, 0, -1]
    numbers = data.draw(st.lists(st.sampled_from(edges) | st.integers(lowest, highest)))
    wanted = [Decimal(each) if -end < each < end else None for each in numbers]
    assert mended(layout(decimals(numbers, kind(precision, 0))).slice(skipped)) == wanted[skipped:]


@pytest.mark.parametrize("code", [2**64 - 1, 2**63, 3, 2])
def test_a_large_code_that_its_dictionary_lacks_is_null(code: int) -> None:
    codes = pa.array([0, code, 1, None], pa.uint64())
    coded = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False)
    assert mended(coded) == ["a", None, "b", None]


@pytest.mark.parametrize("layout", [in_dictionary, in_runs], ids=lambda each: each.__name__)
def test_a_zone_within_a_dictionary_or_runs_is_the_clock_of_utc(layout: Any) -> None:
    zoned = pa.array([2**62, 1, None], pa.timestamp("us", "Europe/Berlin"))
    found = cleaned(pa.RecordBatch.from_arrays([layout(zoned)], names=["x"]), ["x"]).column(0)
    assert found.type.value_type == pa.timestamp("us")
    assert found.dictionary.cast(pa.int64()).to_pylist()[:2] == [2**62, 1]


def test_the_texts_of_an_extension_type_are_mended() -> None:
    kind = pa.opaque(pa.string(), "type", "vendor")
    held = pa.ExtensionArray.from_storage(kind, texts([b"a", BAD_TEXT], pa.string()))
    assert mended(held) == ["a", None]


def test_rows_without_names_are_read_by_position() -> None:
    class Hostile(tuple):  # type: ignore[type-arg]
        """A row whose own methods must not be called."""

        __slots__ = ()

        def __iter__(self) -> Any:
            raise AssertionError

        def __len__(self) -> int:
            raise AssertionError

    rows = [(1, "x"), [2, "y", 9], (3,), {"b": "z"}, None, "ab", Hostile((4, "w"))]
    known = {"a": Column(kind="integer"), "b": Column(kind="text")}
    table = from_rows(rows, known, ("a", "b")).table
    assert table.to_pydict() == {"a": [1, 2, 3, None, None, None, 4], "b": ["x", "y", None, "z", None, None, "w"]}
    alone = [from_rows([row], known, ("a", "b")).table.to_pylist()[0] for row in rows]
    assert alone == table.to_pylist()  # row by row
