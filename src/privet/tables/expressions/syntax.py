"""Small trees of SQL: parentheses, names for parts that are used twice, and guards that give null for what is no value.

No guard uses TRY: an error that is caught costs microseconds, so the time of a query would tell how many rows fail.
"""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from privet.tables.columns import LARGEST, SMALLEST, Kind
from privet.tables.vocabulary import bare, call, cast, column, try_cast, when

_T = exp.DataType.Type
KIND_OF: dict[Any, Kind] = {
    _T.BIGINT: "integer",
    _T.INT: "integer",
    _T.DOUBLE: "real",
    _T.FLOAT: "real",
    _T.BOOLEAN: "boolean",
    _T.TEXT: "text",
    _T.VARCHAR: "text",
    _T.DATE: "date",
    _T.TIMESTAMP: "timestamp",
    _T.TIMESTAMPNTZ: "timestamp",
}
_ATOMS = (exp.Column, exp.Literal, exp.Anonymous, exp.Cast, exp.Paren, exp.Case, exp.Boolean, exp.Null)
_CHAINS: tuple[tuple[type[exp.Expr], ...], ...] = ((exp.Add, exp.Sub), (exp.Mul,), (exp.DPipe,))
_BOUND = 4  # levels
_SMALL = 48  # nodes: below this, writing an expression twice is cheaper than binding it to a name


def operand(tree: exp.Expr) -> exp.Expr:
    """Put parentheses around what needs them: ``a - (-1)`` must not become a comment."""
    return tree if isinstance(tree, _ATOMS) else exp.Paren(this=tree)


def binary(operator: type[exp.Binary], left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Write ``left operator right``; a chain such as ``a + b - c`` needs no parentheses on its left."""
    chained = any(operator in level and type(left) in level for level in _CHAINS)
    return operator(this=left if chained else operand(left), expression=operand(right))


def let(tree: exp.Expr, body: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Use a tree several times in ``body``, which reads nothing else.

    A large tree is written once and bound to a name: written twice at every level, a nested expression would double
    with each.
    """
    if sum(1 for _ in tree.walk()) <= _SMALL:
        return body(tree)
    return call("let", tree, column("value"), body(column("value")))


def depth(tree: exp.Expr) -> int:
    """Count the levels of a tree; a name that is bound takes some of its own in the SQL of an engine."""
    deepest, rest = 0, [(tree, 1)]
    while rest:
        node, level = rest.pop()
        deepest = max(deepest, level)
        below = level + (_BOUND if isinstance(node, exp.Anonymous) and node.name == "let" else 1)
        rest.extend((child, below) for child in node.iter_expressions())
    return deepest


def finite(tree: exp.Expr) -> exp.Expr:
    """Give null where a real is NaN or infinite."""
    return let(tree, lambda value: when(call("isfinite", value.copy()), value.copy()))


def finite_unsigned(tree: exp.Expr) -> exp.Expr:
    """Give null where a real is NaN or infinite, and zero where it is -0.0."""
    return let(tree, lambda value: when(call("isfinite", value.copy()), unsigned(value.copy())))


def unsigned(tree: exp.Expr) -> exp.Expr:
    """Make -0.0 zero, and leave all else as it is."""
    return binary(exp.Add, tree, bare(0.0))


def guard(tree: exp.Expr, *, escapes: bool, signed: bool) -> exp.Expr:
    """Guard a real where its bounds do not say that it is finite, or that it is not -0.0."""
    if escapes:
        return finite_unsigned(tree) if signed else finite(tree)
    return unsigned(tree) if signed else tree


def wide(tree: exp.Expr) -> exp.Expr:
    """Go on in 128 bits."""
    return cast(tree, "int128")


def narrow(tree: exp.Expr) -> exp.Expr:
    """Come back from 128 bits; null where 64 do not suffice."""

    def body(value: exp.Expr) -> exp.Expr:
        fits = exp.Between(this=operand(value.copy()), low=bare(SMALLEST), high=bare(LARGEST))
        return when(fits, try_cast(value.copy(), "integer"))

    return let(tree, body)
