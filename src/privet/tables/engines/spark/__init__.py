"""The engine of Spark."""

from privet.tables.engines.spark.engine import SparkEngine

__all__ = ["SparkEngine"]
