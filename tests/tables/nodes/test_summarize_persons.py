"""One row for each owner, from that owner's rows alone."""

from typing import Any

import pytest
from attrs import evolve

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
ORDERED = SummarizePersons(
    summaries={
        "middle": "median(minutes)",
        "of_costs": "median(cost - 1)",
        "day": "median(day)",
        "high": "quantile(free, 0.75)",
        "late": "quantile(day, 0.333)",
        "usual": "mode(ward)",
        "often": "mode(cost)",
        "begun": "first(minutes, day)",
        "ended": "last(ward, cost)",
        "some": "any_value(paid)",
        "n": "count(*)",
    }
)
CASES = [
    Case(name="ordered summary", chain=PERSONS >> ORDERED),
    Case(name="ordered summary, months", chain=MONTHS >> evolve(ORDERED, keys=("paid",))),
    Case(
        name="ordered summary by ward",
        chain=PERSONS
        >> SummarizePersons(keys=("ward",), summaries={"m": "mode(minutes % 2)", "q": "quantile(cost, 1)"}),
    ),
    Case(
        name="ordered summary of a summary",
        chain=PERSONS
        >> SummarizePersons(keys=("ward",), summaries={"low": "min(minutes)"})
        >> SummarizePersons(summaries={"middle": "median(low)", "ward": "last(ward, low)"}),
    ),
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
FIRST = SummarizePersons(summaries={"s": "first(ward, minutes)"})
MIDDLE = SummarizePersons(summaries={"s": "quantile(minutes, 0.5)"})
MODE = SummarizePersons(summaries={"s": "mode(ward)"})
NUMBERED = "SELECT *, row_number() OVER ({}) AS k, count(*) OVER (PARTITION BY id) AS n FROM {{rows}} AS q"
TWINS = [
    written(
        "first value of whichever row comes first",
        PERSONS,
        FIRST,
        "SELECT id, first(ward) AS s FROM {rows} AS r WHERE id IS NOT NULL GROUP BY id",
    ),
    written(
        "median of rows as they lie",
        PERSONS,
        MIDDLE,
        f"SELECT id, max(minutes) FILTER (k = (n + 1) // 2) AS s FROM ({NUMBERED.format('PARTITION BY id')}) AS r "
        "GROUP BY id",
    ),
    written(
        "median with ranks of all persons",
        PERSONS,
        MIDDLE,
        f"SELECT id, max(minutes) FILTER (k = (n + 1) // 2) AS s FROM ({NUMBERED.format('ORDER BY minutes, id')}) AS r "
        "GROUP BY id",
    ),
    written(
        "mode of all persons in place of a tie",
        PERSONS,
        MODE,
        "SELECT id, (SELECT max(ward) FROM {rows} AS q WHERE q.minutes > 30) AS s FROM {rows} AS r "
        "WHERE id IS NOT NULL GROUP BY id",
    ),
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
        (PERSONS, SummarizePersons(summaries={"x": "stddev(minutes)"}), "must be one of count"),
    ],
)
def test_what_is_no_summary_is_refused(space: Any, node: SummarizePersons, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        space >> node
