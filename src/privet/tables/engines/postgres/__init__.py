"""PostgreSQL: the data stay in the server, which computes all exact numbers."""

from privet.tables.engines.postgres.engine import PostgresEngine

__all__ = ["PostgresEngine"]
