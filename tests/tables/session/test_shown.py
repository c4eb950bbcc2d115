"""Everything that a person may look at is short, quick, in words, and shows nothing of the data."""

import time
from collections.abc import Callable
from typing import Any

import pytest

import privet as pv

CANARY = "CANARY 4711"
BOOK = pv.Codebook(
    table="visits",
    columns={
        "person": pv.column("integer"),
        "ward": pv.column("text", categories=tuple(f"ward {n}" for n in range(300))),
        "city": pv.column("text"),
        "minutes": pv.column("real", bounds=(0, 600)),
    },
    unit=pv.Persons("person", rows=3, groups=1),
)
ROWS = [{"person": n, "ward": f"ward {n % 300}", "city": CANARY, "minutes": n % 60} for n in range(100)]
LONG = " or ".join(f"minutes > {n}" for n in range(50))


@pytest.fixture(scope="module")
def session() -> pv.Session:
    return pv.Session(ROWS, BOOK, pv.budget(epsilon=10, delta=1e-5))


def rows(session: pv.Session) -> Any:
    return session.query().filter(LONG).derive(hours="minutes / 60")


def batch(session: pv.Session) -> Any:
    return session.batch(**{f"query_{n}": rows(session).agg(pv.count()) for n in range(40)})


MAKERS: dict[str, tuple[Callable[[pv.Session], Any], str]] = {
    "query": (rows, "rows: visits; filter minutes > 0 or"),
    "grouped": (lambda s: rows(s).group_by("ward"), "groups: 300 by ward"),
    "rollup rows": (lambda s: rows(s).rollup("ward"), "levels: all rows > ward"),
    "aggregates": (lambda s: rows(s).group_by("ward").agg(pv.count(), m=pv.mean("minutes")), "count, m = mean_minutes"),
    "two stages": (lambda s: rows(s).cap(rows=pv.auto()).agg(pv.count()), "estimated first: cap on rows"),
    "auto caps": (lambda s: rows(s).cap(rows=pv.auto()), "caps of a person: 1 group, rows estimated first"),
    "sql": (lambda s: s.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"), "SQL: SELECT ward, COUNT(*) AS n"),
    "batch": (batch, "query_0"),
    "partition": (lambda s: s.partition("ward"), "parts: 300 by ward"),
    "rollup": (lambda s: rows(s).rollup("ward").agg(pv.count()), "aggregates: count"),
    "keys": (lambda s: rows(s).private_keys("city"), "private keys: city"),
    "imputed": (lambda s: s.query().impute("minutes", by=["ward"]), "rows: visits; impute minutes"),
    "imputed groups": (lambda s: s.query().impute("minutes", by=["ward"]).group_by("ward"), "groups: 300 by ward"),
    "imputed aggregates": (lambda s: rows(s).impute("minutes", by=["ward"]).agg(pv.mean("minutes")), "mean_minutes"),
    "plan": (lambda s: rows(s).group_by("ward").agg(pv.count()).plan(epsilon=1), "count: Laplace noise of scale 3"),
    "gaussian plan": (lambda s: rows(s).group_by("ward").agg(pv.count()).plan(rho=1), "privacy loss: rho = 1, that is"),
    "batch plan": (lambda s: batch(s).plan(epsilon=1), "privacy loss of all: epsilon = 1"),
    "rollup plan": (lambda s: rows(s).rollup("ward").agg(pv.count()).plan(epsilon=1), "level 1, 300 groups: count"),
    "key plan": (lambda s: rows(s).private_keys("city").plan(epsilon=1, delta=1e-6), "a key needs about"),
    "partition plan": (lambda s: s.partition("ward").plan(epsilon=1), "budget of each part: epsilon = 1"),
    "imputed plan": (
        lambda s: rows(s).impute("minutes", by=["ward"]).agg(pv.mean("minutes")).plan(epsilon=1),
        "privacy loss: epsilon = 1",
    ),
    "plan of a file": (
        lambda s: s.read_plan(s.query().group_by("ward").agg(pv.count()).plan(epsilon=1).to_yaml()),
        "aggregates: count",
    ),
    "session": (lambda s: s, "tables: visits (4 columns)"),
    "codebook": (lambda s: s.codebook, "Persons(id='person', rows=3, groups=1)"),
    "budget": (lambda s: s.remaining, "epsilon"),
    "loss": (lambda s: batch(s).plan(epsilon=1, delta=1e-6).loss, ""),
    "history": (lambda s: s.history, ""),
}


@pytest.mark.parametrize("name", MAKERS)
def test_it_is_shown_in_words(name: str, session: pv.Session) -> None:
    make, words = MAKERS[name]
    shown = make(session)
    begin = time.perf_counter()
    line, html = repr(shown), shown._repr_html_()
    assert time.perf_counter() - begin < 1
    assert words in line
    assert len(line) < 700
    assert len(html) < 60_000
    assert html.count("<div") == html.count("</div>")
    for text in (line, html, str(shown)):
        assert CANARY not in text
        assert "Fraction(" not in text
        assert "Relation(" not in text


def test_a_plan_shows_no_secret(session: pv.Session) -> None:
    plan = rows(session).private_keys("city").plan(epsilon=1, delta=1e-6)
    assert str(session._curator.tables.key) not in repr(plan) + plan._repr_html_() + str(plan)


def test_a_line_shows_the_facts_one_below_the_other_in_print(session: pv.Session) -> None:
    grouped = session.query().group_by("ward")
    assert str(grouped).splitlines()[:3] == ["GroupedQuery", "  rows: visits", "  groups: 300 by ward"]
