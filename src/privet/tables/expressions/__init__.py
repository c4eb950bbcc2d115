"""Expressions over the columns of a row: an allow-list of total functions whose values have an inferred column."""

from privet.tables.expressions.bins import Binned, binned
from privet.tables.expressions.catalog import BY_NAME, describe, hint_at_function, shorten, written
from privet.tables.expressions.folding import exact
from privet.tables.expressions.node import Call, Expression, Literal, Reference
from privet.tables.expressions.parser import parse, tree_of
from privet.tables.expressions.syntax import KIND_OF, depth
from privet.tables.expressions.term import Term, call, col

__all__ = [
    "BY_NAME",
    "KIND_OF",
    "Binned",
    "Call",
    "Expression",
    "Literal",
    "Reference",
    "Term",
    "binned",
    "call",
    "col",
    "depth",
    "describe",
    "exact",
    "hint_at_function",
    "parse",
    "shorten",
    "tree_of",
    "written",
]
