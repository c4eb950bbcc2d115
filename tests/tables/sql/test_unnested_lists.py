"""``UNNEST`` of a private column of lists, in the forms of several systems, compared with DuckDB."""

from typing import Any

import duckdb
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import InvalidError

COLUMNS = {
    "id": pv.column("integer"),
    "tags": pv.column("text", categories=["a", "b", "c"], most_items=3),
    "k": pv.column("integer", bounds=(0, 9)),
    "ns": pv.column("integer", bounds=(0, 9), most_items=2),
}
DATA = pa.table(
    {
        "id": [1, 2, 3, 3, 4],
        "tags": [["a", "b", "c"], None, ["b", "b"], ["a"], []],
        "k": [1, 2, 1, 2, 2],
        "ns": [[1], [2, 3], [], [4, None], [5]],
    }
)
PUBLIC = [{"k": 1, "town": "x"}, {"k": 2, "town": "y"}]
PLAIN = "SELECT tag, count(*) AS n FROM t, UNNEST(t.tags) AS u(tag) GROUP BY tag"


@pytest.fixture(scope="module")
def session() -> Any:
    book = pv.Codebook(table="t", columns=COLUMNS, unit=pv.Persons("id", rows=2))
    with pv.Session(DATA, book, pv.budget(epsilon=10**12), public={"p": PUBLIC}) as opened:
        yield opened


@pytest.fixture(scope="module")
def connection() -> Any:
    with duckdb.connect() as opened:
        opened.register("t", DATA)
        opened.register("p", pa.Table.from_pylist(PUBLIC))
        yield opened


def numbers(session: Any, statement: str, dialect: str | None = None) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for row in session.sql(statement, dialect=dialect).release(epsilon=10**6).to_arrow().to_pylist():
        place = next(at for at, name in enumerate(row) if name in ("n", "s"))
        *key, value = list(row.values())[: place + 1]
        found[tuple(key)] = round(value)
    return found


def answers(connection: Any, statement: str) -> dict[Any, float]:
    return {tuple(key): value for *key, value in connection.execute(statement).fetchall() if value}


@pytest.mark.parametrize(
    "statement",
    [
        PLAIN,
        "SELECT u.tag, sum(v) AS s FROM t CROSS JOIN UNNEST(t.tags) AS u(tag), UNNEST(t.ns) AS w(v) GROUP BY u.tag",
        "SELECT town, tag, count(*) AS n FROM t JOIN p ON t.k = p.k CROSS JOIN UNNEST(tags) AS u(tag) GROUP BY ALL",
        "SELECT town, tag, count(*) AS n FROM t, p, UNNEST(tags) AS u(tag) WHERE t.k = p.k AND tag < 'c' GROUP BY ALL",
        "SELECT tag, count(*) AS n FROM t, UNNEST(tags) AS u(tag) WHERE t.k = 1 AND tag <> 'c' GROUP BY tag",
        "SELECT tag, count(DISTINCT id) AS n FROM t, UNNEST(tags) AS u(tag) GROUP BY tag",
        "WITH q AS (SELECT id, tag FROM t, UNNEST(tags) AS u(tag)) SELECT tag, count(*) AS n FROM q GROUP BY tag",
        "SELECT tag, count(*) AS n FROM (SELECT unnest(tags) AS tag, k FROM t) AS q WHERE k = 1 GROUP BY tag",
        "SELECT tag, count(*) AS n FROM (SELECT id, tags FROM t) AS q, UNNEST(q.tags) AS u(tag) GROUP BY tag",
        "SELECT a.x, b.x AS y, count(*) AS n FROM t, UNNEST(tags) AS a(x), UNNEST(tags) AS b(x) GROUP BY a.x, b.x",
        "SELECT k, count(*) AS n FROM t, UNNEST(tags) AS u(tag) WHERE tag IN ('a', 'b') OR k = 2 GROUP BY k",
        "SELECT x, count(*) AS n FROM (SELECT id, unnest(tags) AS x FROM t UNION ALL SELECT id, 'a' FROM t) GROUP BY x",
        "SELECT upper(x) AS y, count(*) AS n FROM (SELECT unnest(tags) AS x FROM t) GROUP BY 1",
        "SELECT k, count(*) AS n FROM t LEFT JOIN UNNEST(tags) AS u(tag) ON TRUE GROUP BY k",
        "SELECT count(tag) AS n FROM t LEFT JOIN UNNEST(tags) AS u(tag) ON TRUE",
        "SELECT count(*) AS n FROM t LEFT JOIN UNNEST(tags) AS u(tag) ON TRUE WHERE tag IS NULL",
        "SELECT count(*) AS n FROM t, UNNEST(ns) AS u(v)",
        "SELECT count(v) AS n FROM t, UNNEST(ns) AS u(v)",
        "SELECT count(*) AS n FROM t WHERE tags IS NOT NULL",
    ],
)
def test_answers_are_those_of_the_engine(session: Any, connection: Any, statement: str) -> None:
    assert {key: value for key, value in numbers(session, statement).items() if value} == answers(connection, statement)


@pytest.mark.parametrize(
    ("dialect", "statement"),
    [
        ("bigquery", "SELECT tag, count(*) AS n FROM t, UNNEST(t.tags) AS tag GROUP BY tag"),
        ("bigquery", "SELECT tag, count(*) AS n FROM t CROSS JOIN UNNEST(tags) tag GROUP BY 1"),
        ("bigquery", "SELECT tag, count(*) AS n FROM t, t.tags AS tag GROUP BY tag"),
        ("postgres", "SELECT x.tag, count(*) AS n FROM t CROSS JOIN LATERAL unnest(t.tags) AS x(tag) GROUP BY x.tag"),
        ("postgres", "SELECT x.tag, count(*) AS n FROM t JOIN LATERAL unnest(t.tags) AS x(tag) ON TRUE GROUP BY 1"),
        ("postgres", "SELECT unnest(tags) AS tag, count(*) AS n FROM t GROUP BY tag"),
        ("postgres", "SELECT x, count(*) AS n FROM t, unnest(t.tags) AS x GROUP BY x"),
        ("snowflake", "SELECT f.value, count(*) AS n FROM t, LATERAL FLATTEN(input => t.tags) f GROUP BY f.value"),
        ("snowflake", "SELECT f.value AS v, count(*) AS n FROM t, TABLE(FLATTEN(t.tags)) f GROUP BY 1"),
        ("spark", "SELECT tag, count(*) AS n FROM t LATERAL VIEW explode(tags) x AS tag GROUP BY tag"),
        ("spark", "SELECT tag, count(*) AS n FROM (SELECT explode(tags) AS tag FROM t) GROUP BY tag"),
        ("presto", "SELECT tag, count(*) AS n FROM t CROSS JOIN UNNEST(tags) AS x (tag) GROUP BY tag"),
        ("clickhouse", "SELECT tag, count(*) AS n FROM t ARRAY JOIN tags AS tag GROUP BY tag"),
        ("duckdb", "SELECT u.tag, count(*) AS n FROM t, unnest(tags) AS u(tag) GROUP BY ALL"),
    ],
)
def test_every_system_has_its_own_words_for_it(session: Any, connection: Any, dialect: str, statement: str) -> None:
    assert numbers(session, statement, dialect) == answers(connection, PLAIN)


@pytest.mark.parametrize(
    ("dialect", "clause", "message"),
    [
        (None, "t, UNNEST(k) AS u", "UNNEST of 'k', which is integer and no list"),
        (None, "t, UNNEST(nosuch) AS u", "'nosuch', which is no column of the tables before it"),
        (None, "t, UNNEST(tags) AS id", "'id' is not allowed as a name here"),
        (None, "UNNEST(t.tags) AS u", "needs its table before it"),
        (None, "t, UNNEST(tags, ns) AS u(a, b)", "UNNEST of several lists"),
        (None, "t, UNNEST(tags)", "UNNEST without a name"),
        (None, "t RIGHT JOIN UNNEST(tags) AS u ON TRUE", "this join with UNNEST"),
        (None, "t LEFT JOIN UNNEST(tags) AS u ON u = 'a'", "this join with UNNEST"),
        (None, "t JOIN UNNEST(tags) AS u ON u = 'a'", "this join with UNNEST"),
        (None, "t JOIN p ON p.town = tag, UNNEST(tags) AS tag", "an item of UNNEST in the ON of another join"),
        ("bigquery", "t, UNNEST(tags) AS tag WITH OFFSET AS place", "the place of an item"),
        ("trino", "t CROSS JOIN UNNEST(tags) WITH ORDINALITY AS x (tag, n)", "the place of an item"),
        ("spark", "t LATERAL VIEW posexplode(tags) x AS n, tag", "not allowed"),
        ("snowflake", "t, LATERAL FLATTEN(input => tags, outer => TRUE) f", "not allowed"),
    ],
)
def test_what_has_no_meaning_here_is_refused(session: Any, dialect: str | None, clause: str, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        session.sql(f"SELECT count(*) AS n FROM {clause}", dialect=dialect)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT tags, count(*) AS n FROM t GROUP BY tags",
        "SELECT count(DISTINCT tags) AS n FROM t",
        "SELECT count(*) AS n FROM t WHERE tags = ns",
        "SELECT count(*) AS n FROM t WHERE CASE WHEN k > 1 THEN tags END IS NULL",
        "SELECT unnest(tags) AS a, unnest(ns) AS b, count(*) AS n FROM t GROUP BY 1, 2",
        "SELECT unnest(tags) FROM t",
        "SELECT min(tags) AS n FROM t",
    ],
)
def test_a_list_is_no_value_of_an_expression(session: Any, statement: str) -> None:
    with pytest.raises(InvalidError):
        session.sql(statement)


@pytest.mark.parametrize(
    ("dialect", "statement"),
    [
        ("bigquery", "SELECT k, count(*) AS n FROM t LEFT JOIN UNNEST(tags) AS tag GROUP BY k"),
        ("postgres", "SELECT k, count(*) AS n FROM t LEFT JOIN LATERAL unnest(t.tags) AS x(tag) ON TRUE GROUP BY k"),
        ("spark", "SELECT k, count(*) AS n FROM t LATERAL VIEW OUTER explode(tags) x AS tag GROUP BY k"),
        ("clickhouse", "SELECT k, count(*) AS n FROM t LEFT ARRAY JOIN tags AS tag GROUP BY k"),
    ],
)
def test_outer_forms_keep_rows_without_items(session: Any, connection: Any, dialect: str, statement: str) -> None:
    wanted = "SELECT k, count(*) AS n FROM t LEFT JOIN UNNEST(tags) AS u(tag) ON TRUE GROUP BY k"
    found = {key: value for key, value in numbers(session, statement, dialect).items() if value}
    assert found == answers(connection, wanted) == {(1,): 5, (2,): 3}


def test_a_statement_says_how_many_rows_a_row_becomes(session: Any) -> None:
    described = session.sql(PLAIN).describe(epsilon=1)
    assert "up to 3 rows for each" in described
    assert "up to 6 rows of a person count" in described
