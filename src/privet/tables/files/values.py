"""Values of files of queries and plans: names, exact numbers, bounds, and lists of these."""

import re
from collections.abc import Callable, Iterable
from collections.abc import Mapping as AnyMapping
from fractions import Fraction
from typing import Any

from privet.core import read_number
from privet.tables.codebook import scalars
from privet.tables.codebook.null_keys import NUMBER, PAIR
from privet.tables.codebook.part import Key, Part, Values
from privet.tables.codebook.reader import TreeReader, name_of
from privet.tables.codebook.tree import Listing, Mapping, Node, Scalar, describe_node
from privet.tables.codebook.write import Typed, number_text
from privet.tables.columns import Auto, Kind

Read = Callable[[TreeReader, Node, Values], Any]
TEXT: dict[str, object] = {"type": "string"}
NAMES: dict[str, object] = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}
TEXTS: dict[str, object] = {"type": "object", "additionalProperties": TEXT, "minProperties": 1}
_NUMBER = re.compile(r"[-+]?[0-9.][0-9eE.+/-]*")
NUMBERS: dict[str, object] = {"type": "array", "items": NUMBER}
COUNT: dict[str, object] = {"type": ["integer", "string"]}


def one(read: Callable[[str, Scalar], Any]) -> Read:
    """Read one value."""

    def read_one(reader: TreeReader, node: Node, _: Values) -> Any:
        """Read one value; None where it is a problem."""
        return reader.scalar(node, read)

    return read_one


read_text, read_number_of, read_whole = one(name_of), one(scalars.number), one(scalars.whole)


def each(read: Read) -> Read:
    """Read a list; None where one of its items is a problem."""

    def read_list(reader: TreeReader, node: Node, known: Values) -> list[Any] | None:
        """Read a list; None where one of its items is a problem."""
        if reader.nothing_to_read(node):
            return None
        if not isinstance(node, Listing):
            reader.problems.add(node.place, f"{node.place.path} must be a list, got {describe_node(node)}.")
            return None
        items = [read(reader, item, known) for item in node.items]
        return None if any(item is None for item in items) else items

    return read_list


def by_name(read: Read) -> Read:
    """Read values by any name, at least one; None where one of them is a problem."""

    def read_mapping(reader: TreeReader, node: Node, known: Values) -> dict[str, Any] | None:
        """Read values by name; None where one of them is a problem."""
        if reader.nothing_to_read(node):
            return None
        if not isinstance(node, Mapping) or not node.items:
            message = f"{node.place.path} must have names as keys, such as name: value, got {describe_node(node)}."
            reader.problems.add(node.place, message)
            return None
        values = {name: read(reader, item, known) for name, item in node.items.items()}
        return None if any(value is None for value in values.values()) else values

    return read_mapping


def read_names(reader: TreeReader, node: Node, known: Values) -> list[str] | None:
    """Read a list of names, or one name."""
    if isinstance(node, Scalar):
        name = reader.scalar(node, name_of)
        return None if name is None else [name]
    names: list[str] | None = each(read_text)(reader, node, known)
    return names


read_numbers, read_texts = each(read_number_of), by_name(read_text)


def either(first: Read, other: Read) -> Read:
    """Read a list in one way, and a single value in another."""
    return lambda reader, node, known: (first if isinstance(node, Listing) else other)(reader, node, known)


def keep(_: TreeReader, __: Mapping, values: Values) -> Values:
    """Make nothing of the values of a part."""
    return values


AUTO: Part[Auto] = Part(
    "an estimate",
    (
        Key(name="auto", read=read_number_of, schema=NUMBER, missing="Write auto: 0.1, the share of the budget."),
        Key(name="quantile", read=either(read_numbers, read_number_of), schema={"anyOf": [NUMBER, PAIR]}),
        Key(name="most", read=read_whole, schema=COUNT),
        Key(name="beta", read=read_number_of, schema=NUMBER),
    ),
    lambda reader, node, values: reader.attempt(
        node, lambda: Auto(share=values["auto"], **{name: values[name] for name in values if name != "auto"})
    ),
)


def or_auto(read: Read) -> Read:
    """Read a value, or ``auto`` for one that is estimated first, with or without the keys of an estimate."""

    def read_either(reader: TreeReader, node: Node, known: Values) -> Any:
        if isinstance(node, Mapping):
            return AUTO.read(reader, node)
        if isinstance(node, Scalar) and node.value == "auto":
            return Auto()
        return read(reader, node, known)

    return read_either


def auto_schema(schema: dict[str, object]) -> dict[str, object]:
    """Describe a value that may be estimated."""
    return {"anyOf": [schema, {"enum": ["auto"]}, AUTO.schema()]}


def read_key(kind: Kind | None) -> Read:
    """Read a value of a key: of its kind where that is known, and otherwise as it is written, in quotes or not.

    The value comes in a tuple: it may be None, for null.
    """

    def read(label: str, node: Scalar) -> tuple[Any]:
        if node.missing:
            return (None,)
        if kind is not None:
            return (scalars.value_of(label, kind, node),)
        text = str(node.value)
        if node.plain and text in ("true", "false"):
            return (text == "true",)
        return (scalars.whole(label, node) if node.plain and text.lstrip("-").isdecimal() else text,)

    return one(read)


def read_plain(reader: TreeReader, node: Node, known: Values) -> Any:
    """Read a value by how it is written: a number without quotes, true or false, and otherwise a text."""
    if not isinstance(node, Scalar) or not node.plain:
        return read_text(reader, node, known)
    text = str(node.value)
    if text in ("true", "false"):
        return text == "true"
    if _NUMBER.fullmatch(text) is None:
        return read_text(reader, node, known)
    number = read_number_of(reader, node, known)
    return int(number) if number is not None and number.denominator == 1 else number


def read_lists(reader: TreeReader, node: Node, kinds: Values) -> dict[str, list[Any]] | None:
    """Read lists of values by the name of their column, whose kinds are given as far as they are known."""
    if by_name(lambda _, item, __: item)(reader, node, {}) is None or not isinstance(node, Mapping):
        return None
    lists = {name: each(read_key(kinds.get(name)))(reader, item, {}) for name, item in node.items.items()}
    if any(values is None for values in lists.values()):
        return None
    return {name: [value for (value,) in values or ()] for name, values in lists.items()}


def write_value(value: Any) -> Any:
    """Write a value as plain data: exact numbers, lists, estimates, and null for None within a list."""
    if isinstance(value, Auto):
        parts = {"auto": value.share, "quantile": value.quantile, "most": value.most, "beta": value.beta}
        return AUTO.write({name: write_value(part) for name, part in parts.items()})
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, AnyMapping):
        return {name: write_value(item) for name, item in value.items()}
    if isinstance(value, Iterable):
        return [Typed("null") if item is None else write_value(item) for item in value]
    return number_text(value if isinstance(value, Fraction) else read_number("a number", value))
