"""The compiler: from trees of meanings to the text of one engine, by its dialect."""

from weakref import WeakKeyDictionary

from sqlglot import exp

from privet.tables.engines.dialect import Dialect
from privet.tables.vocabulary import SCHEMA, Relation, identifier


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
    found: exp.Expr = root.this
    return found.pop()


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
        found = self._texts.get(relation)
        if found is None:
            found = self._texts[relation] = write(relation.query, self._dialect)
        return found
