"""The tree of a codebook before it has a meaning: mappings, lists and scalars with their places.

Scalars of a file stay the text that was typed: neither ``no`` nor ``010`` nor ``1e3`` nor ``2024-01-31`` is turned into
anything before it is known what they are for. Plain Python data becomes the same tree, without lines.
"""

import json
import re
from collections.abc import Mapping as AnyMapping
from typing import Any, final

from attrs import field, frozen

from privet.core import Place, Problems

OPEN = "???"  # what a template writes where a person has to answer
LARGEST_FILE = 2**20  # bytes; a codebook of ten thousand columns is smaller
_PLAIN_NAME = re.compile(r"\w[\w-]*")
_DEEPEST = 8


@final
@frozen
class Scalar:
    """One value.

    Args:
        value: The text that was typed, or any Python object.
        place: Where it begins.
        typed: Whether it is text from a file.
        plain: Whether it stands there without quotes.
    """

    value: Any
    place: Place
    typed: bool = False
    plain: bool = False

    @property
    def missing(self) -> bool:
        """Whether this is no value: null, or nothing."""
        if not self.typed:
            return self.value is None
        return self.plain and self.value in ("", "~", "null", "Null", "NULL")

    @property
    def open(self) -> bool:
        """Whether this is a question of a template."""
        return self.typed and self.plain and self.value == OPEN


@final
@frozen
class Listing:
    """A list of nodes."""

    items: tuple["Node", ...]
    place: Place


@final
@frozen
class Mapping:
    """Nodes by name, and the places of the names; of a name that is written twice the first counts."""

    items: dict[str, "Node"] = field(eq=False)
    keys: dict[str, Place] = field(eq=False)
    place: Place


@final
@frozen
class Broken:
    """Something of which a problem is already known, so that nobody needs to complain again."""

    place: Place


Node = Scalar | Listing | Mapping | Broken


def path_of(above: str, name: str) -> str:
    """Write where something is: ``columns.age.bounds``, with quotes around names that need them."""
    text = name if _PLAIN_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=not name.isprintable())
    text = text if len(text) <= 60 else text[:57] + "..."
    return f"{above}.{text}" if above else text


def describe_node(node: Node) -> str:
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
    text = str(value) if bare else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def from_python(data: object, problems: Problems, path: str = "", depth: int = 0) -> Node:
    """Make a tree of dictionaries, lists and values."""
    place = Place(path)
    if depth > _DEEPEST:
        problems.add(place, f"{path or f'the {problems.thing}'} is nested too deeply.", rule="size")
        return Broken(place)
    if isinstance(data, list | tuple):
        listed = (from_python(item, problems, f"{path}[{at}]", depth + 1) for at, item in enumerate(data))
        return Listing(tuple(listed), place)
    if not isinstance(data, AnyMapping):
        return Scalar(data, place)
    names = [key for key in data if isinstance(key, str)]
    for key in data:
        if not isinstance(key, str):
            message = f"{path or f'the {problems.thing}'} must have texts as keys, got {type(key).__name__}."
            problems.add(place, message, rule="syntax")
    items = {name: from_python(data[name], problems, path_of(path, name), depth + 1) for name in names}
    return Mapping(items, {name: Place(path_of(path, name)) for name in names}, place)
