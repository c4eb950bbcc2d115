"""Ids of persons: one text for equal ids, and no exception that depends on an id."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest

from privet.errors import WrongTypeError
from privet.models.fit_job import rows_of_persons
from privet.models.person_ids import read_ids

BERLIN = datetime(2020, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))  # twice on the clock
NOON = datetime.fromisoformat("2020-01-02T12:00")


class Name(str, Enum):  # noqa: UP042 - a StrEnum writes itself as its value
    ANN = "ann"


class Colour(Enum):
    RED = 1


class Other(Enum):
    RED = 1


class Code(bytes, Enum):
    X = b"x"


class Shouting(bytes):
    """Equal to its bytes, and writes itself otherwise."""

    def __str__(self) -> str:
        return "X!"


class Odd(tuple):  # type: ignore[type-arg]
    """Equal to its items, and iterates over others."""

    def __iter__(self) -> Any:
        return iter((9,))


class Hostile:
    """Fails whatever is done with it."""

    def __str__(self) -> str:
        raise RuntimeError("secret")

    def __ne__(self, other: object) -> bool:
        raise RuntimeError("secret")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "same",
    [
        [7, 7.0, np.int8(7), np.float32(7), Decimal(7), Decimal("7.00"), Fraction(7), "7"],
        [1, True, np.True_, "1"],
        [0.0, -0.0, 0, False],
        [0.5, Decimal("0.50"), Fraction(1, 2)],
        [2**70, np.longdouble(2) ** 70, str(2**70)],
        [7, [7], "7"],
        [
            NOON,
            np.datetime64("2020-01-02T12"),
            np.datetime64("2020-01-02T12:00"),
            np.datetime64("2020-01-02T12:00:00", "ns"),
        ],
        [NOON, pd.Timestamp("2020-01-02 12:00")],
        [date(2020, 1, 2), NOON.replace(hour=0), np.datetime64("2020-01-02"), np.datetime64("2020-01-02T00:00:00.000")],
        [NOON.replace(tzinfo=timezone(timedelta(hours=at)), hour=4 + at) for at in range(8)],
        [NOON.replace(tzinfo=UTC), pd.Timestamp("2020-01-02 13:00", tz="Europe/Paris")],
        [(1, "a"), (1.0, "a"), (np.int64(1), "a"), (True, "a")],
        [frozenset([1, "a"]), frozenset(["a", 1.0])],
        ["ann", Name.ANN],
        [1, 1 + 0j, np.complex128(1)],
        [timedelta(days=999_999), np.timedelta64(999_999, "D")],
        [b"x", Code.X, Shouting(b"x")],
        [BERLIN.replace(fold=0), BERLIN.replace(fold=1)],
        [(1,), Odd((1,))],
        [timedelta(days=1), pd.Timedelta(1, "D"), np.timedelta64(1, "D"), np.timedelta64(24, "h")],
        [NOON.replace(microsecond=500_000), np.datetime64("2020-01-02T12:00:00.500")],
    ],
)
def test_equal_ids_are_one_person(same: list[Any]) -> None:
    assert len(set(read_ids(same))) == 1


@pytest.mark.parametrize(
    "few",
    [
        [1, 2, 1.5, "a"],
        ["1e0", 1, "1 "],
        [2**63, 2**63 + 1],
        [date(2020, 1, 2), date(2020, 1, 20)],
        [(1, 2), (12,), ("1, 2",), frozenset([1, 2])],
        [7, "007", "+7", "7.0", " 7", "-7", "7e0", "\u0667"],
        [0, "-0", "00", ""],
        [0.5, "0.5", "1/2", ".5"],
        [b"a", "b'a'", "bytes b'a'", "a"],
        [timedelta(microseconds=1), "1000 ns", np.timedelta64(1, "ns"), np.timedelta64(1, "as")],
        [Colour.RED, Other.RED, "Colour.RED", "RED"],
        [UUID(int=3), str(UUID(int=3)), 3],
        [pd.Period("2020", "Y-DEC"), pd.Period("2020", "Y-JAN"), "2020"],
        [("ab", "c"), ("a", "bc"), (("ab",), "c"), ("1:a", "1:b")],
        [np.longdouble(2) ** 64, np.longdouble(2) ** 64 + 2],
        [np.datetime64("2020-01-02T12:00:00.000000001", "ns"), NOON],
        [np.datetime64(1, "as"), np.datetime64(2, "as"), np.datetime64(0, "s")],
    ],
)
def test_different_ids_are_different_persons(few: list[Any]) -> None:
    assert len(set(read_ids(few))) == len(few)


@pytest.mark.parametrize(
    "nobody", [None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("NaN"), Decimal("sNaN"), Hostile()]
)
def test_a_missing_or_unreadable_id_is_nobody(nobody: Any) -> None:
    assert read_ids(["a", nobody]) == ["text a", None]


@pytest.mark.parametrize(
    "long", [10**2000, 10**5000, -(10**5000), Decimal("1e999999")], ids=lambda each: type(each).__name__
)
def test_a_number_without_end_is_nobody(long: Any) -> None:
    """As one person, all such numbers would share a cap, and one of them would decide which rows of another count."""
    assert read_ids([long, 3]) == [None, "3"]


class Other128(UUID):
    """As a driver of a database has them."""


@pytest.mark.parametrize(
    "odd", [(1,), b"x", UUID(int=3), Other128(int=3), Colour.RED], ids=lambda each: type(each).__name__
)
def test_odd_ids_are_read(odd: Any) -> None:
    first, other = read_ids([odd, 3])
    assert first is not None
    assert other == "3"


@pytest.mark.parametrize("strange", [[1, 2], {"a": 1}, 1j, object(), (1, [2])], ids=lambda each: type(each).__name__)
def test_objects_that_may_be_equal_and_look_otherwise_are_nobody(strange: Any) -> None:
    assert read_ids([strange, 3]) == [None, "3"]


@pytest.mark.parametrize("dtype", ["Int64", "string", "boolean", "category", "int64[pyarrow]"])
def test_a_null_in_a_pandas_column_changes_no_other_id(dtype: str) -> None:
    values: list[Any] = ["x", "y"] if dtype == "string" else [True, False] if dtype == "boolean" else [2**53, 2**53 + 1]
    whole, gaps = pd.Series(values, dtype=dtype), pd.Series([*values, None], dtype=dtype)
    assert read_ids(whole) == read_ids(gaps)[:2]
    assert len(set(read_ids(whole))) == 2


def test_other_containers() -> None:
    assert read_ids(pl.Series([2**53 + 1, None, 3])) == [str(2**53 + 1), None, "3"]
    assert read_ids(np.ma.MaskedArray([1, 2], mask=[False, True])) == ["1", None]
    assert read_ids(pd.Index([4, 5])) == ["4", "5"]
    days = np.array(["2020-01-02", "NaT"], dtype="M8[ns]")
    assert read_ids(days) == [*read_ids([date(2020, 1, 2)]), None]


NS = np.array(["2020-01-02T12:00:00.000000001", "2020-01-02T12:00:00.000000002", "NaT"], dtype="M8[ns]")
FINE = [
    NS,
    NS - NS[0],
    np.ma.MaskedArray(NS, mask=[False, False, True]),
    pd.Series(NS),
    pd.Series(NS).dt.tz_localize("UTC"),
    pd.Series(NS).astype("timestamp[ns][pyarrow]"),
    pd.DatetimeIndex(NS),
    pl.Series(NS),
    pl.Series(NS).dt.replace_time_zone("Europe/Paris"),
    pl.Series(NS - NS[0]),
]


FINE += [each.to_frame() for each in FINE if isinstance(each, pd.Series | pl.Series)]
FINE += [NS[:, None]]


@pytest.mark.parametrize("column", FINE, ids=lambda each: type(each).__module__)
def test_columns_of_times_keep_their_nanoseconds(column: Any) -> None:
    first, second, none = read_ids(column)
    assert first is not None
    assert second is not None
    assert first != second
    assert none is None


@pytest.mark.parametrize(
    "ids", [pd.Index(["a", "b"]), pd.Categorical(["a", "b"]), pd.array(["a", "b"], dtype="string")]
)
def test_every_array_of_pandas_is_a_column(ids: Any) -> None:
    assert read_ids(ids) == ["text a", "text b"]


@pytest.mark.parametrize(
    "ids",
    [range(3), np.arange(3)[:, None], [[0], [1], [2]], pd.DataFrame({"id": range(3)}), pl.DataFrame({"id": range(3)})],
)
def test_a_table_of_one_column_is_that_column(ids: Any) -> None:
    assert read_ids(ids) == ["0", "1", "2"]


@pytest.mark.parametrize("ids", [np.zeros((3, 2)), np.zeros((3, 1, 1)), pd.DataFrame({"a": [1], "b": [2]})])
def test_a_table_of_several_columns_is_refused(ids: Any) -> None:
    with pytest.raises(WrongTypeError, match="persons must be one column with one id for each row"):
        read_ids(ids)


def test_deep_and_long_ids_are_read_or_nobodys() -> None:
    deep: Any = ()
    for _ in range(100_000):
        deep = (deep,)
    pair: Any = "a"
    for _ in range(60):
        pair = (pair,)
    found = read_ids([deep, pair, "b"])
    assert found[0] is None
    assert found[1] is not None
    assert len(found[1]) < 10_000


def test_no_two_persons_share_a_cap() -> None:
    """The law that a merged id breaks: without one person at most the cap of all rows changes, under the same coins."""
    ids = ["7"] * 5 + ["007"] * 5 + [7.5] * 5 + ["7.5"] * 5
    keep, distance = rows_of_persons("Model", ids, 20, 2)
    assert [int(keep[at : at + 5].sum()) for at in (0, 5, 10, 15)] == [2, 2, 2, 2]
    assert distance == 2


POOL: list[Any] = [
    *(7, "007", "7.0", "+7", 7.5, "7.5", "15/2", "text 7", "", "0", "-0", -1, "-01", 2**64, 2.0**64 + 2**12),
    *((1, 2), frozenset([1, 2]), (1, (2,)), ("1, 2",), b"a", "b'a'", "bytes b'a'", Colour.RED, Other.RED, UUID(int=7)),
    *(timedelta(microseconds=1), np.timedelta64(1, "ns"), "duration 1", NOON, NOON + timedelta(microseconds=1), "nan"),
    *(np.datetime64("2020-01-02T12:00:00.000000001", "ns"), date(2020, 1, 2), "time 2020-01-02", float("inf"), "inf"),
]


@pytest.mark.parametrize("seed", range(20))
def test_every_person_has_a_cap_of_their_own(seed: int) -> None:
    """If two ids had one text, the rows of one person would push out rows of the other, beyond the charge."""
    source = np.random.default_rng(seed)
    whose = source.integers(len(POOL), size=300)
    keep, distance = rows_of_persons("Model", [POOL[at] for at in whose], 300, 3)
    for at in range(len(POOL)):
        assert keep[whose == at].sum() == min((whose == at).sum(), 3), POOL[at]
    assert distance == 3


def test_a_cap_holds_for_a_person_of_several_spellings() -> None:
    ids = [1] * 10 + [1.0] * 10 + [True] * 10 + [np.int64(1)] * 10
    keep, distance = rows_of_persons("Model", ids, 40, 2)
    assert (int(keep.sum()), distance) == (2, 2)


def test_rows_of_nobody_are_dropped() -> None:
    """No person takes them away, so that no cap and no noise would be for them."""
    keep, _ = rows_of_persons("Model", ["a", None, "b", float("nan"), Hostile()], 5, 3)
    assert keep.tolist() == [True, False, True, False, False]
