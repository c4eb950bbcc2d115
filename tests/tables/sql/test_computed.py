"""What a SELECT computes from released values: the values, the intervals that follow, and what has none."""

from collections.abc import Iterator
from math import inf, isnan, sqrt
from typing import Any

import pytest

from privet.tables.noise.plan import add_noise
from privet.tables.session.session import Session
from privet.tables.sql.answer import SqlRelease
from privet.tables.sql.computed import MonotoneColumn
from tests.tables.hospital import open_hospital
from tests.tables.opened import exact_totals, released

FULL = ("", "_error", "_low", "_high")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = open_hospital()
    yield opened
    opened.close()


def release(session: Session, items: str, rest: str = "", epsilon: Any = 1) -> SqlRelease:
    return session.sql(f"SELECT {items} FROM visits {rest}").release(epsilon=epsilon)


@pytest.mark.parametrize(
    ("item", "of"),
    [
        ("100 * COUNT(*)", lambda n: 100 * n),
        ("COUNT(*) * 0.5 + 3", lambda n: n * 0.5 + 3),
        ("(COUNT(*) - 7) / 2", lambda n: (n - 7) / 2),
        ("ROUND(COUNT(*) / 3, 1)", lambda n: round(n / 3, 1)),
        ("GREATEST(COUNT(*), 0)", lambda n: max(n, 0)),
        ("CAST(COUNT(*) AS DOUBLE)", lambda n: n),
        ("-COUNT(*)", lambda n: -n),
        ("10 - 2 * COUNT(*)", lambda n: 10 - 2 * n),
        ("COUNT(*) / -4", lambda n: n / -4),
    ],
)
def test_the_interval_goes_where_the_value_goes(session: Session, item: str, of: Any) -> None:
    table = release(session, f"COUNT(*) AS n, {item} AS x").to_dict()
    assert table["x"] == pytest.approx([of(table["n"][0])])
    ends = sorted([of(table["n_low"][0]), of(table["n_high"][0])])
    assert [table["x_low"][0], table["x_high"][0]] == pytest.approx(ends)


@pytest.mark.parametrize(
    ("item", "factor"), [("3 * COUNT(*)", 3), ("1 - COUNT(*) / 2", 0.5), ("ROUND(COUNT(*) / 9)", 1 / 9)]
)
def test_the_error_grows_with_the_factor_and_not_with_rounding(session: Session, item: str, factor: float) -> None:
    table = release(session, f"COUNT(*) AS n, {item} AS x").to_dict()
    assert table["x_error"] == pytest.approx([factor * table["n_error"][0]])


@pytest.mark.parametrize(
    ("item", "factor"),
    [
        ("SUM(minutes) / COUNT(*)", 1),
        ("100 * SUM(minutes) / COUNT(*)", 100),
        ("SUM(minutes) / NULLIF(COUNT(*), 0)", 1),
        ("-SUM(minutes) / (2 * COUNT(*))", -0.5),
        ("ROUND(CAST(SUM(minutes) AS DOUBLE) / COUNT(*), 9)", 1),
    ],
)
def test_a_ratio_has_the_interval_of_a_ratio(session: Session, item: str, factor: float) -> None:
    answer = release(session, f"ward, {item} AS x", "GROUP BY ward", epsilon=20)
    table, totals = answer.to_dict(), answer.release.to_dict()
    ratio = answer.release.ratio("r", "sum_minutes", "count").to_dict()
    value = [factor * top / bottom for top, bottom in zip(totals["sum_minutes"], totals["count"], strict=True)]
    low, high = (ratio[end] for end in (("r_low", "r_high") if factor > 0 else ("r_high", "r_low")))
    assert table["x"] == pytest.approx(value)
    assert table["x_low"] == pytest.approx([min(factor * end, at) for end, at in zip(low, value, strict=True)])
    assert table["x_high"] == pytest.approx([max(factor * end, at) for end, at in zip(high, value, strict=True)])
    assert table["x_error"] == pytest.approx([abs(factor) * each for each in ratio["r_error"]])


def test_a_ratio_of_bigquery(session: Session) -> None:
    text = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=9) SAFE_DIVIDE(SUM(minutes), COUNT(*)) AS x FROM visits"
    table = session.sql(text).release().to_dict()
    assert tuple(table) == tuple(f"x{part}" for part in FULL)
    assert table["x_low"][0] < table["x"][0] < table["x_high"][0]


@pytest.mark.parametrize(
    "item", ["SQRT(ABS(COUNT(*)))", "COUNT(*) * COUNT(*)", "COUNT(*) + SUM(minutes)", "1 / COUNT(*)", "upper(ward)"]
)
def test_what_is_not_that_simple_has_a_value_only(session: Session, item: str) -> None:
    table = release(session, f"{item} AS x, COUNT(*) AS n", "GROUP BY ward").to_dict()
    assert [name for name in table if name.startswith("x")] == ["x"]
    assert None not in table["x"]


def test_a_ratio_without_noise_of_its_own_has_no_interval(session: Session) -> None:
    table = release(session, "AVG(minutes) / AVG(cost) AS x").to_dict()
    assert isnan(table["x_low"][0])
    assert isnan(table["x_error"][0])
    assert table["x"][0] is not None


def test_what_is_computed_asks_nothing_twice(session: Session) -> None:
    query = session.sql("SELECT SUM(minutes) / COUNT(*) AS r, COUNT(*) AS n, COUNT(*) / 2 AS h FROM visits").query
    assert list(query.aggregates) == ["n", "sum_minutes"]


def test_texts_and_conditions_may_be_computed(session: Session) -> None:
    items = "CASE WHEN COUNT(*) > 5 THEN 'many' ELSE 'few' END AS size, COUNT(*) > 5 AS many, ward || '!' AS w"
    answer = release(session, items, "GROUP BY ward ORDER BY w DESC", epsilon=1000)
    assert answer.to_dict() == {"size": ["many"] * 3, "many": [True] * 3, "w": ["c!", "b!", "a!"]}


def test_names_of_computed_columns_are_known_after_the_release(session: Session) -> None:
    rest = "GROUP BY ward HAVING r BETWEEN 0 AND 60 AND r + 1 > r ORDER BY r * -1, 1 LIMIT 2"
    answer = release(session, "ward, SUM(minutes) / COUNT(*) AS r", rest, epsilon=100)
    first, second = answer.values("r")
    assert first >= second


def test_places_of_computed_columns_may_be_sorted_by(session: Session) -> None:
    answer = release(session, "ward, -COUNT(*) AS m", "GROUP BY ward ORDER BY 2 DESC", epsilon=1)
    assert answer.values("m") == sorted(answer.values("m"), reverse=True)


def test_a_key_that_is_an_expression_may_be_part_of_another(session: Session) -> None:
    items = "EXTRACT(year FROM day) AS y, EXTRACT(year FROM day) - 2000 AS short, COUNT(*) AS n"
    answer = release(session, items, "GROUP BY EXTRACT(year FROM day)")
    assert answer.values("short") == [20, 21, 22]


def ends(column: MonotoneColumn, low: float, high: float) -> tuple[float, float]:
    """Give the ends of the interval, where those of the released value are these."""
    ((_, *moved),) = column.move([(0.0, 1.0, low, high)])
    return moved[0], moved[1]


def reach(session: Session, text: str) -> MonotoneColumn | None:
    query = session.sql(f"SELECT {text} AS x, COUNT(*) AS n FROM visits")
    return next(output.reach for output in query.after.columns if output.label == "x")


def test_open_ends_stay_open(session: Session) -> None:
    rising, falling = reach(session, "2 * COUNT(*)"), reach(session, "3 - COUNT(*)")
    assert rising is not None
    assert falling is not None
    assert ends(rising, -inf, 4.0) == (-inf, 8.0)
    assert ends(falling, -inf, 4.0) == (-1.0, inf)
    assert ends(falling, 1.0, inf) == (-inf, 2.0)


def test_a_wrong_direction_is_told_apart(session: Session) -> None:
    found = reach(session, "3 - COUNT(*)")
    assert found is not None
    wrong = MonotoneColumn(found.base, found.value, found.smooth, rising=True)
    low, high = ends(wrong, 1.0, 4.0)
    assert low > high
    assert ends(found, 1.0, 4.0) == (-1.0, 2.0)


def test_intervals_of_computed_columns_cover_as_often_as_they_say(session: Session) -> None:
    query = session.sql("SELECT 3 - COUNT(*) / 7 AS x, SUM(minutes) / COUNT(*) AS r FROM visits")
    plan, without = (query.plan(epsilon=epsilon) for epsilon in (2, 10**6))
    found = exact_totals(query.query, plan)
    exact = released(without, add_noise(without, found | exact_totals(query.query, without)))
    total, count = exact.values("sum_minutes")[0], exact.values("count")[0]
    draws, held = 60, {"x": 0, "r": 0}
    for _ in range(draws):
        table = SqlRelease(release=released(plan, add_noise(plan, found)), after=query.after).to_dict()
        held["x"] += table["x_low"][0] <= 3 - count / 7 <= table["x_high"][0]
        held["r"] += table["r_low"][0] <= total / count <= table["r_high"][0]
    least = 0.95 * draws - 5.2 * sqrt(draws * 0.95 * 0.05)  # below it with probability less than 1e-6
    assert min(held.values()) >= least
