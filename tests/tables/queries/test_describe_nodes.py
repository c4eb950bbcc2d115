"""What descriptions and releases say of the steps of a query: also that caps hold behind a join."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.tables.queries.describe_nodes import describe_nodes
from privet.tables.session.session import Session

PERSONS, VISITS = 40, 10
NOTE = "note: the codebook's cap of 1 row holds behind the join, where a person may have more rows; .cap(rows=...)"


@pytest.fixture(scope="module")
def session() -> Session:
    unit = pv.Persons(id="id", rows=1)
    books = {
        "people": pv.Codebook(
            columns={"id": pv.column("integer"), "age": pv.column("integer", bounds=(0, 99))}, unit=unit
        ),
        "visits": pv.Codebook(
            columns={"id": pv.column("integer"), "cost": pv.column("integer", bounds=(0, 9))}, unit=unit
        ),
    }
    rows: dict[str, Any] = {
        "people": [{"id": n, "age": n} for n in range(PERSONS)],
        "visits": [{"id": n % PERSONS, "cost": n % 9} for n in range(PERSONS * VISITS)],
    }
    return Session(rows, books, pv.budget(epsilon=10**9))


def test_a_join_that_gives_more_rows_says_that_the_cap_of_the_codebook_holds(session: Session) -> None:
    joined = session.query("people").join(session.query("visits"), on=(), rows=VISITS)
    question = joined.agg(pv.count())
    release = question.release(epsilon=10**6)
    assert release.values("count").tolist() == [PERSONS]
    assert NOTE in question.describe(epsilon=1)
    assert any(note.startswith(NOTE) for note in release.notes)
    assert NOTE in str(release)


def test_a_statement_says_so_too(session: Session) -> None:
    text = "SELECT COUNT(*) AS n FROM people JOIN visits USING (id)"
    assert NOTE in str(session.sql(text, join_rows=VISITS).release(epsilon=10**6))


def test_a_cap_of_the_query_needs_no_note(session: Session) -> None:
    joined = session.query("people").join(session.query("visits"), on=(), rows=VISITS).cap(rows=VISITS)
    release = joined.agg(pv.count()).release(epsilon=10**6)
    assert release.values("count").tolist() == [PERSONS * VISITS]
    assert "note:" not in str(release)


def test_without_a_join_and_with_one_row_for_each_person_there_is_nothing_to_say(session: Session) -> None:
    joined = session.query("people").join(session.query("visits"), on=(), rows=VISITS)
    once = joined.summarize(spent="sum(cost)")
    for query in (session.query("people"), once):
        assert "note:" not in query.agg(pv.count()).describe(epsilon=1)


def test_a_union_says_so_too(session: Session) -> None:
    people = session.query("people")
    assert "behind the union" in people.union(people).agg(pv.count()).describe(epsilon=1)


def test_bins_are_described_as_an_analyst_asks_for_them() -> None:
    book = pv.Codebook(
        columns={
            "day": pv.column("date", bounds=("2025-01-01", "2025-03-31")),
            "age": pv.column("integer", bounds=(0, 99)),
        },
        unit=pv.Rows(),
    )
    query = pv.Planner(book, pv.budget(epsilon=1)).query().bin("day", by="month").bin("age", [0, 18, 99], into="adult")
    assert describe_nodes(query.chain) == (
        "data; bin day into day_bin, by=month; bin age into adult, edges=[0, 18, 99]"
    )
    assert "case" not in query.group_by("day_bin").agg(pv.count()).describe(epsilon=1).lower()


def test_equal_edges_are_described_the_same_however_they_are_typed() -> None:
    book = pv.Codebook(columns={"age": pv.column("integer", bounds=(0, 99))}, unit=pv.Rows())
    rows = pv.Planner(book, pv.budget(epsilon=1)).query()
    typed: tuple[Any, ...] = ([0, 0.5, 99], [Fraction(0), Fraction(1, 2), Fraction(99)], np.array([0, 0.5, 99]))
    texts = {describe_nodes(rows.bin("age", edges, into="cut").chain) for edges in typed}
    assert texts == {"data; bin age into cut, edges=[0, 0.5, 99]"}
