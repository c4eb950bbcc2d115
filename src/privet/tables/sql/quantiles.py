"""Quantiles of a SELECT, as several dialects of SQL write them."""

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from privet.core import read_number
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.quantile import quantile, quantiles
from privet.tables.expressions.refusal import describe
from privet.tables.sql.tree import is_whole_literal, number, only, refuse

Bounds = tuple[int | float, int | float]
"""The lower and the upper bound of a value."""
Make = Callable[[str, Bounds | None], Aggregate]  # from a column and bounds to an aggregate
QUANTILES = (exp.PercentileCont, exp.PercentileDisc, exp.Quantile, exp.ApproxQuantile, exp.ApproxQuantiles)
_MOST = 100  # quantiles of one call


def read_quantiles(call: exp.Expr, place: exp.Expr | None) -> tuple[exp.Expr, Make]:
    """Read a call: the argument of which it takes a quantile, and a function that makes the aggregate.

    Args:
        call: ``QUANTILE_CONT(x, 0.9)``, ``PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)`` and their like.
        place: ``[OFFSET(9)]`` behind it; only ``APPROX_QUANTILES`` has one.
    """
    if isinstance(call, exp.WithinGroup):
        return _within(call)
    if type(call) is exp.ApproxQuantiles:
        only(call, "this", "expression")
        return call.this, _several(call, place)
    only(call, "this", "expression", "quantile")
    levels = call.args.get("quantile") or call.args.get("expression")
    if isinstance(levels, exp.Array):
        only(levels, "expressions", "value_constructor")
        if not 1 <= len(levels.expressions) <= _MOST:
            raise refuse(f"{describe(call)} of {len(levels.expressions)} shares", call)
        shares = [_share(each, call) for each in levels.expressions]
        return call.this, lambda name, bounds: quantiles(name, shares, bounds=bounds)
    share = _share(levels, call)
    return call.this, lambda name, bounds: quantile(name, share, bounds=bounds)


def ordered_by(call: exp.WithinGroup) -> exp.Ordered:
    """Read ``WITHIN GROUP (ORDER BY x)`` with one column."""
    only(call, "this", "expression")
    order = call.expression
    ordered = order.expressions[0] if isinstance(order, exp.Order) and len(order.expressions) == 1 else None
    if not isinstance(ordered, exp.Ordered):
        raise refuse("WITHIN GROUP without one column to order by", call)
    only(order, "expressions")
    only(ordered, "this", "desc", "nulls_first")
    return ordered


def _within(call: exp.WithinGroup) -> tuple[exp.Expr, Make]:
    inside, ordered = call.this, ordered_by(call)
    only(inside, "this")
    if type(inside) not in (exp.PercentileCont, exp.PercentileDisc):
        raise refuse(f"WITHIN GROUP of {describe(inside)}", call)
    share = _share(inside.this, call)
    share = 1 - share if ordered.args.get("desc") else share
    return ordered.this, lambda name, bounds: quantile(name, share, bounds=bounds)


def _several(call: exp.Expr, place: exp.Expr | None) -> Make:
    """Read ``APPROX_QUANTILES(x, 4)``: the least, three quartiles and the largest; or one of them by its place."""
    count = int(call.expression.name)  # checked when the statement was parsed
    if place is not None:
        at = _place(place)
        if at > count:
            raise refuse("this place of the quantiles", place, "Places count from 0 to the second argument.")
        return lambda name, bounds: quantile(name, Fraction(at, count), bounds=bounds)
    if count >= _MOST:
        raise refuse(f"{describe(call)} of {count} parts", call, f"Ask for fewer than {_MOST}, or one by its place.")
    return lambda name, bounds: quantiles(name, [Fraction(at, count) for at in range(count + 1)], bounds=bounds)


def _place(node: exp.Expr) -> int:
    only(node, "this", "expressions", "offset", "safe")
    index = node.expressions[0] if len(node.expressions) == 1 else None
    offset = node.args.get("offset")
    if not is_whole_literal(index) or offset not in (0, 1) or int(index.name) < int(offset):
        raise refuse(describe(node), node, "Write [OFFSET(1)].")
    return int(index.name) - int(offset)


def _share(node: object, call: exp.Expr) -> Fraction:
    if not isinstance(node, exp.Literal) or node.is_string:
        raise refuse(f"{describe(call)} without a number from 0 to 1", call, "Write QUANTILE_CONT(x, 0.9).")
    share = read_number("SQL: the share of a quantile", number(node.name))
    if not 0 <= share <= 1:
        raise refuse(f"{describe(call)} of a share beyond 0 and 1", call, "Write QUANTILE_CONT(x, 0.9).")
    return share
