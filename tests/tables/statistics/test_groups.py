"""Public groups."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.statistics import groups as groups_module
from privet.tables.statistics.groups import Group, all_groups, categories_of, implied_groups, in_groups
from privet.tables.statistics.listed_groups import MOST_GROUPS
from tests.tables.one_engine import fresh, one_engine

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


ODD = ("", "'", '"', "\\", "\\n", "a\nb", "a\0b", "ß", "\U0001f333", "null", "[1]", "k7")
KEYS = {"name": Column(kind="text"), "number": Column(kind="integer"), "paid": Column(kind="boolean")}


def rows_in(rows: list[dict[str, Any]], keys: list[str], groups: list[Group]) -> list[Group]:
    engine = one_engine()
    relation = engine.load(rows, KEYS, fresh())
    read = engine.execute(relation.filter(in_groups(relation, keys, groups)))
    return sorted(zip(*(read[name] for name in keys), strict=True), key=repr)


@pytest.mark.parametrize("few", [0, 10**6], ids=["as one list", "one by one"])
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_many_groups_select_the_rows_that_few_do(
    few: int, data: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups_module, "_FEW", few)
    numbers = st.sampled_from([None, 0, 1, -(2**63), 2**63 - 1, 2**53 + 1])
    row = st.fixed_dictionaries(
        {"name": st.sampled_from([None, *ODD]), "number": numbers, "paid": st.sampled_from([None, False, True])}
    )
    rows = data.draw(st.lists(row, max_size=20))
    keys = data.draw(st.lists(st.sampled_from(list(KEYS)), min_size=1, unique=True))
    listed = {tuple(each[name] for name in keys) for each in data.draw(st.lists(row, min_size=1, max_size=20))}
    expected = sorted((key for each in rows if (key := tuple(each[name] for name in keys)) in listed), key=repr)
    assert rows_in(rows, keys, sorted(listed, key=repr)) == expected


def test_very_many_groups_are_one_literal() -> None:
    engine = one_engine()
    relation = engine.load([{"number": 7}], KEYS, fresh())
    condition = in_groups(relation, ["number"], [(number,) for number in range(100_000)])
    assert sum(1 for _ in condition.walk()) < 20  # a list of casts took a minute to read
    assert len(engine.execute(relation.filter(condition))["number"]) == 1
