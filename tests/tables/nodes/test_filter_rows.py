"""Filters decide on each row by itself."""

import pytest

from privet.errors import InvalidError, MismatchError
from privet.tables.nodes.filter_rows import FilterRows
from tests.laws import Case
from tests.tables.nodes.spaces import PERSONS, ROWS, SPACES, rows_of
from tests.tables.nodes.twins import written

LONG = FilterRows(condition="minutes > 20 and ward in ('a', 'b')")
CASES = [Case(name=f"filter, {unit}", chain=space >> LONG) for unit, space in SPACES.items()]
CASES += [
    Case(name="filter on dates", chain=PERSONS >> FilterRows(condition="day >= date '2024-02-01' or paid")),
    Case(name="filter on free numbers", chain=ROWS >> FilterRows(condition="free + 1 > 0 or cost is null")),
]
ALL = "SELECT * FROM {rows} AS r QUALIFY"
TWINS = [
    written("filter by rank", PERSONS, LONG, f"{ALL} row_number() OVER (ORDER BY minutes, cost, free) <= 3"),
    written("filter by the smallest", ROWS, LONG, f"{ALL} minutes <= min(minutes) OVER ()"),
    written("filter by the number of rows", ROWS, LONG, f"{ALL} count(*) OVER () % 2 = 0"),
    written("filter that keeps one of each kind", PERSONS, LONG, f"{ALL} row_number() OVER (PARTITION BY ward) = 1"),
    written(
        "filter that fails on a text", ROWS, LONG, "SELECT * FROM {rows} AS r WHERE CAST(ward AS INT) > 1", "parity"
    ),
]


def test_rows_stay_where_the_condition_is_true_and_only_there() -> None:
    rows = [{"id": 1, "minutes": minutes, "ward": ward} for minutes in (10, 30, None) for ward in ("a", "c", None)]
    kept = (ROWS >> LONG >> FilterRows(condition="id = 1"))(rows)
    assert [row[1:3] for row in rows_of(kept)] == [("a", 30)]


def test_all_columns_stay() -> None:
    assert (PERSONS >> LONG).output == PERSONS


def test_a_number_is_no_condition() -> None:
    with pytest.raises(MismatchError, match="filter takes a condition, got integer: minutes"):
        ROWS >> FilterRows(condition="minutes + 1")


@pytest.mark.parametrize("condition", ["nosuch > 1", "max(minutes) = 1", "row_number() over () = 1", "random() < 1"])
def test_what_is_no_function_of_one_row_is_refused(condition: str) -> None:
    with pytest.raises(InvalidError):
        ROWS >> FilterRows(condition=condition)
