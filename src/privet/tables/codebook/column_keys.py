"""The keys of a column."""

from fractions import Fraction
from typing import Any

from attrs import evolve

from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook import scalars
from privet.tables.codebook.column import CodebookColumn, list_of
from privet.tables.codebook.kinds import ALIASES, find_kind, read_kind, refuse_kind, suggest_kind
from privet.tables.codebook.notation_keys import NOTATION, NOTATION_NAMES
from privet.tables.codebook.null_keys import (
    BOUNDS_SCHEMA,
    LIST,
    NUMBER,
    POLICY,
    read_bounds,
    read_listed,
    read_nulls,
    write_bounds,
    write_nulls,
)
from privet.tables.codebook.nulls import NullsDropped
from privet.tables.codebook.part import Key, Part, Values
from privet.tables.codebook.reader import TreeReader, name_of
from privet.tables.codebook.tree import OPEN, Mapping, Node, Scalar
from privet.tables.codebook.values import check_real_grid, read_length
from privet.tables.codebook.write import Typed, number_text
from privet.tables.columns import (
    DEFAULT_LENGTH,
    KINDS,
    LONGEST_TEXT,
    MOST_ROWS,
    Column,
    Kind,
    Notation,
)

_SHAPE = ("type", "bounds", "grid", "categories", "length")


def _read_kind(reader: TreeReader, node: Node, _: Values) -> Kind | None:
    value: object = reader.scalar(node, _kind_text)
    if value is None:
        return None
    kind = find_kind(value)
    if kind is None:
        reader.problems.add(node.place, refuse_kind(node.place.path, value), fix=suggest_kind(value))
    return kind


def _kind_text(label: str, node: Scalar) -> object:
    return node.value if isinstance(node.value, type) else scalars.text(label, node)


def _ask_kind(kind: Kind | None) -> list[str]:
    if kind is not None:
        return [f"type: {kind}"]
    return [
        f"type: {OPEN}  # {', '.join(KINDS[:-1])} or {KINDS[-1]}",
        "# bounds: [lower, upper], or categories: [a, b]",
    ]


def _ask_bounds(kind: Kind | None) -> list[str]:
    if kind in ("date", "timestamp"):
        return ["# bounds: [2024-01-01, 2024-12-31]"]
    hint = "; delete this line where it is an identifier or a code" if kind == "integer" else ""
    return [f"bounds: {OPEN}  # [lower, upper]{hint}"] if kind in ("integer", "real") else []


def _read_grid(reader: TreeReader, node: Node, known: Values) -> Fraction | None:
    def read(label: str, item: Scalar) -> Fraction | None:
        grid = scalars.grid(label, item)
        if known["type"] != "real":
            raise InvalidError(f"{label} is for real columns, got {known['type']} column.")
        return check_real_grid(label.removesuffix(".grid"), known.get("bounds"), grid)

    return reader.scalar(node, read)


def _write_grid(grid: Fraction, _: Values) -> object:
    exponent = grid.numerator.bit_length() - grid.denominator.bit_length()  # a power of two, as a codebook checks
    return number_text(grid) if -4 <= exponent <= 10 else Typed(f"2^{exponent}")


def _read_categories(reader: TreeReader, node: Node, known: Values) -> tuple[Any, ...] | None:
    values = read_listed(reader, node, known["type"])
    if values is None or known.get("bounds") is None:
        return values
    label = node.place.path.removesuffix(".categories")
    message = f"{label} takes bounds or categories, not both: a column of categories is not clamped."
    reader.problems.add(node.place, message)
    return None


def _read_length(reader: TreeReader, node: Node, known: Values) -> int | None:
    def read(label: str, item: Scalar) -> int:
        length = scalars.whole(label, item)
        return read_length(label.removesuffix(".length"), known["type"], known.get("categories"), length)

    return reader.scalar(node, read)


def _shape(values: Values) -> Column:
    return Column(kind=values["type"], **{name: values[name] for name in _SHAPE[1:] if name in values})


def _read_most_items(reader: TreeReader, node: Node, _: Values) -> int | None:
    def read(label: str, item: Scalar) -> int:
        number = scalars.whole(label, item)
        if not 1 <= number <= MOST_ROWS:
            raise InvalidError(f"{label} must be from 1 to {MOST_ROWS:,}, got {number:,}.")
        return number

    return reader.scalar(node, read)


def _column(values: Values) -> Column:
    given = {name: values[name] for name in NOTATION_NAMES if name in values}
    item = evolve(_shape(values), notation=Notation(**given)) if given else _shape(values)
    return list_of(item, values["most_items"]) if "most_items" in values else item


def _make_column(reader: TreeReader, node: Mapping, values: Values) -> CodebookColumn | None:
    if values["type"] == "real" and "bounds" in values and "grid" not in values:
        label, bounds = node.place.path, values["bounds"]
        if reader.attempt(node.items["bounds"], lambda: check_real_grid(label, bounds, None)) is None:
            return None
    nulls, description = values.get("nulls", NullsDropped()), values.get("description", "")
    return reader.attempt(node, lambda: CodebookColumn(_column(values), nulls, description))


COLUMN = Part(
    "a column",
    (
        Key(
            name="type",
            read=_read_kind,
            template=_ask_kind,
            schema={"enum": [*KINDS, *ALIASES]},
            missing=f"Write one of {', '.join(KINDS)}.",
        ),
        Key(
            name="bounds",
            read=lambda reader, node, known: read_bounds(reader, node, known["type"]),
            write=lambda bounds, values: write_bounds(values["type"], bounds),
            template=_ask_bounds,
            schema=BOUNDS_SCHEMA,
            needs=("type",),
        ),
        Key(name="grid", read=_read_grid, write=_write_grid, schema=NUMBER, needs=("type", "bounds")),
        Key(
            name="categories",
            read=_read_categories,
            write=lambda categories, _: list(categories),
            template=lambda kind: (
                ["# categories: [a, b]  # where its values are publicly known"] if kind == "text" else []
            ),
            schema=LIST,
            needs=("type",),
        ),
        Key(
            name="length",
            read=_read_length,
            write=lambda length, values: length if values["categories"] is None and length != DEFAULT_LENGTH else None,
            template=lambda kind: (
                [f"# length: {DEFAULT_LENGTH}  # characters; longer texts are cut there"] if kind == "text" else []
            ),
            schema={"type": "integer", "minimum": 1, "maximum": LONGEST_TEXT},
            needs=("type", "categories"),
        ),
        *NOTATION,
        Key(
            name="most_items",
            read=_read_most_items,
            schema={"type": "integer", "minimum": 1, "maximum": MOST_ROWS},
            needs=("type",),
        ),
        Key(
            name="nulls",
            read=lambda reader, node, known: read_nulls(reader, node, _shape(known)),
            write=lambda nulls, values: write_nulls(nulls, values["type"]),
            schema=POLICY,
            needs=_SHAPE,
        ),
        Key(
            name="description",
            read=lambda reader, node, _: reader.scalar(node, name_of),
            write=lambda text, _: text or None,
            schema={"type": "string"},
        ),
    ),
    _make_column,
)


def read_column(reader: TreeReader, node: Node) -> CodebookColumn | None:
    """Read one column; None where it has a problem."""
    if not isinstance(node, Scalar) or node.open or node.missing:
        return COLUMN.read(reader, node)
    if not node.typed:
        return reader.attempt(node, lambda: _from_python(node))
    kind = f"{node.value} " if isinstance(node.value, str) and node.value in KINDS else ""
    fix = f"Write type: {kind}on a line of its own below it."
    reader.problems.add(node.place, f"{node.place.path} must have keys.", fix=fix)
    return None


def _from_python(node: Scalar) -> CodebookColumn:
    """Take what a person writes in Python for a column: one that is made already, or its type alone."""
    if isinstance(node.value, CodebookColumn):
        return node.value
    if isinstance(node.value, Column):
        return CodebookColumn(node.value)
    if not isinstance(node.value, str | type):
        raise WrongTypeError(
            f"{node.place.path} must be made by column(...), or be a dictionary such as {{'type': 'integer', "
            f"'bounds': (0, 120)}}, or a type such as int, got {type(node.value).__name__}."
        )
    return CodebookColumn(Column(kind=read_kind(node.place.path, node.value)))


def write_column(item: CodebookColumn) -> dict[str, object]:
    """Write one column as plain data."""
    column = item.column.values
    shape = {name: getattr(column, name) for name in _SHAPE[1:]}
    shape |= {name: getattr(column.notation, name) for name in NOTATION_NAMES}
    words = {"type": column.kind, **shape, "most_items": item.column.most}
    return COLUMN.write({**words, "nulls": item.nulls, "description": item.description})
