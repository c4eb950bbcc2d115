"""Columns computed anew, row by row."""

import pytest

from privet.errors import InvalidError, MismatchError
from privet.tables.columns.column import Column
from privet.tables.expressions.node import Reference
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.project_columns import ProjectColumns
from tests.laws import Case
from tests.tables.nodes.spaces import MONTHS, PERSONS, ROWS, VISITS, rows_of
from tests.tables.nodes.twins import written

HOURS = ProjectColumns(outputs={"id": "id", "hours": "minutes / 60.0", "late": "month(day) > 6", "ward": "ward"})
OWNERS = {"id": "id", "month of day": '"month of day"'}
CASES = [
    Case(name="project, rows", chain=ROWS >> ProjectColumns(outputs={"part": "cost * 2 + minutes", "f": "free - 1"})),
    Case(name="project, persons", chain=PERSONS >> HOURS),
    Case(name="project, months", chain=MONTHS >> ProjectColumns(outputs={**OWNERS, "year": "year(day)"})),
    Case(name="rename", chain=PERSONS >> ProjectColumns(outputs={"id": "id", "ward": "minutes", "minutes": "ward"})),
]
RANKED = ProjectColumns(outputs={"id": "id", "place": "minutes"})
TWINS = [
    written("an owner of two persons", PERSONS, RANKED, "SELECT id // 2 AS id, minutes AS place FROM {rows} AS r"),
    written("an owner by ward", PERSONS, RANKED, "SELECT ascii(ward) AS id, minutes AS place FROM {rows} AS r"),
    written(
        "a place among all rows",
        ROWS,
        RANKED,
        "SELECT id, rank() OVER (ORDER BY minutes NULLS FIRST) AS place FROM {rows} AS r",
    ),
    written(
        "a share of the whole",
        PERSONS,
        RANKED,
        "SELECT id, CAST(1000 * minutes / (1 + sum(minutes) OVER ()) AS BIGINT) AS place FROM {rows} AS r",
    ),
]


def test_each_row_gives_one_row() -> None:
    rows = [{"id": 1, "minutes": 30, "day": "2024-07-01", "ward": "a"}, {"id": 2, "ward": "unseen"}]
    assert rows_of((PERSONS >> HOURS)(rows)) == [(1, "0.5", True, "a"), (2, None, None, None)]


def test_columns_are_as_the_expressions_give_them() -> None:
    columns = (PERSONS >> HOURS).output.domain.columns  # type: ignore[attr-defined]
    assert list(columns) == ["id", "hours", "late", "ward"]
    assert columns["ward"] == VISITS["ward"]
    assert columns["hours"].bounds == (0, 1)


@pytest.mark.parametrize("outputs", [{"hours": "minutes"}, {"id": "id + 0", "x": "minutes"}, {"id": "minutes"}])
def test_the_owner_stays_as_it_is(outputs: dict[str, str]) -> None:
    with pytest.raises(InvalidError, match="'id' tells whose rows are protected and must stay as it is"):
        PERSONS >> ProjectColumns(outputs=outputs)


def test_both_columns_of_an_owner_stay() -> None:
    with pytest.raises(InvalidError, match="'month of day' tells whose rows"):
        MONTHS >> ProjectColumns(outputs={"id": "id", "x": "minutes"})


def test_names_that_an_engine_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(InvalidError, match="are one name to an engine"):
        ROWS >> ProjectColumns(outputs={"x": "minutes", "X": "ward"})


def test_an_expression_that_was_read_for_other_columns_is_refused() -> None:
    elsewhere = Reference("minutes", Column(kind="integer", bounds=(0, 10)))
    with pytest.raises(MismatchError, match="'minutes' was read for other columns"):
        ROWS >> ProjectColumns(outputs={"x": elsewhere})
    ROWS >> FilterRows(condition="paid") >> ProjectColumns(outputs={"x": Reference("minutes", VISITS["minutes"])})
