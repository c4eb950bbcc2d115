"""The keys of the node ``impute``: the arguments of ``query.impute``, as a file writes them."""

from collections.abc import Callable
from typing import Any

from attrs import asdict, evolve

from privet.imputation.scheme import MajorityOfNeighbours, MeanOfNeighbours, NearestNeighbour, Scheme
from privet.imputation.smooth_calibration import Guess
from privet.tables.codebook.null_keys import VALUE
from privet.tables.codebook.part import Key, Part, Values
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Listing, Mapping, Node, Scalar
from privet.tables.files.values import (
    COUNT,
    NAMES,
    TEXT,
    by_name,
    each,
    read_names,
    read_plain,
    read_text,
    read_whole,
    write_value,
)
from privet.tables.files.written import Unwritable, Words
from privet.tables.nodes.impute_column import ImputeColumn

_SCHEMES: dict[str, Callable[..., Scheme]] = {
    "nearest": NearestNeighbour,
    "mean": MeanOfNeighbours,
    "majority": MajorityOfNeighbours,
}
_WEIGHT = {"anyOf": [COUNT, {"type": "array", "prefixItems": [{"enum": ["ordinal", "categorical"]}, COUNT]}]}
_FEATURES = {"anyOf": [NAMES, {"type": "object", "additionalProperties": _WEIGHT, "minProperties": 1}]}
_NO_SCHEME = "a file names the schemes {}; write yours in Python."


def _read_weight(reader: TreeReader, node: Node, known: Values) -> Any:
    """Read a weight, or a kind with a weight."""
    if not isinstance(node, Listing):
        return read_whole(reader, node, known)
    values: list[Any] | None = each(read_plain)(reader, node, known)
    return None if values is None else tuple(values)


def _read_features(reader: TreeReader, node: Node, known: Values) -> Any:
    read = by_name(_read_weight) if isinstance(node, Mapping) else read_names
    return read(reader, node, known)


def _make_guess(reader: TreeReader, node: Mapping, values: Values) -> Guess | None:
    return reader.attempt(node, lambda: Guess(**values))


def _make(reader: TreeReader, node: Mapping, values: Values) -> Values | None:
    """Put a scheme in the place of its name and its number of neighbours."""
    if "scheme" not in values:
        return values
    name, number = values["scheme"], values.get("k")
    if (name == "nearest") != (number is None):
        form = "no k, since the scheme nearest has one neighbour" if number else f"k for the scheme {name}"
        reader.problems.add(node.place, f"{node.place.path} must have {form}.")
        return None
    scheme = reader.attempt(node, lambda: _SCHEMES[name](**({} if number is None else {"k": number})))
    others = {each: value for each, value in values.items() if each not in ("scheme", "k")}
    return None if scheme is None else {**others, "scheme": scheme}


def _read_scheme(reader: TreeReader, node: Node, known: Values) -> str | None:
    name = read_text(reader, node, known)
    if name in _SCHEMES:
        return str(name)
    if isinstance(node, Scalar) and name is not None:
        reader.problems.add(node.place, f"{node.place.path} must be one of {', '.join(_SCHEMES)}, got {name!r}.")
    return None


GUESS: Part[Guess] = Part(
    "a guess", tuple(Key(name=name, read=read_whole, schema=COUNT) for name in ("incomplete", "changes")), _make_guess
)
IMPUTE: Part[Values] = Part(
    "an imputation",
    (
        Key(name="name", read=read_text, schema=TEXT, missing="Write name: COLUMN."),
        Key(name="by", read=_read_features, schema=_FEATURES),
        Key(name="within", read=_read_features, schema=_FEATURES),
        Key(name="k", read=read_whole, schema=COUNT),
        Key(name="scheme", read=_read_scheme, schema={"enum": list(_SCHEMES)}),
        Key(name="guess", read=GUESS.read, schema=GUESS.schema()),
        Key(name="default", read=read_plain, schema=VALUE),
    ),
    _make,
)
SQL_IMPUTE = evolve(IMPUTE, keys=(Key(name="table", read=read_text, schema=TEXT), *IMPUTE.keys))  # beside a statement


def write_impute(unit: ImputeColumn, _: Values) -> Words:
    """Write the arguments of ``query.impute``; caps, and whose nulls are a category, follow from the query."""
    words: Words = {name: write_value(getattr(unit, name)) for name in ("name", "by", "within") if getattr(unit, name)}
    if unit.scheme is not None:
        names = [name for name, kind in _SCHEMES.items() if type(unit.scheme) is kind]
        words["scheme"] = names[0] if names else Unwritable(_NO_SCHEME.format(", ".join(_SCHEMES)))
        words |= {"k": unit.scheme.k} if names and names[0] != "nearest" else {}
    if unit.guess is not None:
        words["guess"] = asdict(unit.guess)
    default = {} if unit.default_value is None else {"default": write_value(unit.default_value)}
    return IMPUTE.write({**words, **default})
