"""What a statement may not hold: refused by name, before a charge and before the table is read."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, MismatchError, PrivetError, WrongTypeError
from privet.tables.session.session import Session
from tests.tables.hostile_sql import FAMILIES, HOSTILE
from tests.tables.opened import database_of
from tests.tables.sql.test_read import CANARY, open_session


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = open_session()
    yield opened
    opened.close()


def test_there_are_many_hostile_statements() -> None:
    assert len({text for _, text in HOSTILE}) == len(HOSTILE) > 800
    assert all(len(texts) >= 13 for texts in FAMILIES.values())


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) AS n FROM visits",
        "SELECT COUNT(*) AS n FROM (SELECT ward FROM visits) AS s",
        "SELECT COUNT(*) FROM (SELECT ward FROM (SELECT ward FROM visits)) AS s",
        "SELECT COUNT(*) AS n FROM visits WHERE minutes = 1",
        "WITH s AS (SELECT ward FROM visits WHERE minutes = 1) SELECT COUNT(*) AS n FROM s",
        "SELECT COUNT(CASE WHEN minutes = 1 THEN 1 END) AS n FROM visits",
        "SELECT COUNT(*) AS n FROM visits GROUP BY CASE WHEN minutes = 1 THEN 'a' END",
        "SELECT ward, SUM(minutes) FROM visits GROUP BY ward",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) COUNT(*) AS n FROM visits",
    ],
)
def test_what_stands_around_hostile_parts_is_harmless(session: Session, text: str) -> None:
    query = session.sql(text)
    assert query.plan(epsilon=None if query.options else 1).aggregates


@pytest.mark.parametrize("family", FAMILIES)
def test_hostile_statements_are_refused_before_a_charge(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_session()
    before = opened.remaining

    def read(*_: Any) -> None:
        raise AssertionError("the table was read")

    monkeypatch.setattr(database_of(opened).engine, "execute", read)
    for text in FAMILIES[family]:
        with pytest.raises(PrivetError) as caught:
            _release(opened, text)
        message = str(caught.value)
        assert CANARY not in message, text
        assert 20 < len(message) < 700, text
        assert caught.value.__cause__ is None, text
        assert opened.remaining == before, text


def _release(session: Session, text: str) -> None:
    query = session.sql(text)
    query.release(epsilon=None if query.options else 1)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("SELECT FIRST(minutes) FROM visits", InvalidError, r"the aggregate first\(...\) is not allowed"),
        ("SELECT * FROM visits", InvalidError, r"SELECT \* is not allowed"),
        ("SELECT minutes, COUNT(*) FROM visits", InvalidError, "'minutes' without an aggregate is not allowed"),
        ("SELECT SUM(patient) FROM visits", InvalidError, "which tells whose rows are protected"),
        ("SELECT COUNT(DISTINCT ward, minutes) FROM visits", InvalidError, "DISTINCT of several columns"),
        ("SELECT COUNT(*) FROM visits, visits AS w", InvalidError, "JOIN"),
        ("SELECT COUNT(*) FROM read_csv('x')", InvalidError, r"read_csv\(...\) in FROM"),
        ("SELECT COUNT(*) FROM other", InvalidError, "there is no table 'other'"),
        ("SELECT COUNT(*) FROM main.visit", InvalidError, "there is no table 'main.visit'; there are 'visits'"),
        ("SELECT COUNT(*) FROM visits TABLESAMPLE 1%", InvalidError, "TABLESAMPLE"),
        ("SELECT COUNT(*) FROM visits UNION SELECT 1", InvalidError, "UNION"),
        ("SELECT COUNT(*) FROM visits; SELECT 1", InvalidError, "a second statement"),
        ("SELECT COUNT(*) FROM visits /*! x */", InvalidError, "some systems run it"),
        ("SELECT COUNT(*) FROM visits /* a /* b */ c */", InvalidError, "a comment within a comment"),
        ("PRAGMA database_list", InvalidError, "begins with 'PRAGMA'"),
        ("SELECT COUNT(*) FROM visits WHERE getenv('HOME') = 'x'", InvalidError, r"getenv\(...\) is not allowed"),
        ("SELECT COUNT(*) FROM visits WHERE minutes", MismatchError, "WHERE takes a condition, got integer"),
        ("SELECT COUNT(*) OVER () FROM visits", InvalidError, "a window function"),
        ("SELECT COUNT(*) n FROM visits ORDER BY MAX(patient)", InvalidError, "An id is a name and no measurement"),
        ("SELECT SUM(DISTINCT minutes) FROM visits", InvalidError, "One row decides whether a value occurs"),
        ("SELECT COUNT(*) FROM visits WHERE COUNT(*) > 1", InvalidError, "Write it in HAVING"),
        (
            "SELECT SUM(n) FROM (SELECT MIN(minutes) AS n FROM visits)",
            InvalidError,
            "min.* in a sub-query without GROUP BY",
        ),
        ("SELECT SUM(n) FROM (SELECT ANY_VALUE(ward) AS n FROM visits)", InvalidError, "the aggregate any_value"),
        ("SELECT COUNT(*) FROM visits WHERE day > current_date", InvalidError, "Write the day: date '2024-01-31'"),
        ("SELECT COUNT(*) FROM visits GROUP BY ROLLUP (ward)", InvalidError, "Write one statement for each level"),
        ("SELECT COUNTT(*) FROM visits", InvalidError, "Did you mean COUNT?"),
        (
            "SELECT SUM(clip(minutes, 0, 9)) FROM visits v JOIN visits w ON v.patient > w.patient",
            InvalidError,
            "without the id",
        ),
        (
            "SELECT CORR(minutes, minutes, contribution_bounds_per_row => (0, 9)) FROM visits",
            InvalidError,
            r"'CORR\(minutes, minutes\)'. Bound each argument by itself",
        ),
        ("SELECT COUNT(*) n FROM visits HAVING n > 'x'", InvalidError, "does not mix real and text"),
        ("SELECT COUNT(*) n FROM visits HAVING n", MismatchError, "HAVING takes a condition, got real"),
        (
            "SELECT upper(ward) AS minutes, COUNT(*) FROM visits GROUP BY minutes",
            InvalidError,
            "'ward' without an aggr",
        ),
        (3, WrongTypeError, "SQL must be a text, got int"),
    ],
)
def test_refusals_name_what_was_refused(session: Session, text: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        session.sql(text)


@pytest.mark.parametrize("depth", [16, 17, 40, 400])
def test_long_chains_are_answered_or_refused_before_a_charge(depth: int) -> None:
    opened = open_session()
    names = ["visits", *(f"t{at}" for at in range(depth))]
    steps = [f"{new} AS (SELECT minutes FROM {old} WHERE minutes > 1)" for old, new in pairwise(names)]
    text = f"WITH {', '.join(steps)} SELECT COUNT(*) AS n FROM {names[-1]} HAVING {' OR '.join(['n > 1'] * depth)}"
    if depth == 16:
        assert len(opened.sql(text).release(epsilon=5)) == 1
        return
    with pytest.raises(InvalidError):
        _release(opened, text)
    assert opened.remaining == pv.budget(epsilon=10)
