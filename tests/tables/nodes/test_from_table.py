"""One private table of several."""

import pytest

from privet.errors import InvalidError, MismatchError
from privet.tables.nodes.from_table import FromTable
from privet.tables.relations.table_space import TableDomain
from tests.laws import Case
from tests.tables.nodes.spaces import DATABASES, PEOPLE, PERSONS, PERSONS_DATABASE, ROWS_DATABASE, rows_of
from tests.tables.nodes.twins import written

BEGIN = FromTable(name="people")
CASES = [Case(name=f"one table, {unit}", chain=space >> BEGIN) for unit, space in DATABASES.items()]
TWINS = [
    written(
        "a table as long as another one has few rows",
        ROWS_DATABASE,
        BEGIN,
        "SELECT * FROM {people} AS r WHERE (SELECT count(*) FROM {visits} AS v) < 17",
    ),
    written(
        "a table next to the rows of another",
        PERSONS_DATABASE,
        BEGIN,
        "SELECT r.* FROM {people} AS r CROSS JOIN {visits} AS v",
    ),
]


def test_rows_and_columns_are_those_of_the_table() -> None:
    chain = PERSONS_DATABASE >> BEGIN
    assert chain.output.domain == TableDomain(columns=PEOPLE)
    found = chain({"people": [{"id": 1, "age": 200, "city": "x"}], "visits": [{"id": 2}]})
    assert rows_of(found) == [(1, 120, "x")]


def test_a_table_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidError, match="must be a table, got 'nosuch'; there are 'visits', 'people'"):
        ROWS_DATABASE >> FromTable(name="nosuch")


def test_a_query_begins_with_private_tables() -> None:
    with pytest.raises(MismatchError, match="FromTable needs private tables"):
        PERSONS >> BEGIN
