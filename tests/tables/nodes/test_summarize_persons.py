"""One row for each owner, from that owner's rows alone."""

from typing import Any

import pytest

from privet.errors import InvalidError
from privet.tables.nodes.summarize_persons import SummarizePersons
from tests.laws import Case
from tests.tables.nodes.spaces import MONTHS, PERSONS, ROWS, rows_of
from tests.tables.nodes.twins import written

MANY = SummarizePersons(
    summaries={
        "n": "count(*)",
        "days": "count(distinct day)",
        "total": "sum(minutes)",
        "all": "sum(free)",
        "cost": "sum(cost)",
        "average": "mean(cost + 1)",
        "first": "min(day)",
        "ever": "max(paid)",
    }
)
CASES = [
    Case(name="summary", chain=PERSONS >> MANY),
    Case(
        name="summary by ward", chain=PERSONS >> SummarizePersons(keys=("ward", "paid"), summaries={"n": "count(cost)"})
    ),
    Case(name="summary, months", chain=MONTHS >> SummarizePersons(summaries={"n": "count(*)", "m": "avg(minutes)"})),
    Case(
        name="summary by period", chain=MONTHS >> SummarizePersons(keys=("month of day",), summaries={"x": "max(cost)"})
    ),
]
COUNT = SummarizePersons(summaries={"n": "count(*)"})
TWINS = [
    written("summary by ward", PERSONS, COUNT, "SELECT min(id) AS id, count(*) AS n FROM {rows} AS r GROUP BY ward"),
    written(
        "summary with the number of persons",
        PERSONS,
        COUNT,
        "SELECT DISTINCT id, (SELECT count(DISTINCT id) FROM {rows} AS q) AS n FROM {rows} AS r",
    ),
    written("summary by place", PERSONS, COUNT, "SELECT id, any_value(free) AS n FROM {rows} AS r GROUP BY id"),
    written(
        "summary of a person within a period by person",
        MONTHS,
        COUNT,
        'SELECT id, min("month of day") AS "month of day", count(*) AS n FROM {rows} AS r GROUP BY id',
    ),
    written(
        "summary against the largest of all",
        PERSONS,
        COUNT,
        "SELECT id, max(minutes) - (SELECT max(minutes) FROM {rows} AS q) AS n FROM {rows} AS r GROUP BY id",
    ),
]
DATA: list[dict[str, Any]] = [
    {"id": 1, "ward": "a", "minutes": 5, "cost": 1.0, "free": 2**62, "paid": False, "day": "2024-01-02"},
    {"id": 1, "ward": "b", "minutes": None, "cost": 0.25, "free": 2**63 - 1, "paid": True, "day": "2024-01-01"},
    {"id": 2, "ward": "a"},
    {"id": None, "ward": "a", "minutes": 50},
]


def test_summaries_are_those_of_the_rows_of_each_owner() -> None:
    assert rows_of((PERSONS >> MANY)(DATA)) == [
        (1, 2, 2, 5, 2**63 - 1, "1.25", "1.625", "2024-01-01", True),
        (2, 1, 0, None, None, None, None, None, None),
    ]


def test_rows_of_nobody_are_left_out_and_keys_are_kept_apart() -> None:
    chain = PERSONS >> SummarizePersons(keys=("ward",), summaries={"n": "count(*)"})
    assert rows_of(chain(DATA)) == [(1, "a", 1), (1, "b", 1), (2, "a", 1)]


def test_a_person_within_a_period_has_a_row_for_each() -> None:
    rows = [{"id": 1, "month of day": month} for month in (0, 0, 31)]
    assert rows_of((MONTHS >> COUNT)(rows)) == [(1, 0, 2), (1, 31, 1)]


@pytest.mark.parametrize(
    ("space", "node", "message"),
    [
        (ROWS, COUNT, "the unit must be Persons"),
        (
            PERSONS,
            SummarizePersons(keys=("nosuch",), summaries={"n": "count(*)"}),
            "no column 'nosuch'; there are 'id'",
        ),
        (PERSONS, SummarizePersons(summaries={}), "at least one summary"),
        (PERSONS, SummarizePersons(summaries={"id": "count(*)"}), "'id' and 'id' are one name"),
        (PERSONS, SummarizePersons(summaries={"x": "median(minutes)"}), "must be one of count"),
    ],
)
def test_what_is_no_summary_is_refused(space: Any, node: SummarizePersons, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        space >> node
