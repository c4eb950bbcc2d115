"""A SELECT over released values: the query of the sub-query, and post-processing."""

from collections.abc import Iterator

import pytest

from privet.errors import InvalidError
from privet.tables.session.session import Session
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
