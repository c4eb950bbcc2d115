"""Expressions of nodes: text, terms, or what was read from them before."""

from collections.abc import Iterator

from privet.errors import MismatchError
from privet.tables.columns import Columns
from privet.tables.expressions.node import Call, Expression, Reference
from privet.tables.expressions.parse import parse
from privet.tables.expressions.term import Term


def read(expression: str | Term | Expression, columns: Columns) -> Expression:
    """Read an expression over columns; an expression that is already read must refer to the same columns."""
    if not isinstance(expression, Expression):
        return parse(expression, columns)
    for reference in _references(expression):
        if columns.get(reference.name) != reference.declared:
            raise MismatchError(
                f"an expression of {reference.name!r} was read for other columns than those of this table."
            )
    return expression


def _references(expression: Expression) -> Iterator[Reference]:
    if isinstance(expression, Reference):
        yield expression
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from _references(argument)
