"""Counts of persons."""

from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.statistics.contribution import Contribution
from tests.tables.aggregates.test_estimates import answer

CASES: list[Aggregate] = [count_ids()]


def test_a_person_counts_once_however_many_rows_he_has() -> None:
    assert answer(count_ids()) == [6]
    assert count_ids().measured().distance(Contribution(l0=1, l1=9, linf=9), 5).l1 == 1


WARDS = ("a", "b", "c", "d")
COLUMNS = {"id": pv.column("integer"), "ward": pv.column("text", categories=WARDS)}
ROWS = [{"id": person, "ward": WARDS[(person + place) % 4]} for person in range(40) for place in (0, 0, 0, 1)]


def opened(**caps: Any) -> pv.Session:
    return pv.Session(ROWS, pv.Codebook(columns=COLUMNS, unit=pv.Persons("id", **caps)), pv.InfiniteBudget())


def test_a_cap_on_groups_alone_is_enough_where_persons_are_counted() -> None:
    query: Any = opened(groups=2).query().group_by("ward").agg(pv.count_ids())
    assert query.contribution == Contribution(l0=2, l1=2, linf=1)
    assert query.plan(epsilon=1).planned[0].noise.scale == 2
    assert list(query.release(epsilon=10**6).values("count_ids")) == [20, 20, 20, 20]
    assert (
        sum(opened(groups=1).query().group_by("ward").agg(pv.count_ids()).release(epsilon=10**6).values("count_ids"))
        == 40
    )


def test_no_cap_is_needed_where_all_rows_are_one_group() -> None:
    query: Any = opened().query().agg(pv.count_ids())
    assert query.contribution == Contribution(l0=1, l1=1, linf=1)
    assert list(query.release(epsilon=10**6).values("count_ids")) == [40]


def test_it_holds_for_sql_and_for_totals_of_persons_and_for_private_keys() -> None:
    session = opened(groups=2)
    text = "SELECT ward, COUNT(DISTINCT id) AS n FROM data GROUP BY ward"
    assert list(session.sql(text).release(epsilon=10**6).values("n")) == [20, 20, 20, 20]
    query = session.query().derive(one="clip(1, 0, 1)").group_by("ward")
    totals = query.agg(pv.count_ids(), visits=pv.sum_by_person("one", bounds=(0, 3)))
    assert list(totals.release(epsilon=10**6).values("visits")) == [40, 40, 40, 40]
    assert session.query().private_keys("ward").plan(epsilon=1, delta=1e-6).rounds[0].moved.distance.l1 == 2
    found = session.query().group_by("ward", keys=pv.private(delta=1e-6)).agg(pv.count_ids())
    assert list(found.release(epsilon=100).values("count_ids")) == [20, 20, 20, 20]


def test_rows_still_need_a_cap() -> None:
    for others in ((pv.count(),), (pv.count_ids(), pv.count())):
        with pytest.raises(InvalidError, match="how much one person may count is not bounded"):
            opened(groups=2).query().group_by("ward").agg(*others)
    with pytest.raises(InvalidError, match="how much one person may count is not bounded"):
        opened().query().group_by("ward").agg(pv.count_ids())


def test_a_file_holds_the_same_query() -> None:
    session = opened(groups=2)
    query = session.query().group_by("ward").agg(pv.count_ids())
    assert session.read_query(query.to_yaml()) == query
