"""Private joins on the owner."""

from typing import Any

import pytest
from attrs import evolve, frozen

from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.relations.table_space import RowDistance
from tests.laws import Case, Twin
from tests.tables.nodes.spaces import (
    MONTHS_DATABASE,
    OTHER_MONTHS,
    OTHER_NAMES,
    PERSONS_DATABASE,
    ROWS_DATABASE,
    rows_of,
    table,
)
from tests.tables.nodes.twins import Written, written

VISITS, PEOPLE = (table(PERSONS_DATABASE, name) for name in ("visits", "people"))
CITIES = PEOPLE >> ProjectColumns(outputs={"id": "id", "age": "age", "ward": "city"})
JOINED = JoinPersons(first=VISITS, second=PEOPLE, rows=2, key=7)
ONE = evolve(JOINED, rows=1)
LEFT = JoinPersons(first=VISITS >> FilterRows(condition="paid"), second=PEOPLE, rows=1, how="left", key=7)
BY_WARD = JoinPersons(first=VISITS, second=CITIES, on=("ward",), rows=2, how="left", key=7)
MONTHLY = JoinPersons(
    first=table(MONTHS_DATABASE, "visits"), second=table(MONTHS_DATABASE, "people"), rows=1, how="left", key=7
)
ITSELF = JoinPersons(
    first=VISITS,
    second=VISITS >> ProjectColumns(outputs={"id": "id", "other": "minutes"}),
    rows=3,
    key=7,
)
UNDER_OTHER_NAMES = JoinPersons(
    first=table(OTHER_NAMES, "visits"), second=table(OTHER_NAMES, "people"), rows=2, how="left", key=7
)
OTHER_WAY_ROUND = JoinPersons(
    first=table(OTHER_NAMES, "people"), second=table(OTHER_NAMES, "visits"), rows=3, how="inner", key=7
)
BY_MONTHS_OF_TWO_DATES = JoinPersons(
    first=table(OTHER_MONTHS, "visits"), second=table(OTHER_MONTHS, "people"), rows=1, how="left", key=7
)
CASES = [
    Case(name="left join, ids of other names", chain=OTHER_NAMES >> UNDER_OTHER_NAMES),
    Case(name="join, ids of other names", chain=OTHER_NAMES >> OTHER_WAY_ROUND),
    Case(name="left join, months of two dates", chain=OTHER_MONTHS >> BY_MONTHS_OF_TWO_DATES),
    Case(name="join", chain=PERSONS_DATABASE >> JOINED),
    Case(name="left join", chain=PERSONS_DATABASE >> LEFT),
    Case(name="join on a further column", chain=PERSONS_DATABASE >> BY_WARD),
    Case(name="left join, months", chain=MONTHS_DATABASE >> MONTHLY),
    Case(name="join of a table with itself", chain=PERSONS_DATABASE >> ITSELF),
]


@frozen
class InRows(Written):
    """Claims a private join where rows are protected one by one."""

    def output(self, space: Space) -> Space:
        return Space(self.right.output(PERSONS_DATABASE).domain, RowDistance())


FIRST = "(SELECT * FROM {people} AS q QUALIFY row_number() OVER (PARTITION BY id) <= 1)"
BOTH = "SELECT v.*, p.age, p.city FROM {visits} AS v"
TWINS = [
    written(
        "join of ids of other names by the first of them",
        OTHER_MONTHS,
        BY_MONTHS_OF_TWO_DATES,
        "SELECT v.*, p.age FROM {visits} AS v LEFT JOIN {people} AS p ON v.id = p.person",
    ),
    written(
        "join of an id with a column that is none",
        OTHER_NAMES,
        OTHER_WAY_ROUND,
        "SELECT p.*, v.* EXCLUDE (id) FROM {people} AS p JOIN {visits} AS v ON p.age % 4 = v.id",
    ),
    written("join capped as rows lie", PERSONS_DATABASE, ONE, f"{BOTH} JOIN {FIRST} AS p ON v.id = p.id"),
    written("join on another column", PERSONS_DATABASE, ONE, f"{BOTH} JOIN {{people}} AS p ON v.ward = p.city"),
    written(
        "join with the oldest of all where there is no partner",
        PERSONS_DATABASE,
        LEFT,
        "SELECT v.*, (SELECT max(age) FROM {people} AS p) AS age, CAST(NULL AS VARCHAR) AS city FROM {visits} AS v",
    ),
    written(
        "join that caps all persons together",
        PERSONS_DATABASE,
        ONE,
        f"{BOTH} JOIN (SELECT * FROM {{people}} AS q ORDER BY id DESC, age, city LIMIT 1) AS p ON v.id = p.id",
    ),
    Twin(
        law="map",
        case=Case(
            name="join where rows are protected",
            chain=ROWS_DATABASE >> InRows(JOINED, f"{BOTH} JOIN {{people}} AS p ON v.id = p.id"),
        ),
    ),
]
DATA: dict[str, Any] = {
    "visits": [{"id": 1, "minutes": 5, "paid": True}, {"id": 2, "minutes": 6, "paid": True}, {"minutes": 7}],
    "people": [{"id": 1, "age": 30}, {"id": 1, "age": 31}, {"id": 3, "age": 32}, {"age": 33}],
}


def pairs(chain: Any) -> list[tuple[Any, ...]]:
    found = chain(DATA)
    places = [list(found.relation.columns).index(name) for name in ("id", "minutes", "age")]
    return [tuple(row[at] for at in places) for row in rows_of(found)]


def test_rows_of_one_owner_are_matched() -> None:
    assert pairs(PERSONS_DATABASE >> JOINED) == [(1, 5, 30), (1, 5, 31)]


def test_no_more_partners_than_the_cap() -> None:
    assert len(pairs(PERSONS_DATABASE >> ONE)) == 1


def test_ids_of_other_names_match_by_their_place_and_keep_the_first_names() -> None:
    data = {
        "visits": DATA["visits"],
        "people": [{"person": row.get("id"), "age": row["age"]} for row in DATA["people"]],
    }
    for chain in (OTHER_NAMES >> UNDER_OTHER_NAMES, OTHER_NAMES >> OTHER_WAY_ROUND):
        found, first = chain(data), chain.output.metric.id_columns[0]  # type: ignore[attr-defined]
        places = [list(found.relation.columns).index(name) for name in (first, "minutes", "age")]
        rows = [tuple(row[at] for at in places) for row in rows_of(found)]
        assert [row for row in rows if row[2] is not None] == [(1, 5, 30), (1, 5, 31)]
    assert "person" not in (OTHER_NAMES >> UNDER_OTHER_NAMES).output.domain.columns  # type: ignore[attr-defined]
    assert next(iter((OTHER_NAMES >> OTHER_WAY_ROUND).output.domain.columns)) == "person"  # type: ignore[attr-defined]


def test_an_ordinary_column_does_not_become_the_id() -> None:
    """A second query whose ordinary column has the name of our id would otherwise be matched by it, or overwritten."""
    copied = table(OTHER_NAMES, "people") >> ProjectColumns(outputs={"person": "person", "id": "age"})
    with pytest.raises(MismatchError, match="'id' is the id column of the first query and an ordinary column"):
        OTHER_NAMES >> evolve(UNDER_OTHER_NAMES, second=copied)


def test_a_left_join_keeps_rows_without_a_partner() -> None:
    found = pairs(PERSONS_DATABASE >> LEFT)
    assert [row[:2] for row in found] == [(1, 5), (2, 6)]
    assert found[1][2] is None
    columns = (PERSONS_DATABASE >> evolve(LEFT, second=PEOPLE)).output.domain.columns  # type: ignore[attr-defined]
    assert columns["age"].nullable


def test_the_owner_and_the_columns_of_both_are_there() -> None:
    output = (PERSONS_DATABASE >> BY_WARD).output
    assert output.metric == PERSONS_DATABASE.metric
    assert list(output.domain.columns)[-1] == "age"  # type: ignore[attr-defined]


def test_rows_cannot_be_joined() -> None:
    visits, people = (table(ROWS_DATABASE, name) for name in ("visits", "people"))
    with pytest.raises(InvalidError, match="the unit must be Persons"):
        ROWS_DATABASE >> JoinPersons(first=visits, second=people, rows=1, key=7)


@pytest.mark.parametrize(
    ("node", "error", "message"),
    [
        (evolve(JOINED, second=VISITS), MismatchError, "both have 'ward'"),
        (evolve(JOINED, on=("nosuch",)), InvalidError, "there is no column 'nosuch' here"),
        (
            evolve(JOINED, first=table(MONTHS_DATABASE, "visits")),
            MismatchError,
            "two queries of the same private tables",
        ),
    ],
)
def test_what_cannot_be_joined_is_refused(node: JoinPersons, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PERSONS_DATABASE >> node


def test_a_cap_is_at_least_one() -> None:
    with pytest.raises(InvalidError, match="JoinPersons.rows"):
        JoinPersons(first=VISITS, second=PEOPLE, rows=0, key=7)
