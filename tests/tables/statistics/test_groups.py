"""Public groups."""

import pytest

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.statistics.groups import all_groups, categories_of, implied_groups
from privet.tables.statistics.listed_groups import MOST_GROUPS

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
    with pytest.raises(InvalidError, match=f"more than {MOST_GROUPS:,} groups"):
        implied_groups(columns, ["a", "b"], NONE)


def test_groups_that_the_codebook_does_not_imply_are_asked_for() -> None:
    with pytest.raises(InvalidError, match=r"the groups of 'free' are not known. Put its categories"):
        implied_groups(COLUMNS, ["ward", "free"], NONE)
    assert implied_groups(COLUMNS, ["floor"], NONE) == ((-1,), (0,), (1,))
