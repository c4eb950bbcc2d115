"""Public groups."""

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.statistics.groups import MOST_GROUPS, all_groups, categories_of, implied_groups, listed_groups

COLUMNS = {
    "ward": Column(kind="text", categories=("b", "a")),
    "paid": Column(kind="boolean"),
    "floor": Column(kind="integer", bounds=(-1, 1.5)),
    "wide": Column(kind="integer", bounds=(0, 2**40)),
    "free": Column(kind="text"),
}
NONE: frozenset[str] = frozenset()


def test_values_that_a_column_may_have() -> None:
    assert categories_of(COLUMNS["ward"]) == ("b", "a")
    assert categories_of(COLUMNS["paid"]) == (False, True)
    assert categories_of(COLUMNS["floor"]) == (-1, 0, 1)
    assert categories_of(COLUMNS["wide"]) is None
    assert categories_of(COLUMNS["free"]) is None
    assert categories_of(Column(kind="real", bounds=(0, 1))) is None


def test_groups_are_in_the_order_of_the_codebook_with_nulls_last() -> None:
    assert all_groups(COLUMNS, ["ward", "paid"]) == [("b", False), ("b", True), ("a", False), ("a", True)]
    assert all_groups(COLUMNS, ["ward"], frozenset({"ward"})) == [("b",), ("a",), (None,)]
    assert all_groups(COLUMNS, []) == [()]
    assert all_groups(COLUMNS, ["ward", "free"]) is None


def test_too_many_groups_are_none() -> None:
    columns = {name: Column(kind="integer", bounds=(0, 1023)) for name in ("a", "b")}
    assert all_groups(columns, ["a", "b"]) is None
    with pytest.raises(InvalidError, match=f"more than {MOST_GROUPS} groups"):
        implied_groups(columns, ["a", "b"], NONE)


def test_groups_that_the_codebook_does_not_imply_are_asked_for() -> None:
    with pytest.raises(InvalidError, match=r"the groups of 'free' are not known. Put its categories"):
        implied_groups(COLUMNS, ["ward", "free"], NONE)
    assert implied_groups(COLUMNS, ["floor"], NONE) == ((-1,), (0,), (1,))


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame], ids=["arrow", "pandas", "polars"])
def test_a_public_table_lists_groups(make: Any) -> None:
    public = make({"paid": [True, False, True], "other": [1, 2, 3], "free": ["x", "y", "x"]})
    assert listed_groups(COLUMNS, ["free", "paid"], public) == (("x", True), ("y", False))
    assert listed_groups(COLUMNS, ["free"], public) == (("x",), ("y",))
    with pytest.raises(InvalidError, match="there is no column 'ward' in the public table"):
        listed_groups(COLUMNS, ["ward"], public)


def test_values_and_tuples_are_listed() -> None:
    assert listed_groups(COLUMNS, ["free"], ["y", "x"]) == (("y",), ("x",))
    assert listed_groups(COLUMNS, ["free", "floor"], [("y", 5)]) == (("y", 5),)


@pytest.mark.parametrize(
    ("keys", "among", "error", "message"),
    [
        (["free"], [], InvalidError, "between one and"),
        (["free"], ["a", "a"], InvalidError, "different groups"),
        (["free", "paid"], ["a"], InvalidError, "2 values for each group"),
        (["free"], [1], WrongTypeError, "'free' is text, got int"),
        (["free"], [None], WrongTypeError, "'free' is text, got NoneType"),
        (["free"], [["a"]], WrongTypeError, "'free' is text, got list"),
        (["floor"], [True], WrongTypeError, "'floor' is integer, got bool"),
        (["floor"], [2**63], InvalidError, "64-bit integers"),
        (["free"], ["\ud800"], InvalidError, "surrogate"),
        (["free"], "a", WrongTypeError, "must be a list of groups or a public table, got str"),
        (["paid"], pd.DataFrame({"paid": [True, None]}), WrongTypeError, "'paid' is boolean, got NoneType"),
    ],
)
def test_what_is_no_group_is_refused(keys: list[str], among: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        listed_groups(COLUMNS, keys, among)
