"""Dates in the formats of other systems, times of day and patterns: read as there, or refused with advice."""

from collections.abc import Iterator

import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.session.session import Session

ROWS = [
    {"s": "31.01.2024", "t": "9:30 am", "u": "http://a.org/x", "at": "2024-01-31T09:10:11Z"},
    {"s": " 1.2.2024", "t": "12:05 PM", "u": "http://b.org", "at": "2024-02-01T23:59:59Z"},
    {"s": "30.02.2024", "t": "13:00 PM", "u": "c", "at": None},
    {"s": "2024-01-31", "t": "x", "u": "http://a.org/", "at": "2024-01-31T00:00:00.5Z"},
]
BOOK = pv.Codebook(
    columns={
        "s": pv.column("text"),
        "t": pv.column("text"),
        "u": pv.column("text", categories=("http://a.org/x", "http://b.org", "c", "http://a.org/")),
        "at": pv.column("timestamp"),
    },
    unit=pv.Rows(),
    table="t",
)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = Session(ROWS, BOOK, pv.budget(epsilon=10**12))
    yield opened
    opened.close()


def count(session: Session, condition: str, dialect: str | None) -> int:
    text = f"SELECT SUM(CASE WHEN {condition} THEN 1 ELSE 0 END) AS n FROM t"
    (number,) = session.sql(text, dialect=dialect).release(epsilon=10**6).values("n")
    return int(number + 0.5)


@pytest.mark.parametrize(
    ("dialect", "condition", "number"),
    [
        (None, "strptime(s, '%d.%m.%Y') = '2024-01-31'", 1),
        (None, "try_strptime(s, '%d.%m.%Y') IS NOT NULL", 2),
        (None, "parse_date('%F', s) = DATE '2024-01-31'", 1),
        ("bigquery", "PARSE_DATE('%d.%m.%Y', s) = '2024-02-01'", 1),
        ("bigquery", "SAFE.PARSE_DATE('%d.%m.%Y', s) IS NULL", 2),
        ("bigquery", "PARSE_DATETIME('%d.%m.%Y', s) = '2024-02-01'", 1),
        ("bigquery", "PARSE_TIMESTAMP('%F', s) = '2024-01-31'", 1),
        ("postgres", "TO_DATE(s, 'DD.MM.YYYY') = '2024-02-01'", 1),
        ("postgres", "TO_TIMESTAMP(s, 'DD.MM.YYYY') = '2024-02-01'", 1),
        ("snowflake", "TO_DATE(s, 'DD.MM.YYYY') = '2024-02-01'", 1),
        ("mysql", "STR_TO_DATE(s, '%d.%m.%Y') = '2024-02-01'", 1),
        ("mysql", "STR_TO_DATE(s, '%d.%m.%Y %H:%i') IS NULL", 4),
        ("spark", "TO_DATE(s, 'dd.MM.yyyy') = '2024-02-01'", 1),
        ("trino", "DATE_PARSE(s, '%d.%m.%Y') = DATE '2024-02-01'", 1),
        ("tsql", "CONVERT(date, s, 104) = '2024-02-01'", 1),
        ("bigquery", "PARSE_TIME('%I:%M %p', t) < '12:30:00'", 2),
        ("bigquery", "PARSE_TIME('%I:%M %p', t) = TIME '09:30:00'", 1),
        ("bigquery", "EXTRACT(HOUR FROM PARSE_TIME('%I:%M %p', t)) = 12", 1),
        ("bigquery", "EXTRACT(TIME FROM at) = '23:59:59'", 1),
        ("bigquery", "TIME(at) = '00:00:00.5'", 1),
        ("bigquery", "TIME_TRUNC(TIME(at), MINUTE) = '09:10:00'", 1),
        ("bigquery", "TIME_TRUNC(TIME(at), SECOND) = '00:00:00'", 1),
        (None, "at::time > '09:00:00'", 2),
        (None, "extract(dow from at) = 3", 2),
        (None, r"regexp_replace(u, '^http://([^/]+).*$', '\1') = 'a.org'", 2),
        (None, "regexp_replace(u, '/', '') = 'http:/a.org/x'", 1),
        ("bigquery", "REGEXP_REPLACE(u, '/', '') = 'http:a.org'", 1),
        ("bigquery", r"REGEXP_REPLACE(u, r'^http://([^/]+).*$', r'\1') = 'a.org'", 2),
        ("bigquery", r"REGEXP_REPLACE(u, '^http://([^/]+).*$', '\\1') = 'a.org'", 2),
    ],
)
def test_what_is_read(session: Session, dialect: str | None, condition: str, number: int) -> None:
    assert count(session, condition, dialect) == number


@pytest.mark.parametrize(
    ("dialect", "condition", "advice"),
    [
        ("postgres", "TO_DATE(s, 'DD.MM.YY') IS NULL", "two digits of a year are another century there. Use four."),
        ("mysql", "STR_TO_DATE(s, '%d.%m.%y') IS NULL", "two digits of a year are another century there. Use four."),
        ("tsql", "CONVERT(date, s, 4) IS NULL", "two digits of a year are another century there. Use four."),
        ("postgres", "TO_DATE(s, 'DDth MM YYYY') IS NULL", "a part of its format has no counterpart here."),
        ("bigquery", "PARSE_DATE('%d.%m', s) IS NULL", "strptime: the format must name %Y"),
        ("bigquery", "PARSE_DATE(t, s) IS NULL", "the format must be written out."),
        (None, "strptime(s, t) IS NULL", "strptime: the format must be written out"),
        ("bigquery", "TIME_TRUNC(at, HOUR) IS NULL", "Use date_trunc."),
        ("bigquery", "TIME_TRUNC(t, HOUR) IS NULL", "Use cast(... as time)."),
        ("postgres", "REGEXP_REPLACE(u, 'a', 'b') = 'x'", "Give the dialect duckdb or bigquery; theirs are known."),
        ("snowflake", "REGEXP_REPLACE(u, 'a', 'b') = 'x'", "its regular expressions have rules of their own."),
        (None, "regexp_replace(u, '(?i)a', 'b') = 'x'", "only (?:...) is a group"),
    ],
)
def test_what_is_refused(session: Session, dialect: str | None, condition: str, advice: str) -> None:
    with pytest.raises(InvalidError) as error:
        count(session, condition, dialect)
    assert advice in str(error.value)


def test_count_if_of_snowflake_is_read(session: Session) -> None:
    query = session.sql("SELECT COUNT_IF(TO_DATE(s, 'DD.MM.YYYY') IS NOT NULL) AS n FROM t", dialect="snowflake")
    assert round(query.release(epsilon=10**6).values("n")[0]) == 2


def test_hours_of_a_time_are_public_groups(session: Session) -> None:
    query = session.sql(
        "SELECT TIME_TRUNC(PARSE_TIME('%I:%M %p', t), HOUR) AS h, COUNT(*) AS n FROM t GROUP BY h", dialect="bigquery"
    )
    release = query.release(epsilon=10**6)
    assert release.values("h") == [f"{hour:02}:00:00" for hour in range(24)]
    assert [at for at, number in enumerate(release.values("n")) if number > 0.5] == [9, 12]


def test_replaced_categories_are_public_groups(session: Session) -> None:
    query = session.sql(
        r"SELECT regexp_replace(u, '^http://([^/]+).*$', '\1') AS host, COUNT(*) AS n FROM t GROUP BY 1"
    )
    release = query.release(epsilon=10**6)
    assert dict(zip(release.values("host"), map(round, release.values("n")), strict=True)) == {
        "a.org": 2,
        "b.org": 1,
        "c": 1,
    }
