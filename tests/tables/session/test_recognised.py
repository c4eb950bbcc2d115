"""A ledger recognises every query that can be written down: asked twice it is charged once, and no two share a key."""

import datetime as dt
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import privet as pv
from privet.errors import PrivetWarning

DAY = dt.date(2026, 1, 1)
NOON = dt.datetime(2026, 1, 1, 12, 0, 0, 250, tzinfo=dt.UTC)
VISITS = [
    {
        "person": n // 2,
        "ward": "abc"[n % 3],
        "age": n % 90 if n % 7 else None,
        "cost": n % 50 / 4,
        "day": DAY + dt.timedelta(days=n % 300),
        "tags": ["x", "y"][: n % 3],
    }
    for n in range(240)
]
PEOPLE = [{"id": n, "sex": "fm"[n % 2], "income": 10 * n} for n in range(120)]
WARDS = ("a", "b", "c")


def visits(**unit: Any) -> pv.Codebook:
    return pv.Codebook(
        columns={
            "person": pv.column("integer"),
            "ward": pv.column("text", categories=WARDS),
            "age": pv.column("integer", bounds=(0, 100)),
            "cost": pv.column("real", bounds=(0, 20)),
            "day": pv.column("date", bounds=("2026-01-01", "2026-12-31")),
            "tags": pv.column("text", categories=("x", "y"), most_items=3),
        },
        unit=pv.Persons("person", **{"rows": 3, **unit}),
    )


PEOPLE_BOOK = pv.Codebook(
    columns={
        "id": pv.column("integer"),
        "sex": pv.column("text", categories=("f", "m")),
        "income": pv.column("integer", bounds=(0, 2000)),
    },
    unit=pv.Persons("id", rows=1),
)
PUBLIC = {
    "floors": [{"ward": ward, "floor": floor} for floor, ward in enumerate("abc")],
    "prices": [
        {"ward": "a", "price": 0.1, "since": DAY, "seen": NOON},
        {"ward": "b", "price": math.nan, "since": None, "seen": None},
        {
            "ward": "c",
            "price": 1 / 3,
            "since": dt.date(1999, 12, 31),
            "seen": dt.datetime(2020, 2, 29, 1, 2, 3, tzinfo=dt.UTC),
        },
    ],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def opened(path: Path, book: pv.Codebook | None = None, public: Any = None, **more: Any) -> pv.Session:
    """Open the data as a process does that was started anew."""
    return pv.Session(
        {"visits": VISITS, "people": PEOPLE},
        {"visits": book or visits(), "people": PEOPLE_BOOK},
        pv.budget(epsilon=50, delta=1e-5),
        ledger=pv.Ledger(path),
        dataset="hospital",
        analyst="ann",
        public=PUBLIC if public is None else public,
        **more,
    )


def sql(text: str, **beside: Any) -> Callable[[pv.Session], Any]:
    return lambda session: session.sql(text, **beside).release(epsilon=0.5)


JOINED = "FROM visits v JOIN people p ON v.person = p.id"
STATEMENTS: dict[str, Callable[[pv.Session], Any]] = {
    "join": sql(f"SELECT sex, COUNT(*) AS n {JOINED} GROUP BY sex ORDER BY n DESC"),
    "left join": sql("SELECT COUNT(sex) AS n FROM visits v LEFT JOIN people p ON v.person = p.id", join_rows=1),
    "union": sql("SELECT COUNT(*) AS n FROM (SELECT person FROM visits UNION ALL SELECT id FROM people) u"),
    "computed": sql("SELECT ward, SUM(CASE WHEN age > 30 THEN 2 ELSE 1 END) AS s FROM visits GROUP BY ward"),
    "where": sql("SELECT COUNT(*) AS n FROM visits WHERE ward LIKE 'a%' AND cost < 3.25 AND day >= DATE '2026-02-01'"),
    "unnest": sql("SELECT tag, COUNT(*) AS n FROM visits, UNNEST(tags) AS t(tag) GROUP BY tag"),
    "unnest of constants": sql(
        "SELECT x, COUNT(*) AS n FROM visits JOIN UNNEST(['a', 'b']) AS x ON x = ward GROUP BY x"
    ),
    "for each person": sql(
        "SELECT AVG(c) AS m FROM (SELECT person, COUNT(*) AS c FROM visits GROUP BY person) WHERE c BETWEEN 0 AND 9"
    ),
    "with": sql("WITH old AS (SELECT * FROM visits WHERE age > 30) SELECT ward, COUNT(*) AS n FROM old GROUP BY ward"),
    "public": sql("SELECT floor, COUNT(*) AS n FROM visits JOIN floors USING (ward) GROUP BY floor"),
    "public reals": sql("SELECT SUM(price) AS s FROM visits JOIN prices USING (ward)"),
    "public sub-query": sql(
        "SELECT floor, COUNT(*) AS n FROM visits JOIN (SELECT * FROM floors WHERE floor < 2) f USING (ward) "
        "GROUP BY floor"
    ),
    "distinct persons": sql("SELECT ward, COUNT(DISTINCT person) AS n FROM visits GROUP BY ward HAVING n > 5"),
    "dialect": sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1", dialect="postgres"),
    "privacy clause": lambda session: session.sql(
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5, max_groups_contributed = 2) ward, "
        "AVG(cost, contribution_bounds_per_group => (0, 10)) AS m FROM visits GROUP BY ward"
    ).release(),
    "listed groups": sql("SELECT age, COUNT(*) AS n FROM visits GROUP BY age", groups=[1, 2], other=-1),
    "private keys": lambda session: session.sql(
        f"SELECT age, COUNT(*) AS n {JOINED} GROUP BY age", keys=pv.private(delta=1e-8)
    ).release(epsilon=4, delta=1e-7),
    "imputed": sql(
        "SELECT ward, AVG(age) AS m FROM visits GROUP BY ward",
        impute={"table": "visits", "name": "age", "by": ["ward"], "default": 40},
    ),
    "batch": lambda session: session.batch(
        a=session.sql(f"SELECT sex, COUNT(*) AS n {JOINED} GROUP BY sex"),
        b=session.sql("SELECT COUNT(*) AS n FROM visits WHERE age + 1 > 30"),
    ).release(epsilon=0.5),
    "bias": lambda session: session.sql("SELECT SUM(LEAST(cost, 5)) AS s FROM visits").release(
        epsilon=1, bias=0.2, most_rows=9
    ),
}


def rows(session: pv.Session) -> Any:
    return session.query("visits")


def joined_public(**more: Any) -> Callable[[pv.Session], Any]:
    return lambda s: rows(s).join_public(PUBLIC["prices"], on="ward", **more).agg(pv.count("price")).release(0.5)


PYTHON: dict[str, Callable[[pv.Session], Any]] = {
    "join": lambda s: rows(s).join(s.query("people"), rows=1).group_by("sex").agg(pv.count()).release(0.5),
    "union": lambda s: rows(s).select("ward").union(rows(s).select("ward")).agg(pv.count()).release(0.5),
    "public": joined_public(),
    "public, left": joined_public(how="left"),
    "public, right": lambda s: (
        rows(s).join_public("floors", on="ward", how="right").group_by("ward").agg(pv.count()).release(0.5)
    ),
    "public by name": lambda s: rows(s).join_public("prices", on="ward").agg(pv.sum("price")).release(0.5),
    "public as columns": lambda s: (
        rows(s)
        .join_public(
            PUBLIC["prices"], {"ward": pv.column("text"), "price": pv.column("real", bounds=(0, 1))}, on="ward"
        )
        .agg(pv.sum("price"))
        .release(0.5)
    ),
    "terms": lambda s: (
        rows(s)
        .filter((pv.col("age") > 0.1) & (pv.col("day") > DAY))
        .derive(x=pv.col("age") * 2)
        .agg(pv.count())
        .release(0.5)
    ),
    "bins": lambda s: (
        rows(s).bin("cost", width=5).bin("day", by="month").group_by("cost_bin", "day_bin").agg(pv.count()).release(0.5)
    ),
    "unnest": lambda s: rows(s).unnest("tags").group_by("tags").agg(pv.count()).release(0.5),
    "summaries": lambda s: (
        rows(s).summarize("ward", n="count(*)").cap(rows=2).agg(pv.mean("n", bounds=(0, 5))).release(0.5)
    ),
    "roll-up": lambda s: rows(s).rollup("ward").agg(pv.count()).release(0.5),
    "auto": lambda s: rows(s).cap(rows=pv.auto()).agg(pv.sum("cost", bounds=pv.auto())).release(0.5),
    "keys": lambda s: rows(s).private_keys("ward", method="weighted").release(epsilon=2, delta=1e-7),
    "batch": lambda s: s.batch(a=rows(s).agg(pv.count()), b=rows(s).agg(pv.median("age"))).release(0.5),
    "imputed": lambda s: rows(s).impute("age", by=["ward"], default=40).agg(pv.mean("age")).release(epsilon=0.5),
    "listed groups": lambda s: rows(s).group_by("age", groups=[1, 2]).agg(pv.count()).release(0.5),
}
KINDS = {f"SQL: {name}": ask for name, ask in STATEMENTS.items()} | {f"Python: {n}": ask for n, ask in PYTHON.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_query_that_is_asked_again_is_free_and_equal(kind: str, path: Path) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*no form in which the ledger.*")
        first = KINDS[kind](opened(path))
        session = opened(path)
        before = (session.spent, len(session.history))
        second = KINDS[kind](session)
    assert (second, second.to_json(), str(second)) == (first, first.to_json(), str(first))
    assert (session.spent, len(session.history)) == before
    assert {each.state for each in pv.Ledger(path).charges()} == {"stored"}


def counted(text: str = "SELECT COUNT(*) AS n FROM visits", **beside: Any) -> Callable[[pv.Session], Any]:
    return sql(text, **beside)


def public(**changed: Any) -> dict[str, Any]:
    """Give the public tables with another value in the first row of ``prices``."""
    first, *others = PUBLIC["prices"]
    return {"public": {**PUBLIC, "prices": [{**first, **changed}, *others]}}


PRICED = sql("SELECT COUNT(price) AS n, COUNT(since) AS m, COUNT(seen) AS k FROM visits JOIN prices USING (ward)")
EACH = "SELECT AVG(c) AS m FROM (SELECT person, {} AS c FROM visits GROUP BY person) WHERE c BETWEEN 0 AND {}"
OTHERS: dict[str, tuple[dict[str, Any], Callable[[pv.Session], Any]]] = {
    "all rows": ({}, counted()),
    "another statement": ({}, counted("SELECT COUNT(*) AS n FROM people")),
    "another name of the column": ({}, counted("SELECT COUNT(*) AS m FROM visits")),
    "a filter": ({}, counted("SELECT COUNT(*) AS n FROM visits WHERE cost < 3.25")),
    "a filter with another number": ({}, counted("SELECT COUNT(*) AS n FROM visits WHERE cost < 3.2500000001")),
    "a filter of a text": ({}, counted("SELECT COUNT(*) AS n FROM visits WHERE ward = 'a'")),
    "a filter of another text": ({}, counted("SELECT COUNT(*) AS n FROM visits WHERE ward = 'A'")),
    "a pattern": ({}, counted("SELECT COUNT(*) AS n FROM visits WHERE ward LIKE 'a%'")),
    "a pattern with an escape": ({}, counted("SELECT COUNT(*) AS n FROM visits WHERE ward LIKE 'a!%' ESCAPE '!'")),
    "another dialect": ({}, counted("SELECT COUNT(*) AS n FROM visits WHERE age / 2 > 10", dialect="mysql")),
    "and another": ({}, counted("SELECT COUNT(*) AS n FROM visits WHERE age / 2 > 10", dialect="postgres")),
    "for each person": ({}, counted(EACH.format("COUNT(*)", 9))),
    "for each person, another bound": ({}, counted(EACH.format("COUNT(*)", 8))),
    "for each person, another summary": ({}, counted(EACH.format("MAX(age)", 9))),
    "a join": ({}, counted(f"SELECT COUNT(*) AS n {JOINED}")),
    "a join of fewer rows": ({}, counted(f"SELECT COUNT(*) AS n {JOINED} AND p.income > 5")),
    "a left join": ({}, counted("SELECT COUNT(*) AS n FROM visits v LEFT JOIN people p ON v.person = p.id")),
    "the same from the other side": (
        {},
        counted("SELECT COUNT(*) AS n FROM people p JOIN visits v ON v.person = p.id"),
    ),
    "groups": ({}, counted("SELECT age, COUNT(*) AS n FROM visits GROUP BY age", groups=[1, 2])),
    "groups in another order": ({}, counted("SELECT age, COUNT(*) AS n FROM visits GROUP BY age", groups=[2, 1])),
    "other groups": ({}, counted("SELECT age, COUNT(*) AS n FROM visits GROUP BY age", groups=[1, 3])),
    "one group more": ({}, counted("SELECT age, COUNT(*) AS n FROM visits GROUP BY age", groups=[1, 2], other=-1)),
    "a public table": ({}, PRICED),
    "its real one bit larger": (public(price=math.nextafter(0.1, 1)), PRICED),
    "its real null": (public(price=math.nan), PRICED),
    "its date a day later": (public(since=DAY + dt.timedelta(days=1)), PRICED),
    "its timestamp a microsecond later": (public(seen=NOON + dt.timedelta(microseconds=1)), PRICED),
    "its key another": (public(ward="z"), PRICED),
    "its row twice": ({"public": {**PUBLIC, "prices": [*PUBLIC["prices"], PUBLIC["prices"][0]]}}, PRICED),
    "its dates texts": (
        {"public": {**PUBLIC, "prices": [{**r, "since": f"{r['since']}"} for r in PUBLIC["prices"]]}},
        PRICED,
    ),
    "constants": ({}, counted("SELECT COUNT(*) AS n FROM visits JOIN UNNEST(['a', 'b']) AS x ON x = ward")),
    "other constants": ({}, counted("SELECT COUNT(*) AS n FROM visits JOIN UNNEST(['a', 'c']) AS x ON x = ward")),
    "another cap of the codebook": ({"book": visits(rows=2)}, counted()),
    "another column of the codebook": ({"book": visits(by={"ward": {"groups": 1, "rows_per_group": 1}})}, counted()),
    "more noise": ({}, lambda s: s.sql("SELECT COUNT(*) AS n FROM visits").release(epsilon=0.25)),
    "gaussian noise": ({}, lambda s: s.sql("SELECT COUNT(*) AS n FROM visits").release(rho=0.125, delta=1e-6)),
    "another delta": ({}, lambda s: s.sql("SELECT COUNT(*) AS n FROM visits").release(rho=0.125, delta=1e-7)),
    "weights": (
        {},
        lambda s: s.sql("SELECT COUNT(age) AS n, SUM(cost) AS s FROM visits").release(1, weights={"n": 2, "s": 1}),
    ),
    "other weights": (
        {},
        lambda s: s.sql("SELECT COUNT(age) AS n, SUM(cost) AS s FROM visits").release(1, weights={"n": 1, "s": 2}),
    ),
}


def test_whatever_changes_a_release_changes_its_key(path: Path) -> None:
    """A wrong release that is shown is the worst of failures: each of these is charged, none is taken for another."""
    for number, (more, ask) in enumerate(OTHERS.values(), 1):
        session = opened(path, **more)
        ask(session)
        assert len(session.history) == number, list(OTHERS)[number - 1]
    assert {each.state for each in pv.Ledger(path).charges()} == {"stored"}


def test_all_kinds_of_query_have_different_keys(path: Path) -> None:
    session = opened(path)
    for ask in KINDS.values():
        before = len(session.history)
        ask(session)
        assert len(session.history) > before


def test_what_is_shown_after_a_release_is_not_in_its_key(path: Path) -> None:
    """HAVING, ORDER BY and LIMIT see released values only: another order of the same release is free."""
    session = opened(path)
    text = f"SELECT sex, COUNT(*) AS n {JOINED} GROUP BY sex"
    first = sql(text)(session)
    second = sql(f"{text} ORDER BY n DESC LIMIT 1")(session)
    assert len(session.history) == 1
    assert second.values("n") == [max(first.values("n"))]


def test_a_function_of_ones_own_is_not_recognised(path: Path) -> None:
    """Nor is an aggregate: two of them may have one name."""
    session = opened(path)
    made = rows(session).summarize_with(len, rows=3, into="visits", to=pv.column("integer", bounds=(0, 3)))
    for number in (1, 2):
        with pytest.warns(PrivetWarning, match="asking it again is charged again"):
            made.agg(pv.count()).release(epsilon=0.5)
        assert len(session.history) == number
