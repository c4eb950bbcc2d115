"""What a rule of another system's SQL may ask while an expression is read."""

from collections.abc import Callable, Mapping
from typing import final

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import Column
from privet.tables.engines.grammar import Grammar, translated
from privet.tables.expressions import Expression, parse, shorten, written


@final
class Reading:
    """The columns and the grammar of an expression while it is read.

    Args:
        columns: What is known of the columns.
        grammar: The grammar in which it was written.
    """

    def __init__(self, columns: Mapping[str, Column], grammar: Grammar) -> None:
        self.columns = columns
        self.grammar = grammar

    def value(self, node: exp.Expr) -> Expression:
        """Read a part whose own parts were written anew already."""
        return parse(translated(node), self.columns)

    def refuse(self, node: exp.Expr, why: str) -> InvalidError:
        """Make the error that refuses a part, as it was written."""
        try:
            text = node.sql(dialect=self.grammar)
        except Exception:  # noqa: BLE001 - some trees that parse cannot be written; the message names their kind
            text = written(node)
        return InvalidError(f"SQL: {shorten(text)} is not allowed in the dialect {self.grammar}: {why}")


Rule = Callable[[Reading, exp.Expr], exp.Expr | None]
