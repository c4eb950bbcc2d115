"""Columns of a public table, row by row."""

from typing import Any

import pytest
from attrs import evolve

from privet.errors import InvalidError, MismatchError
from privet.tables.codebook.column import column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.relations.public_table import PublicTable
from tests.laws import Case, Twin
from tests.tables.nodes.spaces import MONTHS, PERSONS, ROWS, rows_of
from tests.tables.nodes.twins import ChargedOnce, written

WARDS = [{"ward": "a", "floor": 1}, {"ward": "b", "floor": 2}, {"ward": "elsewhere", "floor": 3}, {"floor": 4}]
WARD, FLOOR = column("text"), column("integer", bounds=(0, 9))


def joined(rows: Any, on: Any = ("ward",), **described: Any) -> JoinPublic:
    return JoinPublic(public=PublicTable(source=rows, described=described, on=on))


FLOORS = joined(WARDS, ward=WARD, floor=FLOOR)
SEVERAL = [{"ward": ward, "floor": floor} for ward, floors in (("a", 3), ("b", 1), ("?", 4)) for floor in range(floors)]
THREE = JoinPublic(
    public=PublicTable(
        source=[row for row in SEVERAL if row["ward"] != "?"],
        described={"ward": WARD, "floor": FLOOR},
        on=("ward",),
        most=3,
    )
)
LEFT = evolve(THREE, how="left")


def read_by_engine(node: JoinPublic) -> JoinPublic:
    with DuckDBEngine() as engine:
        return evolve(node, public=node.public.read_by(engine))


RIGHT = read_by_engine(evolve(joined(SEVERAL, ward=WARD, floor=FLOOR), how="right"))
DAYS = [{"day": "2024-01-31", "paid": paid, "holiday": paid} for paid in (False, True)]
HOLIDAYS = joined(DAYS, ("day", "paid"), day=column("date"), paid=column("boolean"), holiday=column("boolean"))
CASES = [
    Case(name="public join with keys that repeat, rows", chain=ROWS >> THREE),
    Case(name="public join with keys that repeat, persons", chain=PERSONS >> THREE),
    Case(name="public join with keys that repeat, months", chain=MONTHS >> LEFT),
    Case(name="public left join with keys that repeat, rows", chain=ROWS >> LEFT),
    Case(name="public right join with keys that repeat, rows", chain=ROWS >> RIGHT),
    Case(name="public right join with keys that repeat, persons", chain=PERSONS >> RIGHT),
    Case(name="public joins, one after the other", chain=ROWS >> THREE >> evolve(HOLIDAYS, how="left")),
    Case(name="public join, rows", chain=ROWS >> FLOORS),
    Case(name="public join, persons", chain=PERSONS >> FLOORS),
    Case(name="public join, months", chain=MONTHS >> HOLIDAYS),
]
VALUES = "(VALUES ('a', 1), ('a', 2), ('b', 1)) AS p(ward, floor)"
REPEATED = "(VALUES ('a', 0), ('a', 1), ('a', 2), ('b', 0)) AS p(ward, floor)"
TWINS = [
    Twin(
        law="map", case=Case(name="public join with keys that repeat, counted once", chain=ROWS >> ChargedOnce(THREE))
    ),
    Twin(law="map", case=Case(name="public left join, counted once", chain=ROWS >> ChargedOnce(LEFT))),
    written(
        "public right join that keeps public rows without a partner",
        PERSONS,
        THREE,
        "SELECT coalesce(r.id, 1) AS id, r.* EXCLUDE (id, ward), p.ward, CAST(p.floor AS BIGINT) AS floor "
        f"FROM {{rows}} AS r RIGHT JOIN {REPEATED} USING (ward)",
    ),
    written(
        "public join with a floor of whichever row of the ward comes first",
        PERSONS,
        THREE,
        "SELECT r.*, CAST(row_number() OVER (PARTITION BY ward) AS BIGINT) AS floor FROM {rows} AS r",
    ),
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


def test_more_rows_of_a_key_than_stated_are_refused() -> None:
    """Otherwise one row would move more rows than the map says."""
    source = [*WARDS, {"ward": "b", "floor": 9}]
    chain = ROWS >> joined(source, ward=WARD, floor=FLOOR)
    for _ in range(2):
        with pytest.raises(InvalidError, match="2 rows of the public table share values of ward, and 1 row may"):
            chain([])
    allowed = joined(source, ward=WARD, floor=FLOOR)
    twice = ROWS >> evolve(allowed, public=evolve(allowed.public, most=2))
    source += [{"ward": "b", "floor": 8}] * 3  # changed behind our back, before the engine read it
    with pytest.raises(InvalidError, match="5 rows of the public table share values of ward, and 2 rows may"):
        twice([])


def test_a_row_becomes_as_many_as_it_has_partners() -> None:
    rows = [{"id": number, "ward": ward} for number, ward in enumerate(("a", "b", "c", None))]
    found = {
        how: [(row[0], row[-1]) for row in rows_of((ROWS >> evolve(THREE, how=how))(rows))] for how in ("inner", "left")
    }
    assert found["inner"] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert found["left"] == [(0, 0), (0, 1), (0, 2), (1, 0), (2, None), (3, None)]
    assert (ROWS >> THREE).map(2) == 6
    assert (PERSONS >> THREE).map(2) == 2
    assert (ROWS >> THREE).output.domain.limits.rows == 3  # type: ignore[attr-defined]


def test_a_right_join_makes_the_public_keys_the_groups() -> None:
    columns = (ROWS >> RIGHT).output.domain.columns  # type: ignore[attr-defined]
    assert columns["ward"].categories == ("a", "b", "?")
    assert not columns["ward"].nullable
    found = (ROWS >> RIGHT)([{"id": 1, "ward": ward} for ward in ("a", "c", None)])
    assert [row[-1] for row in rows_of(found)] == [0, 1, 2]
    with pytest.raises(InvalidError, match="how='right' makes groups of the keys, and 'day' is date"):
        MONTHS >> read_by_engine(evolve(HOLIDAYS, how="right"))
    with pytest.raises(InvalidError, match="needs a public table with keys"):
        ROWS >> evolve(THREE, how="right")
    with pytest.raises(InvalidError, match="how must be one of inner, left, right"):
        evolve(THREE, how="outer")  # type: ignore[arg-type]


def test_a_public_table_that_repeats_a_key_too_often_makes_too_many_rows() -> None:
    source = [{"ward": "a", "floor": 1}] * 1_001
    with pytest.raises(InvalidError, match="make 1,001 rows of one"):
        ROWS >> read_by_engine(joined(source, ward=WARD, floor=FLOOR))


def test_keys_that_are_read_as_one_are_refused() -> None:
    chain = ROWS >> joined([{"minutes": 60}, {"minutes": 61}], ("minutes",), minutes=column("integer", bounds=(0, 60)))
    with pytest.raises(InvalidError, match="2 rows of the public table share values of minutes"):
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
