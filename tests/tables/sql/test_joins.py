"""Joins of statements agree with DuckDB: every kind, in any order, with public tables or without."""

import random
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import privet as pv
from privet import Codebook, Persons, Session, column
from privet.errors import InvalidError, PrivetError
from tests.tables.sql.public_query import aggregates_of

_HUGE = 10**12
_STATEMENTS = 60


def _rows(dice: random.Random, id_name: str, prefix: str, count: int) -> pa.Table:
    def some(values: Any) -> list[Any]:
        return [None if dice.random() < 0.1 else dice.choice(values) for _ in range(count)]

    return pa.table(
        {
            id_name: pa.array([dice.randrange(8) for _ in range(count)], pa.int64()),
            f"{prefix}_key": pa.array(some(range(4)), pa.int64()),
            f"{prefix}_x": pa.array(some(range(6)), pa.int64()),
            f"{prefix}_word": pa.array(some(["a", "b", "c"]), pa.string()),
        }
    )


def _book(id_name: str, prefix: str) -> Codebook:
    return Codebook(
        unit=Persons(id=id_name, rows=9),
        columns={
            id_name: column("integer"),
            f"{prefix}_key": column("integer", bounds=(0, 3)),
            f"{prefix}_x": column("integer", bounds=(0, 5)),
            f"{prefix}_word": column("text", categories=("a", "b", "c")),
        },
    )


def _at_most_nine(table: pa.Table, id_name: str) -> pa.Table:
    seen: dict[Any, int] = {}
    kept = []
    for at, person in enumerate(table[id_name].to_pylist()):
        seen[person] = seen.get(person, 0) + 1
        if seen[person] <= 9:
            kept.append(at)
    return table.take(kept)


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[Session, duckdb.DuckDBPyConnection]]:
    dice = random.Random(5)
    private = {
        "a": _at_most_nine(_rows(dice, "id", "a", 40), "id"),
        "b": _at_most_nine(_rows(dice, "person", "b", 30), "person"),
        "c": _at_most_nine(_rows(dice, "c_id", "c", 20), "c_id"),
    }
    public = {
        "p": pa.table(
            {"p_key": [0, 1, 2, 2, 7], "p_name": ["nil", "one", "two", "two too", "seven"], "p_n": [5, 6, 7, 8, 9]}
        ),
        "q": pa.table({"q_word": ["a", "b", "z"], "q_key": [0, 2, 5], "q_real": [0.5, 1.25, 2.0]}),
    }
    books = {"a": _book("id", "a"), "b": _book("person", "b"), "c": _book("c_id", "c")}
    opened = Session(private, books, pv.budget(epsilon=_HUGE * 10**6), public=public)
    with duckdb.connect() as connection:
        for name, table in {**private, **public}.items():
            connection.register(name, table)
        yield opened, connection
    opened.close()


def _agree(world: tuple[Session, duckdb.DuckDBPyConnection], text: str) -> None:
    session, connection = world
    release = session.sql(text).release(epsilon=_HUGE)
    columns = [release.values(name) for name in release.names]
    given = {tuple(_plain(value) for value in row) for row in zip(*columns, strict=True)}
    wanted = {tuple(_plain(value) for value in row) for row in connection.execute(text).fetchall()}
    wanted = {row for row in wanted if None not in row}  # rows with a null key are left out
    empty = {row for row in given - wanted if any(value in (0, None) for value in row)}
    assert wanted <= given, text
    assert given - wanted == empty, text


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return None if value != value else round(value, 3)
    return value


FROMS = [
    "a JOIN b ON a.id = b.person",
    "a, b WHERE id = person",
    "a INNER JOIN b ON person = id AND a_x < b_x",
    "a JOIN b ON id = person AND a_key = b_key",
    "a JOIN b ON id = person AND a_word = 'a'",
    "a LEFT JOIN b ON id = person",
    "a LEFT JOIN b ON id = person AND b_x > 2",
    "a LEFT JOIN b ON id = person AND a_x > 2",
    "a LEFT JOIN b ON id = person AND a_key = b_key AND b_word <> 'a' AND a_x > 1",
    "a RIGHT JOIN b ON id = person AND a_key = b_key",
    "a RIGHT JOIN b ON id = person WHERE a_x = 1",
    "a LEFT JOIN b ON id = person WHERE b_x = 1",
    "a LEFT JOIN b ON id = person AND TRUE AND 1 = 2",
    "a RIGHT JOIN b ON id = person AND 1 = 1",
    "a LEFT JOIN p ON TRUE",
    "a LEFT JOIN p ON 1 = 2",
    "a LEFT JOIN p ON a_x > 2 AND p_n > 5",
    "a LEFT JOIN b ON id = person WHERE b.person IS NULL",
    "a, b, c WHERE id = person AND person = c_id AND b_key = c_key",
    "a JOIN b ON id = person LEFT JOIN c ON id = c_id AND c_x = 3",
    "a JOIN p ON a_key = p_key",
    "p JOIN a ON a_key = p_key",
    "p, a WHERE a_key = p_key AND p_n > 6",
    "a LEFT JOIN p ON a_key = p_key",
    "a LEFT JOIN p ON a_key = p_key AND p_n > 6 WHERE p_n IS NULL OR p_n > 7",
    "a LEFT JOIN p ON a_key = p_key WHERE p_key IS NULL",
    "p RIGHT JOIN a ON a_key = p_key",
    "a, p, q WHERE a_key = p_key AND a_word = q_word",
    "a, p, q WHERE a_key = p_key AND p_key = q_key",
    "a, p, q WHERE a_key = p_key AND p_key = q_key AND a_word = q_word",
    "a, b, p WHERE id = person AND a_key = p_key AND b_key = p_key",
    "a, p WHERE (a_key = p_key AND p_n = 5) OR (a_key = p_key AND a_x = 3)",
    "a JOIN (SELECT p_key AS k, p_n * 2 AS m FROM p WHERE p_n > 5) AS s ON k = a_key",
    "a LEFT JOIN (SELECT q_word, MAX(q_key) AS k FROM q GROUP BY q_word) AS s ON a_word = q_word WHERE k > 0",
    "a JOIN (SELECT p_key % 2 AS odd, COUNT(*) AS n, SUM(p_n) AS t FROM p GROUP BY 1) AS s ON a_x = odd WHERE t > n",
    "a JOIN (SELECT p_name, p_key FROM p GROUP BY p_name, p_key) AS s ON a_key = p_key",
    "a JOIN p AS p1 ON a_key = p1.p_key JOIN p AS p2 ON p2.p_key = p1.p_key",
    "a CROSS JOIN p WHERE a_key = p_key",
    "a CROSS JOIN p",
    "p, a WHERE p_n > 5",
    "a CROSS JOIN p WHERE a_x < p_n",
    "a, p, q WHERE p_key = q_key",
    "a JOIN b ON id = person CROSS JOIN q WHERE b_x < 3",
    "(a JOIN b ON id = person) JOIN c ON c_id = id",
    "a AS s JOIN a AS t ON s.id = t.id",
]


@pytest.mark.parametrize("source", FROMS)
def test_a_join_counts_as_duckdb_does(world: tuple[Session, duckdb.DuckDBPyConnection], source: str) -> None:
    _agree(world, f"SELECT COUNT(*) AS n FROM {source}")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT p_name, COUNT(*) AS n, SUM(a_x) AS s FROM a JOIN p ON a_key = p_key GROUP BY p_name",
        "SELECT p_name, p_n, COUNT(a_x) AS n FROM a, p WHERE a_key = p_key AND p_n < 8 GROUP BY p_name, p_n",
        "SELECT upper(p_name) AS u, COUNT(*) AS n FROM a JOIN p ON a_key = p_key GROUP BY u",
        "SELECT q_real, COUNT(*) AS n FROM a JOIN q ON a_word = q_word GROUP BY q_real ORDER BY q_real",
        "SELECT q_real, p_name, COUNT(*) AS n FROM a, p, q WHERE a_key = p_key AND a_word = q_word GROUP BY 1, 2",
        "SELECT p_key, COUNT(*) AS n FROM a JOIN p ON a_key = p_key GROUP BY p_key",
        "SELECT p_key, COUNT(*) AS n, SUM(a_x) AS s FROM a CROSS JOIN p GROUP BY p_key",
        "SELECT k, COUNT(*) AS n FROM a JOIN (SELECT q_word w, MIN(q_key) k FROM q GROUP BY 1) ON w=a_word GROUP BY 1",
        "SELECT COUNT(b.person) AS n, COUNT(*) AS m, SUM(b_x) AS s FROM a LEFT JOIN b ON id = person AND b_x > 1",
        "SELECT b_word, COUNT(*) AS n FROM a LEFT JOIN b ON id = person WHERE b_word IN ('c', 'a') GROUP BY b_word",
        "SELECT who, COUNT(*) AS n FROM (SELECT id AS who2, a_word AS who FROM a) GROUP BY who",
        "SELECT COUNT(DISTINCT who) AS n FROM (SELECT id AS who FROM a) AS s JOIN b ON who = person",
        "SELECT SUM(m) AS n FROM (SELECT person AS w, MAX(b_x) AS m FROM b GROUP BY person) AS s JOIN a ON a.id = w",
    ],
)
def test_a_join_aggregates_as_duckdb_does(world: tuple[Session, duckdb.DuckDBPyConnection], text: str) -> None:
    _agree(world, text)


def _random_from(dice: random.Random) -> str:
    """A chain of joins, each written in one of several ways, and conditions."""
    ids = {"a": "id", "b": "person", "c": "c_id"}
    tables = dice.sample(["a", "b", "c", "p", "q"], dice.randint(2, 4))
    private = [name for name in tables if name in ids]
    if not private:
        tables[0] = "a"
        private = ["a"]
    tables.sort(key=lambda name: name not in ids)
    first, text, where = tables[0], tables[0], []
    for name in tables[1:]:
        if name in ids:
            on = f"{first}.{ids[first]} = {name}.{ids[name]}"
            if dice.random() < 0.3:
                on += f" AND {first}_key = {name}_key"
        else:
            on = f"{first}_key = {name}_key" if name == "p" or dice.random() < 0.5 else f"{first}_word = q_word"
        form = dice.choice(["JOIN", "JOIN", ",", "LEFT JOIN", "LEFT JOIN" if name in ids else "CROSS JOIN"])
        if form in (",", "CROSS JOIN"):
            if "JOIN" in text.replace("CROSS JOIN", "") and form == ",":
                form = "CROSS JOIN"
            text += f"{form} {name}" if form == "," else f" {form} {name}"
            where.append(on)
        else:
            if name in ids and dice.random() < 0.5:
                on += f" AND {name}_x > {dice.randrange(4)}"
            if dice.random() < 0.3:
                on += f" AND {first}_x < {dice.randrange(2, 6)}"
            text += f" {form} {name} ON {on}"
    filters = ["{0}_x <> 3", "({0}_word = 'a' OR {0}_x IS NULL)", "{0}_key IN (0, 2)"]
    where += [dice.choice(filters).format(name) for name in private if dice.random() < 0.4]
    return text + (f" WHERE {' AND '.join(where)}" if where else "")


@pytest.mark.parametrize("seed", range(_STATEMENTS))
def test_random_joins_count_as_duckdb_does(world: tuple[Session, duckdb.DuckDBPyConnection], seed: int) -> None:
    dice = random.Random(seed)
    _agree(world, f"SELECT COUNT(*) AS n FROM {_random_from(dice)}")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("a JOIN b ON a_key = b_key", "without the id"),
        ("a, b", "without the id"),
        ("a NATURAL JOIN b", "NATURAL JOIN"),
        ("a FULL JOIN b ON id = person", "FULL JOIN"),
        ("a JOIN p ON id = p_key", "the id of persons matches no public column"),
        ("a JOIN p ON a_word = p_key", "Match integers, texts, booleans or dates of one kind"),
        ("a RIGHT JOIN p ON TRUE", "an outer join to a public table without an equation"),
        ("a LEFT JOIN b ON TRUE", "without the id"),
        ("a LEFT JOIN b ON id = person AND nosuch < 3", "there is no column 'nosuch'"),
        ("a LEFT JOIN b ON id = person AND c.nosuch < 3", "there is no column 'nosuch'"),
        ("a LEFT JOIN b ON id = person AND a_x < b_x", "ON takes equations of columns"),
        ("a LEFT JOIN b ON a_key = b_key", "without the id"),
        ("a JOIN a ON a.id = a.id", "two tables with one name"),
        ("p", "nothing to protect"),
        ("p JOIN q ON p_key = q_key", "nothing to protect"),
        ("nowhere", "there is no table"),
        ("(SELECT id AS who FROM a) AS s WHERE who IN (1, 2) GROUP BY who", "which tells whose rows are protected"),
        ("a LEFT JOIN b ON id = person WHERE person IN (1, 2) GROUP BY person", "which tells whose rows are protected"),
    ],
)
def test_refusals_say_what_to_write(
    world: tuple[Session, duckdb.DuckDBPyConnection], source: str, message: str
) -> None:
    session, _ = world
    before = session.remaining
    with pytest.raises(InvalidError, match=message):
        session.sql(f"SELECT COUNT(*) AS n FROM {source}")
    assert session.remaining == before


def test_a_public_key_without_rows_is_a_group_of_zero(world: tuple[Session, duckdb.DuckDBPyConnection]) -> None:
    session, _ = world
    text = "SELECT p_key, COUNT(*) AS n FROM {} GROUP BY p_key"
    counts = {}
    for source in ("a RIGHT JOIN p ON a_key = p_key", "p LEFT JOIN a ON a_key = p_key"):
        release = session.sql(text.format(source)).release(epsilon=_HUGE)
        counts[source] = dict(zip(release.values("p_key"), map(round, release.values("n")), strict=True))
    first, second = counts.values()
    assert first == second
    assert set(first) == {0, 1, 2, 7}
    assert first[7] == 0


def test_a_statement_says_that_its_counts_leave_out_public_rows_without_a_partner(
    world: tuple[Session, duckdb.DuckDBPyConnection],
) -> None:
    session, _ = world
    for source in ("a RIGHT JOIN p ON a_key = p_key", "p LEFT JOIN a ON a_key = p_key"):
        query = session.sql(f"SELECT p_key, COUNT(*) AS n FROM {source} GROUP BY p_key")
        assert "a public key without rows counts 0, where plain SQL counts one row of nulls" in query.describe(
            epsilon=1
        )
        assert any("counts one row of nulls" in note for note in query.release(epsilon=_HUGE).notes)
    for text in (
        "SELECT p_key, COUNT(a_x) AS n FROM a RIGHT JOIN p ON a_key = p_key GROUP BY p_key",
        "SELECT COUNT(*) AS n FROM a LEFT JOIN p ON a_key = p_key",
    ):
        assert "row of nulls" not in session.sql(text).describe(epsilon=1)


def test_the_most_public_partners_of_a_row_scale_what_a_person_adds(
    world: tuple[Session, duckdb.DuckDBPyConnection],
) -> None:
    session, _ = world
    text = "SELECT COUNT(*) AS n FROM a JOIN p ON a_key = p_key{}"
    assert aggregates_of(session.sql(text.format(""))).contribution.l1 == 18  # two rows of p have the key 2
    assert aggregates_of(session.sql(text.format(" AND p_n < 8"))).contribution.l1 == 9


def test_no_statement_about_public_tables_can_be_charged() -> None:
    book = Codebook(unit=Persons(id="id", rows=1), columns={"id": column("integer"), "k": column("integer")})
    planner = pv.Planner(book, pv.budget(epsilon=1), public={"p": {"k": [1, 2], "name": ["x", "y"]}})
    query = planner.sql("SELECT name, COUNT(*) AS n FROM data JOIN p USING (k) GROUP BY name")
    assert aggregates_of(query).grouped.groups == (("x",), ("y",))
    with pytest.raises(PrivetError):
        query.release(epsilon=1)


@pytest.mark.parametrize("name", ['od"d', "a;b", "--", "it's", "a`b", "select", "a.b", "%s{x}", "[x]", "é ☃"])
def test_a_public_table_may_have_any_name(name: str) -> None:
    """The name of a table is a name, however it is written: it is never parsed."""
    book = Codebook(table="t", columns={"w": column("text", categories=("a", "b"))}, unit=pv.Rows())
    with Session([{"w": "a"}] * 3, book, pv.budget(epsilon=_HUGE), public={name: {name: ["a"], "z": [7]}}) as session:
        quoted = '"' + name.replace('"', '""') + '"'
        found = session.sql(f"SELECT z, COUNT(*) AS n FROM t JOIN {quoted} ON {quoted} = w GROUP BY z").release(
            epsilon=10**6
        )
        assert [round(each) for each in found.values("n")] == [3]
        assert found.values("z") == [7]
