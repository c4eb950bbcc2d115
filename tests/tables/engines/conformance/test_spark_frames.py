"""Frames of Spark: plans that may give other rows each time are refused, others give the rows that the user sees."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, UnavailableError
from privet.tables.engines.spark.dialect import DIALECT
from privet.tables.engines.spark.frame_plan import is_plain
from privet.tables.engines.spark.own_session import OwnSession

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("Spark")]
BOOK = pv.Codebook(
    columns={
        "id": pv.column("integer"),
        "ward": pv.column("text", categories=("a", "b")),
        "minutes": pv.column("integer", bounds=(0, 60)),
    },
    unit=pv.Persons("id", rows=5),
)


@pytest.fixture
def stays(spark: Any) -> Any:
    frame = spark.range(1, 101).selectExpr("id", "'a' AS ward", "CAST(10 AS INT) AS minutes")
    frame.createOrReplaceTempView("stays")
    return frame


def counts(frame: Any) -> list[Any]:
    with pv.Session(frame, BOOK, pv.budget(epsilon=20_000)) as session:
        return list(session.query().group_by("ward").agg(pv.count()).release(epsilon=10_000).values("count"))


@contextmanager
def set_to(spark: Any, **settings: str) -> Iterator[None]:
    """Make settings of the user's session."""
    before = {name: spark.conf.get(f"spark.sql.{name.replace('__', '.')}", None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(f"spark.sql.{name.replace('__', '.')}", value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.unset(f"spark.sql.{name.replace('__', '.')}")
            if value is not None:
                spark.conf.set(f"spark.sql.{name.replace('__', '.')}", value)


def by(function: str) -> str:
    """Write a query whose minutes are an aggregate."""
    return f"SELECT id, ward, CAST({function} AS INT) AS minutes FROM stays GROUP BY id, ward"


REFUSED = {
    "rand": "SELECT id, ward, CAST(rand() * 9 AS INT) AS minutes FROM stays",
    "ids": "SELECT monotonically_increasing_id() AS id, ward, minutes FROM stays",
    "a limit": "SELECT * FROM stays LIMIT 5",
    "a limit behind others": "SELECT id, ward, minutes FROM (SELECT * FROM stays LIMIT 5) WHERE id > 1",
    "a limit in a sub-query": "SELECT * FROM stays WHERE id IN (SELECT id FROM stays LIMIT 5)",
    "an offset": "SELECT * FROM stays OFFSET 5",
    "a sample": "SELECT * FROM stays TABLESAMPLE (50 PERCENT)",
    "a random number in a sub-query": (
        "SELECT * FROM stays WHERE minutes > (SELECT max(x) FROM (SELECT rand() AS x FROM range(3)))"
    ),
    "first": by("first(minutes)"),
    "collect_list": by("collect_list(minutes)[0]"),
    "max_by": by("max_by(minutes, ward)"),
    "mode": by("mode(minutes)"),
    "approx_percentile": by("approx_percentile(minutes, 0.5)"),
    "histogram_numeric": by("size(histogram_numeric(minutes, 3))"),
    "hll_sketch_agg": by("hll_sketch_estimate(hll_sketch_agg(minutes))"),
    "first over a window": "SELECT id, ward, first(minutes) OVER (PARTITION BY ward) AS minutes FROM stays",
}


@pytest.mark.parametrize("name", REFUSED)
def test_statements_that_may_give_other_rows_are_refused(name: str, stays: Any, spark: Any) -> None:
    with pytest.raises(InvalidError, match="must read the same rows each time"):
        pv.Session(spark.sql(REFUSED[name]), BOOK, pv.budget(epsilon=1))


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.sample(0.5, seed=1),
        lambda frame: frame.dropDuplicates(["ward"]),
        lambda frame: frame.zipWithIndex().selectExpr("id", "ward", "CAST(index AS INT) AS minutes"),
        lambda frame: frame.observe("n", pv_count()).limit(3),
    ],
)
def test_frames_that_may_give_other_rows_are_refused(change: Any, stays: Any) -> None:
    """The index of a row depends on the rows before it: one more row would change the values of all others."""
    try:
        frame = change(stays)
    except AttributeError:
        pytest.skip("this version of Spark does not have it")
    with pytest.raises(InvalidError, match="must read the same rows each time"):
        pv.Session(frame, BOOK, pv.budget(epsilon=1))


def pv_count() -> Any:
    from pyspark.sql import functions

    return functions.count("id").alias("n")


ORDINARY = (
    "SELECT DISTINCT * FROM stays",
    "SELECT * FROM stays WHERE id > 0 ORDER BY id",
    "SELECT a.id, b.ward, a.minutes FROM stays a LEFT JOIN stays b ON a.id = b.id",
    "SELECT /*+ BROADCAST(b) */ a.* FROM stays a JOIN stays b USING (id)",
    "SELECT * FROM stays WHERE EXISTS (SELECT 1 FROM stays b WHERE b.id = stays.id)",
    "SELECT * FROM stays UNION ALL SELECT * FROM stays WHERE id < 0",
    "SELECT * FROM stays UNION SELECT * FROM stays",
    "SELECT * FROM stays INTERSECT SELECT * FROM stays",
    "SELECT * FROM stays EXCEPT SELECT * FROM stays WHERE id < 0",
    "WITH w AS (SELECT * FROM stays) SELECT a.* FROM w a, w b WHERE a.id = b.id",
    "SELECT id, ward, CAST(sum(minutes) OVER (PARTITION BY id) AS INT) AS minutes FROM stays",
    "SELECT id, ward, m AS minutes FROM stays LATERAL VIEW explode(array(minutes)) AS m",
    "SELECT s.id, s.ward, t.m AS minutes FROM stays s, LATERAL (SELECT s.minutes AS m) t",
    "SELECT id, 'a' AS ward, a AS minutes FROM stays PIVOT (max(minutes) FOR ward IN ('a' AS a))",
    "SELECT id, ward, m AS minutes FROM stays UNPIVOT (m FOR n IN (minutes))",
    "SELECT id, ward, minutes FROM stays GROUP BY CUBE (id, ward, minutes) HAVING grouping_id() = 0",
    "FROM VALUES (1) AS v(x) JOIN stays SELECT id, ward, minutes",
    *(
        by(each)
        for each in (
            *("count(*)", "sum(minutes)", "avg(minutes)", "min(minutes)", "max(minutes)", "median(minutes)"),
            *("stddev(minutes)", "var_pop(minutes)", "corr(minutes, id)", "percentile(minutes, 0.5)", "count_if(true)"),
            *("approx_count_distinct(ward)", "bit_or(minutes)", "CAST(bool_and(true) AS INT)", "count(DISTINCT id)"),
        )
    ),
)


@pytest.mark.parametrize("statement", ORDINARY)
def test_ordinary_plans_are_read(statement: str, stays: Any, spark: Any) -> None:
    assert counts(spark.sql(statement)) == [100, 0]


def test_frames_of_ordinary_methods_are_read(stays: Any, spark: Any) -> None:
    for frame in (
        stays.repartition(3),
        stays.coalesce(1).sort("id"),
        stays.cache(),
        stays.localCheckpoint(),
        stays.hint("broadcast"),
        spark.createDataFrame([(1, "a", 10)] * 100, "id BIGINT, ward STRING, minutes INT"),
    ):
        assert sum(counts(frame)) in (100, 5)


def test_texts_that_a_collation_takes_for_equal_are_not_merged(spark: Any) -> None:
    """Of 'a' and 'A' any one would stay, and one row more would change the group of all others."""
    if spark.version < "4":
        pytest.skip("there are no collations before version 4")
    rows = spark.createDataFrame([(n, "aA"[n % 2]) for n in range(9)], "id BIGINT, w STRING")
    collated = rows.selectExpr("id", "collate(w, 'UTF8_LCASE') AS w")
    collated.createOrReplaceTempView("collated")
    for statement in (
        "SELECT count(*) AS id, CAST(w AS STRING) AS ward, 1 AS minutes FROM collated GROUP BY w",
        "SELECT id, CAST(max(w) AS STRING) AS ward, 1 AS minutes FROM collated GROUP BY id",
        "SELECT 1 AS id, CAST(w AS STRING) AS ward, 1 AS minutes FROM (SELECT DISTINCT w FROM collated)",
        "SELECT 1 AS id, CAST(w AS STRING) AS ward, 1 AS minutes FROM (TABLE collated INTERSECT TABLE collated)",
    ):
        with pytest.raises(InvalidError, match="that a collation takes for equal"):
            pv.Session(spark.sql(statement), BOOK, pv.budget(epsilon=1))
    assert counts(collated.selectExpr("id", "w AS ward", "1 AS minutes")) == [5, 0]


def test_a_frame_has_the_values_that_the_user_sees(spark: Any) -> None:
    """It is computed with the settings of the user's session, whose clock is another one than ours."""
    with set_to(spark, session__timeZone="America/New_York"):
        frame = spark.range(100).selectExpr(
            "id", "CASE WHEN current_timezone() = 'America/New_York' THEN 'a' ELSE 'b' END AS ward", "1 AS minutes"
        )
        assert {row.ward for row in frame.collect()} == {"a"}
        assert not is_plain(frame, "visits")
        assert counts(frame) == [100, 0]


def test_one_row_does_not_decide_whether_a_frame_is_read(spark: Any) -> None:
    """The user's parser of dates takes what ours would refuse with an error."""
    with set_to(spark, legacy__timeParserPolicy="LEGACY"):
        for odd in ([], [(7, "2024-1-5x")]):
            rows = [*((n, "2024-01-05") for n in range(5)), *odd]
            frame = spark.createDataFrame(rows, "id BIGINT, s STRING").selectExpr(
                "id", "CASE WHEN month(to_date(s, 'yyyy-MM-dd')) = 1 THEN 'a' ELSE 'b' END AS ward", "1 AS minutes"
            )
            assert counts(frame) == [len(rows), 0]


def test_plain_frames_are_read_once(spark: Any, tmp_path: Any, stays: Any) -> None:
    path = str(tmp_path / "stays")
    stays.write.parquet(path)
    read = spark.read.parquet(path)
    assert is_plain(read, "stays")
    assert is_plain(read.select("id", read.minutes.alias("m")), "stays")
    assert not is_plain(read.filter("id > 1"), "stays")
    assert not is_plain(read.selectExpr("id + 1"), "stays")
    assert counts(read) == [100, 0]


def test_columns_with_odd_names_are_computed(spark: Any) -> None:
    book = pv.Codebook(columns={"a.b `c": pv.column("integer"), "A": pv.column("integer")}, unit=pv.Rows())
    frame = spark.range(7).selectExpr("id + 1 AS `a.b ``c`", "id AS a", "id + 2 AS A", "id * 2 AS other")
    with pv.Session(frame, book, pv.budget(epsilon=10_000)) as session:
        assert session.query().filter("A > 4").agg(pv.count()).release(epsilon=10_000).values("count")[0] == 4


def test_names_are_no_patterns(spark: Any) -> None:
    """A setting of the application lets backticks hold regular expressions; it is that of every new session."""
    name = "spark.sql.parser.quotedRegexColumnNames"
    own = OwnSession(spark)
    assert DIALECT.settings[name] == ("false",)
    own._spark.conf.set(name, "true")
    with pytest.raises(UnavailableError, match="quotedRegexColumnNames = 'true'"):
        own._check_settings()
