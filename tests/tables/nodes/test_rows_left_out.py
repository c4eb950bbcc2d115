"""How many rows of each person caps leave out: exact, and decided by that person's rows alone."""

from collections import Counter

import numpy as np
import pytest

from privet.errors import InvalidError
from privet.tables.nodes.group_totals import Grouping
from privet.tables.nodes.rows_left_out import RowsLeftOut
from privet.tables.nodes.rows_of_groups import RowsOfGroups
from privet.tables.relations.caps import Caps
from tests.laws import Case
from tests.tables.nodes.spaces import MONTHS, PERSONS, ROWS, VISITS, rows_of
from tests.tables.nodes.twins import written

WARDS = (("a",), ("c",))
ALL_CAPS = Caps(rows=3, groups=1, rows_per_group=2)
LISTED = Grouping(keys=("ward",), groups=WARDS, caps=ALL_CAPS, key=7)
ONE_GROUP = Grouping(caps=Caps(rows=1))
BY_COLUMN = Grouping(keys=("ward",), groups=WARDS, caps=Caps(by={"ward": {"groups": 1, "rows_per_group": 2}}), key=7)
CASES = [
    Case(name="rows left out of all", chain=PERSONS >> RowsLeftOut(grouping=ONE_GROUP, most_rows=4)),
    Case(name="rows left out of groups", chain=PERSONS >> RowsLeftOut(grouping=LISTED, most_rows=4)),
    Case(name="rows left out, caps by column", chain=PERSONS >> RowsLeftOut(grouping=BY_COLUMN, most_rows=9)),
    Case(name="rows left out, months", chain=MONTHS >> RowsLeftOut(grouping=LISTED, most_rows=9)),
]
COUNT = RowsLeftOut(grouping=ONE_GROUP, most_rows=4)
TWINS = [
    written(
        "rows left out against the most of all",
        PERSONS,
        COUNT,
        "SELECT id, count(*) - (SELECT count(*) FROM {rows} AS q) AS left_out FROM {rows} AS r GROUP BY id",
    ),
    written(
        "rows left out by ward",
        PERSONS,
        COUNT,
        "SELECT min(id) AS id, count(*) AS left_out FROM {rows} AS r GROUP BY ward",
    ),
    written(
        "rows left out of a period by person",
        MONTHS,
        COUNT,
        'SELECT id, min("month of day") AS "month of day", count(*) AS left_out FROM {rows} AS r GROUP BY id',
    ),
]


def left_out(caps: Caps, rows: list[dict[str, object]], most_rows: int) -> dict[object, int]:
    grouping = Grouping(keys=("ward",), groups=WARDS, caps=caps, key=7)
    return dict(rows_of((PERSONS >> RowsLeftOut(grouping=grouping, most_rows=most_rows))(rows)))


@pytest.mark.parametrize(
    "caps",
    [
        Caps(rows=1),
        Caps(rows=4),
        Caps(groups=1, rows_per_group=2),
        Caps(groups=2, rows_per_group=3),
        Caps(rows=3, rows_per_group=2),
        Caps(rows=2, groups=1),
        Caps(rows=5, groups=1, rows_per_group=4),
        Caps(by={"ward": {"groups": 1, "rows_per_group": 2}}),
        Caps(by={"minutes": {"groups": 2, "rows_per_group": 1}}),
        Caps(rows=3, by={"ward": {"rows_per_group": 2}, "minutes": {"groups": 2, "rows_per_group": 3}}),
    ],
    ids=str,
)
def test_the_numbers_are_those_of_the_rows_that_really_stay(caps: Caps) -> None:
    """Counted by another way: the rows with and without the caps."""
    draw = np.random.default_rng(5)
    rows: list[dict[str, object]] = [
        {"id": int(person), "ward": ("a", "b", "c", None)[draw.integers(4)], "minutes": int(draw.integers(3))}
        for person in draw.integers(40, size=400)
    ]
    rows += [{"id": None, "ward": "a", "minutes": 1}] * 5
    grouping = Grouping(keys=("ward",), groups=WARDS, caps=caps, key=7)
    kept = Counter(row[0] for row in rows_of((PERSONS >> RowsOfGroups(grouping=grouping))(rows)))
    there = Counter(row["id"] for row in rows if row["ward"] in ("a", "c") and row["id"] is not None)
    expected = {person: there[person] - kept[person] or -kept[person] for person in there}
    used = tuple(name for name in VISITS if name not in ("id", "ward"))  # as RowsOfGroups ranks
    node = RowsLeftOut(grouping=grouping, most_rows=1_000, used=used)
    assert dict(rows_of((PERSONS >> node)(rows))) == expected
    if not caps.by:
        assert left_out(caps, rows, 1_000) == expected


def test_of_a_person_with_very_many_rows_only_so_many_are_looked_at() -> None:
    rows: list[dict[str, object]] = [{"id": 1, "ward": "a"}] * 50 + [{"id": 2, "ward": "a"}] * 7
    assert left_out(Caps(rows=4), rows, 10) == {1: 6, 2: 3}


def test_a_table_without_rows_of_persons_gives_none() -> None:
    assert left_out(Caps(rows=4), [{"id": None, "ward": "a"}, {"id": 1, "ward": "b"}], 10) == {}


@pytest.mark.parametrize("caps", [Caps(rows=4), Caps(groups=2, rows_per_group=2)], ids=str)
def test_fewer_rows_than_count_cannot_be_looked_at(caps: Caps) -> None:
    with pytest.raises(InvalidError, match="most_rows must be at least 4, the rows of a person that the caps allow"):
        left_out(caps, [], 3)


def test_rows_that_are_protected_one_by_one_have_no_persons() -> None:
    with pytest.raises(InvalidError, match="the unit is rows; use unit=Persons"):
        ROWS >> RowsLeftOut(grouping=ONE_GROUP, most_rows=4)


def test_caps_must_bound_the_rows_of_a_person() -> None:
    with pytest.raises(InvalidError, match="how much one person may count is not bounded"):
        PERSONS >> RowsLeftOut(grouping=Grouping(keys=("ward",), groups=WARDS), most_rows=4)
