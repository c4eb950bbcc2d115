"""Expressions over the columns of a row: an allow-list of total functions whose values have an inferred column."""

from privet.tables.expressions.node import Expression
from privet.tables.expressions.parse import parse
from privet.tables.expressions.term import Term, call, col

__all__ = ["Expression", "Term", "call", "col", "parse"]
