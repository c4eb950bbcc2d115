"""Calls that summarize the rows of one person: how SQL writes them, and what ``summarize`` calls them."""

from fractions import Fraction

from sqlglot import exp

from privet.tables.engines.grammar import PLAIN
from privet.tables.expressions import describe
from privet.tables.sql.aggregates import ordered_by, refuse_aggregates
from privet.tables.sql.rows import SqlRows
from privet.tables.sql.tree import number, only, refuse

CALLS: dict[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "mean",
    exp.Min: "min",
    exp.Max: "max",
    exp.AnyValue: "min",  # the least is one of them, and always the same
    exp.Median: "median",
    exp.PercentileDisc: "quantile",
    exp.PercentileCont: "median",  # of one half; others would lie between two values
    exp.Quantile: "quantile",
    exp.Mode: "mode",
    exp.ArgMin: "first",
    exp.ArgMax: "last",
}
CALLS_HINT = (
    "For each person there are COUNT, COUNT(DISTINCT x), SUM, AVG, MIN, MAX, MEDIAN, QUANTILE_DISC, MODE, ARG_MIN, "
    "ARG_MAX and ANY_VALUE."
)
_SECOND: dict[type[exp.Expr], str] = {
    exp.PercentileDisc: "expression",
    exp.PercentileCont: "expression",
    exp.Quantile: "quantile",
}
_PAIRS = (exp.ArgMin, exp.ArgMax)
_HALF = Fraction(1, 2)


def plain_calls(node: exp.Expr) -> exp.Expr:
    """Write ``PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY x)`` and its like as calls of x, wherever they stand."""
    whole = exp.Paren(this=node.copy())
    for within in list(whole.find_all(exp.WithinGroup)):
        call = within.this
        if type(call) not in (exp.PercentileDisc, exp.PercentileCont, exp.Mode):
            continue
        ordered = ordered_by(within)
        if ordered.args.get("desc") and type(call) is not exp.Mode:
            raise refuse("DESC in WITHIN GROUP here", within, "Write it without DESC, with one less the share.")
        share = {} if type(call) is exp.Mode else {"expression": call.this}
        within.replace(type(call)(this=ordered.this.copy(), **share))
    plain: exp.Expr = whole.this
    return plain


def read_call(rows: SqlRows, node: exp.Expr) -> str:
    """Write a call as ``summarize`` takes it; its arguments are read, and written anew."""
    second = "expression" if isinstance(node, _PAIRS) else _SECOND.get(type(node), "this")
    only(node, "this", "big_int", second)
    name, argument = CALLS[type(node)], node.this
    if isinstance(argument, exp.Star) and name == "count":
        return "count(*)"
    distinct = isinstance(argument, exp.Distinct)
    if distinct:
        if name != "count" or len(argument.expressions) != 1:
            raise refuse(f"DISTINCT in {describe(node)}", node, CALLS_HINT)
        argument = argument.expressions[0]
    value = _argument(rows, node, argument)
    if isinstance(node, _PAIRS):
        return f"{name}({value}, {_argument(rows, node, node.expression)})"
    if type(node) in _SECOND:
        return _quantile(rows, node, value, node.args.get(second))
    return f"{name}({'distinct ' if distinct else ''}{value})"


def _argument(rows: SqlRows, node: exp.Expr, argument: exp.Expr | None) -> str:
    if argument is None:
        raise refuse(f"{describe(node)} without an argument", node, CALLS_HINT)
    refuse_aggregates(argument, f"within {describe(node)}", node)
    value = rows.read(argument)
    if set(rows.query.id_columns) & set(value.references()):
        raise refuse(f"{describe(node)} of the id", node)
    return str(value)


def _quantile(rows: SqlRows, node: exp.Expr, value: str, share: exp.Expr | None) -> str:
    """Write a quantile that is a value of a row, or the median; others lie between two values."""
    if not isinstance(share, exp.Literal) or share.is_string:
        raise refuse(f"{describe(node)} without one share", node, "Write QUANTILE_DISC(x, 0.9).")
    part = Fraction(str(number(share.name)))
    if not 0 <= part <= 1:
        raise refuse(f"{describe(node)} of {share.name}", node, "The share must be from 0 to 1.")
    is_of_a_row = type(node) is exp.PercentileDisc or (type(node) is exp.Quantile and rows.dialect == PLAIN)
    if not is_of_a_row and part != _HALF:
        hint = "For each person there are MEDIAN, and QUANTILE_DISC or PERCENTILE_DISC, which give a value of a row."
        raise refuse(f"{describe(node)} of {share.name}, which may lie between two values,", node, hint)
    return f"quantile({value}, {share.name})" if is_of_a_row else f"median({value})"
