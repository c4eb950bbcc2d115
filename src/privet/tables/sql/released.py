"""Expressions over released rows, computed by the engine of public values: they mean what they mean in a query."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from privet.tables.engines.default import evaluate
from privet.tables.expressions.node import Call, Expression, Literal, Reference

Row = Mapping[str, Any]  # the released values of one group, by column


def computed(expressions: Sequence[Expression], rows: Sequence[Row]) -> list[list[Any]]:
    """Give the values of each expression, one for each row; those that only name a column need no engine.

    Args:
        expressions: What to compute.
        rows: Values as expressions take them: numbers are of the kind of their column, None is null.
    """
    functions = [each for each in expressions if isinstance(each, Call)]
    kinds = {each.name: each.declared.kind for function in functions for each in _references(function)}
    columns = {name: (kind, [row[name] for row in rows]) for name, kind in kinds.items()}
    found = evaluate([each.sql() for each in functions], columns, len(rows)) if functions and rows else []
    made = {id(each): values for each, values in zip(functions, found, strict=bool(rows))}
    return [_plain(each, rows) if not isinstance(each, Call) else made.get(id(each), []) for each in expressions]


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
