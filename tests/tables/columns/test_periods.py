"""Names of calendar periods: one name for each period, and the first day that an engine finds."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError
from privet.tables.columns import LENGTHS, NO_DATE, Length, first_day, read_periods
from privet.tables.curator.private_tables import open_tables

DAYS = st.dates(dt.date(1, 1, 3), dt.date(9999, 12, 31))
EPOCH = dt.date(1970, 1, 1)


def name_of(length: Length, day: dt.date) -> str:
    """Name the period of a day; the twin of what is read."""
    if length == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    if length == "quarter":
        return f"{day.year:04}-Q{(day.month + 2) // 3}"
    return day.isoformat()[: {"day": 10, "month": 7, "year": 4}[length]]


def begin(length: Length, day: dt.date) -> dt.date:
    if length == "week":
        return day - dt.timedelta(days=day.weekday())
    month = {"year": 1, "quarter": day.month - (day.month - 1) % 3}.get(length, day.month)
    return day if length == "day" else dt.date(day.year, month, 1)


@given(DAYS, st.sampled_from(LENGTHS))
def test_the_first_day_of_a_period(day: dt.date, length: Length) -> None:
    assert first_day("period", length, name_of(length, day)) == (begin(length, day) - EPOCH).days


@pytest.mark.parametrize("length", LENGTHS)
def test_an_engine_finds_the_same_first_days(length: Length) -> None:
    """Around the turn of each year from 1999 to 2032, where weeks belong to two years."""
    turns = [dt.date(year, 1, 1) + dt.timedelta(days=n) for year in range(1999, 2033) for n in range(-8, 9)]
    book = pv.Codebook(
        columns={"id": pv.column("integer"), "day": pv.column("date")}, unit=pv.Persons("id", period=("day", length))
    )
    rows = [{"id": n, "day": day} for n, day in enumerate(turns)]
    tables = open_tables({"data": rows}, {"data": book})
    kept = tables.database.tables["data"].select("id", f"{length} of day")
    read = tables.database.engine.execute(kept, order_by=("id",))
    assert read[f"{length} of day"] == [first_day("period", length, name_of(length, day)) for day in turns]


@pytest.mark.parametrize(
    ("length", "name"),
    [
        ("day", "2026-02-29"),
        ("day", "2026-2-01"),
        ("week", "2026-W54"),
        ("week", "2025-W53"),
        ("week", "2026-w01"),
        ("month", "2026-00"),
        ("month", "2026-05 "),
        ("month", "2026-05\n"),
        ("quarter", "2026-Q5"),
        ("year", "0000"),
        ("year", "26"),
    ],
)
def test_what_is_not_in_the_calendar_is_refused(length: Length, name: str) -> None:
    with pytest.raises(InvalidError, match=f"must be a {length} of the calendar"):
        first_day("period", length, name)


def test_periods_are_read_in_one_order_and_each_once() -> None:
    assert read_periods("period", "year", ("2027", NO_DATE, "2026", "2027")) == (NO_DATE, "2026", "2027")
    with pytest.raises(InvalidError, match="between 1 and 1,000"):
        read_periods("period", "year", [])
