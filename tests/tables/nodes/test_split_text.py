"""One row for each part of a text."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.split_text import SplitText
from privet.tables.relations.caps import Caps
from privet.tables.relations.table_space import RowDistance, TableDomain
from tests.laws import Case, Twin
from tests.laws.inputs import LAW
from tests.tables.nodes.spaces import MONTHS, PERSONS, ROWS, rows_of, table
from tests.tables.nodes.spaces import PERSONS_DATABASE as DATABASE
from tests.tables.nodes.twins import ChargedOnce, written
from tests.tables.opened import database_of

LISTED = "case when minutes > 30 then 'a;b;;a' when paid then ward || ';x' else ward end"


def listed(space: Space) -> Any:
    """The visits with a text of several parts."""
    names = {name: f'"{name}"' for name in space.domain.columns}  # type: ignore[attr-defined]
    return space >> ProjectColumns(outputs={**names, "list": LISTED})


THREE = SplitText(name="list", separator=";", most=3, into="part")
IN_PLACE = SplitText(name="list", separator=";", most=2, into="list")
CASES = [
    Case(name="split, rows", chain=listed(ROWS) >> THREE),
    Case(name="split, persons", chain=listed(PERSONS) >> THREE),
    Case(name="split in place, months", chain=listed(MONTHS) >> IN_PLACE),
    Case(name="split in place, rows", chain=listed(ROWS) >> IN_PLACE >> FilterRows(condition="list <> 'a'")),
    Case(name="split a column", chain=ROWS >> SplitText(name="ward", separator="a", most=4, into="ward")),
    Case(
        name="split of a table of several",
        chain=table(DATABASE, "people") >> SplitText(name="city", separator="s", most=2, into="half"),
    ),
]
WARDS = SplitText(name="ward", separator="a", most=2, into="part")
TWINS = [
    Twin(law="map", case=Case(name="split counted once", chain=listed(ROWS) >> ChargedOnce(THREE))),
    written(
        "split into as many parts as the longest text of all",
        PERSONS,
        WARDS,
        "SELECT r.*, unnest(list_resize(string_split(ward, 'a'), (SELECT max(len(string_split(ward, 'a'))) "
        "FROM {rows} AS q), '-')) AS part FROM {rows} AS r",
    ),
    written(
        "split with parts numbered over all rows",
        PERSONS,
        WARDS,
        "SELECT r.*, CAST(row_number() OVER () AS VARCHAR) AS part FROM {rows} AS r",
    ),
    written(
        "split of all rows",
        ROWS,
        WARDS,
        "SELECT r.*, unnest(string_split(repeat('a', 40), 'a')) AS part FROM {rows} AS r",
    ),
]
TEXT = Space(TableDomain(columns={"at": Column(kind="integer"), "s": Column(kind="text")}), RowDistance())


@settings(LAW, max_examples=20)
@given(
    st.lists(st.text(alphabet="ab,; ß\U0001f926\u0301é", max_size=12) | st.none(), min_size=1, max_size=12),
    st.sampled_from([",", ";", ", ", "ab", "aa", "ß", "\u0301", "\U0001f926", ".", "|", "'", "%"]),
    st.integers(1, 4),
)
def test_parts_are_those_of_python(texts: list[str | None], separator: str, most: int) -> None:
    chain = TEXT >> SplitText(name="s", separator=separator, most=most, into="part")
    found = rows_of(chain([{"at": at, "s": text} for at, text in enumerate(texts)]))
    wanted = [
        (at, text, part) for at, text in enumerate(texts) if text is not None for part in text.split(separator)[:most]
    ]
    assert found == sorted(wanted, key=repr)


def test_what_is_known_of_the_parts_follows_from_the_text() -> None:
    known = {"s": Column(kind="text", categories=("x,y", "y,z,w", "")), "t": Column(kind="text", length=7)}
    space = Space(TableDomain(columns=known), RowDistance())
    columns = (space >> SplitText(name="s", separator=",", most=2, into="part")).output.domain.columns  # type: ignore[attr-defined]
    assert columns["part"].categories == ("x", "y", "z", "")
    plain = (space >> SplitText(name="t", separator=",", most=2, into="t")).output.domain
    assert (plain.columns["t"].length, plain.columns["t"].nullable) == (7, False)  # type: ignore[attr-defined]
    assert plain.limits.rows == 2  # type: ignore[attr-defined]


def test_the_map_counts_rows_and_not_persons() -> None:
    assert (listed(ROWS) >> THREE >> THREE.__class__(name="ward", separator="b", most=2, into="w")).map(2) == 12
    assert (listed(PERSONS) >> THREE).map(2) == 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"name": "minutes"}, MismatchError, "split cuts texts, and 'minutes' is integer"),
        ({"name": "nosuch"}, InvalidError, "there is no column 'nosuch'"),
        ({"into": "id"}, InvalidError, "'id' tells whose rows are protected"),
        ({"into": "paid"}, InvalidError, "there is a column 'paid' already"),
        ({"separator": ""}, InvalidError, "separator must have between 1 and 100 characters"),
        ({"separator": "\ud800"}, InvalidError, "half of a surrogate pair"),
        ({"separator": None}, WrongTypeError, "must be a text such as ','"),
        ({"most": 0}, InvalidError, "SplitText.most must be above zero"),
        ({"most": 1_001}, InvalidError, "may make 1,001 rows of one"),
    ],
)
def test_what_cannot_be_split_is_refused(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PERSONS >> SplitText(**{"name": "ward", "separator": ",", "most": 2, "into": "part", **options})


BOOK = {"id": pv.column("integer"), "tags": pv.column("text"), "n": pv.column("integer", bounds=(0, 9))}


def opened(unit: Any) -> pv.Session:
    rows = [{"id": 1, "tags": "a,b,a"}, {"id": 1, "tags": "b"}, {"id": 2, "tags": ""}, {"id": 3}]
    return pv.Session(rows, pv.Codebook(columns=BOOK, unit=unit), pv.budget(epsilon=1))


def exact(session: pv.Session, query: Any) -> list[Any]:
    grouping, rows = query.grouped.grouping, query.grouped.query
    measured = next(iter(query.aggregates.values())).measured()
    found = rows.chain.run(database_of(session))
    totals = grouping.compile(found.relation, rows.id_columns, measured.statistics)
    result: list[Any] = measured.exact(grouping.read(found, totals), len(grouping.groups)).tolist()
    return result


@pytest.mark.parametrize("unit", [pv.Rows(), pv.Persons("id", rows=2)])
def test_a_session_splits_and_pays(unit: Any) -> None:
    session = opened(unit)
    split = session.query().split("tags", ",", most=3, into="tag")
    query: Any = split.group_by("tag", groups=["a", "b", ""]).agg(pv.count())
    assert exact(session, query) == [2, 2, 1]
    assert query.contribution.l1 == (3 if isinstance(unit, pv.Rows) else 6)
    again = session.read_query(query.to_yaml())
    assert again.to_yaml() == query.to_yaml()
    assert exact(session, again) == [2, 2, 1]
    assert "split tags at ',' into tag, up to 3 rows for each" in query.describe(epsilon=1)
    assert "parts of tags behind the first 3 of each row are left out" in query.describe(epsilon=1)


def test_caps_and_what_makes_rows_unique_follow() -> None:
    query = opened(pv.Persons("id", rows=2)).query()
    assert query.split("tags", ",", most=3).effective_caps == Caps(rows=6)
    assert query.cap(rows=4).split("tags", ",", most=3).effective_caps == Caps(rows=4)
    once = query.summarize("tags", n="sum(n)")
    assert once.split("tags", ",", most=1, into="tag").one_row_by == frozenset(["tags"])
    assert once.split("tags", ",", most=1).one_row_by is None
    assert once.split("tags", ",", most=2, into="tag").one_row_by is None


def test_null_is_no_group_of_the_parts() -> None:
    columns = {**BOOK, "tags": pv.column("text", categories=("a,b", "c"), nulls=pv.NullsAsCategory())}
    planner = pv.Planner(pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(epsilon=1))
    assert planner.query().split("tags", ",", most=2).group_by("tags").groups == (("a",), ("b",), ("c",))


def test_it_cannot_follow_an_imputation() -> None:
    book = {**BOOK, "m": pv.column("integer", bounds=(0, 9))}
    planner = pv.Planner(pv.Codebook(columns=book, unit=pv.Rows()), pv.budget(epsilon=1))
    with pytest.raises(InvalidError, match="split cannot follow impute"):
        planner.query().impute("n", by=("m",), k=1, default=3).split("tags", ",", most=2)
