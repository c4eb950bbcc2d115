"""DuckDB, embedded: the engine that is used unless another is given."""

from privet.tables.engines.duckdb.engine import DuckDBEngine

__all__ = ["DuckDBEngine"]
