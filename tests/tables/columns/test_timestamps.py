"""Dates and timestamps as numbers, and back."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.timestamps import moments_of, read_moment, spans_of, to_date, write_moment


@given(st.dates())
def test_dates_are_days(day: date) -> None:
    days = (day - date(1970, 1, 1)).days
    assert read_moment("x", "date", day) == read_moment("x", "date", day.isoformat()) == days
    assert write_moment("date", days) == day.isoformat()
    assert to_date("date", days) == day


@given(st.datetimes(timezones=st.just(UTC)))
def test_timestamps_are_microseconds(moment: datetime) -> None:
    microseconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert read_moment("x", "timestamp", moment) == microseconds
    assert read_moment("x", "timestamp", write_moment("timestamp", microseconds)) == microseconds
    assert to_date("timestamp", microseconds) == moment.date()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1970-01-02", 86_400_000_000),
        ("1970-01-01 00:00", 0),
        ("1970-01-01T00:00:00.5", 500_000),
        ("1970-01-01T00:00Z", 0),
        ("1970-01-01T02:00+02:00", 0),
        (date(1970, 1, 2), 86_400_000_000),
        (datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))), 0),
        (datetime(1970, 1, 1), 0),  # noqa: DTZ001 - without a zone, UTC is meant
        (7, 7),
    ],
)
def test_forms_of_timestamps(typed: Any, meant: int) -> None:
    assert read_moment("x", "timestamp", typed) == meant


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "2024-13-01"),
        ("date", "24-01-01"),
        ("date", "2024-W01-1"),
        ("date", "٢٠٢٤-٠١-٠١"),
        ("date", "2024-01-01T00:00"),
        ("date", 10**7),
        ("timestamp", "2024-01-01T24:01"),
        ("timestamp", "2024-01-01T00:00:00.1234567"),
        ("timestamp", 10**18),
        ("timestamp", "0001-01-01T00:00+14:00"),
        ("timestamp", "9999-12-31T23:59-14:00"),
    ],
)
def test_what_is_no_moment_is_refused(kind: str, value: Any) -> None:
    with pytest.raises(InvalidError, match=r"^x must"):
        read_moment("x", kind, value)


@pytest.mark.parametrize("value", [1.5, True, None, datetime(2024, 1, 1)])  # noqa: DTZ001
def test_other_types_are_refused(value: Any) -> None:
    with pytest.raises(WrongTypeError, match="x must be a date such as 2024-01-31, got"):
        read_moment("x", "date", value)


def test_arrays_of_moments_hold_what_is_beyond_the_calendar_at_its_ends() -> None:
    days = moments_of("date", np.array([-1e300, -1.5, 0.0, 1e300, np.nan]), np.floor)
    assert days.tolist() == [date(1, 1, 1), date(1969, 12, 30), date(1970, 1, 1), date(9999, 12, 31), None]
    times = moments_of("timestamp", np.array([-np.inf, 1e6, np.inf]))
    assert [each.year for each in times.tolist()] == [1, 1970, 9999]
    assert spans_of("timestamp", np.array([2.0, np.inf, np.nan])).tolist()[0] == timedelta(microseconds=2)
