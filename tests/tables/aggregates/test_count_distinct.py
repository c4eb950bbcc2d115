"""Counts of different values."""

import privet as pv
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count_distinct import count_distinct
from tests.tables.aggregates.test_estimates import answer

CASES: list[Aggregate] = [count_distinct("free"), count_distinct("day"), count_distinct("ward")]


def test_nulls_are_no_value() -> None:
    assert answer(count_distinct("c")) == [4]


def test_the_id_column_is_counted_by_persons() -> None:
    """The same number as count_ids, for a tenth of the noise."""
    columns = {"id": pv.column("integer"), "city": pv.column("text")}
    book = pv.Codebook(columns=columns, unit=pv.Persons("id", rows=10))
    rows = [{"id": at % 500, "city": "a"} for at in range(3000)]
    session = pv.Session(rows, book, pv.budget(epsilon=10**6))
    query = session.query().agg(pv.count_distinct("id"), pv.count_distinct("city"))
    assert query.grouped.bind("n", pv.count_distinct("id")) == pv.count_ids()
    assert [type(each).__name__ for each in query.aggregates.values()] == ["CountIds", "DistinctColumn"]
    plan = query.plan(epsilon=2)
    assert [part.noise.scale for part in plan.planned] == [1, 10]
    release = query.release(epsilon=1000)
    assert release.names == ("count_distinct_id", "count_distinct_city")
    assert release.values("count_distinct_id")[0] == 500
    text = session.sql("SELECT count(DISTINCT id) AS n FROM data")
    assert text.query.aggregates["n"] == pv.count_ids()
    assert "count_ids" in query.to_yaml()


def test_a_copy_of_the_id_is_a_column_like_others() -> None:
    book = pv.Codebook(columns={"id": pv.column("integer")}, unit=pv.Persons("id", rows=10))
    query = pv.Session([], book, pv.budget(epsilon=1)).query().derive(copy="id").agg(pv.count_distinct("copy"))
    assert type(query.aggregates["count_distinct_copy"]).__name__ == "DistinctColumn"
    rows = pv.Codebook(columns={"id": pv.column("integer")}, unit=pv.Rows())
    query = pv.Session([], rows, pv.budget(epsilon=1)).query().agg(pv.count_distinct("id"))
    assert type(query.aggregates["count_distinct_id"]).__name__ == "DistinctColumn"
