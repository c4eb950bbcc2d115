"""Spark's SQL with its types: names, literals, casts and templates.

Whole numbers of 128 bits are decimals of 38 digits here, and timestamps are without a zone. No template fails for any
value, even where Spark raises errors (ANSI): casts are tried, and what might overflow is compared first.
"""

import re

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.engines.typed_sql.trees import Kind, Typed, fill_template
from privet.tables.engines.typed_sql.writer import refusal
from privet.tables.vocabulary import identifier

ENGINE, GRAMMAR = "Spark", "spark"
TYPES: dict[Kind, str] = {
    "integer": "BIGINT",
    "int32": "INT",
    "int128": "DECIMAL(38, 0)",
    "uint64": "DECIMAL(20, 0)",
    "uint128": "DECIMAL(38, 0)",
    "real": "DOUBLE",
    "boolean": "BOOLEAN",
    "text": "STRING",
    "date": "DATE",
    "timestamp": "TIMESTAMP_NTZ",
    "zoned timestamp": "TIMESTAMP_LTZ",
}
_BOUND = re.compile(r"privet let (\d+) ")
_MOST_NODES = 12  # a larger tree that a template names more than once is computed first


def refused(what: str, advice: str) -> InvalidError:
    """Refuse what Spark does not compute as every other engine does; known from the query alone."""
    return refusal(ENGINE, what, advice)


def fill(written: str, **trees: exp.Expr) -> exp.Expr:
    """Put trees in the place of the bare names of a template, which is written in Spark's SQL."""
    return fill_template(GRAMMAR, written, trees)


def let(body: str, **values: exp.Expr) -> exp.Expr:
    """Give a template in which names stand for values; large values are computed once, by a list of one item.

    >>> let("v * v", v=exp.column("x")).sql("spark")
    '(x * x)'
    """
    depth = 1 + max((_depth(value) for value in values.values()), default=0)
    bound = {name: identifier(f"privet let {depth} {name}") for name, value in values.items() if not _is_small(value)}
    names = {name: exp.Column(this=bound[name]) if name in bound else value for name, value in values.items()}
    made: exp.Expr = exp.Paren(this=fill(body, **names))
    for name, variable in bound.items():
        made = lambda_of(values[name], variable, made)
    return made


def lambda_of(value: exp.Expr, variable: exp.Identifier, body: exp.Expr) -> exp.Expr:
    """Write a body in which a variable stands for a value."""
    function = exp.Lambda(this=body, expressions=[variable.copy()])
    return exp.Anonymous(
        this="element_at",
        expressions=[
            exp.Anonymous(this="transform", expressions=[exp.Anonymous(this="array", expressions=[value]), function]),
            exp.Literal.number(1),
        ],
    )


def _depth(tree: exp.Expr) -> int:
    found = (_BOUND.match(each.name) for each in tree.find_all(exp.Identifier))
    return max((int(each[1]) for each in found if each), default=0)


def _is_small(tree: exp.Expr) -> bool:
    return sum(1 for _ in zip(tree.walk(), range(_MOST_NODES + 1), strict=False)) <= _MOST_NODES


def literal(value: str, kind: Kind) -> Typed:
    """Write a value of a type."""
    return Typed(convert(exp.Literal.string(value), kind), kind)


def convert(tree: exp.Expr, kind: Kind) -> exp.Expr:
    """Write a cast that Spark has and that never fails where it stands."""
    return exp.Cast(this=tree, to=data_type(TYPES[kind]))


def data_type(name: str) -> exp.DataType:
    """Name a type of Spark."""
    return exp.DataType(this=exp.DType.USERDEFINED, kind=name)
