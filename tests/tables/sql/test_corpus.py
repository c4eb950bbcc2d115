"""The corpus of public SQL: what is accepted agrees with DuckDB, and no less is accepted than before."""

from functools import cache
from statistics import fmean

import pytest

from tests.sql_corpus.corpus import hashed, queries, sources
from tests.sql_corpus.expected import Expected, difference, expected
from tests.sql_corpus.rule import normal, why_not
from tests.sql_corpus.run import ABSENT, DIFFERENT, EQUAL, ERROR, Outcome, run
from tests.sql_corpus.settings import SETTINGS
from tests.sql_corpus.tables import Col, Table, ids

HERE = 96  # of the statements whose text is in the repository; raise it when more are accepted
ALL = 211  # of all statements, where the other texts are at hand


@cache
def outcomes() -> tuple[Outcome, ...]:
    return tuple(run(queries()))


def test_accepted_answers_agree_with_duckdb() -> None:
    wrong = [f"{each.query.id}: {each.message}" for each in outcomes() if each.status in (DIFFERENT, ERROR)]
    assert not wrong


def test_no_less_is_accepted_than_before() -> None:
    accepted = [each for each in outcomes() if each.status == EQUAL and each.query.refusal is None]
    quoted = [each for each in accepted if sources()[each.query.source]["text"] == "here"]
    assert len(quoted) >= HERE
    if all(each.status != ABSENT for each in outcomes()):
        assert len(accepted) >= ALL


def test_statements_that_no_release_could_answer_are_refused() -> None:
    accepted = [each.query.id for each in outcomes() if each.query.refusal and each.status in (EQUAL, DIFFERENT)]
    assert not accepted


def test_the_corpus_is_large_and_of_many_sources() -> None:
    counted = [query for query in queries() if query.refusal is None]
    by_source = {name: sum(query.source == name for query in counted) for name in sources()}
    assert len(counted) >= 200
    assert len(by_source) >= 8
    assert max(by_source.values()) <= 30


def test_texts_are_those_of_their_hashes_and_none_is_there_twice() -> None:
    texts = [query for query in queries() if query.text is not None]
    assert all(hashed(str(query.text)) == query.sha256 for query in texts)
    assert len({query.sha256 for query in queries()}) == len(list(queries()))
    for name in sources():
        own = [normal(str(query.text)) for query in texts if query.source == name]
        assert len(set(own)) == len(own)


def test_only_sources_with_a_licence_that_was_read_are_quoted() -> None:
    for source in sources().values():
        quoted = [query for query in source["queries"] if "text" in query]
        assert bool(quoted) == (source["text"] == "here")
        if quoted:
            assert source["licence"].startswith(("MIT, read", "Apache-2.0, read"))


def test_every_statement_follows_the_rule() -> None:
    for query in queries():
        if query.text is None:
            continue
        tables = {name: SETTINGS[query.setting][name] for name in query.tables}
        ids = {table.id.lower() for table in SETTINGS[query.setting].values() if table.id}
        private = {name.lower() for name, table in tables.items() if not table.public}
        reason = why_not(query.text, query.dialect, ids, private)
        assert reason is None, f"{query.id}: {reason}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT a FROM t", "no aggregate at the outer level"),
        ("SELECT SUM(a) OVER () FROM t GROUP BY a", "window function"),
        ("SELECT COUNT(*) FROM t WHERE a IN (SELECT a FROM t)", "sub-query in an expression"),
        ("SELECT COUNT(*) FROM t WHERE a = @x", "placeholder"),
        ("SELECT AVG(n) FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a)", "a sub-query aggregates over persons"),
        ("SELECT AVG(n) FROM (SELECT id, COUNT(*) AS n FROM t GROUP BY id)", None),
        ("SELECT COUNT(*) FROM lookup", "reads no private table"),
        ("DELETE FROM t", "not one SELECT"),
    ],
)
def test_the_rule(text: str, reason: str | None) -> None:
    assert why_not(text, None, {"id"}, {"t"}) == reason


def test_under_a_privacy_clause_the_average_is_that_of_persons() -> None:
    few = Col(kind="integer", values=(1,), bounds=(0, 9), nulls=False)
    table = Table(id="id", columns={"id": ids(3), "x": ids(90), "one": few}, rows=60)
    rows = list(zip(*(table.arrow()[name].to_pylist() for name in ("id", "x")), strict=True))
    means = [fmean(x for person, x in rows if person == wanted) for wanted in (1, 2, 3)]
    clause = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, privacy_unit_column=id)"
    text = f"{clause} one, AVG(x, contribution_bounds_per_group => (0, 45)) FROM t GROUP BY one"
    assert expected(text, "bigquery", {"t": table}).rows == [(1.0, pytest.approx(fmean(min(45, m) for m in means)))]
    plain = expected("SELECT one, AVG(x) FROM t GROUP BY one", "bigquery", {"t": table}).rows
    assert plain == [(1.0, pytest.approx(fmean(x for _, x in rows)))]


def test_a_wrong_answer_is_seen() -> None:
    answer = Expected(rows=[("a", 10.0), ("b", 4.0)], slack=(None, None), keyed=(True, False), limited=False)
    assert difference([("b", 4.0), ("a", 10.0)], answer) is None
    assert difference([("b", 4.0), ("a", 10.0), ("c", 0.0)], answer) is None
    assert difference([("b", 4.0), ("a", 10.1)], answer) is not None
    assert difference([("b", 4.0)], answer) is not None
    assert difference([("b", 4.0), ("a", 10.0), ("c", 2.0)], answer) is not None
