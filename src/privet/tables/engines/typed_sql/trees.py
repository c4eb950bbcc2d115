"""Trees of an engine's SQL with their types, and templates that are filled with trees."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, final

import sqlglot
from attrs import field, frozen
from sqlglot import exp

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
Columns = Mapping[str, Kind]
WIDE: tuple[Kind, ...] = ("int128", "uint64", "uint128")
WHOLE: tuple[Kind, ...] = ("integer", "int32", *WIDE)
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


@final
@frozen
class Typed:
    """A tree of an engine's SQL.

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


@lru_cache(maxsize=2_000)
def template(grammar: str, written: str) -> exp.Expr:
    """Read a template, which is written in an engine's SQL; it is shared, so whoever changes it copies it first."""
    return sqlglot.parse_one(written, dialect=grammar)


def fill_template(grammar: str, written: str, trees: Mapping[str, exp.Expr]) -> exp.Expr:
    """Put trees in the place of the bare names of a template.

    >>> fill_template("postgres", "a + b", {"a": exp.Literal.number(1), "b": exp.Literal.number(2)}).sql("postgres")
    '1 + 2'
    """
    root = exp.Paren(this=template(grammar, written).copy())
    for node in list(root.find_all(exp.Column)):
        if node.name in trees and not node.this.quoted:
            tree = trees[node.name].copy()
            node.replace(tree if _is_atom(tree) else exp.Paren(this=tree))
    made: exp.Expr = root.this
    return made.pop()


def _is_atom(tree: exp.Expr) -> bool:
    return isinstance(tree, exp.Column | exp.Literal | exp.Cast | exp.Paren | exp.Anonymous | exp.Case | exp.Null)


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Call a function of the engine by its own name."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def common(kinds: Sequence[Kind]) -> Kind | None:
    """Give the type of a choice between values of several types; None where there is none."""
    known = list(dict.fromkeys(kind for kind in kinds if kind != "null"))
    if len(known) <= 1:
        return known[0] if known else "null"
    if all(kind in WHOLE for kind in known):
        return "int128" if any(kind in WIDE for kind in known) else "integer"
    return None


def bare_literal(tree: exp.Expr) -> exp.Literal | None:
    """Give the literal that a tree writes out with a type; None for anything else."""
    while isinstance(tree, exp.Paren | exp.Cast | exp.Collate):
        tree = tree.this
    return tree if isinstance(tree, exp.Literal) else None
