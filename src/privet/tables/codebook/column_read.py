"""Reading one column of a codebook from its tree."""

from typing import Any

from attrs import evolve

from privet.errors import InvalidError
from privet.tables.codebook import scalars as scalars
from privet.tables.codebook.column import CodebookColumn, check_column
from privet.tables.codebook.nulls import (
    NullPolicy,
    NullsAsCategory,
    NullsDrawn,
    NullsDrawnFromCategories,
    NullsDropped,
    NullsReplaced,
)
from privet.tables.codebook.problem import closest
from privet.tables.codebook.reader import CodebookReader, name_of
from privet.tables.codebook.tree import Listing, Mapping, Node, Scalar, described
from privet.tables.codebook.values import check_real_grid, read_categories, read_column_bounds, read_length
from privet.tables.columns.column import KINDS, Column, Kind

KEYS = ("type", "bounds", "grid", "categories", "length", "nulls", "missing", "format", "description")
_OTHER_NAMES = {
    "int": "integer",
    "bigint": "integer",
    "int64": "integer",
    "float": "real",
    "double": "real",
    "number": "real",
    "decimal": "real",
    "bool": "boolean",
    "str": "text",
    "string": "text",
    "varchar": "text",
    "datetime": "timestamp",
}
_SHAPES = ("bounds", "grid", "categories", "length")
_NO_CATEGORY = "; for a group of nulls write nulls: category, for that text put it in quotes"
_NULLS = "drop, category, {value: X}, {impute: uniform} or {impute: categories}"


def read_column(node: Node, path: str, reader: CodebookReader) -> CodebookColumn | None:
    """Read one column; None where it has a problem."""
    before = len(reader.problems.found)
    if isinstance(node, Scalar) and not node.open and not node.missing:
        reader.problems.add(
            node, f"{path} must have keys: write type: {_kind_hint(node)}on a line of its own below it."
        )
        return None
    found = reader.keys(node, path, "a column", KEYS)
    if isinstance(node, Mapping) and "type" not in found:
        reader.problems.add(node, f"{path}.type is missing: one of {', '.join(KINDS)}.")
    kind = reader.scalar(found.get("type"), f"{path}.type", _kind)
    description = reader.scalar(found.get("description"), f"{path}.description", name_of)
    if kind is None:
        return None
    plain = _column(kind, found, path, reader)
    column = None if plain is None else _as_written(plain, found, path, reader)
    if column is None:
        if "nulls" in found:
            reader.settled(found["nulls"], f"{path}.nulls")
        return None
    nulls = _nulls(found["nulls"], f"{path}.nulls", column, reader) if "nulls" in found else NullsDropped()
    if nulls is None or len(reader.problems.found) > before:
        return None
    return reader.attempt(node, lambda: CodebookColumn(column, nulls, description or ""))


def _kind_hint(node: Scalar) -> str:
    return f"{node.value} " if node.value in KINDS else ""


def _kind(label: str, node: Scalar) -> Kind:
    text = scalars.text(label, node)
    for kind in KINDS:
        if text == kind:
            return kind
    other = _OTHER_NAMES.get(text.lower())
    hint = f" Did you mean {other}?" if other else closest(text, KINDS)
    raise InvalidError(f"{label} must be one of {', '.join(KINDS)}, got {text[:40]!r}.{hint}")


def _column(kind: Kind, found: dict[str, Any], path: str, reader: CodebookReader) -> Column | None:
    before = len(reader.problems.found)
    bounds = _bounds(found["bounds"], f"{path}.bounds", kind, reader) if "bounds" in found else None
    grid = reader.scalar(found.get("grid"), f"{path}.grid", scalars.grid)
    if grid is not None and kind != "real":
        reader.problems.add(found["grid"], f"{path}.grid is for real columns, got {kind} column.")
    elif kind == "real" and len(reader.problems.found) == before:
        place = found.get("grid", found.get("bounds"))
        if place is not None:
            reader.attempt(place, lambda: check_real_grid(path, bounds, grid))
    categories = _categories(found["categories"], f"{path}.categories", kind, reader) if "categories" in found else None
    length = reader.scalar(found.get("length"), f"{path}.length", scalars.whole)
    if length is not None:
        length = reader.attempt(found["length"], lambda: read_length(path, kind, found.get("categories"), length))
    if len(reader.problems.found) > before or any(_hidden(found, name) for name in _SHAPES):
        return None
    made = Column(kind=kind, bounds=bounds, grid=grid, categories=categories, length=length)
    last = found.get("categories", found.get("bounds"))
    if (
        last is not None
        and reader.attempt(last, lambda: check_column(path, made)) is None
        and (len(reader.problems.found) > before)
    ):
        return None
    return made


def _as_written(column: Column, found: dict[str, Any], path: str, reader: CodebookReader) -> Column | None:
    """Add how a source writes the values: markers of missing ones, and the format of dates."""
    if "missing" in found:
        markers = reader.listing(found["missing"], f"{path}.missing", scalars.text)
        if markers is None:
            return None
        changed = reader.attempt(found["missing"], lambda: evolve(column, missing=tuple(markers)))
        return None if changed is None else _formatted(changed, found, path, reader)
    return _formatted(column, found, path, reader)


def _formatted(column: Column, found: dict[str, Any], path: str, reader: CodebookReader) -> Column | None:
    if "format" not in found:
        return column
    written = reader.scalar(found["format"], f"{path}.format", scalars.text)
    if written is None:
        return None
    return reader.attempt(found["format"], lambda: evolve(column, format=written))


def _hidden(found: dict[str, Any], name: str) -> bool:
    """Tell whether a key is there of which a problem was noted before."""
    return name in found and not isinstance(found[name], Mapping | Listing | Scalar)


def _bounds(node: Node, path: str, kind: Kind, reader: CodebookReader) -> Any:
    if reader.settled(node, path):
        return None
    pair = _named_bounds(node, path, reader) if isinstance(node, Mapping) else node
    if pair is None:
        return None
    if not isinstance(pair, Listing) or len(pair.items) != 2:
        got = f"a list of {len(pair.items)}" if isinstance(pair, Listing) else described(pair)
        reader.problems.add(node, f"{path} must be a pair [lower, upper], got {got}.")
        return None
    if kind not in ("integer", "real", "date", "timestamp"):
        reader.attempt(node, lambda: read_column_bounds(path, kind, None))
        return None
    ends = reader.listing(pair, path, lambda label, item: _end(label, kind, item))
    return None if ends is None else reader.attempt(node, lambda: read_column_bounds(path, kind, ends))


def _named_bounds(node: Mapping, path: str, reader: CodebookReader) -> Node | None:
    """Read {lower: ..., upper: ...} as the pair."""
    found = reader.keys(node, path, "bounds", ("lower", "upper"))
    for name in ("lower", "upper"):
        if name not in found:
            reader.problems.add(node, f"{path}.{name} is missing: write [lower, upper].")
    return Listing((found["lower"], found["upper"]), node.line, node.position) if len(found) == 2 else None


def _end(label: str, kind: Kind, node: Scalar) -> Any:
    if node.missing:
        raise InvalidError(f"{label} must be a finite bound, got nothing.")
    if kind in ("date", "timestamp"):
        return scalars.value_of(label, kind, node)
    return scalars.number(label, node)


def _categories(node: Node, path: str, kind: Kind, reader: CodebookReader) -> Any:
    if kind not in ("integer", "text", "boolean"):
        reader.attempt(node, lambda: read_categories(path, kind, ()))
        return None
    values = reader.listing(node, path, lambda label, item: scalars.value_of(label, kind, item, _NO_CATEGORY))
    return None if values is None else reader.attempt(node, lambda: read_categories(path, kind, values))


def _nulls(node: Node, path: str, column: Column, reader: CodebookReader) -> NullPolicy | None:
    if reader.settled(node, path):
        return None
    policy: NullPolicy | None = None
    if isinstance(node, Scalar):
        words: dict[Any, NullPolicy] = {"drop": NullsDropped(), "category": NullsAsCategory()}
        policy = words.get(node.value) if isinstance(node.value, str) else None
        if policy is None:
            reader.problems.add(node, f"{path} must be {_NULLS}, got {described(node)}.")
    elif isinstance(node, Mapping):
        found = reader.keys(node, path, "a null policy", ("value", "impute"))
        if len(found) != 1 and len(node.items) == len(found):
            reader.problems.add(node, f"{path} must be one of {_NULLS}.")
        elif "value" in found:
            policy = _replaced(found["value"], f"{path}.value", column, reader)
        elif "impute" in found:
            policy = _imputed(found["impute"], f"{path}.impute", column, reader)
    else:
        reader.problems.add(node, f"{path} must be {_NULLS}, got {described(node)}.")
    if policy is None:
        return None
    return reader.attempt(node, lambda: policy.fitted(path, column))


def _replaced(node: Node, path: str, column: Column, reader: CodebookReader) -> NullPolicy | None:
    before = len(reader.problems.found)
    value = reader.scalar(node, path, lambda label, item: scalars.value_of(label, column.kind, item))
    if value is None or len(reader.problems.found) > before:
        return None
    return reader.attempt(node, lambda: NullsReplaced(value).fitted(path, column))


def _imputed(node: Node, path: str, column: Column, reader: CodebookReader) -> NullPolicy | None:
    if isinstance(node, Scalar):
        words: dict[Any, NullPolicy] = {"uniform": NullsDrawn(), "categories": NullsDrawnFromCategories()}
        policy = words.get(node.value) if isinstance(node.value, str) else None
        if policy is None and not reader.settled(node, path):
            reader.problems.add(node, f"{path} must be uniform or categories, got {described(node)}.")
        return policy
    found = reader.keys(node, path, "an imputation", ("uniform", "categories", "weights"))
    if not found:
        return None
    if "uniform" in found:
        for name in ("categories", "weights"):
            if name in found:
                reader.problems.add(found[name], f"{path}.{name} is not for uniform draws: write one or the other.")
        bounds = _bounds(found["uniform"], f"{path}.uniform", column.kind, reader)
        return None if bounds is None else NullsDrawn(bounds)
    categories = _drawn_from(found.get("categories"), f"{path}.categories", column, reader)
    weights = reader.listing(found["weights"], f"{path}.weights", scalars.number) if "weights" in found else None
    if ("categories" in found and categories is None) or ("weights" in found and weights is None):
        return None
    return NullsDrawnFromCategories(categories, weights)


def _drawn_from(node: Node | None, path: str, column: Column, reader: CodebookReader) -> Any:
    return None if node is None else _categories(node, path, column.kind, reader)
