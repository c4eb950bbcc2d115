"""What a user of frames tries first with a query."""

import copy
from typing import Any

import pytest

import privet as pv

BOOK = pv.Codebook(
    columns={
        "visitor_id": pv.column("integer"),
        "restaurant": pv.column("text", categories=("Bella", "Roma")),
        "spending": pv.column("real", bounds=(0, 100)),
    },
    unit=pv.Persons("visitor_id", rows=10),
)


@pytest.fixture
def session() -> pv.Session:
    rows = [{"visitor_id": at, "restaurant": "Bella", "spending": 10.0} for at in range(5)]
    return pv.Session(rows, BOOK, pv.budget(epsilon=100))


def message(ask: Any) -> str:
    with pytest.raises((TypeError, AttributeError)) as caught:
        ask()
    return str(caught.value)


def test_a_column_is_not_shown(session: pv.Session) -> None:
    query: Any = session.query()
    shown = (
        "query[...] cannot show a column: rows of a private table are never shown. Aggregate it, as in "
        "query.agg(pv.mean('spending')), or keep some columns with query.select(...)."
    )
    assert message(lambda: query["spending"]) == shown
    assert message(lambda: query["restaurant"]) == shown  # of text there is no mean
    assert message(lambda: list(query)) == shown
    assert message(lambda: query.spending) == (
        "'Query' has no 'spending'; it is a column: aggregate it, as in agg(pv.mean('spending')), or name it in an "
        "expression."
    )


def test_columns_of_groups_and_of_aggregates_are_not_released_yet(session: pv.Session) -> None:
    groups: Any = session.query().group_by("restaurant")
    assert message(lambda: groups["spending"]) == (
        "group_by(...)['spending'] is not released: say what to compute of it, as in "
        "group_by(...).agg(pv.mean('spending'))."
    )
    assert message(lambda: groups.agg(pv.count())["count"]) == (
        "query['count'] is not released yet: write release = query.release(epsilon=1) first."
    )


def test_the_number_of_rows_is_not_known(session: pv.Session) -> None:
    query: Any = session.query()
    assert message(lambda: len(query)) == (
        "len(query) is not known: how many rows there are is private. Count them with "
        "query.agg(pv.count()).release(epsilon=...)."
    )
    assert query  # a query is true, whether it has rows or not
    assert bool(query.filter("spending > 1000"))


def test_every_place_answers(session: pv.Session) -> None:
    query: Any = session.query()
    groups = query.group_by("restaurant")
    release = groups.agg(pv.count()).release(epsilon=1)
    assert message(lambda: query.where) == "'Query' has no 'where'; use filter(\"spending > 20\")."
    assert message(lambda: groups.mean) == "'GroupedQuery' has no 'mean'; use agg(pv.mean(\"spending\"))."
    assert (
        message(lambda: groups.agg(pv.count()).collect) == "'AggregateQuery' has no 'collect'; use release(epsilon=1)."
    )
    assert message(lambda: session.filter) == (  # type: ignore[attr-defined]
        "'Session' has no 'filter'; begin with query(): query().filter(...)."
    )
    assert message(lambda: release.df) == "'Release' has no 'df'; use to_pandas()."
    assert message(lambda: release.valeus) == "'Release' has no 'valeus'. Did you mean values?"
    sql: Any = session.sql("SELECT count(*) FROM data")
    assert message(lambda: sql.execute) == "'SqlQuery' has no 'execute'; use release(epsilon=1)."


def test_queries_and_releases_can_be_copied(session: pv.Session) -> None:
    query = session.query()
    assert copy.copy(query) == query
    release = query.agg(pv.count()).release(epsilon=1)
    assert copy.deepcopy(release) == release


def test_messages_do_not_depend_on_the_rows() -> None:
    def told(rows: list[dict[str, Any]]) -> list[str]:
        query: Any = pv.Session(rows, BOOK, pv.budget(epsilon=1)).query()
        return [message(lambda: query["spending"]), message(lambda: len(query)), message(lambda: query.where)]

    assert told([]) == told([{"visitor_id": 1, "restaurant": "Bella", "spending": 3.0}])
