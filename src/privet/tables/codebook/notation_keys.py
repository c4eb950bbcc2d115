"""The keys that say how texts write values: of a column, and of all columns of a table."""

from collections.abc import Callable
from typing import Any

from privet.errors import WrongTypeError
from privet.tables.codebook import scalars
from privet.tables.codebook.part import Key, Values
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Listing, Node, Scalar
from privet.tables.codebook.write import Typed
from privet.tables.columns import CLEANINGS, DECIMALS, PERCENTS, THOUSANDS, Notation, check_words

_TEXTS = {"type": "array", "items": {"type": "string"}}
_MARKERS = {"type": "array", "items": {"type": ["string", "number"]}}
_FORMATS = {"anyOf": [{"type": "string"}, {**_TEXTS, "minItems": 1}]}
_CLEAN = {"enum": list(CLEANINGS)}


def _marker(label: str, node: Scalar) -> str:
    """Read a marker as typed: a text, or a number such as -999."""
    if type(node.value) in (int, float):
        return str(node.value)
    return scalars.text(label, node)


def _text(label: str, node: Scalar) -> str:
    """Read a text where no text is a value too: a space is a separator of thousands."""
    value = node.value
    if node.missing or not isinstance(value, str):
        raise WrongTypeError(f"{label} must be text in quotes.")
    return value


def _read_texts(name: str, item: Callable[[str, Scalar], str]) -> Callable[[TreeReader, Node, Values], Any]:
    def read(reader: TreeReader, node: Node, known: Values) -> tuple[str, ...] | None:
        texts = reader.listing(node, item)
        return None if texts is None else _fit(reader, node, known, name, tuple(texts))

    return read


def _read_one_or_more(name: str) -> Callable[[TreeReader, Node, Values], Any]:
    several = _read_texts(name, scalars.text)

    def read(reader: TreeReader, node: Node, known: Values) -> tuple[str, ...] | None:
        if isinstance(node, Listing):
            return several(reader, node, known)  # type: ignore[no-any-return]
        text = reader.scalar(node, scalars.text)
        return None if text is None else _fit(reader, node, known, name, (text,))

    return read


def _read_one(name: str) -> Callable[[TreeReader, Node, Values], Any]:
    def read(reader: TreeReader, node: Node, known: Values) -> Any:
        text = reader.scalar(node, _text)
        return None if text is None else _fit(reader, node, known, name, text)

    return read


def _fit(reader: TreeReader, node: Node, known: Values, name: str, value: Any) -> Any:
    """Check one key by itself, at its place; a table has no type, so its numbers are checked as those of a column."""
    kind = known.get("type", "text" if name == "missing" else "real")
    if name.endswith("_words"):  # those of one truth value; both are compared once both are read
        return reader.attempt(node, lambda: check_words(name, kind, value))
    taken = {"decimal": "," if value == "." else "."} if name == "thousands" else {}
    given: Any = {name: value, **taken}
    checked = reader.attempt(node, lambda: Notation(**given).check(kind, known.get("categories")))
    return None if checked is None else getattr(checked, name)


def _write_texts(texts: tuple[str, ...] | None, _: Values) -> object:
    return list(texts) if texts else None


def _write_missing(markers: tuple[str, ...], _: Values) -> object:
    return [Typed(each) if each.lstrip("-").isdecimal() and each.isascii() else each for each in markers]


def _write_one_or_more(texts: tuple[str, ...], _: Values) -> object:
    return texts[0] if len(texts) == 1 else _write_texts(texts, _)


def _mark(name: str, known: Any) -> Key:
    return Key(name=name, read=_read_one(name), schema={"enum": list(known)}, needs=("type",))


MISSING = Key(
    name="missing",
    read=_read_texts("missing", _marker),
    write=_write_missing,
    schema=_MARKERS,
    needs=("type", "categories"),
)
MARKS = (_mark("decimal", DECIMALS), _mark("thousands", THOUSANDS))
NOTATION: tuple[Key, ...] = (
    MISSING,
    Key(
        name="format",
        read=_read_one_or_more("format"),
        write=_write_one_or_more,
        schema=_FORMATS,
        needs=("type",),
    ),
    *MARKS,
    Key(
        name="currency", read=_read_texts("currency", scalars.text), write=_write_texts, schema=_TEXTS, needs=("type",)
    ),
    Key(name="percent", read=_read_one("percent"), schema={"enum": list(PERCENTS)}, needs=("type",)),
    *(
        Key(name=name, read=_read_texts(name, scalars.text), write=_write_texts, schema=_TEXTS, needs=("type",))
        for name in ("true_words", "false_words")
    ),
    Key(
        name="clean",
        read=_read_one_or_more("clean"),
        write=_write_one_or_more,
        schema={"anyOf": [_CLEAN, {"type": "array", "items": _CLEAN}]},
        needs=("type", "categories"),
    ),
)
NOTATION_NAMES: tuple[str, ...] = tuple(key.name for key in NOTATION)
