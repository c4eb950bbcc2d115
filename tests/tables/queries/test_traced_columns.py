"""Caps by column follow a column of the table through a query, and no other column of that name."""

from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.queries.traced_columns import caps_of_table, traced_columns

BY = {"month": {"groups": 3, "rows_per_group": 2}}
COLUMNS = {
    "id": pv.column("integer"),
    "month": pv.column("integer", bounds=(1, 12)),
    "town": pv.column("text", categories=("a", "b", "c", "d")),
    "cost": pv.column("real", bounds=(0, 9)),
}
PEOPLE = {"id": pv.column("integer"), "age": pv.column("integer", bounds=(0, 9))}


def query(**caps: Any) -> Any:
    unit = pv.Persons("id", **(caps or {"by": BY}))
    books = {
        "visits": pv.Codebook(columns=COLUMNS, unit=unit),
        "people": pv.Codebook(columns=PEOPLE, unit=pv.Persons("id")),
    }
    return pv.Planner(books, pv.budget(epsilon=1))


def contribution(rows: Any, *keys: str) -> tuple[int, int, int]:
    counted = (rows.group_by(*keys) if keys else rows).agg(pv.count()).contribution
    return counted.l0, counted.l1, counted.linf


@pytest.mark.parametrize(
    "follow",
    [
        lambda rows, _: rows.filter("cost > 3"),
        lambda rows, _: rows.select("id", "month", "town"),
        lambda rows, _: rows.derive(twice="2 * cost"),
        lambda rows, _: rows.join(_.query("people"), rows=1),
        lambda rows, _: rows.union(rows.filter("cost > 3")),
        lambda rows, _: rows.summarize("month", "town", cost="sum(cost)"),
        lambda rows, _: rows.join_public([{"town": "a", "n": 1}], on="town"),
        lambda rows, _: rows.rename(spring="month").rename(month="spring"),
    ],
    ids=["filter", "select", "derive", "join", "union", "summarize", "join_public", "rename twice"],
)
def test_the_cap_follows_its_column(follow: Any) -> None:
    planner = query()
    rows = follow(planner.query("visits"), planner)
    assert traced_columns(rows.chain)["month"] == "month"
    assert contribution(rows, "month") == (3, 6, 2)
    assert contribution(rows, "month", "town") == (6, 6, 2)
    assert contribution(rows, "town") == (6, 6, 6)
    assert contribution(rows) == (1, 6, 6)


def test_the_cap_follows_a_new_name() -> None:
    rows = query().query("visits").rename(m="month")
    assert caps_of_table(rows.chain, rows.unit)[0].columns == ("m",)
    assert contribution(rows, "m") == (3, 6, 2)
    own = query(rows=50).query("visits").cap(by=BY).rename(m="month")
    assert contribution(own, "m") == (3, 6, 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.derive(month="clip(month + 1, 1, 12)"),
        lambda rows: rows.derive(month="month + 0"),
        lambda rows: rows.select("id", "town", "cost"),
        lambda rows: rows.summarize("town", month="max(month)"),
        lambda rows: rows.union(rows.derive(month="13 - month")),
    ],
    ids=["derived", "derived as it was", "gone", "summarized", "union with another"],
)
def test_it_says_nothing_of_another_column(change: Any) -> None:
    rows = change(query().query("visits"))
    assert "month" not in traced_columns(rows.chain)
    with pytest.raises(InvalidError, match="how much one person may count is not bounded"):
        rows.group_by("town").agg(pv.count())


def test_caps_of_the_query_come_first() -> None:
    rows = query().query("visits").cap(by={"month": {"groups": 1, "rows_per_group": 5}})
    assert contribution(rows, "month") == (1, 5, 5)
    both = rows.cap(by={"town": {"groups": 2}})
    assert contribution(both, "month", "town") == (2, 5, 5)


@pytest.mark.parametrize(
    ("caps", "by", "keys", "expected"),
    [
        ({"rows": 4}, BY, ("month",), (3, 4, 2)),
        ({"groups": 2}, BY, ("month",), (2, 4, 2)),
        ({"rows_per_group": 1}, BY, ("month", "town"), (6, 6, 1)),
        ({"rows_per_group": 1}, {"month": {"groups": 1}}, ("month", "town"), (4, 4, 1)),
        ({"rows": 100}, {"month": {"groups": 2}, "town": {"groups": 3}}, ("month", "town"), (6, 100, 100)),
        ({}, {"month": {"rows_per_group": 2}}, ("month",), (24, 24, 2)),
        ({"rows": 100}, {"month": {"groups": 2}}, ("town",), (100, 100, 100)),
    ],
)
def test_caps_combine(caps: dict[str, int], by: Any, keys: tuple[str, ...], expected: tuple[int, int, int]) -> None:
    assert contribution(query(**caps, by=by).query("visits"), *keys) == expected


def test_less_noise_follows() -> None:
    rows = query(rows=100).query("visits")
    fewer = rows.cap(by=BY)
    scales = [each.group_by("month").agg(pv.count()).plan(epsilon=1).planned[0].noise.scale for each in (rows, fewer)]
    assert scales == [100, 6]
    persons = [
        each.group_by("month").agg(pv.count_ids()).plan(epsilon=1).planned[0].noise.scale for each in (rows, fewer)
    ]
    assert persons == [12, 3]


def test_listed_groups_bound_the_values_of_a_key() -> None:
    rows = query(rows=100, by={"month": {"groups": 3}}).query("visits")
    some = rows.group_by("month", "town", groups=[(1, "a"), (2, "a"), (3, "a"), (4, "b")]).agg(pv.count())
    assert some.contribution.l0 == 6  # three months, two towns
    assert some.plan(epsilon=1).planned[0].noise.scale == 100


def test_private_keys_use_them_and_unknown_groups_bound_nothing() -> None:
    rows = query(by={"month": {"groups": 3, "rows_per_group": 2}, "town": {"groups": 1}}).query("visits")
    found = rows.group_by("month", "town", keys=pv.private(delta=1e-7)).agg(pv.count())
    assert "a key needs" in found.describe(epsilon=1, delta=1e-6)
    keys = rows.private_keys("month", "town").plan(epsilon=1, delta=1e-7)
    assert keys.rounds[0].moved.most == 3
    alone = query(by={"month": {"groups": 3}}).query("visits")
    with pytest.raises(InvalidError, match="not bounded"):
        alone.private_keys("month", "town").plan(epsilon=1, delta=1e-7)
    assert alone.private_keys("month").plan(epsilon=1, delta=1e-7).rounds[0].moved.most == 3


def test_descriptions_name_the_caps_that_hold() -> None:
    rows = query().query("visits").cap(by={"town": {"groups": 2}})
    assert "caps of a person: 3 values of 'month' with 2 rows each, 2 values of 'town'" in rows.group_by("town").agg(
        pv.count()
    ).describe(epsilon=1)
    text = rows.group_by("month").agg(pv.count()).describe(epsilon=1)
    assert "'town'" not in text
    assert "at most 3 values of 'month' with 2 rows each of each id are counted" in text
    measured = rows.group_by("month").agg(pv.count()).describe(epsilon=1, bias=0.1, most_rows=100)
    assert "what caps leave out, up to 100 rows of a person" in measured


def test_mistakes_are_named() -> None:
    rows = query().query("visits")
    with pytest.raises(InvalidError, match="cap.by: there is no column 'mnth'.*Did you mean 'month'"):
        rows.cap(by={"mnth": {"groups": 1}})
    with pytest.raises(InvalidError, match="cap.by: 'id' tells whose rows are protected"):
        rows.cap(by={"id": {"groups": 1}})
    plain = pv.Planner(pv.Codebook(columns=COLUMNS, unit=pv.Rows()), pv.budget(epsilon=1)).query()
    with pytest.raises(InvalidError, match="the unit is rows"):
        plain.cap(by=BY)
    with pytest.raises(InvalidError, match=r"Codebook.unit.by: there is no column 'mnth'"):
        pv.Codebook(columns=COLUMNS, unit=pv.Persons("id", by={"mnth": {"groups": 1}}))


def test_sql_follows_the_column_too() -> None:
    door = query()
    text = "SELECT m, COUNT(*) AS n FROM (SELECT month AS m FROM visits) AS inner_rows GROUP BY m"
    assert "one unit counts at most: 3 groups, 6 rows in all, 2 rows in a group" in door.sql(text).describe(epsilon=1)
    other = "SELECT COUNT(*) AS n FROM (SELECT month + 0 AS month, town FROM visits) AS inner_rows"
    with pytest.raises(InvalidError, match="how much one person may count is not bounded"):
        door.sql(other)


def test_both_numbers_bound_the_rows_that_are_imputed_and_one_does_not() -> None:
    imputed = query().query("visits").impute("cost", by="month").agg(pv.mean("cost"))
    assert "one unit has at most 6 rows" in imputed.describe(epsilon=1)
    assert "caps of a person: 3 values of 'month' with 2 rows each" in str(imputed)
    with pytest.raises(InvalidError, match="how much one person may count is not bounded"):
        query(by={"month": {"groups": 3}}).query("visits").impute("cost", by="month")
    with pytest.raises(InvalidError, match="cap cannot follow impute"):
        query().query("visits").impute("cost", by="month").cap(by={"town": {"groups": 1}})


def test_estimated_caps_stand_beside_caps_by_column() -> None:
    rows = query(by={"month": {"groups": 3}}).query("visits").cap(rows_per_group=pv.auto(most=8))
    assert "estimated first" in str(rows)
    assert "cap on rows_per_group" in rows.group_by("month").agg(pv.count()).describe(epsilon=1)


def test_an_estimate_ends_within_the_caps_by_column() -> None:
    unit = pv.Persons("id", by={"month": {"groups": 2}})
    data = [{"id": person, "month": 1 + at % 6, "town": "a", "cost": 1} for person in range(300) for at in range(12)]
    with pv.Session(data, pv.Codebook(columns=COLUMNS, unit=unit), pv.InfiniteBudget()) as session:
        rows = session.query().cap(rows_per_group=pv.auto(most=8))
        release = rows.group_by("month").agg(pv.count()).release(epsilon=10**6)
    assert [estimate.value for estimate in release.estimates] == [2]
    assert sum(release.values("count")) == 300 * 2 * 2
