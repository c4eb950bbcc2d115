"""Expressions over the columns of a row: an allow-list of total functions whose values have an inferred column."""

from privet.tables.expressions.node import Expression
from privet.tables.expressions.parse import parse

__all__ = ["Expression", "parse"]
