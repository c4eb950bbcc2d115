"""Groups that a query lists: any iterable, in its order; a set in the public order."""

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.statistics.listed_groups import listed_groups

COLUMNS = {
    "ward": Column(kind="text", categories=("b", "a")),
    "paid": Column(kind="boolean"),
    "floor": Column(kind="integer", bounds=(-1, 1.5)),
    "free": Column(kind="text"),
}
TEXTS: dict[str, Callable[[], Any]] = {
    "list": lambda: ["y", "x"],
    "tuple": lambda: ("y", "x"),
    "dict keys": {"y": 1, "x": 2}.keys,
    "dict": lambda: {"y": 1, "x": 2},
    "generator": lambda: (each for each in ("y", "x")),
    "numpy": lambda: np.array(["y", "x", "y"]),
    "numpy objects": lambda: np.array(["y", "x"], dtype=object),
    "list of numpy": lambda: list(np.array(["y", "x"])),
    "pandas series": lambda: pd.Series(["y", "x", "y"]),
    "pandas categories": lambda: pd.Series(["y", "x"], dtype="category"),
    "pandas index": lambda: pd.Index(["y", "x"]),
    "polars series": lambda: pl.Series(["y", "x", "x"]),
    "arrow array": lambda: pa.array(["y", "x"]),
    "arrow chunks": lambda: pa.chunked_array([["y"], ["x", "y"]]),
    "lists of one": lambda: [["y"], ["x"]],
    "rows": lambda: [{"free": "y", "n": 1}, {"free": "x", "n": 2}, {"free": "y", "n": 3}],
    "columns": lambda: {"free": ["y", "x"]},
}
PAIRS: dict[str, Callable[[], Any]] = {
    "tuples": lambda: [("y", 5), ("x", 6)],
    "lists": lambda: [["y", 5], ["x", 6]],
    "zip": lambda: zip(["y", "x"], [5, 6], strict=True),
    "numpy objects": lambda: np.array([["y", 5], ["x", 6]], dtype=object),
    "pandas index": lambda: pd.MultiIndex.from_tuples([("y", 5), ("x", 6)]),
    "pairs of numpy": lambda: list(zip(np.array(["y", "x"]), np.array([5, 6]), strict=True)),
}


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_any_iterable_lists_groups_in_its_order(make: Callable[[], Any]) -> None:
    read = listed_groups(COLUMNS, ["free"], make())
    assert read == (("y",), ("x",))
    assert all(type(value) is str for (value,) in read)


@pytest.mark.parametrize("make", PAIRS.values(), ids=PAIRS)
def test_several_keys_take_tuples(make: Callable[[], Any]) -> None:
    read = listed_groups(COLUMNS, ["free", "floor"], make())
    assert read == (("y", 5), ("x", 6))
    assert all(type(value) is int for _, value in read)


def test_whole_numbers_of_numpy_and_ranges_are_integers() -> None:
    assert listed_groups(COLUMNS, ["floor"], range(2, 4)) == ((2,), (3,))
    read = listed_groups(COLUMNS, ["floor"], np.arange(2, 4, dtype=np.int16))
    assert read == ((2,), (3,))
    assert all(type(value) is int for (value,) in read)
    assert listed_groups(COLUMNS, ["paid"], np.array([True, False])) == ((True,), (False,))


@pytest.mark.parametrize(
    "groups",
    [
        pd.RangeIndex(2, 4),
        pd.Series([2, 3], dtype="Int64"),
        pd.Categorical([2, 3]),
        pl.Series([2, 3], dtype=pl.UInt8),
        pa.array([2, 3], pa.int8()),
        frozenset({np.int64(3), np.int32(2)}),
        [np.uint8(2), np.int64(3)],
        np.array([2, 3], dtype=np.uint64),
    ],
    ids=lambda groups: type(groups).__name__,
)
def test_whole_numbers_of_every_library_are_integers(groups: Any) -> None:
    read = listed_groups(COLUMNS, ["floor"], groups)
    assert read == ((2,), (3,))
    assert all(type(value) is int for (value,) in read)


def test_a_set_comes_in_the_order_of_the_categories_and_sorted_without_any() -> None:
    assert listed_groups(COLUMNS, ["ward"], {"a", "b"}) == (("b",), ("a",))
    assert listed_groups(COLUMNS, ["free"], {"z", "a", "m"}) == (("a",), ("m",), ("z",))
    assert listed_groups(COLUMNS, ["floor"], frozenset({10, 9, 1})) == ((1,), (9,), (10,))
    pairs = {("z", "a"), ("a", "a"), ("a", "b")}
    assert listed_groups(COLUMNS, ["free", "ward"], pairs) == (("a", "b"), ("a", "a"), ("z", "a"))


def test_an_endless_iterable_is_refused() -> None:
    with pytest.raises(InvalidError, match="between one and"):
        listed_groups(COLUMNS, ["floor"], count())


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame], ids=["arrow", "pandas", "polars"])
def test_a_public_table_lists_groups(make: Any) -> None:
    public = make({"paid": [True, False, True], "other": [1, 2, 3], "free": ["x", "y", "x"]})
    assert listed_groups(COLUMNS, ["free", "paid"], public) == (("x", True), ("y", False))
    assert listed_groups(COLUMNS, ["free"], public) == (("x",), ("y",))
    with pytest.raises(InvalidError, match="there is no column 'ward' in the public table"):
        listed_groups(COLUMNS, ["ward"], public)


@pytest.mark.parametrize(
    ("keys", "groups", "error", "message"),
    [
        (["free"], [], InvalidError, "between one and"),
        (["free"], ["a", "a"], InvalidError, "different groups"),
        (["free", "paid"], ["a"], InvalidError, "2 values for each group"),
        (["free"], [["a", "b"]], InvalidError, "1 value for each group"),
        (["free"], [1], WrongTypeError, "'free' is text, got int"),
        (["free"], [None], WrongTypeError, "'free' is text, got NoneType"),
        (["free"], {"a", None}, WrongTypeError, "'free' is text, got NoneType"),
        (["free"], {"a", 1}, WrongTypeError, "'free' is text, got int"),
        (["floor"], [True], WrongTypeError, "'floor' is integer, got bool"),
        (["floor"], pd.Series([1.5]), WrongTypeError, "'floor' is integer, got float"),
        (["floor"], [2**63], InvalidError, "64-bit integers"),
        (["free"], ["\ud800"], InvalidError, "surrogate"),
        (["free"], "a", WrongTypeError, r"got one text. Write groups=\['a'\]"),
        (["free"], b"a", WrongTypeError, r"got one text. Write groups=\['a'\]"),
        (["free"], 7, WrongTypeError, "must be a list of groups or a public table, got int"),
        (["free"], [{"free": "x"}, {"n": 2}], InvalidError, "a row of the public table has no 'free'"),
        (["paid"], pd.DataFrame({"paid": [True, None]}), WrongTypeError, "'paid' is boolean, got NoneType"),
    ],
)
def test_what_is_no_group_is_refused(keys: list[str], groups: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        listed_groups(COLUMNS, keys, groups)
