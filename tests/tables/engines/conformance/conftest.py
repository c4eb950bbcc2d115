"""One server and one pair of engines for all comparisons."""

from collections.abc import Iterator

import pytest

from tests.tables.engines.conformance.engines import Opened, local, on_server
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
def postgres(address: str) -> Iterator[Opened]:
    with on_server(address) as opened:
        yield opened
