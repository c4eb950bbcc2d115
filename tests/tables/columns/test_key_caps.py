"""Caps by column: what they say, and what is refused."""

from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.columns.key_caps import KeyCaps, most_values, read_key_caps

MONTH = KeyCaps(columns="month", groups=3, rows_per_group=2)
PAIR = KeyCaps(columns=("month", "city"), groups=3, rows_per_group=2)


def test_both_numbers_bound_all_rows_and_one_does_not() -> None:
    assert MONTH.most_rows == 6
    assert KeyCaps(columns="month", groups=3).most_rows is None
    assert KeyCaps(columns="month", rows_per_group=2).most_rows is None


@pytest.mark.parametrize(
    ("caps", "words"),
    [
        (MONTH, "3 values of 'month' with 2 rows each"),
        (KeyCaps(columns="month", groups=1), "1 value of 'month'"),
        (KeyCaps(columns="month", rows_per_group=1), "1 row for each value of 'month'"),
        (PAIR, "3 combinations of 'city' and 'month' with 2 rows each"),
        (KeyCaps(columns=("city", "month"), groups=1), "1 combination of 'city' and 'month'"),
        (KeyCaps(columns=["c", "b", "a"], rows_per_group=4), "4 rows for each combination of 'a', 'b' and 'c'"),
    ],
)
def test_they_are_described(caps: KeyCaps, words: str) -> None:
    assert caps.describe() == words


def test_they_are_read_from_mappings_and_from_themselves() -> None:
    numbers = {"groups": 3, "rows_per_group": 2}
    assert read_key_caps("by", {"month": numbers}) == (MONTH,) == read_key_caps("by", {"month": MONTH})
    assert read_key_caps("by", (MONTH,)) == (MONTH,)
    assert read_key_caps("by", None) == ()
    assert read_key_caps("by", {("month", "city"): numbers}) == (PAIR,)
    assert read_key_caps("by", {("city", "month"): PAIR}) == (PAIR,)
    assert read_key_caps("by", {("month",): numbers}) == (MONTH,)
    assert (PAIR.columns, PAIR.label) == (("city", "month"), "'city', 'month'")
    assert hash(pv.Persons("id", by={"month": numbers})) == hash(pv.Persons("id", by=(MONTH,)))


@pytest.mark.parametrize(
    ("by", "error", "message"),
    [
        (["month"], WrongTypeError, "by must map columns to caps, such as"),
        ({1: {"groups": 2}}, WrongTypeError, "a cap is for a column, by its name, or for several, by a tuple of names"),
        ({("a", 1): {"groups": 2}}, WrongTypeError, "by a tuple of names, such as .*, got tuple"),
        ({(): {"groups": 2}}, WrongTypeError, "by a tuple of names, such as .*, got tuple"),
        ({frozenset("ab"): {"groups": 2}}, WrongTypeError, "by a tuple of names, such as .*, got frozenset"),
        ({("a", "a"): {"groups": 2}}, InvalidError, r"by\['a', 'a'\] must name different columns"),
        ({("a", "b"): MONTH, ("b", "a"): MONTH}, InvalidError, r"by\['a', 'b'\] is there twice"),
        ({"a": MONTH, ("a",): MONTH}, InvalidError, r"by\['a'\] is there twice"),
        ({("a", "b"): {"rows": 2}}, InvalidError, r"by\['a', 'b'\] takes groups and rows_per_group"),
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
    with pytest.raises(InvalidError, match="must name other columns than the identifier"):
        pv.Persons("id", by={("city", "id"): {"groups": 1}})
    with pytest.raises(InvalidError, match=r"Persons.by\['city', 'month'\].rows_per_group must be at most rows"):
        pv.Persons("id", rows=1, by={("month", "city"): {"rows_per_group": 2}})
    with pytest.raises(InvalidError, match=r"Persons.by\['month'\].groups must be at most rows, got groups=3, rows=2"):
        pv.Persons("id", rows=2, by={"month": {"groups": 3}})
    assert pv.Persons("id", rows=20, by={"month": {"groups": 3, "rows_per_group": 2}}).most_rows == 6


@pytest.mark.parametrize("columns", [(), ("a", 1), 3, None])
def test_columns_are_names(columns: Any) -> None:
    with pytest.raises(WrongTypeError, match="KeyCaps.columns must be a name or several"):
        KeyCaps(columns=columns, groups=1)
    with pytest.raises(InvalidError, match="must be different columns"):
        KeyCaps(columns=("a", "a"), groups=1)


SETS = [names for size in (1, 2, 3) for names in combinations("abc", size)]


@given(
    rows=st.sets(st.tuples(*[st.integers(0, 3)] * 3), max_size=30),
    stated=st.sets(st.sampled_from(SETS)),
    sized=st.sets(st.sampled_from("abc")),
    names=st.sampled_from(SETS),
)
def test_a_person_has_no_more_values_than_the_caps_say(rows: Any, stated: Any, sized: Any, names: Any) -> None:
    """Whatever the rows are, caps that are true of them bound the values of any columns."""

    def values(columns: Any) -> int:
        return max(len({tuple(row["abc".index(name)] for name in columns) for row in rows}), 1)

    caps = [KeyCaps(columns=columns, groups=values(columns)) for columns in stated]
    sizes = {name: values(name) if name in sized else None for name in "abc"}
    most = most_values(names, caps, sizes)
    if most is not None:
        assert values(names) <= most
    covered = {name for columns in stated for name in columns} | sized
    assert (most is None) == (not covered >= set(names))


@pytest.mark.parametrize(
    ("caps", "sizes", "names", "most"),
    [
        ({("a", "b"): 3}, {}, "ab", 3),
        ({("a", "b"): 3}, {}, "a", 3),  # as many pairs as values of one of the two
        ({("a", "b"): 3, ("a",): 2}, {}, "a", 2),
        ({("a", "b"): 3}, {"b": 2}, "b", 2),
        ({("a", "b"): 3}, {"a": 9, "b": 9, "c": 4}, "abc", 12),
        ({("a", "b"): 2, ("b", "c"): 3}, {}, "abc", 6),
        ({("a", "b"): 2, ("c", "d"): 3, ("b", "c"): 1}, {}, "abcd", 6),
        ({("a", "b", "c"): 5}, {"a": 2, "b": 2}, "ab", 4),
        ({("a", "b"): 3}, {}, "abc", None),
    ],
)
def test_values_of_several_columns_are_attained(caps: Any, sizes: Any, names: str, most: int | None) -> None:
    by = [KeyCaps(columns=columns, groups=groups) for columns, groups in caps.items()]
    assert most_values(names, by, sizes) == most
    if most is None:
        return

    def kept(rows: Any) -> bool:
        limits = [*((each.columns, each.groups) for each in by), *((name, size) for name, size in sizes.items())]
        return all(len({tuple(row[name] for name in columns) for row in rows}) <= limit for columns, limit in limits)

    every = sorted({name for columns in (*caps, names, *sizes) for name in columns})
    tables = (
        [dict(zip(every, values, strict=True)) for values in product(*(range(count) for count in counts))]
        for counts in product(range(1, 6), repeat=len(every))
    )
    found = max(len({tuple(row[name] for name in names) for row in rows}) for rows in tables if kept(rows))
    assert found == most


def test_cyclic_caps_bound_more_than_can_occur() -> None:
    """Three pairs of three columns: the product of two, while 2 x 2 x 2 rows attain the most."""
    caps = [KeyCaps(columns=columns, groups=4) for columns in combinations("abc", 2)]
    assert most_values("abc", caps, {}) == 16
