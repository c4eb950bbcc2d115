"""Caps by column: what they say, and what is refused."""

from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.columns.key_caps import KeyCaps, read_key_caps

MONTH = KeyCaps(column="month", groups=3, rows_per_group=2)


def test_both_numbers_bound_all_rows_and_one_does_not() -> None:
    assert MONTH.most_rows == 6
    assert KeyCaps(column="month", groups=3).most_rows is None
    assert KeyCaps(column="month", rows_per_group=2).most_rows is None


@pytest.mark.parametrize(
    ("caps", "words"),
    [
        (MONTH, "3 values of 'month' with 2 rows each"),
        (KeyCaps(column="month", groups=1), "1 value of 'month'"),
        (KeyCaps(column="month", rows_per_group=1), "1 row for each value of 'month'"),
    ],
)
def test_they_are_described(caps: KeyCaps, words: str) -> None:
    assert caps.describe() == words


def test_they_are_read_from_mappings_and_from_themselves() -> None:
    numbers = {"groups": 3, "rows_per_group": 2}
    assert read_key_caps("by", {"month": numbers}) == (MONTH,) == read_key_caps("by", {"month": MONTH})
    assert read_key_caps("by", (MONTH,)) == (MONTH,)
    assert read_key_caps("by", None) == ()
    assert hash(pv.Persons("id", by={"month": numbers})) == hash(pv.Persons("id", by=(MONTH,)))


@pytest.mark.parametrize(
    ("by", "error", "message"),
    [
        (["month"], WrongTypeError, "by must map columns to caps, such as"),
        ({1: {"groups": 2}}, WrongTypeError, "a cap is for one column, by its name"),
        ({("a", "b"): {"groups": 2}}, WrongTypeError, "a cap is for one column, by its name"),
        ({"month": 3}, WrongTypeError, r"by\['month'\] must be a mapping such as"),
        ({"month": {}}, InvalidError, "must have groups, rows_per_group or both"),
        ({"month": {"groups": None}}, InvalidError, "must have groups, rows_per_group or both"),
        ({"month": {"rows": 2}}, InvalidError, "takes groups and rows_per_group; 'rows' is neither"),
        ({"month": {"groups": 0}}, InvalidError, r"by\['month'\].groups must be 1 or more, got 0"),
        ({"month": {"groups": True}}, WrongTypeError, "must be a whole number"),
        ({"month": {"groups": 1.5}}, WrongTypeError, "must be a whole number"),
        ({"month": {"groups": pv.auto()}}, InvalidError, "caps by column are not estimated"),
    ],
)
def test_what_cannot_be_read_is_refused(by: Any, error: type[PrivetError], message: str) -> None:
    with pytest.raises(error, match=message):
        read_key_caps("by", by)


def test_the_unit_refuses_its_identifier_and_caps_that_cannot_be_reached() -> None:
    with pytest.raises(InvalidError, match="must name other columns than the identifier"):
        pv.Persons("id", by={"id": {"groups": 1}})
    with pytest.raises(InvalidError, match=r"Persons.by\['month'\].groups must be at most rows, got groups=3, rows=2"):
        pv.Persons("id", rows=2, by={"month": {"groups": 3}})
    assert pv.Persons("id", rows=20, by={"month": {"groups": 3, "rows_per_group": 2}}).most_rows == 6
