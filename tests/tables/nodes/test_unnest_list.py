"""One row for each item of a list."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.tables.columns.column import Column
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.resize_rows import ResizeRows
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.nodes.unnest_list import UnnestList
from privet.tables.relations.caps import Caps
from privet.tables.relations.table_space import DatabaseDomain, RowDistance, TableDomain, UnitDistance
from tests.laws import Case, Twin
from tests.laws.inputs import LAW
from tests.tables.nodes.spaces import rows_of, table
from tests.tables.nodes.test_split_text import exact
from tests.tables.nodes.twins import ChargedOnce, written

LISTS = {
    "id": Column(kind="integer"),
    "tags": Column(kind="list", item=Column(kind="text", categories=("a", "b", "")), most=3),
    "paid": Column(kind="list", item=Column(kind="real", bounds=(-10, 10), grid=0.25), most=2),
    "days": Column(kind="list", item=Column(kind="date"), most=2),
    "n": Column(kind="integer", bounds=(0, 60)),
}
ROWS = Space(TableDomain(columns=LISTS), RowDistance())
PERSONS = Space(TableDomain(columns=LISTS), UnitDistance(("id",)))
MONTHS = Space(
    TableDomain(columns={**LISTS, "month of day": Column(kind="integer", nullable=False)}),
    UnitDistance(("id", "month of day")),
)
DATABASE = Space(DatabaseDomain(tables={"visits": LISTS, "people": LISTS}), UnitDistance(("id",)))
TAGS = UnnestList(name="tags", into="tag")
IN_PLACE = UnnestList(name="paid", most=1, into="paid")
CASES = [
    Case(name="unnest, rows", chain=ROWS >> TAGS),
    Case(name="unnest, persons", chain=PERSONS >> TAGS),
    Case(name="unnest, months", chain=MONTHS >> UnnestList(name="days", into="day")),
    Case(name="unnest in place, rows", chain=ROWS >> IN_PLACE >> FilterRows(condition="paid > 0 or tags is null")),
    Case(name="left unnest, rows", chain=ROWS >> UnnestList(name="tags", into="tag", how="left")),
    Case(name="left unnest, persons", chain=PERSONS >> UnnestList(name="days", most=1, into="days", how="left")),
    Case(name="unnest twice", chain=ROWS >> TAGS >> UnnestList(name="days", into="days")),
    Case(
        name="unnest, then summarize",
        chain=PERSONS >> TAGS >> SummarizePersons(keys=("tag",), summaries={"k": "count(*)", "n": "max(n)"}),
    ),
    Case(name="a copy of a list", chain=ROWS >> ProjectColumns(outputs={"id": "id", "l": "tags", "n": "n + 1"})),
    Case(name="resize rows that have lists", chain=ROWS >> ResizeRows(rows=3, fill={"n": 4}, key=7) >> TAGS),
    Case(
        name="a union of rows that have lists",
        chain=DATABASE >> UnionRows(first=table(DATABASE, "visits"), second=table(DATABASE, "people")) >> TAGS,
    ),
    Case(
        name="a join with rows that have lists",
        chain=DATABASE
        >> JoinPersons(
            first=table(DATABASE, "visits"),
            second=table(DATABASE, "people") >> ProjectColumns(outputs={"id": "id", "their": "tags"}),
            rows=1,
            key=5,
        )
        >> UnnestList(name="their", into="their"),
    ),
]
TWINS = [
    Twin(law="map", case=Case(name="unnest counted once", chain=ROWS >> ChargedOnce(TAGS))),
    written(
        "unnest of as many items as the longest list of all",
        PERSONS,
        TAGS,
        "SELECT r.*, unnest(list_resize(tags, (SELECT max(len(tags)) FROM {rows} AS q), '')) AS tag FROM {rows} AS r",
    ),
    written(
        "left unnest that adds rows for lists with items too",
        ROWS,
        UnnestList(name="tags", most=1, into="tag", how="left"),
        "SELECT r.*, unnest(list_concat(tags[1:1], [NULL])) AS tag FROM {rows} AS r",
    ),
    written(
        "unnest of the items of all rows",
        PERSONS,
        TAGS,
        "SELECT r.*, unnest((SELECT list_sort(flatten(list(tags))) FROM {rows} AS q)) AS tag FROM {rows} AS r",
    ),
    written(
        "unnest with an item that occurs nowhere else first",
        PERSONS,
        UnnestList(name="tags", most=1, into="tag"),
        "SELECT r.*, unnest([coalesce((SELECT min(q.tags[1]) FROM {rows} AS q WHERE q.id <> r.id), '')]) AS tag "
        "FROM {rows} AS r",
    ),
]
PLAIN = Space(
    TableDomain(
        columns={
            "at": Column(kind="integer"),
            "l": Column(kind="list", item=Column(kind="integer", bounds=(0, 9)), most=3),
        }
    ),
    RowDistance(),
)


def read(item: Any) -> int | None:
    return None if item is None else min(max(item, 0), 9)


@settings(LAW, max_examples=20)
@given(
    st.lists(st.lists(st.integers(-5, 15) | st.none(), max_size=6) | st.none(), min_size=1, max_size=8),
    st.none() | st.integers(1, 5),
    st.sampled_from(["inner", "left"]),
)
def test_items_are_the_first_of_each_list_within_bounds(lists: list[Any], most: int | None, how: Any) -> None:
    chain = PLAIN >> UnnestList(name="l", most=most, into="l", how=how)
    found = chain([{"at": at, "l": each} for at, each in enumerate(lists)])
    kept = min(most or 3, 3)
    none = [None] if how == "left" else []
    wanted = [(at, read(item)) for at, each in enumerate(lists) for item in (each or none)[:kept]]
    assert rows_of(found) == sorted(wanted, key=repr)
    assert chain.map(1) == kept


def test_the_item_is_what_the_codebook_says_of_items() -> None:
    output: Any = (PERSONS >> TAGS).output.domain
    assert output.columns["tag"] == LISTS["tags"].item
    assert output.columns["tags"] == LISTS["tags"]
    assert output.limits.rows == 3


def test_the_map_counts_rows_and_not_persons() -> None:
    assert (ROWS >> TAGS >> UnnestList(name="days", into="days")).map(2) == 12
    assert (ROWS >> UnnestList(name="tags", most=2, into="tags")).map(1) == 2
    assert (ROWS >> UnnestList(name="tags", most=99, into="tags")).map(1) == 3
    assert (PERSONS >> TAGS).map(2) == 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"name": "n"}, MismatchError, "unnest takes a column of lists, and 'n' is integer"),
        ({"name": "nosuch"}, InvalidError, "there is no column 'nosuch'"),
        ({"into": "id"}, InvalidError, "'id' tells whose rows are protected"),
        ({"into": "paid"}, InvalidError, "there is a column 'paid' already"),
        ({"most": 0}, InvalidError, "UnnestList.most must be above zero"),
        ({"how": "outer"}, InvalidError, "UnnestList.how must be"),
    ],
)
def test_what_cannot_be_unnested_is_refused(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PERSONS >> UnnestList(**{"name": "tags", "into": "tag", **options})


def test_a_query_makes_at_most_so_many_rows_of_one() -> None:
    columns = {name: Column(kind="list", item=Column(kind="integer"), most=100) for name in "ab"}
    chain = Space(TableDomain(columns=columns), RowDistance()) >> UnnestList(name="a", into="a")
    with pytest.raises(InvalidError, match="may make 10,000 rows of one"):
        chain >> UnnestList(name="b", into="b")


BOOK = {
    "id": pv.column("integer"),
    "tags": pv.column("text", most_items=3),
    "n": pv.column("integer", bounds=(0, 9)),
    "m": pv.column("integer", bounds=(0, 9)),
}
DATA: list[dict[str, Any]] = [
    {"id": 1, "tags": ["a", "b", "a", "b"]},
    {"id": 1, "tags": ["b"]},
    {"id": 2, "tags": []},
    {"id": 2, "tags": [None, ""]},
    {"id": 3},
]


def opened(unit: Any) -> pv.Session:
    return pv.Session(DATA, pv.Codebook(columns=BOOK, unit=unit), pv.budget(epsilon=1))


@pytest.mark.parametrize("unit", [pv.Rows(), pv.Persons("id", rows=2)])
def test_a_session_unnests_and_pays(unit: Any) -> None:
    session = opened(unit)
    unnested = session.query().unnest("tags", into="tag")
    query: Any = unnested.group_by("tag", groups=["a", "b", ""]).agg(pv.count())
    assert exact(session, query) == [2, 2, 1]
    assert query.contribution.l1 == (3 if isinstance(unit, pv.Rows) else 6)
    again = session.read_query(query.to_yaml())
    assert again.to_yaml() == query.to_yaml()
    assert exact(session, again) == [2, 2, 1]
    assert "unnest tags into tag, up to 3 rows for each" in query.describe(epsilon=1)
    assert "items of tags behind the first 3 of each row are left out" in query.describe(epsilon=1)
    assert exact(session, session.query().unnest("tags", most=1).agg(pv.count())) == [3]
    assert exact(session, session.query().agg(pv.count("tags"))) == [4]
    assert exact(session, session.query().filter("tags is null").agg(pv.count())) == [1]


def test_caps_and_what_makes_rows_unique_follow() -> None:
    query = opened(pv.Persons("id", rows=2)).query()
    assert query.unnest("tags").effective_caps == Caps(rows=6)
    assert query.unnest("tags", most=2).effective_caps == Caps(rows=4)
    assert query.unnest("tags", most=9).effective_caps == Caps(rows=6)
    assert query.cap(rows=4).unnest("tags").effective_caps == Caps(rows=4)


def test_it_cannot_follow_an_imputation() -> None:
    planner = pv.Planner(pv.Codebook(columns=BOOK, unit=pv.Rows()), pv.budget(epsilon=1))
    with pytest.raises(InvalidError, match="unnest cannot follow impute"):
        planner.query().impute("n", by=("m",), k=1, default=3).unnest("tags", most=2)
