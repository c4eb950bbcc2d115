"""Plain names for expressions that a statement does not name: ``hour_entry``, ``case_spending``, ``price_times_2``.

A name is a word that one can type as it is. It never holds the expression itself.
"""

import re
from collections.abc import Collection, Iterator

from sqlglot import exp

_LONGEST = 48
_DEEPEST = 40
_NO_WORD = re.compile(r"[^\w]+")
_BETWEEN: dict[type[exp.Expr], str] = {
    exp.Add: "plus",
    exp.Sub: "minus",
    exp.Mul: "times",
    exp.Div: "over",
    exp.SafeDivide: "over",
    exp.IntDiv: "over",
    exp.Mod: "modulo",
    exp.GT: "above",
    exp.GTE: "at_least",
    exp.LT: "below",
    exp.LTE: "at_most",
    exp.EQ: "is",
    exp.NEQ: "is_not",
    exp.Is: "is",
    exp.And: "and",
    exp.Or: "or",
    exp.DPipe: "then",
}
_CALLS: dict[type[exp.Expr], str] = {
    exp.Avg: "mean",
    exp.Neg: "minus",
    exp.PercentileCont: "quantile",
    exp.PercentileDisc: "quantile",
}


def plain_name(node: exp.Expr, taken: Collection[str] = ()) -> str:
    """Give an expression a name that is not taken yet, whatever its case.

    Args:
        node: The expression, as the statement writes it.
        taken: Other names, in lower case.

    >>> from sqlglot import parse_one
    >>> plain_name(parse_one("CASE WHEN spending > 10 THEN 'high' ELSE 'low' END"), {"case_spending"})
    'case_spending_2'
    >>> plain_name(parse_one("SUM(spending) / COUNT(*)"))
    'sum_spending_over_count'
    """
    name = "_".join(_words(node, _DEEPEST))
    if not 0 < len(name) <= _LONGEST:
        name = "_".join([_call(node), *_columns(node)])[:_LONGEST].rstrip("_")
    chosen, number = name, 1
    while chosen.lower() in taken:
        number += 1
        chosen = f"{name}_{number}"
    return chosen


def _words(node: exp.Expr, depth: int) -> Iterator[str]:
    """Read an expression as words, from left to right."""
    if depth == 0 or isinstance(node, exp.Star):
        return
    if isinstance(node, exp.Column | exp.Literal):
        yield _word(node.name)
    elif isinstance(node, exp.Case | exp.If):
        yield from ["case", *_columns(node)]
    else:
        for part in _parts(node):
            yield from [part] if isinstance(part, str) else _words(part, depth - 1)


def _parts(node: exp.Expr) -> list[str | exp.Expr]:
    """Take a node apart into words and smaller expressions."""
    if isinstance(node, exp.Paren):
        return [node.this]
    if type(node) in _BETWEEN:
        return [node.this, _BETWEEN[type(node)], node.expression]
    if isinstance(node, exp.Filter):
        return [node.this, "where", node.expression.this]
    if isinstance(node, exp.WithinGroup):
        return [node.this]
    if isinstance(node, exp.Cast):
        return [node.this, "as", _word(node.to.this.name)]
    if isinstance(node, exp.Extract):
        return [_word(node.this.name), node.expression]
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc) and isinstance(node.args.get("unit"), exp.Expr):
        return [_word(node.args["unit"].name), node.this]
    if isinstance(node, exp.In | exp.Between | exp.Like):
        first, *others = node.iter_expressions()
        return [first, _call(node), *others]
    return [_call(node), *node.iter_expressions()]


def _call(node: exp.Expr) -> str:
    """Give the word for a function or any other node."""
    if type(node) in _CALLS:
        return _CALLS[type(node)]
    if isinstance(node, exp.Boolean):
        return str(node.this).lower()
    named = isinstance(node, exp.Anonymous | exp.Var | exp.Identifier)
    return (_word(node.name) if named else "") or node.key


def _columns(node: exp.Expr) -> list[str]:
    """Give the columns of an expression, each once."""
    return list(dict.fromkeys(_word(each.name) for each in node.find_all(exp.Column, bfs=False)))


def _word(text: str) -> str:
    return _NO_WORD.sub("_", str(text).lower() if str(text).isupper() else str(text)).strip("_")


def second_name(name: str, taken: Collection[str]) -> str:
    """Give an aggregate without a name its own, or one with a number behind it."""
    number = 1
    while (name if number == 1 else f"{name}_{number}") in taken:
        number += 1
    return name if number == 1 else f"{name}_{number}"


def column_name(node: exp.Expr) -> str | None:
    """Give the name of a column without a table, in lower case; None for any other node."""
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier) and node.args.get("table") is None:
        return node.name.lower()
    return None
