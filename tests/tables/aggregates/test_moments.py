"""Quantiles of dates and timestamps are dates and timestamps, in every form of a release."""

from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.session.session import Session

DAYS = (date(2012, 1, 1), date(2015, 12, 31))
TIMES = (datetime(2012, 1, 1), datetime(2015, 12, 31))  # noqa: DTZ001 - timestamps have no zone


@pytest.fixture(scope="module")
def session() -> Session:
    columns = {
        "ward": pv.column("text", categories=("a", "b")),
        "day": pv.column("date", bounds=DAYS),
        "at": pv.column("timestamp", bounds=TIMES),
    }
    rows = [
        {"ward": "ab"[n % 2], "day": DAYS[0] + timedelta(days=400 + n % 30), "at": TIMES[0] + timedelta(hours=n % 900)}
        for n in range(3000)
    ]
    return Session(rows, pv.Codebook(table="t", columns=columns, unit=pv.Rows()), pv.budget(epsilon=10**9))


@pytest.mark.parametrize("make", [pv.minimum, pv.maximum, pv.median, lambda name: pv.quantile(name, 0.9)])
@pytest.mark.parametrize(("name", "kind", "within"), [("day", date, DAYS), ("at", datetime, TIMES)])
def test_values_errors_and_ends_are_moments(session: Session, make: Any, name: str, kind: type, within: Any) -> None:
    release = session.query().group_by("ward").agg(x=make(name)).release(epsilon=10**6)
    found = release.to_dict()
    for at in range(2):
        low, value, high = (found[part][at] for part in ("x_low", "x", "x_high"))
        assert {type(each) for each in (low, value, high)} == {kind}
        assert within[0] <= low <= value <= high <= within[1]
        assert type(found["x_error"][at]) is timedelta
    assert str(value)[:16] in str(release).replace("T", " ")  # seconds only where the interval supports them
    assert pv.Release.from_json(release.to_json()) == release
    assert release.to_pandas()["x"][1] == value or release.to_pandas()["x"][1].date() == value
    assert release.to_arrow()["x"].to_pylist() == release.to_polars()["x"].to_list() == found["x"]


def test_several_quantiles_of_days_are_days(session: Session) -> None:
    found = session.query().agg(x=pv.quantiles("day", [0.1, 0.9], bins=128)).release(epsilon=10**6).to_dict()
    for share, day in ((0.1, date(2013, 2, 6)), (0.9, date(2013, 3, 3))):
        assert type(found[f"x_{share}"][0]) is date
        assert abs(found[f"x_{share}"][0] - day) <= timedelta(days=12)  # a bin is 11.4 days wide


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("SELECT MIN(day) AS x FROM t", [date]),
        ("SELECT MAX(at) AS x FROM t", [datetime]),
        (
            "SELECT ward, MEDIAN(day) AS x FROM t GROUP BY ward HAVING MEDIAN(day) > DATE '2012-01-01' ORDER BY x",
            [date] * 2,
        ),
        ("SELECT EXTRACT(year FROM MIN(day)) AS x FROM t", [int]),
        ("SELECT MAX(day) - MIN(day) AS x FROM t", [int]),
        ("SELECT GREATEST(MIN(day), DATE '2014-01-01') AS x FROM t", [date]),
        ("SELECT x FROM (SELECT MIN(day) AS x FROM t) WHERE x > DATE '2012-01-01'", [date]),
        ("SELECT MIN(day) AS x FROM t HAVING MIN(day) > DATE '2015-12-31'", []),
    ],
)
def test_statements_work_with_moments_after_the_release(session: Session, text: str, kinds: list[type]) -> None:
    answer = session.sql(text).release(epsilon=10**6)
    assert [type(value) for value in answer.to_dict()["x"]] == kinds
    assert str(answer)


def test_moments_are_neither_rounded_nor_made_numbers(session: Session) -> None:
    release = session.query().agg(x=pv.median("day"), n=pv.count()).release(epsilon=10**6)
    assert release.rounded().nonnegative().values("x").dtype == np.dtype("datetime64[D]")
    with pytest.raises(InvalidError, match="are no numbers"):
        release.rounded("x")
    with pytest.raises(InvalidError, match="may be below zero"):
        release.nonnegative("x")
    with pytest.raises(InvalidError, match="takes counts and sums"):
        release.ratio("y", "x", "n")


def test_bins_of_moments_are_labelled_with_moments(session: Session) -> None:
    release = session.query().agg(x=pv.histogram("day", 4)).release(epsilon=10**6)
    assert release.names[0] == "x_[2012-01-01, 2012-12-31)"
    assert release.names[3] == "x_[2014-12-31, 2015-12-31]"
    at = session.query().agg(x=pv.histogram("at", 2)).release(epsilon=10**6)
    assert at.names[0] == "x_[2012-01-01 00:00:00, 2013-12-31 00:00:00)"


def test_other_kinds_are_numbers_as_before() -> None:
    book = pv.Codebook(columns={"x": pv.column("integer", bounds=(0, 9))}, unit=pv.Rows())
    release = (
        Session([{"x": 3}] * 50, book, pv.budget(epsilon=10**9)).query().agg(pv.median("x")).release(epsilon=10**6)
    )
    assert release.values("median_x").tolist() == [3.0]
    assert release.plan.aggregates[0][1].numeric
