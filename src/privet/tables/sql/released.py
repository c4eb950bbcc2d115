"""Expressions over released rows: the engine computes them, so that they mean the same as in a query."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from privet.tables.engines.default import evaluate
from privet.tables.expressions.node import Call, Expression, Literal, Reference

Row = Mapping[str, Any]  # the released values of one group, by column


def computed(expressions: Sequence[Expression], rows: Sequence[Row]) -> list[list[Any]]:
    """Give the values of each expression, one for each row; an expression that only names a column needs no engine.

    Args:
        expressions: The expressions.
        rows: Values of the kinds of their columns; None is null.
    """
    functions = [each for each in expressions if isinstance(each, Call)]
    kinds = {each.name: each.declared.kind for function in functions for each in _references(function)}
    columns = {name: (kind, [row[name] for row in rows]) for name, kind in kinds.items()}
    results = evaluate([each.sql() for each in functions], columns, len(rows)) if functions and rows else []
    values = {id(each): result for each, result in zip(functions, results, strict=bool(rows))}
    return [_plain(each, rows) if not isinstance(each, Call) else values.get(id(each), []) for each in expressions]


def _plain(expression: Expression, rows: Sequence[Row]) -> list[Any]:
    if isinstance(expression, Literal):
        return [expression.value] * len(rows)
    (name,) = expression.references()
    return [row[name] for row in rows]


def _references(expression: Expression) -> Iterator[Reference]:
    if isinstance(expression, Reference):
        yield expression
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from _references(argument)
