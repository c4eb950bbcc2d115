"""Trees of PostgreSQL's SQL with their types, and templates that are filled with trees.

PostgreSQL decides by types what an operator does, and many of its functions fail for some values of their types. So a
tree is written together with its type, and each function is written so that it has a value for every argument.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, final

import sqlglot
from attrs import field, frozen
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.vocabulary import identifier

Kind = Literal[
    "integer",
    "int32",
    "int128",
    "uint64",
    "uint128",
    "real",
    "decimal",
    "boolean",
    "text",
    "date",
    "timestamp",
    "zoned timestamp",
    "rows",
    "null",
]
WIDE: tuple[Kind, ...] = ("int128", "uint64", "uint128")
WHOLE: tuple[Kind, ...] = ("integer", "int32", *WIDE)
TYPES: dict[Kind, str] = {
    "integer": "BIGINT",
    "int32": "INT",
    "int128": "NUMERIC",
    "uint64": "NUMERIC",
    "uint128": "NUMERIC",
    "decimal": "NUMERIC",
    "real": "DOUBLE PRECISION",
    "boolean": "BOOLEAN",
    "text": "TEXT",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "zoned timestamp": "TIMESTAMPTZ",
}
KINDS: dict[exp.DType, Kind] = {
    exp.DType.BIGINT: "integer",
    exp.DType.INT: "int32",
    exp.DType.INT128: "int128",
    exp.DType.UBIGINT: "uint64",
    exp.DType.UINT128: "uint128",
    exp.DType.DOUBLE: "real",
    exp.DType.BOOLEAN: "boolean",
    exp.DType.TEXT: "text",
    exp.DType.DATE: "date",
    exp.DType.TIMESTAMP: "timestamp",
    exp.DType.TIMESTAMPTZ: "zoned timestamp",
}
_GRAMMAR = "postgres"
_LONGEST_NAME = 63  # bytes; PostgreSQL cuts longer names, and two may become one


@final
@frozen
class Typed:
    """A tree of PostgreSQL's SQL.

    Args:
        tree: The tree.
        kind: Its type.
    """

    tree: exp.Expr = field(repr=False)
    kind: Kind

    @property
    def null(self) -> bool:
        """Whether it is a null without a type."""
        return self.kind == "null"


Spell = Callable[..., Typed]


def refused(what: str, advice: str) -> InvalidError:
    """Refuse what PostgreSQL does not compute as every other engine does; known from the query alone."""
    return InvalidError(f"on PostgreSQL, {what}. Nothing was charged; {advice}")


@lru_cache(maxsize=1_000)
def _template(written: str) -> exp.Expr:
    return sqlglot.parse_one(written, dialect=_GRAMMAR)


def fill(written: str, **trees: exp.Expr) -> exp.Expr:
    """Put trees in the place of the bare names of a template, which is written in PostgreSQL's SQL.

    >>> fill("a + b", a=exp.Literal.number(1), b=exp.Literal.number(2)).sql("postgres")
    '1 + 2'
    """
    root = exp.Paren(this=_template(written).copy())
    for node in list(root.find_all(exp.Column)):
        if node.name in trees and not node.this.quoted:
            tree = trees[node.name].copy()
            node.replace(tree if _is_atom(tree) else exp.Paren(this=tree))
    filled: exp.Expr = root.this
    return filled.pop()


def _is_atom(tree: exp.Expr) -> bool:
    return isinstance(tree, exp.Column | exp.Literal | exp.Cast | exp.Paren | exp.Anonymous | exp.Case | exp.Null)


def let(body: str, **values: exp.Expr) -> exp.Expr:
    """Compute values once, and give a template in which their names stand for them.

    >>> let("v * v", v=fill("x + 1")).sql("postgres")
    '(SELECT v * v FROM (SELECT x + 1 AS v OFFSET 0) AS l)'
    """
    if all(_is_cheap(value) for value in values.values()):
        return exp.Paren(this=fill(body, **values))
    inner = exp.Select(expressions=[exp.alias_(value, name) for name, value in values.items()])
    inner = inner.offset(0)  # so that the planner does not put the values back into the body
    outer = exp.Select(expressions=[_template(body).copy()]).from_(exp.Subquery(this=inner, alias=_alias("l")))
    return exp.Subquery(this=outer)


def _is_cheap(tree: exp.Expr) -> bool:
    while isinstance(tree, exp.Paren | exp.Cast | exp.Collate):
        tree = tree.this
    return isinstance(tree, exp.Column | exp.Literal)


def _alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name))


def literal(value: str, kind: Kind) -> Typed:
    """Write a value of a type."""
    if "\0" in value:
        raise refused("texts have no NUL character", "take it out of the query or the codebook.")
    tree = convert(exp.Literal.string(value), kind)
    return Typed(tree, kind)


def convert(tree: exp.Expr, kind: Kind) -> exp.Expr:
    """Write a cast that PostgreSQL has and that never fails where it stands; texts are compared by code points."""
    cast = exp.Cast(this=tree, to=exp.DataType.build(TYPES[kind], dialect=_GRAMMAR))
    return by_code_points(cast) if kind == "text" else cast


def by_code_points(tree: exp.Expr) -> exp.Expr:
    """Compare a text by its bytes, which is by code points."""
    return exp.Paren(this=exp.Collate(this=tree, expression=exp.to_identifier("C", quoted=True)))


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Call a function of PostgreSQL by its own name."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def common(kinds: Sequence[Kind]) -> Kind:
    """Give the type of a choice between values of several types."""
    known = list(dict.fromkeys(kind for kind in kinds if kind != "null"))
    if len(known) <= 1:
        return known[0] if known else "null"
    if all(kind in WHOLE for kind in known):
        return "int128" if any(kind in WIDE for kind in known) else "integer"
    raise refused(f"{' and '.join(known)} have no common type", "cast one of them.")


def name_of(name: str) -> exp.Identifier:
    """Quote a name, or refuse one that PostgreSQL would cut."""
    if len(name.encode()) > _LONGEST_NAME:
        raise refused(f"names have at most {_LONGEST_NAME} bytes, got {name!r}", "give the column a shorter name.")
    return identifier(name)
