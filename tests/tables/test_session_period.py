"""Sessions that protect persons within a period: whose row a row is follows from the date as it was read."""

import datetime as dt
from typing import Any

import pytest

from privet.accounting.planning.infinite import InfiniteBudget
from privet.tables.aggregates.count import count
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullPolicy, NullsDrawn, NullsReplaced
from privet.tables.columns.unit import Persons
from privet.tables.relations.filling import fill_nulls
from privet.tables.relations.id_columns import with_id_columns
from privet.tables.session.session import Session
from tests.tables.opened import exact_totals

_BOUNDS = ("2024-01-01", "2024-12-31")
_IN_MARCH: list[dict[str, Any]] = [{"id": 1, "day": dt.date(2024, 3, 5), "x": 400}]
_NO_DATE: list[dict[str, Any]] = [{"id": 1, "day": None, "x": number} for number in range(50)]


def moved(nulls: NullPolicy) -> int:
    """Count rows with and without those of one person that have no date: one unit."""
    columns = {"id": column("integer"), "day": column("date", bounds=_BOUNDS, nulls=nulls), "x": column("integer")}
    book = Codebook(columns=columns, unit=Persons(id="id", rows=1, period=("day", "month")))
    found = []
    for rows in (_IN_MARCH, _IN_MARCH + _NO_DATE):
        question = Session(rows, book, InfiniteBudget()).query().agg(count())
        plan = question.plan(epsilon=1)
        found += [int(numbers.sum()) for numbers in exact_totals(question, plan).values()]
    return found[1] - found[0]


@pytest.mark.parametrize("nulls", [NullsDrawn(), NullsReplaced("2024-03-01")])
def test_rows_without_a_date_are_one_unit_whatever_stands_in_for_it(nulls: NullPolicy) -> None:
    assert moved(nulls) == 1


def test_periods_of_dates_that_were_drawn_would_be_many_units(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = Persons(id="id", period=("day", "month"))
    monkeypatch.setattr("privet.tables.curator.private_tables.with_id_columns", lambda relation, _: relation)
    monkeypatch.setattr(
        "privet.tables.curator.private_tables.fill_nulls",
        lambda *args, **given: with_id_columns(fill_nulls(*args, **given), unit),
    )
    assert moved(NullsDrawn()) > 1
