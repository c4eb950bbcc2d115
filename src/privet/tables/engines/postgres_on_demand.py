"""The engine of PostgreSQL; it loads when a session first reads a table of a server."""

from typing import TYPE_CHECKING

from privet._lazy import on_demand

if TYPE_CHECKING:
    from privet.tables.engines.postgres.engine import PostgresEngine

__all__ = ["PostgresEngine"]

__getattr__ = on_demand(__name__, {"privet.tables.engines.postgres.engine": ("PostgresEngine",)})
