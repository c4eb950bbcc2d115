"""What only Spark can show: rows that are kept, plans that are refused, settings and views of others."""

import os
import subprocess
import sys
import textwrap
from collections import Counter
from functools import partial
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, UnavailableError
from privet.tables.columns.column import Column
from privet.tables.curator import private_tables
from privet.tables.engines import default, spark_on_demand
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.dialect import CANONICAL
from privet.tables.engines.spark import SparkEngine, own_session
from privet.tables.engines.spark.writer import CANONICAL as CANONICAL_SPARK
from privet.tables.relations.caps import Caps, cap
from privet.tables.vocabulary import cast, column
from tests.tables.imputed_tables import exactly
from tests.tables.opened import exact_totals

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
    return spark.range(1, 1001).selectExpr("id", "'a' AS ward", "CAST(10 AS INT) AS minutes")


def exact(session: pv.Session) -> float:
    return float(session.query().agg(pv.count()).release(epsilon=10_000).values("count")[0])


def test_a_frame_and_a_table_are_sources(stays: Any, spark: Any) -> None:
    stays.createOrReplaceTempView("stays")
    for source in (stays, (spark, "stays")):
        with pv.Session(source, BOOK, pv.budget(epsilon=20_000)) as session:
            assert exact(session) == 1000
            assert session.spent.epsilon == 10_000  # type: ignore[attr-defined]


def test_rows_are_read_once(spark: Any, tmp_path: Any) -> None:
    path = str(tmp_path / "stays")
    spark.range(1, 501).selectExpr("id", "'a' AS ward", "CAST(10 AS INT) AS minutes").write.parquet(path)
    with pv.Session(spark.read.parquet(path), BOOK, pv.budget(epsilon=30_000)) as session:
        assert exact(session) == 500
        spark.range(1, 9).selectExpr("id", "'a' AS ward", "1 AS minutes").write.mode("overwrite").parquet(path)
        assert session.query().agg(pv.count(), pv.sum("minutes")).release(epsilon=9_000).values("count")[0] == 500


def test_settings_of_others_change_nothing(spark: Any) -> None:
    """With them the month would be February, no text would equal 'a\\b', and 'A' would name two columns.

    The sum has no room in 64 bits.
    """
    hostile = {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.caseSensitive": "false",
        "spark.sql.session.timeZone": "Pacific/Kiritimati",
        "spark.sql.parser.escapedStringLiterals": "true",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
    }
    late = "timestamp_seconds(1706743800) AS at"  # 2024-01-31 23:30 in UTC
    text, large = "concat('a', char(92), 'b') AS text", f"{2**62} AS A"
    frame = spark.range(4).selectExpr(late, text, "id AS a", large)
    columns = {"at": pv.column("timestamp"), "text": pv.column("text"), "A": pv.column("integer", bounds=(0, 2**62))}
    before = {name: spark.conf.get(name) for name in hostile}
    for name, value in hostile.items():
        spark.conf.set(name, value)
    try:
        with pv.Session(frame, pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(epsilon=1)) as session:
            rows = session.query().filter(r"text = 'a\b'").group_by(month="month(at)")
            query = rows.agg(pv.count(), pv.sum("A"))
            exact = exact_totals(query, query.plan(epsilon=1))
        assert {name: spark.conf.get(name) for name in hostile} == hostile  # ours are of another session
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
    found = {each.kind: values[:, 0].tolist() for each, values in exact.items()}
    later = [0] * 11
    assert found == {"rows": [4, *later], "present": [4, *later], "sum": [2**64, *later]}


def test_a_setting_that_cannot_be_made_is_refused(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stubborn:
        def newSession(self) -> Any:  # noqa: N802
            return self

        @property
        def conf(self) -> Any:
            return self

        def get(self, name: str, default: Any = None) -> Any:
            return "false" if name == "spark.sql.ansi.enabled" else "UTC"

        def set(self, name: str, value: str) -> None:
            pass

    monkeypatch.setattr(own_session, "_check_kind", lambda _: None)
    with pytest.raises(UnavailableError, match="'true' is needed"):
        own_session.OwnSession(Stubborn())


def test_views_of_a_session_are_seen_by_nobody_else(stays: Any, spark: Any) -> None:
    before = {each.name for each in spark.catalog.listTables()}
    with pv.Session(stays, BOOK, pv.budget(epsilon=1)):
        assert {each.name for each in spark.catalog.listTables()} == before
        assert spark.sql(f"SHOW VIEWS IN {spark.conf.get('spark.sql.globalTempDatabase')} 'privet*'").collect() == []


def test_an_error_of_spark_is_withheld(stays: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pv.Session(stays, BOOK, pv.budget(epsilon=2)) as session:
        query = session.query().agg(pv.count())
        engine = session._curator.tables.database.engine
        run = engine._session.rows  # type: ignore[attr-defined]
        wrong = "SELECT CAST(ward AS INT) FROM VALUES ('Alice') AS t(ward)"
        monkeypatch.setattr(engine._session, "rows", lambda _: run(wrong))  # type: ignore[attr-defined]
        with pytest.raises(UnavailableError, match="could not be run") as caught:
            query.release(epsilon=1)
        assert "Alice" not in str(caught.value)
        assert caught.value.__cause__ is caught.value.__context__ is None
        assert session.spent.epsilon == 1  # type: ignore[attr-defined]


def test_values_that_no_other_engine_has_are_read(spark: Any) -> None:
    frame = spark.sql(
        "SELECT CAST(X'FF61' AS STRING) AS s, DATE '-290000-01-01' AS d, TIMESTAMP_NTZ '+290000-01-01 00:00:00' AS t, "
        "CAST('1e400' AS DOUBLE) AS x, CAST(NULL AS VOID) AS v, CAST(-99999999999999999999999999999999999999 AS "
        "DECIMAL(38, 0)) AS n UNION ALL SELECT 'a', DATE '+290000-01-01', TIMESTAMP_NTZ '-290000-01-01 00:00:00', "
        "CAST('NaN' AS DOUBLE), NULL, 5"
    )
    known = {
        "s": Column(kind="text"),
        "d": Column(kind="date"),
        "t": Column(kind="timestamp"),
        "x": Column(kind="real", bounds=(0, 1)),
        "v": Column(kind="text"),
        "n": Column(kind="integer", bounds=(-3, 9)),
    }
    with SparkEngine(spark) as engine:
        rows = engine.load(frame, known, "odd")
        plain = rows.project(
            {
                name: (cast(column(name, "r"), "text"), Column(kind="text"))
                if each.kind != "integer"
                else (column(name, "r"), each)
                for name, each in known.items()
            }
        )
        found = engine.execute(plain, order_by=["n"])
    assert dict(found.columns) == {
        "s": [None, "a"],
        "d": ["0001-01-01", "9999-12-31"],
        "t": ["9999-12-31 23:59:59.999999", "0001-01-01 00:00:00"],
        "x": ["1.0", None],
        "v": [None, None],
        "n": [-3, 5],
    }


def test_texts_mean_themselves(spark: Any) -> None:
    odd = [
        "it's",
        "a\\b",
        "${x}",
        "`tick`",
        'a"b',
        "line\nend",
        "\\n",
        "--",
        "/* */",
        "é",
        "\u2028",
        "{{x}}",
        ":name",
        "?",
    ]
    frame = spark.createDataFrame([(each,) for each in odd], "`a``b. c` STRING")
    with SparkEngine(spark) as engine:
        for each in odd:
            known = {"a`b. c": Column(kind="text", categories=(each,))}
            rows = engine.load(frame, known, f"odd {odd.index(each)}")
            assert [value for value in engine.execute(rows)["a`b. c"] if value is not None] == [each]


def test_collations_change_nothing(spark: Any) -> None:
    if spark.version.startswith("3."):
        pytest.skip("Spark 3.5 has no collations")
    frame = spark.sql("SELECT COLLATE(s, 'UTF8_LCASE') AS s FROM VALUES ('a'), ('A'), ('ä'), ('Z') AS t(s)")
    with SparkEngine(spark) as engine:
        rows = engine.load(frame, {"s": Column(kind="text")}, "words")
        assert engine.execute(rows, order_by=["s"])["s"] == ["A", "Z", "a", "ä"]


def test_what_cannot_be_read_is_refused_by_its_schema(spark: Any) -> None:
    frame = spark.sql("SELECT array(1) AS a, map('k', 1) AS m, struct(1) AS z, X'00' AS b, '5' AS s, 1 AS i")
    with SparkEngine(spark) as engine:
        for name in "amzb":
            with pytest.raises(InvalidError, match="cannot be read"):
                engine.load(frame, {name: Column(kind="text")}, name)
        with pytest.raises(InvalidError, match="texts are not read as integer"):
            engine.load(frame, {"s": Column(kind="integer")}, "s")
        with pytest.raises(InvalidError, match="no column 'nowhere'"):
            engine.load(frame, {"nowhere": Column(kind="text")}, "n")
        with pytest.raises(InvalidError, match="Spark has no table 'missing'"):
            engine.load((spark, "missing"), {"t": Column(kind="text")}, "m")
        twice = frame.selectExpr("i AS x", "s AS x")
        with pytest.raises(InvalidError, match="have the same name"):
            engine.load(twice, {"x": Column(kind="text")}, "twice")


def test_functions_of_python_are_refused_before_the_charge(stays: Any) -> None:
    with pv.Session(stays, BOOK, pv.budget(epsilon=2)) as session:
        rows = session.query().summarize_with(len, rows=3, into="v", to=pv.column("integer", bounds=(0, 9)))
        with pytest.raises(InvalidError, match="no function of Python reads them"):
            rows.agg(pv.mean("v")).release(epsilon=1)
        assert session.spent.epsilon == 0  # type: ignore[attr-defined]


def mean_of_imputed(query: Any) -> Any:
    completed = query.impute("minutes", by={"ward": 1}, guess=pv.Guess(incomplete=60, changes=2))
    return completed.group_by("ward").agg(pv.mean("minutes"))


def test_imputed_rows_are_those_of_the_local_engine(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "DuckDBEngine", partial(DuckDBEngine, dialect=CANONICAL))
    monkeypatch.setattr(spark_on_demand, "SparkEngine", partial(SparkEngine, writer=CANONICAL_SPARK), raising=False)
    monkeypatch.setattr(private_tables, "uniform_below", lambda _: 2**60 + 17)  # one key for both
    rows = [(at, "ab"[at % 2], None if at % 5 == 0 else at * at % 61) for at in range(300)]
    frame = spark.createDataFrame(rows, "id BIGINT, ward STRING, minutes INT")
    found = []
    for source in (frame, [dict(zip(("id", "ward", "minutes"), row, strict=True)) for row in rows]):
        with pv.Session(source, BOOK, pv.budget(epsilon=1)) as session:
            found.append(exactly(session, mean_of_imputed))
    assert found[0] == found[1]
    assert len(found[0][1]) > 0, "some totals depend on imputed values"


def test_own_hashes_keep_as_many_rows_and_spread_them(spark: Any) -> None:
    """With a cap of one row in twenty, each row stays about as often as any other, under twenty keys."""
    frame = spark.range(2_000).selectExpr("id % 100 AS person", "id DIV 100 AS place", "id % 7 / 7D AS share")
    known = {
        "person": Column(kind="integer"),
        "place": Column(kind="integer"),
        "share": Column(kind="real", bounds=(0, 1)),
    }
    kept: Counter[int] = Counter()
    with SparkEngine(spark) as engine:
        rows = engine.load(frame, known, "visits")
        for key in range(20):
            capped = cap(rows, Caps(rows=1), person="person", groups=[], used=["place", "share"], key=key)
            found = engine.execute(capped.select("person", "place"))
            assert sorted(found["person"]) == list(range(100))
            kept.update(found["place"])
    # 2,000 draws over 20 places: 100 each, with a standard deviation of 9.7
    assert all(40 < kept[place] < 160 for place in range(20))


def test_parts_of_a_partition_keep_their_rows(stays: Any) -> None:
    with pv.Session(stays, BOOK, pv.budget(epsilon=20_000)) as session:
        parts = session.partition("ward").release(epsilon=10_000)
        counted = parts["a"].query().agg(pv.count()).release(epsilon=5_000)
        assert counted.values("count")[0] == 1000


def test_tables_of_spark_and_local_ones_do_not_mix(stays: Any, spark: Any) -> None:
    sources = {"stays": stays, "other": [{"id": 1, "ward": "a", "minutes": 1}]}
    with pytest.raises(InvalidError, match="all private tables must be of one application of Spark"):
        pv.Session(sources, {"stays": BOOK, "other": BOOK}, pv.budget(epsilon=1))
    with pytest.raises(InvalidError, match="memory and threads are of the local engine"):
        pv.Session(stays, BOOK, pv.budget(epsilon=1), threads=1)
    again = spark.newSession().range(1, 11).selectExpr("id", "'b' AS ward", "1 AS minutes")
    with pv.Session({"stays": stays, "again": again}, {"stays": BOOK, "again": BOOK}, pv.budget(epsilon=1)):
        pass


def test_a_public_table_is_joined_in_the_cluster(stays: Any) -> None:
    floors = [{"ward": "a", "floor": 3}, {"ward": "b", "floor": 4}]
    budget = pv.budget(epsilon=50_000, delta=1e-6)
    with pv.Session(stays, BOOK, budget, public={"floors": floors}) as session:
        query = session.query().join_public("floors", on="ward").filter("floor = 3")
        assert query.agg(pv.count()).release(epsilon=10_000).values("count")[0] == 1000
        keys = session.query().group_by("ward", keys=pv.private(delta=1e-7)).agg(pv.count())
        assert keys.release(epsilon=100).groups == (("a",),)


def test_closing_in_a_forked_child_leaves_the_parent_its_rows(stays: Any) -> None:
    with pv.Session(stays, BOOK, pv.budget(epsilon=20_000)) as session:
        child = os.fork()
        if child == 0:
            session.close()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert exact(session) == 1000


def test_a_closed_session_says_so(stays: Any) -> None:
    session = pv.Session(stays, BOOK, pv.budget(epsilon=2))
    session.close()
    with pytest.raises(PrivetError, match="closed"):
        session.query().agg(pv.count()).release(epsilon=1)


SLOW = """
    import os, sys, threading, time, signal
    from pyspark.sql import SparkSession
    import privet as pv
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    book = pv.Codebook(columns={"id": pv.column("integer", bounds=(0, 9))}, unit=pv.Rows())
    session = pv.Session(spark.range(10), book, pv.budget(epsilon=10_100))
    count, jobs = session.query().agg(pv.count()), spark.sparkContext.statusTracker().getActiveJobsIds
    own = session._curator.tables.database.engine._session
    run = own.rows
    if sys.argv[1] == "plain":
        signal.signal(signal.SIGINT, signal.default_int_handler)  # as in notebooks
    for delay in (0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2):
        def slow(sql):
            threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
            return run("SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.id * b.id = 7")
        own.rows, said = slow, False
        try:
            count.release(epsilon=1)
        except KeyboardInterrupt as stopped:
            said = "the charge stays" in "".join(getattr(stopped, "__notes__", ()))
        deadline = time.monotonic() + 20
        while jobs() and time.monotonic() < deadline:
            time.sleep(0.1)
        print("cancelled", said, float(session.spent.epsilon), len(jobs()))
    own.rows = run
    print(count.release(epsilon=10_000).values("count")[0])
    spark.stop()
    try:
        count.release(epsilon=1)
    except Exception as error:
        print(type(error).__name__, float(session.spent.epsilon))
"""


@pytest.mark.parametrize("handler", ["spark", "plain"])
def test_an_interrupt_at_any_time_cancels_the_jobs_and_the_charge_stays(spark: Any, handler: str) -> None:
    """A process of its own: it is interrupted while Spark plans and while it computes, and goes on afterwards.

    The query would never end, so every interrupt meets it; the delays only say where. At last the process stops its
    application, and then nothing more is charged.
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SLOW), handler], capture_output=True, text=True, timeout=600, check=False
    )
    cancelled = [f"cancelled True {spent}.0 0" for spent in range(1, 10)]
    assert run.stdout.splitlines() == [*cancelled, "10", "UnavailableError 10009.0"], run.stderr[-2000:]
