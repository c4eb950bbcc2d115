"""Aggregates of a SELECT: the few calls that are understood, and what they ask."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from privet.errors import Invalid
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.variance import variance
from privet.tables.expressions.refusal import describe, shorten, written
from privet.tables.sql_tree import only, refuse

Named = Callable[[exp.Expr], str]  # gives the name of the column that holds the values of an expression
_NUMERIC: dict[type[exp.Expr], Callable[[str], Aggregate]] = {
    exp.Avg: mean,
    exp.Sum: total,
    exp.Variance: variance,
    exp.VariancePop: lambda name: variance(name, ddof=0),
    exp.Stddev: std,
    exp.StddevSamp: std,
    exp.StddevPop: lambda name: std(name, ddof=0),
}


def is_aggregate(node: Any) -> bool:
    """Tell whether a node is a call that is understood here."""
    return type(node) is exp.Count or type(node) in _NUMERIC


def holds_aggregate(node: exp.Expr) -> exp.Expr | None:
    """Find an aggregate, a window or a modified aggregate anywhere in an expression."""
    wrapped = (exp.AggFunc, exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)
    return next((found for found in node.walk() if isinstance(found, wrapped)), None)


def read_aggregate(node: exp.Expr, owner: tuple[str, ...], column_of: Named) -> Aggregate:
    """Read one call.

    Args:
        node: The call, of a kind for which ``is_aggregate`` is true.
        owner: The columns that tell whose rows are whose.
        column_of: Gives the name of the column with the values of the argument.
    """
    only(node, "this", "big_int")
    argument = node.this
    if argument is None:
        raise refuse(f"{describe(node)} without an argument", node, "Write COUNT(*) for the number of rows.")
    inner = holds_aggregate(argument)
    if inner is not None:
        raise refuse(f"{describe(inner)} within {describe(node)}", node)
    if type(node) is exp.Count:
        return _count(node, owner, column_of)
    if isinstance(argument, exp.Distinct):
        raise refuse(f"DISTINCT in {describe(node)}", node)
    name = column_of(argument)
    if name in owner:
        raise refuse(
            f"{describe(node)} of {name!r}, which tells whose rows are protected",
            node,
            f"Only COUNT(DISTINCT {name}) and COUNT are asked of it.",
        )
    return _NUMERIC[type(node)](name)


def _count(node: exp.Expr, owner: tuple[str, ...], column_of: Named) -> Aggregate:
    argument = node.this
    if isinstance(argument, exp.Star):
        only(argument)
        return count()
    if isinstance(argument, exp.Literal):  # COUNT(1) counts rows, as everyone who writes it knows
        return count()
    if not isinstance(argument, exp.Distinct):
        return count(column_of(argument))
    only(argument, "expressions")
    if len(argument.expressions) == 1 and isinstance(argument.expressions[0], exp.Column):
        name = column_of(argument.expressions[0])
        if name in owner:
            return count_ids()
    whose = f"the id of the codebook, {owner[0]!r}" if owner else "an id, and the codebook has none"
    raise Invalid(f"SQL: COUNT(DISTINCT ...) is only allowed of {whose}: {shorten(written(node))}.")
