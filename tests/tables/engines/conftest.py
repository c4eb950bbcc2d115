"""An engine for each test."""

from collections.abc import Iterator

import pytest

from privet.tables.engines.duckdb import DuckDBEngine


@pytest.fixture
def engine() -> Iterator[DuckDBEngine]:
    with DuckDBEngine(threads=1) as opened:
        yield opened


@pytest.fixture(params=["copied", "in place"])
def parquet_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to read Parquet files, whatever their size: copied into a table at loading, or again by each query."""
    way = str(request.param)
    if way == "in place":
        monkeypatch.setattr("privet.tables.engines.duckdb.parquet._SMALL", -1)
    return way
