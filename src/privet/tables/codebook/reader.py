"""Walking down a tree, with all problems kept."""

from collections.abc import Callable
from typing import TypeVar, final

from privet.core import Problems
from privet.tables.codebook.scalars import text
from privet.tables.codebook.tree import Broken, Listing, Node, Scalar, describe_node
from privet.tables.codebook.values import check_text

Value = TypeVar("Value")


@final
class TreeReader:
    """Reads values out of a tree, with the problems in hand.

    Args:
        problems: Where problems are kept.
    """

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def nothing_to_read(self, node: Node, fix: str = "Replace the ???.") -> bool:
        """Tell whether a node has no value to read: it is broken, or an open question, which is noted here."""
        if isinstance(node, Scalar) and node.open:
            path = node.place.path or f"the {self.problems.thing}"
            self.problems.add(node.place, f"{path} is still open.", rule="open question", fix=fix)
            return True
        return isinstance(node, Broken)

    def scalar(self, node: Node | None, read: Callable[[str, Scalar], Value]) -> Value | None:
        """Read one value, or note why not; None where there is none."""
        if node is None or self.nothing_to_read(node):
            return None
        if not isinstance(node, Scalar):
            self.problems.add(node.place, f"{node.place.path} must be one value, got {describe_node(node)}.")
            return None
        return self.attempt(node, lambda: read(node.place.path, node))

    def listing(self, node: Node, read: Callable[[str, Scalar], Value]) -> list[Value] | None:
        """Read a list of values; None where one of them is a problem."""
        if self.nothing_to_read(node):
            return None
        if not isinstance(node, Listing):
            message = f"{node.place.path} must be a list such as [a, b], got {describe_node(node)}."
            self.problems.add(node.place, message)
            return None
        read_items = [self.scalar(item, read) for item in node.items]
        values = [item for item in read_items if item is not None]
        return values if len(values) == len(node.items) else None

    def attempt(self, node: Node, make: Callable[[], Value]) -> Value | None:
        """Make something, or note at a node why it cannot be made."""
        return self.problems.attempt(node.place, make)


def name_of(label: str, node: Scalar) -> str:
    """Read a name or another text that a file can hold."""
    return check_text(label, text(label, node))
