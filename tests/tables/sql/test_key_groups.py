"""Groups of a statement that nobody lists: values of public tables, values of WHERE, and calendar periods."""

from datetime import date, datetime
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet import Codebook, Persons, Session, column
from privet.errors import InvalidError, WrongTypeError
from tests.tables.sql.public_query import aggregates_of

_ROWS = [
    {
        "id": n,
        "town": ("Ulm", "Bonn", "Kiel")[n % 3],
        "day": date(2024, 1 + n % 5, 1 + n % 28),
        "time": datetime(2024, 3, 1, n % 24, n % 60),  # noqa: DTZ001 - as in a table
        "price": (n % 4) / 2,
        "level": n % 7,
    }
    for n in range(300)
]
_BOOK = Codebook(
    table="t",
    unit=Persons(id="id", rows=1),
    columns={
        "id": column("integer"),
        "town": column("text"),
        "day": column("date", bounds=("2024-01-10", "2024-05-31")),
        "time": column("timestamp", bounds=("2024-03-01 00:00:00", "2024-03-01 23:59:59")),
        "price": column("real", bounds=(0, 2)),
        "level": column("integer"),
    },
)


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(
        _ROWS,
        _BOOK,
        pv.budget(epsilon=10**9, delta=0.5),
        public={"towns": {"name": ["Ulm", "Bonn", "Jena"], "area": [1.5, 2.25, 3.5]}},
    )


def _groups(session: Session, text: str) -> list[Any]:
    return list(aggregates_of(session.sql(text)).grouped.groups)


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("SELECT town, COUNT(*) FROM t WHERE town IN ('Kiel', 'Ulm') GROUP BY town", [("Kiel",), ("Ulm",)]),
        ("SELECT town, COUNT(*) FROM t WHERE town = 'Kiel' AND level > 1 GROUP BY town", [("Kiel",)]),
        ("SELECT level, COUNT(*) FROM t WHERE level IN (3, -1) GROUP BY level", [(3,), (-1,)]),
        ("SELECT price, COUNT(*) FROM t WHERE price IN (1.5, 0) GROUP BY price", [("1.5",), ("0.0",)]),
        ("SELECT price, COUNT(*) FROM t WHERE price = .5 AND level > 1 GROUP BY price", [("0.5",)]),
        ("SELECT COUNT(*) FROM t GROUP BY ROUND(price)", [("0.0",), ("1.0",), ("2.0",)]),
        ("SELECT COUNT(*) FROM t GROUP BY FLOOR(price / 2) * 20", [("0.0",), ("20.0",)]),
        ("SELECT COUNT(*) FROM t GROUP BY -CEIL(price)", [("-2.0",), ("-1.0",), ("0.0",)]),
        ("SELECT COUNT(*) FROM t GROUP BY CASE WHEN price > 1 THEN 0.1 ELSE 2 END", [("0.1",), ("2.0",)]),
        ("SELECT COUNT(*) FROM t GROUP BY EXTRACT(month FROM day) / 4", [(f"{n / 4}",) for n in range(1, 13)]),
        ("SELECT w, COUNT(*) FROM (SELECT town AS w FROM t WHERE 'Ulm' = town) GROUP BY w", [("Ulm",)]),
        ("SELECT name, COUNT(*) FROM t JOIN towns ON town = name GROUP BY name", [("Bonn",), ("Jena",), ("Ulm",)]),
        (
            "SELECT town, area, COUNT(*) FROM t JOIN towns ON town = name WHERE area > 2 GROUP BY town, area",
            [("Bonn", "2.25"), ("Jena", "3.5")],
        ),
        (
            "SELECT lower(name), level, COUNT(*) FROM t, towns WHERE town = name AND level IN (2, 1) GROUP BY 1, 2",
            [("bonn", 2), ("bonn", 1), ("jena", 2), ("jena", 1), ("ulm", 2), ("ulm", 1)],
        ),
        (
            "SELECT DATE_TRUNC('month', day), COUNT(*) FROM t GROUP BY 1",
            [(f"2024-0{month}-01",) for month in range(1, 6)],
        ),
        (
            "SELECT m, COUNT(*) FROM (SELECT DATE_TRUNC('quarter', day) AS m FROM t) GROUP BY m",
            [("2024-01-01",), ("2024-04-01",)],
        ),
        (
            "SELECT DATE_TRUNC('hour', time), COUNT(*) FROM t GROUP BY 1",
            [(f"2024-03-01 {h:02}:00:00",) for h in range(24)],
        ),
    ],
)
def test_the_statement_and_public_facts_list_the_groups(session: Session, text: str, groups: list[Any]) -> None:
    assert _groups(session, text) == groups


def test_values_that_one_of_two_conditions_allows_are_no_groups(session: Session) -> None:
    with pytest.raises(InvalidError, match="are not known"):
        session.sql("SELECT town, COUNT(*) FROM t WHERE town = 'Ulm' OR level = 1 GROUP BY town")
    with pytest.raises(InvalidError, match="are not known"):
        session.sql("SELECT town, COUNT(*) FROM t WHERE NOT town = 'Ulm' GROUP BY town")


def test_keys_are_shown_as_what_the_statement_computes(session: Session) -> None:
    text = (
        "SELECT DATE_TRUNC('month', day) AS m, COUNT(*) AS n FROM t GROUP BY m HAVING m < '2024-03-01' ORDER BY m DESC"
    )
    release = session.sql(text).release(epsilon=1000)
    assert release.values("m") == [date(2024, 2, 1), date(2024, 1, 1)]
    assert [round(value) for value in release.values("n")] == [60, 60]
    prices = session.sql("SELECT area, COUNT(*) AS n FROM t JOIN towns ON name = town GROUP BY area ORDER BY area")
    assert prices.release(epsilon=1000).values("area") == [1.5, 2.25, 3.5]


def test_days_outside_the_bounds_are_no_groups(session: Session) -> None:
    text = "SELECT day, COUNT(*) AS n FROM t GROUP BY day"
    days = [group[0] for group in _groups(session, text)]
    assert (days[0], days[-1], len(days)) == ("2024-01-10", "2024-05-31", 143)
    assert aggregates_of(session.sql(text, groups=[date(2024, 2, 1)])).grouped.groups == (("2024-02-01",),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT time, COUNT(*) FROM t GROUP BY time", "Cut it to a period"),
        ("SELECT price, COUNT(*) FROM t GROUP BY price", "are not known"),
        ("SELECT level, COUNT(*) FROM t GROUP BY level", r"keys=pv\.private\(delta=1e-7\)"),
        ("SELECT name, COUNT(*) FROM t JOIN towns ON name = town AND area > 9 GROUP BY name", "leave no group"),
    ],
)
def test_unknown_groups_are_refused_with_advice(session: Session, text: str, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        session.sql(text)


def test_a_release_may_find_the_groups(session: Session) -> None:
    text = "SELECT town, COUNT(*) AS n FROM t GROUP BY town HAVING n > 0 ORDER BY town LIMIT 2"
    before: Any = session.spent
    query = session.sql(text, keys=pv.private(delta=1e-6))
    assert "which there are is released first" in query.describe(epsilon=100)
    assert session.spent == before
    release = query.release(epsilon=100)
    assert release.values("town") == ["Bonn", "Kiel"]
    after: Any = session.spent
    assert after.epsilon - before.epsilon == 100
    assert 0 < after.delta - before.delta <= Fraction(1, 10**6)
    real = session.sql("SELECT price, COUNT(*) AS n FROM t GROUP BY price ORDER BY 1", keys=pv.private(delta=1e-6))
    assert real.release(epsilon=100).values("price") == [0.0, 0.5, 1.0, 1.5]


def test_options_with_a_delta_ask_for_private_keys(session: Session) -> None:
    clause = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=50, {}) town, COUNT(*) AS n FROM t GROUP BY town"
    for options in ("delta=1e-6", "delta=1e-6, group_selection_strategy=LAPLACE_THRESHOLD"):
        assert sorted(session.sql(clause.format(options)).release().values("town")) == ["Bonn", "Kiel", "Ulm"]
    with pytest.raises(InvalidError, match="needs the option delta"):
        session.sql(clause.format("group_selection_strategy=LAPLACE_THRESHOLD"))
    with pytest.raises(InvalidError, match="are not known"):
        session.sql(clause.format("delta=1e-6, group_selection_strategy=PUBLIC_GROUPS"))


def test_keys_are_what_private_gives(session: Session) -> None:
    text = "SELECT town, COUNT(*) AS n FROM t GROUP BY town"
    with pytest.raises(WrongTypeError, match=r"keys must be pv\.private"):
        session.sql(text, keys=["Ulm"])  # type: ignore[call-overload]
    with pytest.raises(InvalidError, match="has no GROUP BY"):
        session.sql("SELECT COUNT(*) AS n FROM t", keys=pv.private(delta=1e-6))


@pytest.mark.parametrize(
    "source",
    [
        "t RIGHT JOIN (SELECT DISTINCT name FROM (SELECT name FROM towns)) AS s ON name = town",
        "UNNEST(['Ulm', 'Bonn', 'Jena']) AS u(name) LEFT JOIN t ON town = name",
        "t CROSS JOIN UNNEST(['Ulm', 'Bonn', 'Jena']) AS u(name) WHERE name = town",
    ],
)
def test_public_keys_may_be_listed_in_the_statement(session: Session, source: str) -> None:
    release = session.sql(f"SELECT name, COUNT(*) AS n FROM {source} GROUP BY name ORDER BY name").release(epsilon=1000)
    assert release.values("name") == ["Bonn", "Jena", "Ulm"]
    assert [round(value) for value in release.values("n")] == [100, 0, 100]


@pytest.mark.parametrize(
    "source",
    ["t, UNNEST([level]) AS u(x)", "t, UNNEST([1, 'a']) AS u(x)", "t, UNNEST([]) AS u(x)", "t, UNNEST([1.5]) AS u(x)"],
)
def test_only_constants_are_unnested(session: Session, source: str) -> None:
    with pytest.raises(InvalidError, match="this UNNEST"):
        session.sql(f"SELECT COUNT(*) AS n FROM {source} WHERE level = x")


def test_keys_of_a_public_table_have_the_values_of_rows_without_a_partner(session: Session) -> None:
    joined = "FROM t LEFT JOIN towns ON town = name GROUP BY k"
    assert _groups(session, f"SELECT CASE WHEN area > 1 THEN 'known' ELSE 'none' END AS k, COUNT(*) AS n {joined}") == [
        ("known",),
        ("none",),
    ]
    assert _groups(session, f"SELECT name IS NULL AS k, COUNT(*) AS n {joined}") == [(False,), (True,)]
    assert _groups(session, f"SELECT COALESCE(name, 'none') AS k, COUNT(*) AS n {joined}") == [
        ("Bonn",),
        ("Jena",),
        ("Ulm",),
        ("none",),
    ]
    release = session.sql(f"SELECT COALESCE(area, 0) AS k, COUNT(*) AS n {joined}").release(epsilon=10**6)
    assert dict(zip(release.values("k"), map(round, release.values("n")), strict=True)) == {
        0.0: 100,
        1.5: 100,
        2.25: 100,
        3.5: 0,
    }
    inner = joined.replace("LEFT ", "")  # no row is without a partner: no such group
    assert _groups(session, f"SELECT name IS NULL AS k, COUNT(*) AS n {inner}") == [(False,)]


@pytest.mark.parametrize(
    "key",
    [
        "ROUND(price)",
        "ROUND(price, 1)",
        "ROUND(price * 40, -1)",
        "FLOOR(price * 3) / 3",
        "price > 1 AND level / 2 > 1",
        "CASE WHEN price > 1.4 THEN 0.1 WHEN level = 3 THEN FLOOR(price) ELSE -0.5 END",
        "EXTRACT(month FROM day) / 7",
        "CEIL(price - 1)",
        "-ROUND(price / 3)",
    ],
)
def test_rows_fall_into_the_real_groups_that_can_occur(session: Session, key: str) -> None:
    release = session.sql(f"SELECT {key} AS k, COUNT(*) AS n FROM t GROUP BY k").release(epsilon=10**6)
    (total,) = session.sql(f"SELECT COUNT(k) AS n FROM (SELECT {key} AS k FROM t)").release(epsilon=10**6).values("n")
    assert sum(release.values("n")) == total > 200
    assert release.values("k") == sorted(release.values("k"))


@pytest.mark.parametrize("key", ["price", "ROUND(price, 4)", "LN(ROUND(price))", "price + FLOOR(price)", "level / 2"])
def test_real_groups_that_are_many_or_not_the_same_everywhere_are_refused(session: Session, key: str) -> None:
    with pytest.raises(InvalidError, match="its values are real, and not few. Group by steps of it") as caught:
        session.sql(f"SELECT {key} AS k, COUNT(*) AS n FROM t GROUP BY k")
    assert "as text" not in str(caught.value)
