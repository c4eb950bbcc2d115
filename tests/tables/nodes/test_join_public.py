"""Columns of a public table, row by row."""

from typing import Any

import pytest

from privet.errors import InvalidError, MismatchError
from privet.tables.codebook.column import column
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.relations.public_table import PublicTable
from tests.laws import Case
from tests.tables.nodes.spaces import MONTHS, PERSONS, ROWS, rows_of
from tests.tables.nodes.twins import written

WARDS = [{"ward": "a", "floor": 1}, {"ward": "b", "floor": 2}, {"ward": "elsewhere", "floor": 3}, {"floor": 4}]
WARD, FLOOR = column("text"), column("integer", bounds=(0, 9))


def joined(rows: Any, on: Any = ("ward",), **described: Any) -> JoinPublic:
    return JoinPublic(public=PublicTable(source=rows, described=described, on=on))


FLOORS = joined(WARDS, ward=WARD, floor=FLOOR)
DAYS = [{"day": "2024-01-31", "paid": paid, "holiday": paid} for paid in (False, True)]
HOLIDAYS = joined(DAYS, ("day", "paid"), day=column("date"), paid=column("boolean"), holiday=column("boolean"))
CASES = [
    Case(name="public join, rows", chain=ROWS >> FLOORS),
    Case(name="public join, persons", chain=PERSONS >> FLOORS),
    Case(name="public join, months", chain=MONTHS >> HOLIDAYS),
]
VALUES = "(VALUES ('a', 1), ('a', 2), ('b', 1)) AS p(ward, floor)"
TWINS = [
    written(
        "public join with keys that repeat",
        ROWS,
        FLOORS,
        f"SELECT r.*, CAST(p.floor AS BIGINT) AS floor FROM {{rows}} AS r JOIN {VALUES} USING (ward)",
    ),
    written(
        "public join of the first row of each ward",
        PERSONS,
        FLOORS,
        "SELECT r.*, CAST(1 AS BIGINT) AS floor FROM {rows} AS r QUALIFY row_number() OVER (PARTITION BY ward) = 1",
    ),
]


def test_rows_without_a_partner_are_left_out() -> None:
    rows = [{"id": number, "ward": ward} for number, ward in enumerate(("a", "b", "c", None, "elsewhere"))]
    assert [(row[0], row[-1]) for row in rows_of((ROWS >> FLOORS)(rows))] == [(0, 1), (1, 2)]


def test_dates_and_booleans_are_matched() -> None:
    rows = [{"id": 1, "month of day": 0, "day": day, "paid": True} for day in ("2024-01-31", "2024-02-01")]
    assert [row[-1] for row in rows_of((MONTHS >> HOLIDAYS)(rows))] == [True]


def test_keys_that_repeat_are_refused() -> None:
    chain = ROWS >> joined([*WARDS, {"ward": "b", "floor": 9}], ward=WARD, floor=FLOOR)
    for _ in range(2):
        with pytest.raises(InvalidError, match="rows of the public table share values of ward"):
            chain([])


def test_keys_that_are_read_as_one_are_refused() -> None:
    chain = ROWS >> joined([{"minutes": 60}, {"minutes": 61}], ("minutes",), minutes=column("integer", bounds=(0, 60)))
    with pytest.raises(InvalidError, match="rows of the public table share values of minutes"):
        chain([])


@pytest.mark.parametrize(
    ("node", "error", "message"),
    [
        (joined([], ("id",), id=column("integer")), InvalidError, "'id' tells whose rows are protected"),
        (joined([], ward=column("integer"), floor=FLOOR), MismatchError, "'ward' is text here and integer there"),
        (joined([], ward=WARD, minutes=FLOOR), MismatchError, "both have 'minutes'; rename or drop one first"),
        (joined([], ("floor",), floor=FLOOR), InvalidError, "there is no column 'floor' here"),
        (
            joined([], ("cost",), cost=column("real")),
            MismatchError,
            "columns to match are integer, text, boolean, date",
        ),
    ],
)
def test_what_cannot_be_joined_is_refused(node: JoinPublic, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PERSONS >> node
