# ruff: noqa: E501
"""Names with schemas and catalogs: tables that a session names with dots or without, and columns of them."""

from collections.abc import Iterator

import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.session.session import Session
from privet.tables.sql.table_names import find_table
from tests.tables.hospital import exact

ROWS = [{"id": n, "educ": n % 3, "age": n % 50} for n in range(90)]
COLUMNS = {
    "id": pv.column("integer"),
    "educ": pv.column("integer", categories=(0, 1, 2)),
    "age": pv.column("integer", bounds=(0, 50)),
}


def opened(*names: str) -> Session:
    book = pv.Codebook(columns=COLUMNS, unit=pv.Persons(id="id", rows=1))
    return Session(dict.fromkeys(names, ROWS), dict.fromkeys(names, book), pv.budget(epsilon=10**9))


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    session = opened("PUMS")
    yield session
    session.close()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT educ, COUNT(*) AS n FROM PUMS.PUMS GROUP BY educ",
        "SELECT PUMS.educ, COUNT(*) AS n FROM PUMS.PUMS GROUP BY PUMS.educ",
        "SELECT PUMS.PUMS.educ, COUNT(*) AS n FROM PUMS.PUMS GROUP BY pums.Pums.EDUC",
        "SELECT a.b.pums.educ, COUNT(*) AS n FROM a.b.pums GROUP BY b.pums.educ",
        "SELECT p.educ, COUNT(*) AS n FROM a.b.c.pums AS p GROUP BY p.educ",
        "SELECT educ, COUNT(*) AS n FROM `proj-x.b.pums` GROUP BY educ",
        'SELECT "b.pums".educ, COUNT(*) AS n FROM "b.pums" GROUP BY 1',
        "WITH pums AS (SELECT * FROM pums) SELECT educ, COUNT(*) AS n FROM pums GROUP BY educ",
        "WITH pums AS (SELECT p.* FROM x.pums p), q AS (SELECT * FROM pums) SELECT educ, COUNT(*) AS n FROM q GROUP BY educ",
        "WITH pums AS (SELECT educ FROM pums WHERE age < 0) SELECT educ, COUNT(*) AS n FROM main.pums GROUP BY educ",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(privacy_unit_column=a.b.id) educ, COUNT(*) AS n FROM `a.b.pums` GROUP BY educ",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(privacy_unit_column=`a.b.id`) educ, COUNT(*) AS n FROM `a`.pums GROUP BY educ",
    ],
)  # fmt: skip
def test_a_name_with_a_schema_means_the_table(session: Session, text: str) -> None:
    plain = session.sql("SELECT educ, COUNT(*) AS n FROM PUMS GROUP BY educ")
    assert exact(session, session.sql(text).query) == exact(session, plain.query)


def test_a_session_may_name_tables_with_dots() -> None:
    session = opened("PUMS.people", "PUMS.visits", "other.visits")
    for name in ("PUMS.people", "people", "x.pums.PEOPLE", '"PUMS.people"', "`x.PUMS.people`", "PUMS.visits"):
        assert session.sql(f"SELECT COUNT(*) AS n FROM {name}").query.aggregates
    with pytest.raises(InvalidError, match="may be 'PUMS.visits' or 'other.visits'. Write the whole name"):
        session.sql("SELECT COUNT(*) AS n FROM visits")
    with pytest.raises(InvalidError, match="there is no table 'third.visits'; there are 'PUMS.people', 'PUMS.visits'"):
        session.sql("SELECT COUNT(*) AS n FROM third.visits")


def test_the_whole_name_decides_before_its_end() -> None:
    assert find_table(("visits",), ["visits", "a.visits"]) == "visits"
    assert find_table(("a", "visits"), ["visits", "a.visits"]) == "a.visits"
    with pytest.raises(InvalidError, match="may be"):
        find_table(("b", "a", "visits"), ["visits", "a.visits"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT COUNT(*) FROM PUMS.PUMS AS p WHERE PUMS.age > 3", "no column 'age'|age"),
        ("SELECT COUNT(*) FROM PUMS.PUMS WHERE other.PUMS.age > 3", "age"),
        ("SELECT COUNT(*) FROM PUMS.nosuch", "there is no table 'PUMS.nosuch'"),
        ("WITH t AS (SELECT * FROM pums) SELECT COUNT(*) FROM x.t", "there is no table 'x.t'"),
        ("SELECT COUNT(*) FROM a.read_csv('x')", "in FROM"),
        ("WITH t AS (SELECT * FROM pums), T AS (SELECT * FROM pums) SELECT COUNT(*) FROM t", "stands twice in WITH"),
    ],
)
def test_names_that_mean_nothing_are_refused(session: Session, text: str, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        session.sql(text)
