"""The keys of caps by column: a mapping from columns, or a list where a cap is for several columns together."""

from collections.abc import Container, Iterable
from typing import Any

from attrs import asdict

from privet.tables.codebook import scalars
from privet.tables.codebook.part import Key, Part, Values
from privet.tables.codebook.reader import TreeReader, name_of
from privet.tables.codebook.tree import Listing, Mapping, Node, describe_node
from privet.tables.columns import CAPS_BY, KeyCaps, closest

_COUNT = {"type": "integer", "minimum": 1}
_NAMES = {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True}
_FIX = "Write {COLUMN: {groups: 3, rows_per_group: 2}}, or for several [{columns: [A, B], groups: 3}]."


def read_count(reader: TreeReader, node: Node, _: Values) -> int | None:
    """Read a cap."""
    return reader.scalar(node, scalars.cap)


def _make(reader: TreeReader, node: Mapping, values: Values) -> Values | None:
    if not values.keys() - {"columns"}:
        message = f"{node.place.path} must have groups, rows_per_group or both."
        reader.problems.add(node.place, message, fix="Write {groups: 3, rows_per_group: 2}.")
        return None
    return values


def _read_columns(reader: TreeReader, node: Node, known: Values) -> tuple[str, ...] | None:
    names = reader.listing(node, name_of)
    if names is None:
        return None
    if not names or len(set(names)) < len(names):
        reader.problems.add(node.place, f"{node.place.path} must be one or more different columns.")
        return None
    columns: Container[str] | None = known["columns"]
    unknown = [name for name in names if columns is not None and name not in columns]
    for name in unknown:
        reader.problems.add(
            node.place, f"{node.place.path}: {name!r} is not one of the columns.{closest(name, known['columns'])}"
        )
    return None if unknown else tuple(names)


_NUMBERS = tuple(Key(name=name, read=read_count, schema=_COUNT) for name in CAPS_BY)
CAPS_OF_COLUMN = Part("caps by column", _NUMBERS, _make)
CAPS_OF_COLUMNS = Part(
    "caps by columns",
    (
        Key(
            name="columns",
            read=_read_columns,
            write=lambda names, _: list(names),
            schema=_NAMES,
            missing="Write columns: [A, B].",
        ),
        *_NUMBERS,
    ),
    _make,
)
CAPS_BY_SCHEMA = {
    "anyOf": [
        {"type": "object", "additionalProperties": CAPS_OF_COLUMN.schema(), "minProperties": 1},
        {"type": "array", "items": CAPS_OF_COLUMNS.schema(), "minItems": 1},
    ]
}


def read_caps_by(reader: TreeReader, node: Node, known: Values) -> dict[Any, Values] | None:
    """Read caps by column, as ``Persons.by`` takes them; the columns must be there where they are known."""
    if reader.nothing_to_read(node):
        return None
    if isinstance(node, Listing) and node.items:
        return _read_list(reader, node, known)
    if not isinstance(node, Mapping) or not node.items:
        message = f"{node.place.path} must name at least one column, got {describe_node(node)}."
        reader.problems.add(node.place, message, fix=_FIX)
        return None
    caps: dict[str, Values | None] = {}
    for name, item in node.items.items():
        caps[name] = CAPS_OF_COLUMN.read(reader, item)
        if known.get("columns") is not None and name not in known["columns"]:
            message = f"{node.keys[name].path} must be one of the columns.{closest(name, known['columns'])}"
            reader.problems.add(node.keys[name], message)
            caps[name] = None
    read = {name: each for name, each in caps.items() if each is not None}
    return read if len(read) == len(caps) else None


def _read_list(reader: TreeReader, node: Listing, known: Values) -> dict[Any, Values] | None:
    read: dict[Any, Values] = {}
    whole = True
    for item in node.items:
        caps = CAPS_OF_COLUMNS.read(reader, item, {"columns": known.get("columns")})
        if caps is None:
            whole = False
            continue
        names = tuple(sorted(caps["columns"]))
        if names in read:
            reader.problems.add(item.place, f"{item.place.path} names the columns of an earlier cap.")
            whole = False
        read[names] = {name: most for name, most in caps.items() if name != "columns"}
    return read if whole else None


def write_caps_by(by: Iterable[KeyCaps]) -> object:
    """Write caps by column as plain data; None where there are none."""
    caps = tuple(by)
    if any(each.columns[1:] for each in caps):
        return [CAPS_OF_COLUMNS.write(asdict(each)) for each in caps]
    return {each.columns[0]: CAPS_OF_COLUMN.write(asdict(each)) for each in caps} or None
