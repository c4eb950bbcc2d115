# ruff: noqa: E501
"""A SELECT over released values: the query of the sub-query, and post-processing."""

from collections.abc import Iterator

import pytest

from privet.errors import InvalidError, MismatchError
from privet.tables.session.session import Session
from privet.tables.sql.answer import SqlRelease
from tests.tables.hospital import exact, open_hospital

ASKED = (
    "SELECT ward AS w, COUNT(*) AS n, SUM(minutes) AS s FROM visits WHERE minutes > 3 GROUP BY ward HAVING n > -1000"
)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = open_hospital()
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT w, n FROM ({ASKED})",
        f"SELECT * FROM ({ASKED}) AS t WHERE t.n > 5 ORDER BY n",
        f"WITH t AS ({ASKED}) SELECT s / n AS r FROM t AS u WHERE u.s BETWEEN 0 AND 1e9 ORDER BY r DESC LIMIT 2",
        ASKED.replace("FROM visits WHERE minutes > 3", "FROM v").join(
            ("WITH v AS (SELECT ward, minutes FROM visits WHERE minutes > 3), t AS (", ") SELECT w FROM t ORDER BY 1")
        ),
    ],
)
def test_the_sub_query_is_what_is_asked(session: Session, text: str) -> None:
    query, inner = session.sql(text).query, session.sql(ASKED).query
    assert query.plan(epsilon=1) == inner.plan(epsilon=1)
    assert exact(session, query) == exact(session, inner)


def test_the_outer_select_works_on_released_values(session: Session) -> None:
    text = f"SELECT upper(w) AS w, 2 * n AS d, s / n AS r, n FROM ({ASKED}) WHERE w <> 'b' AND n * 2 > 3 ORDER BY d, w"
    answer = session.sql(text).release(epsilon=100)
    released = dict(
        zip((group[0] for group in answer.release.groups), answer.release.values("n").tolist(), strict=True)
    )
    assert answer.names == ("w", "d", "r", "n")
    assert sorted(answer.values("w")) == ["A", "C"]
    assert answer.values("d") == sorted(answer.values("d"))
    assert answer.values("n") == [released[ward.lower()] for ward in answer.values("w")]
    assert {"d_low", "r_low", "n_low"} < set(answer.to_dict())


def test_the_condition_of_the_sub_query_holds_too(session: Session) -> None:
    never = ASKED.replace("n > -1000", "n < -1000")
    assert len(session.sql(f"SELECT w FROM ({never}) WHERE n > -5000").release(epsilon=1)) == 0


def test_names_of_the_table_are_not_seen_outside(session: Session) -> None:
    for name in ("ward", "minutes", "visits.ward", "t.w"):
        with pytest.raises(InvalidError, match="which the sub-query does not give.*It gives w, n, s"):
            session.sql(f"SELECT {name} FROM ({ASKED}) AS u")


PRIVATE = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=100) ward, COUNT(*) AS n FROM visits GROUP BY ward"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"SELECT SUM(n) AS a, AVG(n) AS b, MIN(n) AS c, MAX(n * 2) AS d, COUNT(*) AS e FROM ({PRIVATE})", slice(None)),
        (f"WITH t AS ({PRIVATE}) SELECT SUM(n) AS a, AVG(n) AS b, MIN(n) AS c, MAX(n * 2) AS d, COUNT(n) AS e FROM t AS u WHERE u.ward <> 'a'", slice(1, None)),
    ],
)  # fmt: skip
def test_aggregates_of_released_values_are_computed_after_the_release(
    session: Session, text: str, shown: slice
) -> None:
    query = session.sql(text)
    assert query.query.aggregates == session.sql(PRIVATE).query.aggregates
    assert query.loss() == session.sql(PRIVATE).loss()
    release = query.release()
    counts = release.release.values("n").tolist()[shown]
    expected = [sum(counts), sum(counts) / len(counts), min(counts), 2 * max(counts), len(counts)]
    assert [release.values(name) for name in release.names] == [[each] for each in expected]
    assert len(release) == len(release.to_arrow()) == 1
    assert list(release.to_dict()) == list("abcde")
    assert "a" in str(release)
    again = SqlRelease.from_json(release.to_json())
    assert again.to_dict() == release.to_dict()


def test_aggregates_of_no_released_values_are_those_of_sql(session: Session) -> None:
    release = session.sql(f"SELECT SUM(n) AS a, MAX(ward) AS b, COUNT(*) AS c FROM ({PRIVATE}) WHERE n > 1e9").release()
    assert [release.values(name) for name in release.names] == [[None], [None], [0]]
    assert len(session.sql(f"SELECT SUM(n) FROM ({PRIVATE}) LIMIT 0").release()) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"SELECT SUM(n) / COUNT(*) FROM ({PRIVATE})", "each by itself"),
        (f"SELECT MEDIAN(n) FROM ({PRIVATE})", "each by itself"),
        (f"SELECT COUNT(DISTINCT ward) FROM ({PRIVATE})", "each by itself"),
        (f"SELECT ward, SUM(n) FROM ({PRIVATE}) GROUP BY ward", "GROUP around a released sub-query"),
        (f"SELECT SUM(ward) FROM ({PRIVATE})", "takes numbers, got text"),
        (f"SELECT SUM(minutes) FROM ({PRIVATE})", "which the sub-query does not give"),
        (f"SELECT SUM(SUM(n)) FROM ({PRIVATE})", "of released values is not allowed"),
        ("SELECT SUM(n) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)", "GROUP BY without the id"),
        ("SELECT SUM(n) FROM (SELECT WITH DIFFERENTIAL_PRIVACY patient AS n FROM visits)", "must stand in the SELECT"),
    ],
)
def test_other_aggregates_of_released_values_are_refused(session: Session, text: str, message: str) -> None:
    with pytest.raises((InvalidError, MismatchError), match=message):
        session.sql(text)


@pytest.mark.parametrize("totals", ['["sum", "sum"]', '["product"]', "[]", '"sum"', "3"])
def test_a_file_with_other_totals_is_refused(session: Session, totals: str) -> None:
    text = session.sql(f"SELECT SUM(n) AS a FROM ({PRIVATE})").release().to_json()
    with pytest.raises(InvalidError):
        SqlRelease.from_json(text.replace('["sum"]', totals))
