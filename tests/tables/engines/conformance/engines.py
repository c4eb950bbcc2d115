"""The engines that are compared: the local one, which all others must agree with, and those that are installed."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import duckdb
from attrs import frozen

from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.dialect import CANONICAL
from privet.tables.engines.engine import Engine, Result, fresh_name
from privet.tables.vocabulary import Relation, cast, column
from tests.tables.engines.conformance.edges import frames, statements


@frozen
class Opened:
    """An engine, the connection that its tables are read from, and the meanings that it refuses by name."""

    engine: Engine
    connection: Any
    refused: Collection[str] = ()

    def table(self, name: str, columns: Mapping[str, Column]) -> Relation:
        """Load a table as columns describe it."""
        return self.engine.load((self.connection, name), columns, fresh_name(name))

    def rows(self, relation: Relation, *, order_by: str | None = None) -> list[tuple[Any, ...]]:
        """Give all values exactly: reals, dates and timestamps by their texts."""
        outputs: dict[str, tuple[Any, Column]] = {}
        for name, known in relation.columns.items():
            value = column(name, "r")
            exact = known.kind in ("integer", "boolean", "text")
            outputs[name] = (value, known) if exact else (cast(value, "text"), Column(kind="text"))
        result: Result = self.engine.execute(
            relation.project(outputs), order_by=[order_by] if order_by else list(outputs)
        )
        return list(zip(*(result[name] for name in outputs), strict=True))


@contextmanager
def local() -> Iterator[Opened]:
    """Open the engine that all others must agree with."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for create, fill, cells in statements("duckdb"):
        connection.execute(create)
        connection.executemany(fill, cells)
    with DuckDBEngine(threads=1, dialect=CANONICAL) as engine:
        yield Opened(engine, connection)
    connection.close()


@contextmanager
def on_server(address: str) -> Iterator[Opened]:
    """Open the engine of a PostgreSQL server, as a role that may only read."""
    import psycopg

    from privet.tables.engines.postgres import PostgresEngine
    from privet.tables.engines.postgres.functions import REFUSED

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for create, fill, cells in statements("postgres"):
            connection.execute(create)
            with connection.cursor() as cursor:
                cursor.executemany(fill, cells)
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    reader = address.replace("user=owner", "user=reader")
    with PostgresEngine(reader) as engine:
        yield Opened(engine, reader, REFUSED)


@contextmanager
def in_cluster(spark: Any) -> Iterator[Opened]:
    """Open the engine of a Spark application, over views of its session."""
    from privet.tables.engines.spark import SparkEngine
    from privet.tables.engines.spark.functions import REFUSED
    from privet.tables.engines.spark.writer import CANONICAL as CANONICAL_SPARK

    for name, types, cells in frames("spark"):
        written = spark.createDataFrame(cells, ", ".join(f"c{place} STRING" for place in range(len(types))))
        outputs = [f"CAST(c{place} AS {kind}) AS {quoted}" for place, (quoted, kind) in enumerate(types.items())]
        with utc(spark):  # the texts of moments with a zone are read once, and kept
            written.selectExpr(*outputs).localCheckpoint().createOrReplaceTempView(name)
    with SparkEngine(spark, CANONICAL_SPARK) as engine:
        yield Opened(engine, spark, REFUSED)


@contextmanager
def utc(spark: Any) -> Iterator[None]:
    """Read texts as the clock of UTC shows them."""
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield
    spark.conf.set("spark.sql.session.timeZone", zone)
