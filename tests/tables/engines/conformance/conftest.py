"""One server, one cluster and an engine of each kind for all comparisons."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.tables.engines.conformance.engines import Opened, in_cluster, local, on_server
from tests.tables.engines.conformance.server import programs, server


@pytest.fixture(scope="session")
def reference() -> Iterator[Opened]:
    with local() as opened:
        yield opened


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'privet[postgres]'")
    if programs() is None:
        pytest.skip("PostgreSQL is not installed, and no server can be had")
    with server() as started:
        yield started


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Start Spark on this machine, with two threads."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install 'privet[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed, and Spark cannot run")
    given = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2"}
    builder = sql.SparkSession.builder.master("local[2]").config(map=given)
    session = builder.config("spark.sql.session.timeZone", "Asia/Kolkata").getOrCreate()  # none of ours
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


ENGINES = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in ("PostgreSQL", "Spark")]


@pytest.fixture(scope="session", params=ENGINES)
def other(request: pytest.FixtureRequest) -> Iterator[Opened]:
    """An engine that must agree with the local one."""
    if request.param == "Spark":
        opening = in_cluster(request.getfixturevalue("spark"))
    else:
        opening = on_server(request.getfixturevalue("address"))
    with opening as opened:
        yield opened
