"""An engine for each test."""

from collections.abc import Iterator

import pytest

from privet.tables.engines.duckdb import DuckDBEngine


@pytest.fixture
def engine() -> Iterator[DuckDBEngine]:
    with DuckDBEngine(threads=1) as opened:
        yield opened
