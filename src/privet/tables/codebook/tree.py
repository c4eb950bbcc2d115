"""The tree of a codebook before it has a meaning: mappings, lists and scalars with their places in a file.

Scalars of a file stay the text that was typed: neither ``no`` nor ``010`` nor ``1e3`` nor ``2024-01-31`` is turned into
anything before it is known what they are for. Plain Python data becomes the same tree, without places.
"""

import json
import re
from collections.abc import Mapping as Mapped
from typing import Any, final

from attrs import field, frozen

from privet.tables.codebook.problem import Problems

OPEN = "???"  # what a template writes where a person has to answer
_PLAIN_NAME = re.compile(r"\w[\w-]*")


@final
@frozen
class Scalar:
    """One value.

    Args:
        value: The text that was typed, or any Python object.
        typed: Whether it is text from a file.
        plain: Whether it stands there without quotes.
        line: Where it begins, from 1, or None.
        position: The character in that line, from 1, or None.
    """

    value: Any
    typed: bool = False
    plain: bool = False
    line: int | None = None
    position: int | None = None

    @property
    def missing(self) -> bool:
        """Whether this is no value: null, or nothing."""
        if not self.typed:
            return self.value is None
        return self.plain and self.value in ("", "~", "null", "Null", "NULL")

    @property
    def open(self) -> bool:
        """Whether this is a question that a template asks."""
        return self.typed and self.plain and self.value == OPEN


@final
@frozen
class Listing:
    """A list of nodes."""

    items: tuple[Any, ...]
    line: int | None = None
    position: int | None = None


@final
@frozen
class Mapping:
    """Nodes by name; of a name that is written twice the first counts."""

    items: dict[str, Any] = field(eq=False)
    keys: dict[str, Scalar] = field(eq=False)
    line: int | None = None
    position: int | None = None


@final
@frozen
class Broken:
    """Something of which a problem is already known, so that nobody needs to complain again."""

    line: int | None = None
    position: int | None = None


Node = Scalar | Listing | Mapping | Broken


def path_of(above: str, name: str) -> str:
    """Write where something is: ``columns.age.bounds``, with quotes around names that need them."""
    told = name if _PLAIN_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=not name.isprintable())
    told = told if len(told) <= 60 else told[:57] + "..."
    return f"{above}.{told}" if above else told


def described(node: Node) -> str:
    """Say what a node is, for messages."""
    if isinstance(node, Mapping):
        return "keys with values" if node.items else "no keys"
    if isinstance(node, Listing):
        return "a list"
    if isinstance(node, Scalar) and node.missing:
        return "nothing"
    value = node.value if isinstance(node, Scalar) else ""
    if not isinstance(value, str | int | float):
        return type(value).__name__
    if isinstance(value, int) and value.bit_length() > 200:
        return "a very large number"
    bare = isinstance(node, Scalar) and node.plain and isinstance(value, str) and value.isprintable()
    told = str(value) if bare else repr(value)
    return told if len(told) <= 60 else told[:57] + "..."


def from_python(data: Any, problems: Problems, path: str = "", depth: int = 0) -> Node:
    """Make a tree of dictionaries, lists and values."""
    if depth > 8:
        problems.add(Broken(), f"{path or 'the codebook'} is nested too deeply.")
        return Broken()
    if isinstance(data, Mapped):
        return _mapping(data, problems, path, depth)
    if isinstance(data, list | tuple):
        return Listing(tuple(from_python(item, problems, path, depth + 1) for item in data))
    return Scalar(data)


def _mapping(data: Mapped[Any, Any], problems: Problems, path: str, depth: int) -> Node:
    items, keys = {}, {}
    for key, value in data.items():
        if not isinstance(key, str):
            problems.add(Broken(), f"{path or 'the codebook'} must have texts as keys, got {type(key).__name__}.")
            continue
        items[key] = from_python(value, problems, path_of(path, key), depth + 1)
        keys[key] = Scalar(key)
    return Mapping(items, keys)
