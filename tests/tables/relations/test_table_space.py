"""Spaces of tables: what is a member, and how far apart two are."""

from typing import Any

import pytest

from privet.core.space import Space, vector
from privet.errors import MismatchError
from privet.tables.columns.column import Column
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.relations.table_space import (
    Database,
    DatabaseDomain,
    RowDistance,
    Table,
    TableDomain,
    UnitDistance,
    like,
    table_of,
)

COLUMNS = {"id": Column(kind="integer"), "x": Column(kind="real"), "day": Column(kind="date")}
DOMAIN = TableDomain(columns=COLUMNS)
BOTH = DatabaseDomain(tables={"a": COLUMNS, "b": {"id": Column(kind="integer")}})
PERSONS = UnitDistance(("id",))
ONE, OTHER = {"id": 1, "x": 0.5}, {"id": 1, "x": 0.5000000000000001}


def apart(metric: Any, x: Any, y: Any, domain: Any = DOMAIN) -> Any:
    return metric.distance(domain.admit(x), domain.admit(y), domain)


def test_rows_are_read_into_their_columns() -> None:
    admitted = DOMAIN.admit([{"id": "x", "x": float("inf"), "day": "never"}])
    assert isinstance(admitted, Table)
    assert DOMAIN.member(admitted)
    assert admitted.engine.execute(admitted.relation.select("id"))["id"] == [None]
    assert DOMAIN.admit(admitted) is admitted


def test_a_table_with_other_columns_is_no_member() -> None:
    other = TableDomain(columns={"id": Column(kind="integer", bounds=(0, 1))})
    assert not DOMAIN.member(other.admit([]))
    assert not DOMAIN.member([])


def test_a_table_that_is_not_there_is_empty() -> None:
    admitted = BOTH.admit({"b": [{"id": 1}]})
    assert isinstance(admitted, Database)
    assert BOTH.member(admitted)
    assert not BOTH.member(DatabaseDomain(tables={"a": COLUMNS}).admit({}))
    assert not BOTH.member([])
    assert BOTH.admit(admitted) is admitted


def test_rows_are_counted_however_they_lie() -> None:
    assert apart(RowDistance(), [ONE, OTHER], [OTHER, ONE]) == 0
    assert apart(RowDistance(), [ONE, ONE], [ONE]) == 1
    assert apart(RowDistance(), [ONE], [OTHER]) == 2
    assert apart(RowDistance(), {"a": [ONE]}, {"b": [{"id": 1}]}, BOTH) == 2


def test_reals_that_differ_in_their_last_digit_differ() -> None:
    assert apart(RowDistance(), [{"x": 0.1 + 0.2}], [{"x": 0.3}]) == 2


def test_persons_are_counted_however_many_rows_they_have() -> None:
    assert apart(PERSONS, [ONE] * 50, []) == 1
    assert apart(PERSONS, [ONE, {"id": 2}], [{"id": 3}, ONE]) == 2
    assert apart(PERSONS, [ONE, OTHER], [OTHER, ONE]) == 0


@pytest.mark.parametrize(("x", "y"), [([ONE], [OTHER]), ([ONE], [ONE, ONE]), ([ONE], [ONE, OTHER])])
def test_a_person_whose_rows_differ_is_removed_and_added(x: Any, y: Any) -> None:
    """Counted once, a cap of k rows could move a count by 2k at distance one."""
    assert apart(PERSONS, x, y) == 2


def test_a_person_in_several_tables_is_one_person() -> None:
    assert apart(PERSONS, {"a": [ONE], "b": [{"id": 1}]}, {}, BOTH) == 1
    assert apart(PERSONS, {"a": [ONE], "b": [{"id": 1}]}, {"a": [ONE]}, BOTH) == 2


def test_rows_of_nobody_do_not_count() -> None:
    assert apart(PERSONS, [{"x": 1.0}], []) == 0
    assert apart(UnitDistance(("id", "x")), [{"x": 1.0}, {"id": 1}], []) == 0


def test_an_owner_may_be_several_columns() -> None:
    owners = UnitDistance(("id", "x"))
    assert apart(owners, [{"id": 1, "x": 1.0}, {"id": 1, "x": 2.0}], [{"id": 1, "x": 2.0}]) == 1


def test_a_step_on_a_column_of_numbers_says_what_it_needs() -> None:
    with pytest.raises(MismatchError, match=r"FilterRows needs a table, got vector\(int\); begin with FromTable"):
        vector(int) >> FilterRows(condition="x > 1")


def test_the_same_metric_with_other_columns() -> None:
    changed = like(Space(DOMAIN, PERSONS), {"id": Column(kind="integer")})
    assert table_of(None, changed) == ({"id": Column(kind="integer")}, ("id",))


def test_domains_are_described_by_their_names() -> None:
    assert DOMAIN.describe() == "table(id: integer, x: real, day: date)"
    assert BOTH.describe() == "database(a, b)"


def test_a_user_measures_tables() -> None:
    """A changed row is one removed and one added; a person whose rows change counts two."""
    columns = {"id": Column(kind="integer"), "minutes": Column(kind="integer", bounds=(0, 60))}
    rows, persons = (Space(TableDomain(columns=columns), metric) for metric in (RowDistance(), UnitDistance(("id",))))
    x, y = [{"id": 1, "minutes": 5}], [{"id": 1, "minutes": 5}, {"id": 1, "minutes": 99}, {"id": 2, "minutes": 7}]
    assert (rows.distance(x, x), rows.distance(x, y)) == (0, 2)
    assert (persons.distance(x, x), persons.distance(x, y)) == (0, 3)
