"""The reader of one expression: it reads each node of the parse tree by the rule for its kind."""

from collections.abc import Callable, Mapping
from typing import Any, final

from attrs import frozen
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import Column
from privet.tables.expressions.catalog import refused, shorten, where, written
from privet.tables.expressions.folding import FOLDED, folded
from privet.tables.expressions.node import Expression, Literal

_FLAGS = {"typed", "safe", "coalesce", "ignore_nulls", "date_part_boundary"}  # set by the parser, not by the writer


@final
@frozen
class ExpressionReader:
    """Reads the nodes of one parse tree.

    Args:
        text: What was written, for messages.
        columns: The columns that may be named.
        rules: How to read each kind of node that is allowed.
    """

    text: str
    columns: Mapping[str, Column]
    rules: Mapping[type, "Rule"]

    def read(self, node: Any) -> Expression:
        """Read one node; a kind of node without a rule is refused."""
        if node is None:
            raise InvalidError(f"Something is missing in {shorten(self.text)}: an argument, or an operand.")
        rule = self.rules.get(type(node))
        if rule is None:
            raise refused(self.text, node)
        value = folded(node) if isinstance(node, FOLDED) else None
        return rule(self, node) if value is None else Literal(value, "integer" if isinstance(value, int) else "real")

    def only(self, node: exp.Expr, *keys: str) -> None:
        """Refuse a node that has more parts than are understood."""
        for key, part in node.args.items():
            if key in keys or key in _FLAGS or part is None or part is False or part == []:
                continue
            raise InvalidError(f"{key} is not allowed here: {shorten(written(node))}{where(self.text, node)}.")

    def several(self, nodes: list[Any]) -> list[Expression]:
        """Read values beside each other; a bare null takes the kind of the first that has one."""
        read = [None if isinstance(node, exp.Null) else self.read(node) for node in nodes]
        kind = next((argument.kind for argument in read if argument is not None), None)
        if kind is None:
            raise InvalidError(f"null has no kind here: {shorten(self.text)}. Write cast(null as integer).")
        return [Literal(None, kind) if argument is None else argument for argument in read]


Rule = Callable[[ExpressionReader, Any], Expression]
