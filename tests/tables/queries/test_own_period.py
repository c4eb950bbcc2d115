"""Groups by the unit's own period: one unit has rows in one group, so that no row is left out by a cap of one group."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

import privet as pv
from privet.accounting.planning.infinite import InfiniteBudget
from privet.tables.columns import LENGTHS, Length
from privet.tables.curator import private_tables
from privet.tables.expressions.dates import truncate
from privet.tables.queries import grouped_rows, own_period
from privet.tables.session.query import GroupedQuery, Query
from tests.tables.opened import exact_totals

FIRST, LAST = (
    dt.date(2019, 12, 16),
    dt.date(2022, 1, 16),
)  # years turn within a week
DAYS = [FIRST + dt.timedelta(days=at) for at in range((LAST - FIRST).days + 1)]
PARTS = ("year", "quarter", "month", "week", "day", "dayofweek", "isodow", "dayofyear")
KEYS = [*(f"by {length}" for length in LENGTHS), *PARTS]


def opened(length: Length, rows: list[dict[str, Any]], *, nulls: Any = None, kind: str = "date", **caps: Any) -> Query:
    columns = {
        "id": pv.column("integer"),
        "day": pv.column(kind, bounds=(FIRST, LAST), nulls=nulls),
        "other": pv.column("date", bounds=(FIRST, LAST)),
        "ward": pv.column("text", categories=("a", "b")),
    }
    unit = pv.Persons("id", period=("day", length), **(caps or {"groups": 5, "rows_per_group": 40}))
    return pv.Session(rows, pv.Codebook(columns=columns, unit=unit), InfiniteBudget()).query()


def grouped(query: Query, key: str) -> GroupedQuery:
    if key.startswith("by "):
        return query.bin("day", by=key[3:], into="key").group_by("key")
    return query.derive(key=f"{key}(day)").group_by("key", groups=range(-1, 2100))


def broken(length: Length, key: str) -> int:
    """Count the periods whose days lie in several groups, as the engine computes them: one day in one row."""
    rows = [{"id": at, "day": day} for at, day in enumerate(DAYS)]
    query = grouped(opened(length, rows), key).rows.query
    result = query.curator.tables.database.engine.execute(query.relation.select("id", "key"))
    groups: dict[dt.date, set[Any]] = {}
    for at, value in zip(result["id"], result["key"], strict=True):
        groups.setdefault(truncate(length, DAYS[at]), set()).add(value)
    return sum(len(several) > 1 for several in groups.values())


@pytest.mark.parametrize(("length", "key"), list(product(LENGTHS, KEYS)))
def test_what_is_recognised_is_a_function_of_the_period(length: Length, key: str) -> None:
    recognised = grouped(opened(length, []), key).rows.one_group_each
    assert not (recognised and broken(length, key))
    assert recognised or key != f"by {length}"  # the period itself is always recognised


def twins() -> Iterator[tuple[Length, str]]:
    """Finer periods, and coarser ones that do not hold the period as a whole."""
    yield from (("month", "day"), ("month", "week"), ("year", "month"), ("quarter", "month"))
    yield from (("week", "month"), ("week", "quarter"), ("week", "year"))


@pytest.mark.parametrize(("length", "key"), list(twins()))
def test_a_list_that_names_another_period_is_caught(length: Length, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(own_period._PARTS, length, own_period._PARTS[length] | {key})
    assert grouped(opened(length, []), key).rows.one_group_each
    assert broken(length, key)


ROWS = [{"id": at % 7, "day": day, "ward": "ab"[at % 2]} for at, day in enumerate([*DAYS, *DAYS[::3]])]
ROWS += [{"id": 3, "day": None, "ward": "a"}] * 5


def totals(question: Any) -> list[int]:
    exact = exact_totals(question, question.plan(epsilon=1))
    return [int(each) for numbers in exact.values() for each in numbers[:, 0]]


def uncapped(length: Length) -> list[int]:
    periods = sorted({truncate(length, day) for day in DAYS})
    days = [row["day"] for row in ROWS if row["day"] is not None]
    counts = Counter(truncate(length, day) for day in days)
    return [counts[period] for period in periods]


@pytest.mark.parametrize("length", ["week", "month", "quarter", "year"])
def test_no_row_is_left_out(length: Length) -> None:
    question = grouped(opened(length, ROWS, rows_per_group=10**6), f"by {length}").agg(pv.count())
    assert question.contribution.l0 == 1  # type: ignore[union-attr]
    assert totals(question) == uncapped(length)


@pytest.mark.parametrize(
    ("length", "other"), [("month", "week"), ("year", "month"), ("week", "month"), ("week", "year")]
)
def test_rows_are_left_out_where_another_period_is_recognised(
    length: Length, other: Length, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouped_rows, "is_own_period", lambda *_: True)
    question = grouped(opened(length, ROWS, rows_per_group=10**6), f"by {other}").agg(pv.count())
    assert totals(question) != uncapped(other)


def test_noise_is_smaller_by_the_number_of_groups() -> None:
    query = opened("month", ROWS, groups=6, rows_per_group=4)
    months, weeks = (grouped(query, key).agg(pv.count()) for key in ("by month", "by week"))
    scales = [each.plan(epsilon=1).planned[0].noise.scale for each in (months, weeks)]
    assert scales == [4, 24]


def test_privacy_rests_on_the_cap_and_not_on_what_is_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a rule that recognises everything, one unit still moves one group."""
    monkeypatch.setattr(grouped_rows, "is_own_period", lambda *_: True)
    monkeypatch.setattr(private_tables, "uniform_below", lambda _: 7)  # neighbours have one secret key
    counts = []
    for rows in (ROWS, [*ROWS, *({"id": 99, "day": dt.date(2020, 3, at), "ward": "a"} for at in range(1, 32))]):
        question = grouped(opened("month", rows, groups=6, rows_per_group=40), "by week").agg(pv.count())
        assert question.contribution.l0 == 1  # type: ignore[union-attr]
        counts.append(totals(question))
    moved = [abs(one - other) for one, other in zip(*counts, strict=True)]
    assert sum(each > 0 for each in moved) <= 1
    assert sum(moved) <= 40


@pytest.mark.parametrize(
    "change",
    [
        lambda query: query.derive(day="other").bin("day", by="month", into="key").group_by("key"),
        lambda query: query.bin("other", by="month", into="key").group_by("key"),
        lambda query: query.bin("day", by="month", into="key").group_by("key", "ward"),
        lambda query: query.bin("day", by="month", into="key").derive(key="ward").group_by("key"),
        lambda query: query.derive(key="month(other)").group_by("key"),
        lambda query: query.derive(key="month(day) + 0").group_by("key"),
        lambda query: query.derive(key="if(ward = 'a', month(day), 1)").group_by("key"),
        lambda query: query.group_by("ward"),
        lambda query: (
            query.bin("day", by="month", into="key").union(query.bin("day", by="month", into="key")).group_by("key")
        ),
        lambda query: query.summarize("ward", day="min(day)").bin("day", by="month", into="key").group_by("key"),
    ],
)
def test_other_expressions_are_not_recognised(change: Any) -> None:
    assert not change(opened("month", [])).rows.one_group_each


@pytest.mark.parametrize(
    "change",
    [
        lambda query: query.filter("ward = 'a'").bin("day", by="month").rename(key="day_bin").group_by("key"),
        lambda query: query.rename(date="day").bin("date", by="month", into="key").select("key").group_by("key"),
        lambda query: query.group_by(year="year(day)", month="month(day)"),
        lambda query: query.bin("day", by="month", into="key").group_by(
            "key", groups=["2020-01", "2020-05"], other="rest"
        ),
    ],
)
def test_names_and_filters_do_not_matter(change: Any) -> None:
    assert change(opened("month", [])).rows.one_group_each


def test_timestamps_have_periods_too() -> None:
    assert grouped(opened("month", [], kind="timestamp"), "by month").rows.one_group_each


def test_dates_that_are_drawn_for_nulls_may_lie_in_several_groups() -> None:
    drawn, replaced = pv.NullsDrawn(), pv.NullsReplaced("2020-03-01")
    assert not grouped(opened("month", [], nulls=drawn), "by month").rows.one_group_each
    question = grouped(opened("month", ROWS, nulls=replaced), "by month").agg(pv.count())
    assert question.contribution.l0 == 1  # type: ignore[union-attr]
    assert sum(totals(question)) == len(ROWS)


def test_units_without_a_period_have_none() -> None:
    columns = {"id": pv.column("integer"), "day": pv.column("date", bounds=(FIRST, LAST))}
    book = pv.Codebook(columns=columns, unit=pv.Persons("id", rows=10))
    query = pv.Session([], book, InfiniteBudget()).query()
    assert not query.bin("day", by="month").group_by("day_bin").rows.one_group_each


def test_sql_recognises_it_and_describe_says_so() -> None:
    session = pv.Session(
        ROWS,
        pv.Codebook(
            columns={"id": pv.column("integer"), "day": pv.column("date", bounds=(FIRST, LAST))},
            unit=pv.Persons("id", groups=6, rows_per_group=4, period=("day", "month")),
        ),
        InfiniteBudget(),
    )
    text = session.sql("SELECT year(day) AS y, month(day) AS m, count(*) FROM data GROUP BY 1, 2").describe(epsilon=1)
    assert "caps of a person: 1 group, 4 rows in a group" in text
    assert "note: the groups are the periods of the unit, so that all rows of one unit are in one group" in text
