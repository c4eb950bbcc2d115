"""Python objects of any class: nothing raises, each value is read alone, and texts are read as those of any source."""

import datetime as dt
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from attrs import evolve

import privet as pv
from privet.errors import InvalidError
from privet.tables.columns.column import KINDS, Column, Kind
from privet.tables.columns.notation import Notation
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.table_space import Table, read_rows

ENGINE = DuckDBEngine(threads=1)
TABLES = iter(range(10**9))


def _raise(*_: Any, **__: Any) -> Any:
    raise RuntimeError("canary")


class Everything:
    """Raises whatever is done to it, also when it is asked for its class."""

    def __getattribute__(self, name: str) -> Any:
        _raise()


class Comparing:
    """Raises when it is compared, written or hashed."""

    __eq__ = __str__ = __repr__ = _raise
    __hash__ = _raise


class Words(str):
    """A text whose own methods raise."""

    __slots__ = ()
    __str__ = __eq__ = __len__ = encode = strip = _raise
    __hash__ = _raise


class Number(int):
    """A number whose own methods raise."""

    __int__ = __index__ = __lt__ = __eq__ = _raise
    __hash__ = int.__hash__


class Lying(int):
    """A number that says it is another one, beyond every type."""

    def __int__(self) -> int:
        return 10**50


class Passing(dt.datetime):
    """A moment that counts as it likes."""

    def replace(self, *_: Any, **__: Any) -> Any:
        return self

    def __sub__(self, _: Any) -> Any:
        class Span:
            days, seconds, microseconds = 10**30, 0, 0

        return Span()


class Zone(dt.tzinfo):
    """A zone that raises."""

    utcoffset = dst = tzname = _raise


class Wide(dt.tzinfo):
    """A zone that is farther away than any."""

    dst = tzname = _raise

    def utcoffset(self, _: Any) -> Any:
        return dt.timedelta(days=400)


class Kindless(type):
    """A class that raises when it is asked for its name."""

    def __getattribute__(cls, name: str) -> Any:
        _raise()


class Nameless(metaclass=Kindless):
    """An object of such a class."""


class Unhashed(type):
    """A class that raises when it is hashed."""

    __hash__ = _raise


class Odd(metaclass=Unhashed):
    """An object of such a class."""


class Rowlike(dict):  # type: ignore[type-arg]
    """A dictionary whose own methods raise."""

    get = __getitem__ = __contains__ = _raise


class Key(str):
    """A key that raises when it is compared."""

    __slots__ = ()
    __eq__ = _raise
    __hash__ = str.__hash__


FAR = dt.timezone(dt.timedelta(hours=23))
VALUES: list[Any] = [
    *(Everything(), Comparing(), Words("5"), Words("x"), Number(5), Lying(7), Nameless(), Nameless, Odd(), Odd),
    *(10**5000, -(10**5000), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1e999999"), Fraction(1, 3)),
    *(dt.datetime(2024, 1, 1, tzinfo=Zone()), dt.datetime(2024, 1, 1, tzinfo=Wide()), Passing(2024, 1, 1)),
    *(dt.datetime.min.replace(tzinfo=FAR), dt.datetime(2024, 1, 1, tzinfo=dt.UTC), dt.date(2024, 1, 1), dt.time(3)),
    *(dt.timedelta(1), [1], {"a": 1}, (1, 2), {1}, b"5", bytearray(b"5"), memoryview(b"5"), 1j, range(3), print, ...),
    *(
        np.datetime64("NaT"),
        np.timedelta64(5, "s"),
        np.float16(1),
        np.longdouble("1e4000"),
        np.str_("5"),
        np.bytes_(b"5"),
    ),
    *(
        np.array([1, 2]),
        pd.NaT,
        pd.NA,
        pd.Period("2024-01"),
        pd.Interval(1, 2),
        pd.Timestamp("2024-01-01", tz="Asia/Tokyo"),
    ),
    *("\ud800", "\x00", "1" * 10_000, "９", "inf", "1e999", "now", "epoch", "2024-02-30", "5", " 5 ", "x", "", None),
    *(float("nan"), float("inf"), -0.0, True, 5, 5.5),
]
ROWS: list[Any] = [
    *({"v": each} for each in VALUES),
    *(None, 5, "v", [1], (1,), b"v", object(), Everything(), Comparing(), Nameless(), Rowlike(v=5), {Key("v"): 5}, {}),
]
PLAIN: list[Column] = [Column(kind=kind) for kind in KINDS]
COLUMNS = [
    *PLAIN,
    Column(kind="integer", exact=True),
    Column(kind="real", bounds=(0, 9), notation=Notation(decimal=",", percent="share", missing=("5", "x"))),
    Column(kind="date", notation=Notation(format=("%d.%m.%Y", "iso"), missing=("2024-01-01",))),
    Column(kind="boolean", notation=Notation(true_words=("5",), false_words=("x",))),
    Column(kind="text", notation=Notation(clean=("trim", "upper"), missing=("X",))),
]


def read(source: Any, known: Column) -> list[Any]:
    loaded = ENGINE.load(source, {"v": known}, f"objects {next(TABLES)}")
    return [row[0] for row in read_rows(Table(relation=loaded, engine=ENGINE))]


def frame(values: list[Any]) -> Any:
    held = np.empty(len(values), dtype=object)
    for at, each in enumerate(values):
        held[at] = each
    return pd.DataFrame({"v": pd.Series(held, dtype=object)})


@pytest.mark.parametrize("known", COLUMNS, ids=lambda each: f"{each.kind} {each.notation.missing}")
def test_nothing_raises_and_each_value_is_read_alone(known: Column) -> None:
    whole = read(ROWS, known)
    assert len(whole) == len(ROWS)
    assert read(frame(VALUES), known) == whole[: len(VALUES)]
    half = len(ROWS) // 2
    assert read(ROWS[half:], known) + read(ROWS[:half], known) == whole[half:] + whole[:half]
    for at in range(0, len(ROWS), 7):
        assert read([ROWS[at]], known) == [whole[at]]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_are_no_dictionaries_and_bytes_are_null(kind: Kind) -> None:
    rows = [b"5", None, 5, "v", [5], {"v": b"5"}, {"v": bytearray(b"x")}, {"v": [5]}, {"v": {"v": 5}}]
    assert read(rows, Column(kind=kind)) == [None] * len(rows)


@pytest.mark.parametrize("known", PLAIN, ids=lambda each: each.kind)
def test_texts_among_objects_are_read_as_texts_of_any_source(known: Column) -> None:
    texts = [
        "5",
        " 5 ",
        "5.5",
        "-3",
        "true",
        "T",
        "2024-01-31",
        "2024-01-31T10:00:00+02:00",
        "20240131",
        "1_000",
        "x",
        "",
        "inf",
    ]
    wanted = read(pa.table({"v": texts}), known)
    assert read([{"v": each} for each in texts], known) == wanted
    assert read(frame([*texts, 7]), known)[:-1] == wanted  # also beside values of other types


def test_the_check_counts_them() -> None:
    book = {"columns": {"v": "integer"}, "unit": {"rows": 1}}
    report = pv.check(ROWS, book)
    assert report.rows == len(ROWS)
    assert "10 of 81 rows have no names of columns" in str(report.problems[0])
    assert "bytes" in str(report)
    assert pv.check(frame(VALUES), book).rows == len(VALUES)


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: pd.DataFrame({"v": pd.Series([1], dtype="timedelta64[ns]")}), "timedelta64[ns] in the frame"),
    (lambda: pd.DataFrame({"v": pd.Series(pd.period_range("2024-01", periods=1, freq="M"))}), "period[M] in the frame"),
    (lambda: pd.DataFrame({"v": [1j]}), "complex128 in the frame"),
    (lambda: pl.DataFrame({"v": [dt.timedelta(1)]}), "Duration in the frame"),
    (lambda: pl.LazyFrame({"v": [dt.timedelta(1)]}), "Duration in the frame"),
    (lambda: pl.DataFrame({"v": pl.Series([object()], dtype=pl.Object)}), "Object in the frame"),
    (lambda: pl.DataFrame({"v": [{"a": 1}]}), "Struct in the frame"),
    (lambda: pl.DataFrame({"v": [[1]]}), "List in the frame"),
    (lambda: pl.DataFrame({"v": [b"x"]}), "Binary in the frame"),
    (lambda: pl.DataFrame({"v": [dt.time(1)]}), "Time in the frame"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=[message for _, message in REFUSED])
@pytest.mark.parametrize("kind", ["integer", "text"])
def test_types_without_a_meaning_are_refused_by_their_name(make: Callable[[], Any], message: str, kind: Kind) -> None:
    """A schema is public: the message depends on the type and on no value."""
    source = make()
    with pytest.raises(InvalidError) as caught:
        read(source, Column(kind=kind))
    assert f"v is {message}, which cannot be read as {kind}; convert it first, such as" in str(caught.value)
    with pytest.raises(InvalidError) as again:
        read(source.head(0) if hasattr(source, "head") else source, evolve(Column(kind=kind)))
    strip = str(caught.value).partition(".")[2]
    assert str(again.value).partition(".")[2] == strip


class Neither:
    """Neither true nor false."""

    __bool__ = _raise


class Unsure(float):
    """A number that compares to what is neither true nor false."""

    def __eq__(self, other: object) -> Any:
        return Neither()

    __hash__ = float.__hash__


class Leaving:
    """A key that ends the program when it is compared."""

    def __hash__(self) -> int:
        return hash("v")

    def __eq__(self, other: object) -> bool:
        raise SystemExit(1)


def test_an_identifier_that_compares_to_nothing_is_null() -> None:
    known = Column(kind="integer", exact=True)
    assert read([{"v": 1}, {"v": Unsure(2.0)}, {"v": 3}], known) == [1, None, 3]


def test_a_key_that_ends_the_program_ends_one_value() -> None:
    assert read([{"v": 1}, {Leaving(): 2}, {"v": 3}], Column(kind="integer")) == [1, None, 3]


@pytest.mark.parametrize("source", [lambda values: [{"v": each} for each in values], frame], ids=["rows", "frame"])
@pytest.mark.parametrize("odd", [np.float64("inf"), np.float32("inf"), np.float64("nan")])
def test_no_value_warns(source: Callable[[list[Any]], Any], odd: Any) -> None:
    known = Column(kind="integer", exact=True)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert read(source([1, odd]), known)[0] == 1
    assert [str(each.message) for each in seen] == []
