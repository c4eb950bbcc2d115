# ruff: noqa: E501
"""What only a server can show: read-only snapshots, hostile settings and schemas, values that no other engine has."""

import gc
import os
import time
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, UnavailableError
from privet.tables.columns.column import Column
from privet.tables.columns.limits import Limits
from privet.tables.columns.notation import Notation
from privet.tables.engines.postgres import PostgresEngine
from privet.tables.engines.postgres.connection import ReadOnlyConnection
from privet.tables.expressions import parse
from privet.tables.vocabulary import cast, column

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = pytest.mark.engines
BOOK = pv.Codebook(
    columns={
        "id": pv.column("integer"),
        "ward": pv.column("text", categories=("a", "b")),
        "minutes": pv.column("integer", bounds=(0, 60)),
    },
    unit=pv.Persons("id", rows=5),
)


@pytest.fixture
def owner(address: str) -> Any:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS stays")
        connection.execute("CREATE TABLE stays (id int, ward text, minutes int)")
        connection.execute("INSERT INTO stays SELECT i, 'a', 10 FROM generate_series(1, 1000) i")
        yield connection


def spent(session: Any) -> Any:
    return session.spent.epsilon


def exact(session: pv.Session) -> float:
    return float(session.query().agg(pv.count()).release(epsilon=10_000).values("count")[0])


def test_a_session_reads_a_table_of_a_server(owner: Any, address: str) -> None:
    for given in (owner, address):
        with pv.Session((given, "public.stays"), BOOK, pv.budget(epsilon=20_000)) as session:
            assert exact(session) == 1000
            assert spent(session) == 10_000


def test_a_release_sees_one_snapshot(owner: Any, address: str) -> None:
    with PostgresEngine(address) as engine:
        stays = engine.load((address, "stays"), {"id": Column(kind="integer")}, "stays")
        with engine.one_snapshot():
            before = len(engine.execute(stays))
            owner.execute("DELETE FROM stays WHERE id <= 500")
            assert len(engine.execute(stays)) == before == 1000
        assert len(engine.execute(stays)) == 500


def test_nothing_can_be_written(owner: Any, address: str) -> None:
    connection = ReadOnlyConnection(address)
    for statement in (
        "INSERT INTO stays VALUES (1)",
        "CREATE TEMP TABLE x (a int)",
        "SELECT nextval('s')",
        "DROP TABLE stays",
    ):
        with pytest.raises(psycopg.Error):
            connection.rows(statement)
    assert connection.rows("SELECT count(*) FROM public.stays") == [(1000,)]
    connection.close()


def test_settings_and_functions_of_others_change_nothing(owner: Any, address: str) -> None:
    owner.execute("CREATE OR REPLACE FUNCTION public.md5(text) RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$")
    owner.execute("CREATE OR REPLACE FUNCTION public.concat(text, text) RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$")
    hostile = "-c search_path=public,pg_catalog -c TimeZone=Asia/Kolkata -c DateStyle=SQL,DMY -c extra_float_digits=-5 -c transform_null_equals=on"
    given = f"{address} options='{hostile}'"
    try:
        with pv.Session((given, "public.stays"), BOOK, pv.budget(epsilon=20_000)) as session:
            assert exact(session) == 1000
            connection = session._curator.tables.database.engine._connection  # type: ignore[attr-defined]
            assert connection.rows("SELECT md5('a'), now()::text LIKE '%+00', (0.1::float8 + 0.2::float8)::text") == [
                ("0cc175b9c0f1b6a831c399e269772661", True, "0.30000000000000004")
            ]
    finally:
        owner.execute("DROP FUNCTION public.md5(text), public.concat(text, text)")


def test_texts_are_compared_by_code_points_whatever_the_collation(owner: Any, address: str) -> None:
    owner.execute("DROP TABLE IF EXISTS words; DROP COLLATION IF EXISTS lax")
    owner.execute("CREATE COLLATION lax (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    owner.execute("CREATE TABLE words (w text COLLATE lax)")
    owner.execute("INSERT INTO words VALUES ('a'), ('A'), ('ä'), ('Z'), ('b')")
    with PostgresEngine(address) as engine:
        words = engine.load((address, "words"), {"w": Column(kind="text")}, "words")
        assert engine.execute(words, order_by=["w"])["w"] == ["A", "Z", "a", "b", "ä"]
        for text, count in (
            ("w = 'a'", 1),
            ("w > 'Z'", 3),
            ("starts_with(w, 'A')", 1),
            ("w like 'a%'", 1),
            ("contains(w, 'Z')", 1),
        ):
            assert len(engine.execute(words.filter(parse(text, {"w": Column(kind="text")}).sql()))) == count


@pytest.mark.parametrize("kind", ["integer", "real"])
def test_numbers_that_no_other_engine_has_are_read_too(kind: Any, owner: Any, address: str) -> None:
    owner.execute("DROP TABLE IF EXISTS numbers; CREATE TABLE numbers (n numeric)")
    owner.execute(
        "INSERT INTO numbers VALUES ('NaN'), ('Infinity'), ('-Infinity'), (1e1000), (-1e1000), (1e-1000), (0.5), (NULL)"
    )
    with PostgresEngine(address) as engine:
        known = {"n": Column(kind=kind, bounds=(-5, 5))}
        numbers = engine.load((address, "numbers"), known, "numbers")
        plain = numbers.project({"n": (cast(column("n", "r"), "text"), Column(kind="text"))})
        found = engine.execute(plain, order_by=["n"])["n"]
    half, nothing, ends = ("1", "0", ("-5", "5")) if kind == "integer" else ("0.5", "0.0", ("-5.0", "5.0"))
    assert sorted(found, key=str) == sorted([None, None, *ends, *ends, half, nothing], key=str)


def test_days_beyond_the_calendar_move_to_its_ends(owner: Any, address: str) -> None:
    owner.execute("DROP TABLE IF EXISTS days; CREATE TABLE days (d date, t timestamp, z timestamptz)")
    owner.execute("INSERT INTO days VALUES ('5874897-12-31', '294276-12-31 23:59:59', '294276-12-31 23:59:59+00'), "
                  "('4713-01-01 BC', '4713-01-01 BC', '4713-01-01 BC'), ('infinity', '-infinity', 'infinity')")  # fmt: skip
    with PostgresEngine(address) as engine:
        for name in ("d", "t", "z"):
            for kind in ("date", "timestamp"):
                days = engine.load((address, "days"), {name: Column(kind=kind)}, f"{name} {kind}")
                plain = days.project({"v": (cast(column(name, "r"), "text"), Column(kind="text"))})
                found = [None if each is None else each[:10] for each in engine.execute(plain, order_by=["v"])["v"]]
                assert found == [None, "0001-01-01", "9999-12-31"]


@pytest.mark.parametrize(
    "written",
    ["1e9999", "1e-9999", "0." + "0" * 6000 + "1e-9999", "9" * 6000 + "e9999", "-" + "1" * 309, "2.4703282292062328e-324",
     "2.4703282292062327e-324", "1.7976931348623159e308", "1.7976931348623158e308", "0." + "3" * 400, "1" + "0" * 300 + ".5e-300"],
    ids=lambda written: written[:30],
)  # fmt: skip
def test_long_texts_are_read_as_reals_or_as_null(written: str, owner: Any, address: str) -> None:
    owner.execute("DROP TABLE IF EXISTS texts; CREATE TABLE texts (s text)")
    owner.execute("INSERT INTO texts VALUES (%s)", [written])
    known = {"s": Column(kind="text", length=6_300)}
    expression = parse("cast(cast(s as real) as text)", known)
    with PostgresEngine(address) as engine:
        texts = engine.load((address, "texts"), known, "texts")
        made = texts.project({"v": (expression.sql(), Column(kind="text"))})
        engine.rehearse([made], Limits(), known)
        value = float(written)
        assert engine.execute(made)["v"] == [None if value in (float("inf"), float("-inf")) else repr(value + 0.0)]
        with pytest.raises(InvalidError, match="a text is read as a real up to 6,300 characters"):
            engine.rehearse([made], Limits(), {"s": Column(kind="text", length=6_301)})


def test_a_table_that_was_altered_is_refused_before_the_charge(owner: Any, address: str) -> None:
    with pv.Session((address, "public.stays"), BOOK, pv.budget(epsilon=2)) as session:
        owner.execute("ALTER TABLE stays ALTER COLUMN minutes TYPE text")
        with pytest.raises(UnavailableError, match="'public.stays' of the server has other columns or types"):
            session.query().agg(pv.sum("minutes")).release(epsilon=1)
        assert spent(session) == 0


def test_an_error_of_the_server_is_withheld_and_the_charge_stays(owner: Any, address: str) -> None:
    limited = f"{address} options='-c statement_timeout=60ms'"
    with pv.Session((limited, "public.stays"), BOOK, pv.budget(epsilon=2)) as session:
        query = session.query().agg(pv.count())
        engine = session._curator.tables.database.engine
        original = engine._connection.rows  # type: ignore[attr-defined]

        def slow(sql: str) -> Any:
            return original(
                sql if sql.startswith(("EXPLAIN", "SELECT 1")) else f"SELECT pg_sleep(5), 'Alice' FROM ({sql}) s"
            )

        engine._connection.rows = slow  # type: ignore[attr-defined]
        with pytest.raises(UnavailableError, match="statement timeout") as caught:
            query.release(epsilon=1)
        assert "Alice" not in str(caught.value)
        assert caught.value.__cause__ is caught.value.__context__ is None
        assert spent(session) == 1


def test_what_needs_rows_that_stay_is_refused_before_the_charge(owner: Any, address: str) -> None:
    with pv.Session((address, "public.stays"), BOOK, pv.budget(epsilon=2)) as session:
        with pytest.raises(InvalidError, match="the rows of the parts cannot be kept.*Nothing was charged"):
            session.partition("ward").release(epsilon=1)
        rows = session.query().summarize_with(len, rows=3, into="v", to=pv.column("integer", bounds=(0, 9)))
        with pytest.raises(InvalidError, match="no function of Python reads them"):
            rows.agg(pv.mean("v")).release(epsilon=1)
        completed = session.query().impute("minutes", by={"ward": 1}, guess=pv.Guess(incomplete=10, changes=2))
        with pytest.raises(InvalidError, match="the imputed rows cannot be kept"):
            completed.agg(pv.mean("minutes")).release(epsilon=1)
        with pytest.raises(InvalidError, match="ln is not computed"):
            session.query().derive(v="ln(minutes)").filter("v > 1").agg(pv.count()).release(epsilon=1)
        assert spent(session) == 0


def test_sources_that_cannot_be_read_are_refused_by_their_schema(owner: Any, address: str) -> None:
    owner.execute(
        "DROP TABLE IF EXISTS odd; CREATE TABLE odd (j jsonb, a int[], t timestamp, p point, i int, d date, s text)"
    )
    with PostgresEngine(address) as engine:
        for name, kind in (("j", "text"), ("a", "integer"), ("p", "real")):
            with pytest.raises(InvalidError, match="cannot be read"):
                engine.load((address, "odd"), {name: Column(kind=kind)}, name)  # type: ignore[arg-type]
        with pytest.raises(InvalidError, match="texts are not read as integer"):
            engine.load((address, "odd"), {"s": Column(kind="integer")}, "s")
        for kind, marker in (("integer", "1e3"), ("timestamp", "1900-01-01"), ("date", "1.1.1900")):
            known = Column(kind=kind, notation=Notation(missing=(marker,)))  # type: ignore[arg-type]
            with pytest.raises(InvalidError, match=f"the missing value '{marker}' is not read as {kind}"):
                engine.load((address, "odd"), {kind[0]: known}, marker)
        with pytest.raises(InvalidError, match="no table 'missing'"):
            engine.load((address, "missing"), {"t": Column(kind="text")}, "m")
        with pytest.raises(InvalidError, match="no column 'nowhere'"):
            engine.load((address, "odd"), {"nowhere": Column(kind="text")}, "n")
        long = engine.load((address, "odd"), {"s": Column(kind="text")}, "s").rename({"s": "é" * 40})
        with pytest.raises(InvalidError, match="at most 63 bytes"):
            engine.rehearse([long], Limits(), {})


def test_a_role_without_rights_is_refused_before_the_charge(owner: Any, address: str) -> None:
    owner.execute("DROP ROLE IF EXISTS stranger; CREATE ROLE stranger LOGIN")
    given = address.replace("user=owner", "user=stranger")
    with pv.Session((given, "public.stays"), BOOK, pv.budget(epsilon=2)) as session:
        with pytest.raises(UnavailableError, match="check the rights of the role"):
            session.query().agg(pv.count()).release(epsilon=1)
        assert spent(session) == 0


def test_tables_of_a_server_and_local_ones_do_not_mix(owner: Any, address: str) -> None:
    sources = {"stays": (address, "stays"), "other": [{"id": 1, "ward": "a", "minutes": 1}]}
    with pytest.raises(InvalidError, match="all private tables must be of one connection"):
        pv.Session(sources, {"stays": BOOK, "other": BOOK}, pv.budget(epsilon=1))
    with pytest.raises(InvalidError, match="memory and threads are of the local engine"):
        pv.Session((address, "stays"), BOOK, pv.budget(epsilon=1), threads=1)


def test_a_public_table_is_joined_in_the_server(owner: Any, address: str) -> None:
    floors = [{"ward": "a", "floor": 3}, {"ward": "b", "floor": 4}]
    budget = pv.budget(epsilon=50_000, delta=1e-6)
    with pv.Session((address, "stays"), BOOK, budget, public={"floors": floors}) as session:
        query = session.query().join_public("floors", on="ward").filter("floor = 3")
        assert query.agg(pv.count()).release(epsilon=10_000).values("count")[0] == 1000
        keys = session.query().group_by("ward", keys=pv.private(delta=1e-7)).agg(pv.count())
        assert keys.release(epsilon=100).groups == (("a",),)


def test_a_forked_child_leaves_the_connection_of_its_parent_alone(owner: Any, address: str) -> None:
    with pv.Session((address, "stays"), BOOK, pv.budget(epsilon=20_000)) as session:
        child = os.fork()
        if child == 0:
            session.close()
            gc.collect()
            os._exit(0)
        os.waitpid(child, 0)
        assert exact(session) == 1000


def test_a_session_that_is_forgotten_closes_its_connection(owner: Any, address: str) -> None:
    def others() -> int:
        (found,) = owner.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
        ).fetchone()
        return int(found)

    before = others()
    session = pv.Session((address, "stays"), BOOK, pv.budget(epsilon=1))
    assert others() == before + 1
    del session
    gc.collect()
    deadline = time.monotonic() + 10
    while others() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert others() == before


def test_a_closed_session_says_so(owner: Any, address: str) -> None:
    session = pv.Session((address, "stays"), BOOK, pv.budget(epsilon=2))
    session.close()
    with pytest.raises(PrivetError, match="closed"):
        session.query().agg(pv.count()).release(epsilon=1)
