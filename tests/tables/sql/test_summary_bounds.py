"""Bounds of summaries of a person, where only the caps of the codebook give any."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.session.session import Session

ROWS: list[dict[str, Any]] = [  # 2 or 3 of a person
    {"id": n % 40, "ward": "ab"[n % 2], "x": n % 7, "y": (n % 4) / 2} for n in range(100)
]
INNER = "(SELECT id, COUNT(*) AS n, SUM(x) AS s, SUM(y) AS t, SUM(free) AS f FROM t GROUP BY id)"


def opened(rows: int | None) -> Session:
    columns = {
        "id": pv.column("integer"),
        "ward": pv.column("text", categories=("a", "b")),
        "x": pv.column("integer", bounds=(-1, 6)),
        "y": pv.column("real", bounds=(0, 2)),
        "free": pv.column("integer"),
    }
    book = pv.Codebook(table="t", columns=columns, unit=pv.Persons("id", rows=rows))
    return Session(ROWS, book, pv.budget(epsilon=10**9, delta=0.5))


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    made = opened(5)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("call", "bounds"),
    [
        ("AVG(n)", (0, 5)),
        ("SUM(s)", (-5, 30)),
        ("MAX(t)", (0, 10)),
        ("AVG(n + 1)", (1, 6)),
        ("AVG(CASE WHEN n > 2 THEN n ELSE -1 END)", (-1, 5)),
        ("MEDIAN(s - n)", (-10, 30)),
    ],
)
def test_aggregates_clamp_to_what_the_caps_allow(session: Session, call: str, bounds: tuple[int, int]) -> None:
    (aggregate,) = session.sql(f"SELECT {call} AS a FROM {INNER}").query.aggregates.values()
    assert aggregate.bounds == tuple(map(Fraction, bounds))  # type: ignore[attr-defined] # of one column


def test_who_keeps_to_the_caps_is_counted_exactly(session: Session) -> None:
    release = session.sql(f"SELECT AVG(n) AS n, SUM(s) AS s, SUM(d) AS d FROM (SELECT *, t * 2 AS d FROM {INNER})")
    answer = release.release(epsilon=10**6)
    exact = {"n": 100 / 40, "s": sum(row["x"] for row in ROWS), "d": sum(2 * row["y"] for row in ROWS)}
    assert {name: answer.values(name)[0] for name in answer.names} == pytest.approx(exact, abs=1e-3)


def _groups(session: Session, text: str, **beside: Any) -> dict[Any, int]:
    release = session.sql(text, **beside).release(epsilon=10**6)
    return dict(zip(release.values("n"), map(round, release.values("k")), strict=True))


def test_a_count_of_a_person_is_a_key(session: Session) -> None:
    persons = Counter(Counter(row["id"] for row in ROWS).values())
    text = f"SELECT n, COUNT(*) AS k FROM {INNER} GROUP BY n"
    assert _groups(session, text) == {n: persons[n] for n in range(6)}
    assert _groups(opened(2), text) == {0: 0, 1: 0, 2: 40}, "the last group holds all who have more"
    assert "groups of 'n': the group 2 holds larger values too" in opened(2).sql(text).release(epsilon=1).notes
    listed = f"SELECT n, COUNT(*) AS k FROM {INNER} WHERE n IN (2, 9) GROUP BY n"
    assert _groups(session, listed) == {2: persons[2], 9: 0}
    assert _groups(opened(2), text, groups=[(3,), (2,)]) == {3: persons[3], 2: persons[2]}
    assert set(_groups(opened(2), text, keys=pv.private(delta=1e-7))) == {2, 3}


def test_conditions_see_the_numbers_as_they_are() -> None:
    text = f"SELECT COUNT(*) AS k FROM {INNER} WHERE n > 2"
    assert round(opened(2).sql(text).release(epsilon=10**6).values("k")[0]) == 20


@pytest.mark.parametrize(("call", "rows"), [("AVG(n)", None), ("SUM(f)", 5)])
def test_where_the_caps_give_none_bounds_are_asked_for(call: str, rows: int | None) -> None:
    made = opened(rows)
    with pytest.raises(InvalidError, match=r"needs bounds of .*: write clip\(x, lower, upper\) around it"):
        made.sql(f"SELECT {call} AS a FROM {INNER}").plan(epsilon=1)
