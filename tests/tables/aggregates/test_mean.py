"""Means: of numbers numbers, of dates dates."""

import datetime as dt
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.noise import Noise
from tests.tables.aggregates.test_estimates import CLAMPED, COLUMNS, answer

CASES: list[Aggregate] = [
    mean("minutes"),
    mean("cost"),
    mean("paid"),
    mean("free", bounds=(-5, 9)),
    mean("day", bounds=(0, 9)),
]


def test_it_is_that_of_the_clamped_values() -> None:
    assert answer(mean("x")) == pytest.approx([CLAMPED.mean()], abs=1e-3)


def test_a_group_without_values_gives_the_middle_and_says_so() -> None:
    bound, noise = mean("x").bind(COLUMNS), Noise(kind="laplace", scale=20, grid=1)
    found = bound.estimate(np.zeros((1, 2), dtype=np.int64), noise)
    assert (found.value.item(), found.error.item()) == (10, 10)


FIRST, LAST = dt.date(2024, 1, 1), dt.date(2024, 12, 31)
TIMES = (dt.datetime.fromisoformat("2024-01-01T00:00"), dt.datetime.fromisoformat("2024-12-31T00:00"))


@pytest.fixture(scope="module")
def session() -> pv.Session:
    columns = {
        "day": pv.column("date", bounds=(FIRST, LAST)),
        "time": pv.column("timestamp", bounds=TIMES),
        "ward": pv.column("text", categories=("a", "b")),
    }
    rows = [
        {
            "day": dt.date(2024, 3 if ward == "a" else 9, 1 + at % 3),
            "time": TIMES[0] + dt.timedelta(hours=at % 5),
            "ward": ward,
        }
        for at in range(3000)
        for ward in "ab"
    ]
    return pv.Session(rows, pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(epsilon=10**6))


def test_the_mean_of_dates_is_a_date_with_an_error_in_days(session: pv.Session) -> None:
    release = session.query().group_by("ward").agg(pv.mean("day")).release(epsilon=1000)
    table = release.to_dict()
    assert table["mean_day"] == [dt.date(2024, 3, 2), dt.date(2024, 9, 2)]
    assert all(type(error) is dt.timedelta and error < dt.timedelta(days=1) for error in table["mean_day_error"])
    assert all(
        low <= value <= high
        for value, low, high in zip(*(table[f"mean_day{end}"] for end in ("", "_low", "_high")), strict=True)
    )
    assert release.values("mean_day").dtype == "datetime64[D]"
    assert "2024-03-02" in str(release)
    assert pv.Release.from_json(release.to_json()) == release
    assert str(release.to_arrow().schema.field("mean_day").type) == "date32[day]"
    assert release.to_pandas()["mean_day"][0] == dt.date(2024, 3, 2)
    assert release.to_polars()["mean_day"][0] == dt.date(2024, 3, 2)


def test_the_mean_of_timestamps_is_a_timestamp(session: pv.Session) -> None:
    release = session.query().agg(pv.mean("time")).release(epsilon=1000)
    (value,), (error,) = release.to_dict()["mean_time"], release.to_dict()["mean_time_error"]
    assert abs(value - (TIMES[0] + dt.timedelta(hours=2))) < dt.timedelta(minutes=10)
    assert type(error) is dt.timedelta


def test_numbers_that_are_shared_with_a_count_give_the_same_date(session: pv.Session) -> None:
    release = session.query().agg(pv.count(), pv.mean("day")).release(epsilon=1000)
    assert len(release.plan.planned) == 1  # the count and the mean read the same numbers
    assert type(release.to_dict()["mean_day"][0]) is dt.date
    assert type(release.to_dict()["count"][0]) is int
    assert pv.Release.from_json(release.to_json()) == release


def test_sql_gives_dates(session: pv.Session) -> None:
    text = "SELECT ward, avg(day) AS d, median(day) AS m, min(day) AS least, max(time) AS most FROM data GROUP BY ward"
    release = session.sql(f"{text} ORDER BY d DESC").release(epsilon=1000)
    table = release.to_dict()
    assert table["d"] == [dt.date(2024, 9, 2), dt.date(2024, 3, 2)]
    kinds = {name: type(table[name][0]) for name in ("d", "m", "least", "most", "d_error", "d_low")}
    assert set(kinds.values()) == {dt.date, dt.datetime, dt.timedelta}
    assert str(release.to_arrow().schema.field("d").type) == "date32[day]"
    assert pv.SqlRelease.from_json(release.to_json()) == release


def test_dates_are_neither_rounded_nor_divided(session: pv.Session) -> None:
    release: Any = session.query().agg(pv.mean("day")).release(epsilon=1000)
    with pytest.raises(ValueError, match="are no numbers"):
        release.rounded("mean_day")
    assert release.rounded().changes == ()
    assert release.nonnegative().changes == ()


def test_a_release_of_before_reads_its_dates_as_numbers(session: pv.Session) -> None:
    release = session.query().agg(pv.mean("day")).release(epsilon=1000)
    older = pv.Release.from_json(release.to_json().replace(', "kind": "date"', ""))
    assert older.values("mean_day").dtype == np.float64


def test_noise_and_loss_of_a_mean_of_dates_are_those_of_days(session: pv.Session) -> None:
    days = session.query().derive(n="date_diff('day', date '2024-01-01', day)")
    plans = [days.agg(each).plan(epsilon=1) for each in (pv.mean("day"), pv.mean("n", bounds=(0, 365)))]
    assert [plan.planned[0].noise.scale for plan in plans] == [Fraction(365)] * 2
