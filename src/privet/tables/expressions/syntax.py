"""Small trees of SQL: typed literals, quoted names, parentheses, and guards that give null where a value would not be one.

No guard uses TRY: an error that is caught costs microseconds, so the time of a query would tell how many rows fail.
"""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from sqlglot import exp

from privet.tables.column import LARGEST, SMALLEST, Kind

TYPES: dict[Kind, str] = {
    "integer": "BIGINT",
    "real": "DOUBLE",
    "boolean": "BOOLEAN",
    "text": "TEXT",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}
_ATOMS = (exp.Column, exp.Literal, exp.Anonymous, exp.Cast, exp.Paren, exp.Case, exp.Boolean, exp.Null)
_SMALL = 24  # nodes: below this, writing an expression twice is cheaper than binding it to a name


def identifier(name: str) -> exp.Identifier:
    """Quote a name."""
    return exp.to_identifier(name, quoted=True)


def literal(value: Any) -> exp.Expression:
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


def cast(tree: exp.Expression, kind: Kind) -> exp.Expression:
    """Cast a tree that cannot fail."""
    return exp.Cast(this=tree, to=exp.DataType.build(TYPES[kind]))


def try_cast(tree: exp.Expression, to: str) -> exp.Expression:
    """Cast a tree; what fails is null."""
    return exp.TryCast(this=tree, to=exp.DataType.build(to, dialect="duckdb"))


def call(name: str, *arguments: exp.Expression) -> exp.Expression:
    """Call a function of the engine by its own name, which sqlglot leaves alone."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def operand(tree: exp.Expression) -> exp.Expression:
    """Put parentheses around what needs them: ``a - (-1)`` must not become a comment."""
    return tree if isinstance(tree, _ATOMS) else exp.Paren(this=tree)


def binary(operator: type[exp.Binary], left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Write ``left operator right``."""
    return operator(this=operand(left), expression=operand(right))


def when(condition: exp.Expression, then: exp.Expression) -> exp.Expression:
    """Give a value where a condition is true, and null elsewhere."""
    return exp.Case(ifs=[exp.If(this=condition, true=then)])


def let(tree: exp.Expression, body: Callable[[exp.Expression], exp.Expression]) -> exp.Expression:
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


def finite(tree: exp.Expression) -> exp.Expression:
    """Give null where a real is NaN or infinite."""
    return let(tree, lambda value: when(call("isfinite", value.copy()), value.copy()))


def wide(tree: exp.Expression) -> exp.Expression:
    """Go on in 128 bits."""
    return exp.Cast(this=tree, to=exp.DataType.build("HUGEINT", dialect="duckdb"))


def narrow(tree: exp.Expression) -> exp.Expression:
    """Come back from 128 bits; null where 64 do not suffice."""

    def body(value: exp.Expression) -> exp.Expression:
        fits = exp.Between(this=operand(value.copy()), low=literal(SMALLEST), high=literal(LARGEST))
        return when(fits, try_cast(value.copy(), "BIGINT"))

    return let(tree, body)
