"""The engine of Spark; it loads when a session first reads a frame of a cluster."""

from typing import TYPE_CHECKING

from privet._lazy import on_demand

if TYPE_CHECKING:
    from privet.tables.engines.spark.engine import SparkEngine

__all__ = ["SparkEngine"]

__getattr__ = on_demand(__name__, {"privet.tables.engines.spark.engine": ("SparkEngine",)})
