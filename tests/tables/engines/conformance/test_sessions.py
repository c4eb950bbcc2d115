"""Random queries of whole sessions, with null policies, caps, joins and every aggregate: the same exact totals."""

import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest import mock

import duckdb
import pytest

import privet as pv
from privet.errors import PrivetError
from privet.mechanisms.gaussian import Gaussian
from privet.tables.curator import private_tables
from privet.tables.engines import default, spark_on_demand
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.dialect import CANONICAL
from privet.tables.engines.postgres import engine as postgres_engine
from privet.tables.engines.spark import SparkEngine
from privet.tables.engines.spark.writer import CANONICAL as CANONICAL_SPARK
from privet.tables.rollup.query import RollupQuery
from tests.fuzz.queries import UNITS, codebooks, question
from tests.tables.engines.conformance.conftest import ENGINES
from tests.tables.opened import exact_totals

pytestmark = pytest.mark.engines
TYPES = {
    "fuzz_visits": {
        "id": "bigint", "ward": "text", "minutes": "bigint", "cost": "double precision", "ill": "boolean",
        "note": "text", "day": "date", "free": "bigint"
    },
    "fuzz_people": {"id": "bigint", "person": "bigint", "day": "date", "ward": "text", "age": "numeric(20, 1)"},
}  # fmt: skip
CELLS: dict[str, list[str | None]] = {
    "ward": ["a", "b", "c", "a", "unseen", None],
    "day": ["2024-01-31", "2024-02-01", "2024-03-05", "1999-01-01", None],
    "minutes": ["0", "1", "30", "60", "61", "-9223372036854775808", "9223372036854775807", None],
    "cost": ["0.0", "-0.0", "0.25", "1e308", "NaN", "Infinity", "-1.5", None],
    "ill": ["true", "false", None],
    "note": ["", "flu", "FLU,flu,x,,y", "ß", "12", "a,b", None],
    "free": ["9223372036854775807", "-9223372036854775808", "0", "5", None],
    "age": ["0", "30.5", "64", "120", "1000000000000000000.0", "-1", None],
}
SEEDS = range(100)


def drawn(table: str) -> list[list[str | None]]:
    dice = random.Random(table)
    rows = []
    for _ in range(200):
        person = dice.choice([*map(str, range(25)), None])
        rows.append([person if name in ("id", "person") else dice.choice(CELLS[name]) for name in TYPES[table]])
    return rows


def filled(connection: Any, mark: str) -> None:
    """Create the tables through a connection, and fill them."""
    for table, types in TYPES.items():
        fields = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
        connection.execute(f"CREATE TABLE {table} ({fields})")
        marks = ", ".join(f"CAST({mark} AS {kind})" for kind in types.values())
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", drawn(table))


def in_spark(spark: Any) -> Any:
    for table, types in TYPES.items():
        texts = spark.createDataFrame(drawn(table), ", ".join(f"{name} STRING" for name in types))
        names = {"text": "STRING", "double precision": "DOUBLE", "numeric(20, 1)": "DECIMAL(20, 1)"}
        outputs = [f"CAST({name} AS {names.get(kind, kind)}) AS {name}" for name, kind in types.items()]
        texts.selectExpr(*outputs).createOrReplaceTempView(table)
    return spark


def on_server(address: str) -> str:
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    with psycopg.connect(address, autocommit=True) as server:
        filled(server.cursor(), "%s")
    return address


@pytest.fixture(scope="module", params=ENGINES)
def connections(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    local = duckdb.connect()
    filled(local, "?")
    if request.param == "Spark":
        other: Any = in_spark(request.getfixturevalue("spark"))
    else:
        other = on_server(request.getfixturevalue("address"))
    yield {"local": local, "other": other, "name": request.param}
    local.close()


def books(seed: int, unit: str) -> dict[str, pv.Codebook]:
    """Describe the tables, without lists, which no server reads."""
    dice = random.Random(seed)
    described = codebooks(dice, UNITS[unit](dice))
    return {
        name: pv.Codebook(
            columns={each: item for each, item in book.columns.items() if each != "marks"}, unit=book.unit
        )
        for name, book in described.items()
    }


def totals(connection: Any, seed: int, unit: str) -> Any:
    """Give all exact numbers of a query; None for a roll-up, whose levels have no totals of their own."""
    sources = {name: (connection, f"fuzz_{name}") for name in ("visits", "people")}
    with pv.Session(sources, books(seed, unit), pv.budget(epsilon=100, delta=1e-3)) as session:
        try:
            query = question(seed, unit)(session)
            plan = query.plan(epsilon=1)
            if isinstance(query, RollupQuery):
                return None
            return [(each, values.tolist()) for each, values in exact_totals(query, plan).items()]
        except PrivetError as refusal:
            return "refused there" if re.search("on (PostgreSQL|Spark), ", str(refusal)) else type(refusal)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("part", range(4))
def test_random_queries_have_the_same_exact_totals(
    unit: str, part: int, connections: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(default, "DuckDBEngine", partial(DuckDBEngine, dialect=CANONICAL))
    monkeypatch.setattr(spark_on_demand, "SparkEngine", partial(SparkEngine, writer=CANONICAL_SPARK), raising=False)
    monkeypatch.setattr(private_tables, "uniform_below", lambda _: 2**60 + 17)  # one key for both
    slow = connections["name"] == "Spark"  # it takes a second to open a session
    compared, computed = 0, 0
    for seed in SEEDS[part::4]:
        if slow and computed == 3:
            break
        meant = totals(connections["local"], seed, unit)
        if slow and not isinstance(meant, list):
            continue
        computed += isinstance(meant, list)
        found = totals(connections["other"], seed, unit)
        if found != "refused there":
            assert found == meant, seed
            compared += isinstance(found, list)
    assert compared >= computed * 2 / 3, "an engine may refuse some queries, and must compute most of them"
    assert computed >= (3 if slow else 6)


MODELS: dict[str, Callable[[], Any]] = {
    "naive Bayes": lambda: pv.models.CategoricalNB(target="ill", bins=4),
    "a regression": lambda: pv.models.LinearRegression(target="cost", inference="two_step"),
}


@pytest.mark.parametrize("unit", [pv.Rows(), pv.Persons("id", rows=3)], ids=["rows", "persons"])
@pytest.mark.parametrize("name", list(MODELS))
def test_models_read_the_same_whole_numbers(
    name: str, unit: Any, connections: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(default, "DuckDBEngine", partial(DuckDBEngine, dialect=CANONICAL))
    monkeypatch.setattr(spark_on_demand, "SparkEngine", partial(SparkEngine, writer=CANONICAL_SPARK), raising=False)
    monkeypatch.setattr(private_tables, "uniform_below", lambda _: 2**60 + 17)  # one key for both
    columns = {
        "id": pv.column("integer"),
        "ward": pv.column("text", categories=("b", "a", "c")),
        "minutes": pv.column("integer", bounds=(0, 60)),
        "cost": pv.column("real", bounds=(-2, 2)),
        "ill": pv.column("boolean"),
    }
    book = pv.Codebook(columns=columns, unit=unit)
    monkeypatch.setattr(postgres_engine, "_PART", 11)  # rows: its cursor gives several parts
    exact: list[list[Any]] = []
    for connection in (connections["local"], connections["other"]):
        with pv.Session((connection, "fuzz_visits"), book, pv.budget(epsilon=100, delta=1e-3)) as session:
            exact.append(_first_sums(session.query().select("ward", "minutes", "cost", "ill"), MODELS[name]()))
    assert exact[0] == exact[1]
    assert any(exact[0][0])


def _first_sums(query: Any, model: Any) -> list[Any]:
    """Fit, and give the exact whole numbers of the first release."""
    found: list[Any] = []

    def release(_mechanism: Any, value: Any, *_more: Any) -> Any:
        found.append([int(each) for each in value])
        raise KeyboardInterrupt  # the rest would depend on noise

    with (
        mock.patch("privet.models.query_fit._rehearse"),
        mock.patch.object(Gaussian, "release", release),
        pytest.raises(KeyboardInterrupt),
    ):
        query.fit(model, epsilon=1, delta=1e-6)
    return found
