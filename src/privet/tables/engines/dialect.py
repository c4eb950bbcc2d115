"""Dialects: what an engine calls the types, functions and tables that trees name, and the compiler that writes them."""

from collections.abc import Callable, Mapping
from typing import Protocol
from weakref import WeakKeyDictionary

from sqlglot import exp

from privet.tables.vocabulary import SCHEMA, Relation, Source, identifier

Spelling = str | Callable[..., exp.Expr]  # the engine's function, or a tree from the arguments


class Dialect(Protocol):
    """The SQL of one engine, as far as it differs from that of others.

    The compiler does the rest (:mod:`privet.tables.engines.dialect`). docs/tables/engine.md lists what a new engine
    needs.
    """

    @property
    def grammar(self) -> str:
        """The name of sqlglot's dialect, which writes operators, literals, quotes and clauses."""

    @property
    def schema(self) -> str:
        """Where the engine keeps its tables."""

    @property
    def functions(self) -> Mapping[str, Spelling]:
        """How each meaning of :mod:`privet.tables.vocabulary.literals` is written."""

    @property
    def types(self) -> Mapping[exp.DType, str]:
        """How types are written where sqlglot would write another name, such as the integer of 128 bits."""

    @property
    def source_types(self) -> Mapping[str, Source]:
        """What the types of sources hold, by the name that the engine gives them, without parameters."""

    @property
    def settings(self) -> Mapping[str, tuple[str, ...]]:
        """The settings that meanings depend on, with the value that each must have and other spellings of it."""


def write(tree: exp.Expr, dialect: Dialect) -> str:
    """Write a tree as SQL of an engine."""
    return _translated(tree.copy(), dialect).sql(dialect=dialect.grammar, copy=False)


def _translated(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Put the engine's functions, types and schema in place of ours; the tree is changed."""
    root = exp.Paren(this=tree)  # so that the tree itself may be replaced
    nodes = list(root.find_all(exp.Anonymous, exp.DataType, exp.Table))
    for node in reversed(nodes):  # what is inside first: a spelling may use an argument twice
        if isinstance(node, exp.Anonymous):
            _spell(node, dialect)
        elif isinstance(node, exp.DataType):
            if node.this in dialect.types:
                node.replace(exp.DataType(this=exp.DType.USERDEFINED, kind=dialect.types[node.this]))
        elif isinstance(node, exp.Table) and node.db == SCHEMA:
            node.set("db", identifier(dialect.schema))
    spelled: exp.Expr = root.this
    return spelled.pop()


def _spell(node: exp.Anonymous, dialect: Dialect) -> None:
    spelling = dialect.functions.get(node.name)
    if isinstance(spelling, str):
        node.set("this", spelling)
    elif spelling is not None:  # others are functions that the engine itself put there
        node.replace(spelling(*node.expressions))


class Compiler:
    """Writes relations in one dialect, each once."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._texts: WeakKeyDictionary[Relation, str] = WeakKeyDictionary()

    def text(self, relation: Relation) -> str:
        """Give the text of a relation."""
        text = self._texts.get(relation)
        if text is None:
            text = self._texts[relation] = write(relation.query, self._dialect)
        return text
