"""One row for each person: every summary of the builder can be written as SQL, and means what DuckDB means by it."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import InvalidError

ROWS: dict[str, list[Any]] = {
    "id": [n * n % 97 for n in range(600)],
    "ward": ["ab"[n % 2] for n in range(600)],
    "minutes": [None if n % 11 == 0 else n * 37 % 59 for n in range(600)],
    "day": [date(2024, 1 + n % 3, 1 + n * 13 % 28) for n in range(600)],
    "place": list(range(600)),  # no ties
}
COLUMNS = {
    "id": pv.column("integer"),
    "ward": pv.column("text", categories=["a", "b"]),
    "minutes": pv.column("integer", bounds=(0, 60)),
    "day": pv.column("date", bounds=("2024-01-01", "2024-03-31")),
    "place": pv.column("integer", bounds=(0, 600)),
}
OUTER = "SELECT SUM(clip(c, 0, 60)) AS s, COUNT(c) AS n FROM (SELECT id, {} AS c FROM visits GROUP BY id) AS t"


@pytest.fixture(scope="module")
def session() -> Iterator[pv.Session]:
    book = pv.Codebook(columns=COLUMNS, unit=pv.Persons("id", rows=1), table="visits")
    opened = pv.Session(pa.table(ROWS), book, pv.budget(epsilon=10**12))
    yield opened
    opened.close()


def released(session: pv.Session, text: str, dialect: Any = "duckdb") -> list[float]:
    release = session.sql(text, dialect=dialect).release(epsilon=10**9)
    return [round(float(release.values(name)[0]), 3) for name in ("s", "n")]


@pytest.mark.parametrize(
    "call",
    [
        "MEDIAN(minutes)",
        "QUANTILE_CONT(minutes, 0.5)",
        "QUANTILE_DISC(minutes, 0.9)",
        "QUANTILE_DISC(minutes, 0)",
        "QUANTILE_DISC(minutes, 1)",
        "QUANTILE(minutes, .25)",
        "PERCENTILE_DISC(0.3) WITHIN GROUP (ORDER BY minutes)",
        "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY minutes)",
        "ARG_MIN(minutes, place)",
        "ARG_MAX(minutes, place)",
        "MIN_BY(minutes, place)",
        "MAX_BY(minutes + 1, -place)",
        "COALESCE(MEDIAN(minutes), 0) + MAX(minutes) / 2",
        "QUANTILE_DISC(minutes, 0.9) - QUANTILE_DISC(minutes, 0.1)",
        "PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY minutes) - MIN(minutes)",
    ],
)
def test_summaries_of_a_person_are_those_of_duckdb(session: pv.Session, call: str) -> None:
    plain = duckdb.connect()
    plain.register("visits", pa.table(ROWS))
    text = OUTER.format(call)
    exact = plain.execute(text.replace("clip(c, 0, 60)", "least(greatest(c, 0), 60)")).fetchone()
    assert exact is not None
    assert released(session, text) == pytest.approx([float(value) for value in exact], abs=0.01)


@pytest.mark.parametrize(
    ("call", "summary"),
    [
        ("MEDIAN(minutes)", "median(minutes)"),
        ("QUANTILE_DISC(minutes, 0.9)", "quantile(minutes, 0.9)"),
        ("MODE(minutes)", "mode(minutes)"),
        ("MODE() WITHIN GROUP (ORDER BY minutes)", "mode(minutes)"),
        ("ARG_MIN(minutes, day)", "first(minutes, day)"),
        ("ARG_MAX(minutes, day)", "last(minutes, day)"),
    ],
)
def test_summaries_are_those_of_the_builder(session: pv.Session, call: str, summary: str) -> None:
    built = session.query().summarize(c=summary).derive(c="clip(c, 0, 60)").agg(s=pv.sum("c"), n=pv.count("c"))
    values = [round(float(built.release(epsilon=10**9).values(name)[0]), 3) for name in ("s", "n")]
    assert released(session, OUTER.format(call)) == pytest.approx(values, abs=0.01)


@pytest.mark.parametrize(
    ("dialect", "call"),
    [
        ("postgres", "percentile_cont(0.5) WITHIN GROUP (ORDER BY minutes)"),
        ("postgres", "mode() WITHIN GROUP (ORDER BY minutes)"),
        ("snowflake", "MEDIAN(minutes)"),
        ("snowflake", "MAX_BY(minutes, day)"),
        ("clickhouse", "median(minutes)"),
        ("clickhouse", "argMax(minutes, day)"),
        ("bigquery", "MAX_BY(minutes, day)"),
        ("spark", "min_by(minutes, day)"),
        ("trino", "max_by(minutes, day)"),
    ],
)
def test_other_systems_have_their_own_names(session: pv.Session, dialect: Any, call: str) -> None:
    assert released(session, OUTER.format(call), dialect)[1] == len(set(ROWS["id"]))


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("STDDEV(minutes)", "MEDIAN, QUANTILE_DISC"),
        ("QUANTILE_CONT(minutes, 0.9)", "QUANTILE_DISC"),
        ("QUANTILE_DISC(minutes, [0.1, 0.9])", "one share"),
        ("QUANTILE_DISC(minutes, 1.5)", "from 0 to 1"),
        ("PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY minutes DESC)", "without DESC"),
        ("FIRST(minutes)", "ARG_MIN"),
        ("ARG_MIN(minutes, id)", "the id"),
        ("ARG_MIN(minutes, day, 2)", "COUNT"),
        ("MEDIAN(DISTINCT minutes)", "DISTINCT"),
        ("MODE()", "without an argument"),
        ("1 + STDDEV(minutes)", "MEDIAN, QUANTILE_DISC"),
    ],
)
def test_what_is_refused_says_what_there_is(session: pv.Session, call: str, advice: str) -> None:
    with pytest.raises(InvalidError) as error:
        session.sql(OUTER.format(call))
    assert advice in str(error.value)
    assert "GROUP BY." not in str(error.value)  # an aggregate is no key
