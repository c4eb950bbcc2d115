"""The keys that say how a text file is written."""

from collections.abc import Callable
from typing import Any

from attrs import fields

from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook import scalars
from privet.tables.codebook.part import Key, Part, Values
from privet.tables.codebook.reader import TreeReader, name_of
from privet.tables.codebook.tree import Mapping, Node, Scalar
from privet.tables.columns import ENCODINGS, INVALID, PLAIN_FILE, RECORDS, FileForm, read_encoding

_CHARACTER = {"type": "string", "maxLength": 1}


def _text(label: str, node: Scalar) -> str:
    if node.missing or not isinstance(node.value, str):
        raise WrongTypeError(f"{label} must be text in quotes.")
    return node.value


def _count(label: str, node: Scalar) -> int:
    value = scalars.whole(label, node)
    if value < 0:
        raise InvalidError(f"{label} must not be below zero.")
    return value


def _one(read: Callable[[str, Scalar], Any], name: str) -> Callable[[TreeReader, Node, Values], Any]:
    """Read one value and check it by itself, at its place."""

    def read_key(reader: TreeReader, node: Node, _: Values) -> Any:
        value = reader.scalar(node, read)
        if value is None:
            return None
        made = reader.attempt(node, lambda: FileForm(**{name: value}))
        return None if made is None else getattr(made, name)

    return read_key


def _read_names(reader: TreeReader, node: Node, _: Values) -> tuple[str, ...] | None:
    names = reader.listing(node, name_of)
    made = None if names is None else reader.attempt(node, lambda: FileForm(names=tuple(names)))
    return None if made is None else made.names


def _make(reader: TreeReader, node: Mapping, values: Values) -> FileForm | None:
    return reader.attempt(node, lambda: FileForm(**values))


FILE: Part[FileForm] = Part(
    "a file",
    (
        Key(
            name="encoding",
            read=_one(lambda label, node: read_encoding(scalars.text(label, node)), "encoding"),
            schema={"type": "string", "examples": list(ENCODINGS[:4])},
        ),
        Key(name="invalid", read=_one(scalars.text, "invalid"), schema={"enum": list(INVALID)}),
        Key(name="delimiter", read=_one(_text, "delimiter"), schema=_CHARACTER),
        Key(name="quote", read=_one(_text, "quote"), schema=_CHARACTER),
        Key(name="records", read=_one(scalars.text, "records"), schema={"enum": list(RECORDS)}),
        Key(
            name="names",
            read=_read_names,
            write=lambda names, _: list(names),
            schema={"type": "array", "items": {"type": "string"}},
        ),
        Key(name="skip", read=_one(_count, "skip"), schema={"type": "integer", "minimum": 0}),
        Key(name="comment", read=_one(_text, "comment"), schema=_CHARACTER),
    ),
    _make,
)


def read_file_form(reader: TreeReader, node: Node, _: Values) -> FileForm | None:
    """Read how a file is written; in Python also one that is made already."""
    if isinstance(node, Scalar) and isinstance(node.value, FileForm):
        return node.value
    return FILE.read(reader, node)


def write_file_form(form: FileForm, _: Values) -> object:
    """Write what is not as by default."""
    values = {each.name: getattr(form, each.name) for each in fields(FileForm)}
    return FILE.write({name: value for name, value in values.items() if value != getattr(PLAIN_FILE, name)}) or None
