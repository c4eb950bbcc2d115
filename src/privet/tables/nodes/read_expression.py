"""Expressions of nodes: text, terms, or what was read from them before."""

from privet.errors import MismatchError
from privet.tables.columns import Columns
from privet.tables.expressions import Expression, Term, parse


def read(expression: str | Term | Expression, columns: Columns) -> Expression:
    """Read an expression over columns; an expression that is already read must refer to the same columns."""
    if not isinstance(expression, Expression):
        return parse(expression, columns)
    for reference in expression.mentions():
        if columns.get(reference.name) != reference.declared:
            raise MismatchError(
                f"an expression of {reference.name!r} was read for other columns than those of this table."
            )
    return expression
