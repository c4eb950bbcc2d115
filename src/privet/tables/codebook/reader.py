"""Walking down the tree of a codebook, with all problems kept."""

from collections.abc import Callable
from typing import Any, TypeVar

from privet.errors import PrivetError
from privet.tables.codebook.problem import Problems, closest
from privet.tables.codebook.scalars import text
from privet.tables.codebook.tree import Broken, Listing, Mapping, Node, Scalar, described, path_of
from privet.tables.codebook.values import check_text

Value = TypeVar("Value")


class CodebookReader:
    """Walks down a tree with the problems in hand.

    Args:
        problems: Where problems are kept.
    """

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def keys(self, node: Node, path: str, thing: str, known: tuple[str, ...]) -> dict[str, Any]:
        """Give the nodes below a mapping by key; unknown keys and what is no mapping are problems."""
        if not isinstance(node, Mapping):
            if not self.settled(node, path):
                self.problems.add(
                    node,
                    f"{path or 'a codebook'} must have keys such as {', '.join(known[:3])}, got {described(node)}.",
                )
            return {}
        for name, key in node.keys.items():
            if name not in known:
                hint = closest(name, known) or f" The keys are {', '.join(known)}."
                self.problems.add(key, f"{path_of(path, name)} is no key of {thing}.{hint}")
        return {name: item for name, item in node.items.items() if name in known}

    def settled(self, node: Node, path: str) -> bool:
        """Tell whether nothing needs to be said of a node: it is broken, or open, which is said here."""
        if isinstance(node, Scalar) and node.open:
            self.problems.add(node, f"{path or 'the codebook'} is still open: replace the ???.", still_open=True)
            return True
        return isinstance(node, Broken)

    def scalar(self, node: Node | None, path: str, read: Callable[[str, Scalar], Value]) -> Value | None:
        """Read one value, or note why not; None where there is none."""
        if node is None or self.settled(node, path):
            return None
        if not isinstance(node, Scalar):
            self.problems.add(node, f"{path} must be one value, got {described(node)}.")
            return None
        try:
            return read(path, node)
        except PrivetError as error:
            self.problems.add(node, str(error))
            return None

    def listing(self, node: Node, path: str, read: Callable[[str, Scalar], Value]) -> list[Value] | None:
        """Read a list of values; None where one of them is a problem."""
        if self.settled(node, path):
            return None
        if not isinstance(node, Listing):
            self.problems.add(node, f"{path} must be a list such as [a, b], got {described(node)}.")
            return None
        before = len(self.problems.found)
        found = [self.scalar(item, f"{path}[{position}]", read) for position, item in enumerate(node.items)]
        clean = len(self.problems.found) == before and not any(isinstance(item, Broken) for item in node.items)
        return [item for item in found if item is not None] if clean else None

    def attempt(self, node: Node, make: Callable[[], Value]) -> Value | None:
        """Make something, or note at a node why it cannot be made."""
        try:
            return make()
        except PrivetError as error:
            self.problems.add(node, str(error))
            return None


def name_of(label: str, node: Scalar) -> str:
    """Read a name or another text that a file can hold."""
    return check_text(label, text(label, node))
