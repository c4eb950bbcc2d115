"""The keys of a null policy."""

import re
from typing import Any

from privet.errors import InvalidError
from privet.tables.codebook import scalars
from privet.tables.codebook.nulls import (
    NullPolicy,
    NullsAsCategory,
    NullsDrawn,
    NullsDrawnFromCategories,
    NullsDrawnFromGaussian,
    NullsDropped,
    NullsReplaced,
)
from privet.tables.codebook.part import Key, Part, Values, make_one
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Listing, Mapping, Node, Scalar, describe_node
from privet.tables.codebook.values import read_categories, read_column_bounds
from privet.tables.codebook.write import Typed, number_text
from privet.tables.columns import ORDERED, Bounds, Column, Kind, write_moment

NUMBER = {"type": ["number", "string"]}
VALUE = {"type": ["number", "string", "boolean"]}
LIST = {"type": "array", "items": VALUE, "minItems": 1}
PAIR = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
_WORDS: dict[object, NullPolicy] = {"drop": NullsDropped(), "category": NullsAsCategory()}
_DRAWS: dict[object, NullPolicy] = {"uniform": NullsDrawn(), "categories": NullsDrawnFromCategories()}
_LAW_KEYS = ("uniform", "gaussian", "categories")
_LAWS = (*map(str, _DRAWS), "{gaussian: {shift: M, scale: S}}")
POLICIES = (*map(str, _WORDS), "{value: X}", *(f"{{impute: {law}}}" for law in _LAWS))
"""All null policies as one types them in a file; every message takes its list from here."""
_NO_CATEGORY = "; for a group of nulls write nulls: category, for that text put it in quotes"


def _one_of(forms: tuple[str, ...]) -> str:
    return f"{', '.join(forms[:-1])} or {forms[-1]}"


def write_value(kind: Kind, value: Any) -> object:
    """Write a value of a column as plain data: dates and times as text, numbers exactly."""
    if kind in ("date", "timestamp"):
        return Typed(write_moment(kind, value))
    return number_text(value) if not isinstance(value, int | str) else value


def write_bounds(kind: Kind, bounds: Bounds) -> list[object]:
    """Write a pair of bounds."""
    return [write_value(kind, end) for end in bounds]


def _end(label: str, kind: Kind, node: Scalar) -> Any:
    if node.missing:
        raise InvalidError(f"{label} must be a finite bound, got nothing.")
    return scalars.value_of(label, kind, node) if kind in ("date", "timestamp") else scalars.number(label, node)


BOUNDS = Part(
    "bounds",
    (
        Key(name="lower", read=lambda _, node, __: node, schema=NUMBER, missing="Write [lower, upper]."),
        Key(name="upper", read=lambda _, node, __: node, schema=NUMBER, missing="Write [lower, upper]."),
    ),
    lambda _, node, ends: Listing((ends["lower"], ends["upper"]), node.place),
)


BOUNDS_SCHEMA = {"anyOf": [PAIR, BOUNDS.schema()]}


def read_bounds(reader: TreeReader, node: Node, kind: Kind) -> Bounds | None:
    """Read a pair of bounds, or {lower: ..., upper: ...}."""
    if reader.nothing_to_read(node):
        return None
    pair = BOUNDS.read(reader, node) if isinstance(node, Mapping) else node
    path = node.place.path
    if pair is None:
        return None
    if not isinstance(pair, Listing) or len(pair.items) != 2:
        got = f"a list of {len(pair.items)}" if isinstance(pair, Listing) else describe_node(pair)
        reader.problems.add(node.place, f"{path} must be a pair [lower, upper], got {got}.")
        return None
    ends: Any = reader.listing(pair, lambda label, item: _end(label, kind, item)) if kind in ORDERED else ()
    return None if ends is None else reader.attempt(node, lambda: read_column_bounds(path, kind, ends))


def read_listed(reader: TreeReader, node: Node, kind: Kind) -> tuple[Any, ...] | None:
    """Read a list of categories."""
    path = node.place.path
    if kind not in ("integer", "text", "boolean"):
        return reader.attempt(node, lambda: read_categories(path, kind, ()))
    values = reader.listing(node, lambda label, item: scalars.value_of(label, kind, item, _NO_CATEGORY))
    return None if values is None else reader.attempt(node, lambda: read_categories(path, kind, values))


def _make_draw(reader: TreeReader, node: Mapping, values: Values) -> NullPolicy | None:
    if not values:
        keys = _one_of(_LAW_KEYS)
        reader.problems.add(node.place, f"{node.place.path} must have one of the keys {keys}, got no keys.")
        return None
    law = next((name for name in ("uniform", "gaussian") if name in values), None)
    if law is None:
        return NullsDrawnFromCategories(values.get("categories"), values.get("weights"))
    for name in values:
        if name != law:
            place = node.items[name].place
            reader.problems.add(place, f"{place.path} is not for {law} draws.", fix="Write one or the other.")
    policy: NullPolicy = NullsDrawn(values["uniform"]) if law == "uniform" else values["gaussian"]
    return policy


def _read_number(reader: TreeReader, node: Node, _: Values) -> Any:
    return reader.scalar(node, scalars.number)


GAUSSIAN: Part[NullPolicy] = Part(
    "a normal law",
    tuple(
        Key(
            name=name,
            read=_read_number,
            write=lambda value, _: number_text(value),
            schema=NUMBER,
            missing="Write gaussian: {shift: 40, scale: 10}.",
        )
        for name in ("shift", "scale")
    ),
    lambda _, __, values: NullsDrawnFromGaussian(values["shift"], values["scale"]),
)

DRAW = Part(
    "an imputation",
    (
        Key(
            name="uniform",
            read=lambda reader, node, known: read_bounds(reader, node, known["column"].kind),
            write=lambda bounds, values: write_bounds(values["kind"], bounds),
            schema=BOUNDS_SCHEMA,
        ),
        Key(
            name="gaussian",
            read=GAUSSIAN.read,
            write=lambda law, _: GAUSSIAN.write({"shift": law.shift, "scale": law.scale}),
            schema=GAUSSIAN.schema(),
        ),
        Key(
            name="categories",
            read=lambda reader, node, known: read_listed(reader, node, known["column"].kind),
            write=lambda categories, _: list(categories),
            schema=LIST,
        ),
        Key(
            name="weights",
            read=lambda reader, node, _: reader.listing(node, scalars.number),
            write=lambda weights, _: [number_text(weight) for weight in weights],
            schema={"type": "array", "items": NUMBER},
        ),
    ),
    _make_draw,
)


def _read_draw(reader: TreeReader, node: Node, known: Values) -> NullPolicy | None:
    if not isinstance(node, Scalar):
        return DRAW.read(reader, node, known)
    if reader.nothing_to_read(node):
        return None
    policy = _DRAWS.get(node.value) if isinstance(node.value, str) else None
    if policy is None:
        reader.problems.add(node.place, f"{node.place.path} must be {_forms(node, _LAWS)}, got {describe_node(node)}.")
    return policy


def _write_draw(policy: NullsDrawn | NullsDrawnFromCategories | NullsDrawnFromGaussian, values: Values) -> object:
    if isinstance(policy, NullsDrawnFromGaussian):
        return DRAW.write({"gaussian": policy})
    if isinstance(policy, NullsDrawn):
        return DRAW.write({"uniform": policy.bounds, "kind": values["kind"]}) or "uniform"
    return DRAW.write({"categories": policy.categories, "weights": policy.weights}) or "categories"


def _read_stand_in(reader: TreeReader, node: Node, known: Values) -> NullPolicy | None:
    column: Column = known["column"]
    return reader.scalar(
        node, lambda label, item: NullsReplaced(scalars.value_of(label, column.kind, item)).fit(label, column)
    )


NULLS: Part[NullPolicy] = Part(
    "a null policy",
    (
        Key(
            name="value",
            read=_read_stand_in,
            write=lambda policy, values: write_value(values["kind"], policy.value),
            schema=VALUE,
        ),
        Key(
            name="impute",
            read=_read_draw,
            write=_write_draw,
            schema={"anyOf": [{"enum": list(_DRAWS)}, DRAW.schema()]},
        ),
    ),
    make_one(f"one of {_one_of(POLICIES)}"),
    one_of=("value", "impute"),
)
POLICY = {"anyOf": [{"enum": list(_WORDS)}, NULLS.schema()]}


def read_nulls(reader: TreeReader, node: Node, column: Column) -> NullPolicy | None:
    """Read the null policy of a column."""
    if reader.nothing_to_read(node):
        return None
    policy: NullPolicy | None
    if isinstance(node, Mapping):
        policy = NULLS.read(reader, node, {"column": column})
    elif isinstance(node, Scalar) and isinstance(node.value, NullPolicy):  # a dictionary of Python
        policy = node.value
    else:
        policy = _WORDS.get(node.value) if isinstance(node, Scalar) and isinstance(node.value, str) else None
        if policy is None:
            policies = _forms(node, POLICIES)
            reader.problems.add(node.place, f"{node.place.path} must be {policies}, got {describe_node(node)}.")
    return None if policy is None else reader.attempt(node, lambda: policy.fit(node.place.path, column))


def _forms(node: Node, forms: tuple[str, ...]) -> str:
    """List what one may type: as in a file, or with quotes around the words, as in Python."""
    in_python = isinstance(node, Scalar) and not node.typed
    return _one_of(tuple(re.sub("[a-z]+", r"'\g<0>'", form) for form in forms) if in_python else forms)


def write_nulls(policy: NullPolicy, kind: Kind) -> object:
    """Write a null policy as plain data; None for the default."""
    if isinstance(policy, NullsDropped):
        return None
    if isinstance(policy, NullsAsCategory):
        return "category"
    return NULLS.write({"value" if isinstance(policy, NullsReplaced) else "impute": policy, "kind": kind})
