"""Small trees of SQL: typed literals, quoted names, parentheses, and guards that give null for what is no value.

No guard uses TRY: an error that is caught costs microseconds, so the time of a query would tell how many rows fail.
"""

from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from sqlglot import exp

from privet.tables.columns.column import LARGEST, SMALLEST, Kind

SETTINGS: dict[str, str] = {  # of the engine, its defaults: the meaning of what is compiled depends on them
    "ieee_floating_point_ops": "true",
    "integer_division": "false",
    "default_collation": "''",
}
TYPES: dict[Kind, str] = {
    "integer": "BIGINT",
    "real": "DOUBLE",
    "boolean": "BOOLEAN",
    "text": "TEXT",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}
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
_SMALL = 48  # nodes: below this, writing an expression twice is cheaper than binding it to a name


def identifier(name: str) -> exp.Identifier:
    """Quote a name."""
    return exp.to_identifier(name, quoted=True)


def literal(value: Any) -> exp.Expr:
    """Write a value; reals always with an exponent, since DuckDB reads 0.1 as a decimal and 1e-1 as a double."""
    if value is None:
        return exp.Null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, datetime):
        return exp.Literal.string(value.isoformat(sep=" "))
    if isinstance(value, date):
        return exp.Literal.string(value.isoformat())
    digits = repr(abs(value))
    if isinstance(value, float) and "e" not in digits:
        digits += "e0"
    number = exp.Literal.number(digits)
    return exp.Neg(this=number) if value < 0 else number


def cast(tree: exp.Expr, kind: Kind) -> exp.Expr:
    """Cast a tree that cannot fail."""
    return exp.Cast(this=tree, to=_type(TYPES[kind], None))


def try_cast(tree: exp.Expr, to: str) -> exp.Expr:
    """Cast a tree; what fails is null."""
    return exp.TryCast(this=tree, to=_type(to))


def _type(name: str, dialect: str | None = "duckdb") -> exp.DataType:
    return _parsed_type(name, dialect).copy()  # a node has one parent


@lru_cache(maxsize=64)
def _parsed_type(name: str, dialect: str | None) -> exp.DataType:
    return exp.DataType.build(name, dialect=dialect)


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Call a function of the engine by its own name, which sqlglot leaves alone."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def operand(tree: exp.Expr) -> exp.Expr:
    """Put parentheses around what needs them: ``a - (-1)`` must not become a comment."""
    return tree if isinstance(tree, _ATOMS) else exp.Paren(this=tree)


def binary(operator: type[exp.Binary], left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Write ``left operator right``; a chain such as ``a + b - c`` needs no parentheses on its left."""
    chained = any(operator in level and type(left) in level for level in _CHAINS)
    return operator(this=left if chained else operand(left), expression=operand(right))


def when(condition: exp.Expr, then: exp.Expr) -> exp.Expr:
    """Give a value where a condition is true, and null elsewhere."""
    return exp.Case(ifs=[exp.If(this=condition, true=then)])


def let(tree: exp.Expr, body: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Use a tree several times in ``body``, which reads nothing else.

    A large tree is written once and bound to a name by a list of one element: written twice at every level, a nested
    expression would double with each.
    """
    if sum(1 for _ in tree.walk()) <= _SMALL:
        return body(tree)
    name = identifier("value")
    rows = exp.Array(expressions=[tree])
    one = exp.Array(expressions=[exp.Comprehension(this=body(exp.Column(this=name)), expression=name, iterator=rows)])
    return call("list_extract", one, literal(1))


def depth(tree: exp.Expr) -> int:
    """Count the levels of a tree."""
    deepest, rest = 0, [(tree, 1)]
    while rest:
        node, level = rest.pop()
        deepest = max(deepest, level)
        rest.extend((child, level + 1) for child in node.iter_expressions())
    return deepest


def finite(tree: exp.Expr) -> exp.Expr:
    """Give null where a real is NaN or infinite."""
    return let(tree, lambda value: when(call("isfinite", value.copy()), value.copy()))


def finite_unsigned(tree: exp.Expr) -> exp.Expr:
    """Give null where a real is NaN or infinite, and zero where it is -0.0."""
    return let(tree, lambda value: when(call("isfinite", value.copy()), unsigned(value.copy())))


def unsigned(tree: exp.Expr) -> exp.Expr:
    """Make -0.0 zero, and leave all else as it is."""
    return binary(exp.Add, tree, literal(0.0))


def guard(tree: exp.Expr, *, escapes: bool, signed: bool) -> exp.Expr:
    """Guard a real where its bounds do not say that it is finite, or that it is not -0.0."""
    if escapes:
        return finite_unsigned(tree) if signed else finite(tree)
    return unsigned(tree) if signed else tree


def wide(tree: exp.Expr) -> exp.Expr:
    """Go on in 128 bits."""
    return exp.Cast(this=tree, to=_type("HUGEINT"))


def narrow(tree: exp.Expr) -> exp.Expr:
    """Come back from 128 bits; null where 64 do not suffice."""

    def body(value: exp.Expr) -> exp.Expr:
        fits = exp.Between(this=operand(value.copy()), low=literal(SMALLEST), high=literal(LARGEST))
        return when(fits, try_cast(value.copy(), "BIGINT"))

    return let(tree, body)
