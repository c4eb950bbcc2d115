"""Values of models as plain JSON, exactly: numbers, texts, arrays, fractions, losses, budgets and codebooks."""

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.approximate_concentrated import ApproximateConcentratedLoss
from privet.accounting.losses.concentrated import ConcentratedLoss
from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.planning.budget import ApproximateBudget, ConcentratedBudget, GaussianBudget, RenyiBudget
from privet.core import Array
from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.codebook import Codebook
from privet.tables.releases.json_text import check, read_fraction

LOSSES = (ApproximateLoss, ApproximateConcentratedLoss, ConcentratedLoss, GaussianLoss, LaplaceLoss, PureLoss)
BUDGETS = (ApproximateBudget, ConcentratedBudget, GaussianBudget, RenyiBudget)
_DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
MOST_ROOM = 2**26  # characters
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
Parts = Mapping[str, type[Any]]


def write_value(value: Any, parts: Parts, other: Callable[[Any], Any]) -> Any:
    """Write a value as JSON: texts, whole numbers and finite floats as they are, all else as a pair of kind and value.

    Args:
        value: The value.
        parts: Classes of attrs whose fields are written, by name.
        other: Writes values of further kinds, or refuses them.
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if not isinstance(value, (list, tuple, dict, np.ndarray)) and is_listing(value):
        value = list(value)
    if type(value) is float:
        return _write_float(value)
    if type(value) is list:
        return [write_value(item, parts, other) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return _write_numpy(value, parts, other)
    if isinstance(value, Codebook):
        return {"codebook": value.to_dict()}
    if type(value) in (Fraction, date, datetime):
        return {type(value).__name__.lower(): str(value) if type(value) is Fraction else value.isoformat()}
    if type(value) in (tuple, dict):
        listed = list(value.items()) if type(value) is dict else list(value)
        items = [list(item) for item in listed] if type(value) is dict else listed
        return {type(value).__name__: write_value(items, parts, other)}
    if parts.get(type(value).__name__) is type(value):
        fields = {
            each.name: getattr(value, each.name) for each in attrs.fields(parts[type(value).__name__]) if each.init
        }
        written = {name: write_value(item, parts, other) for name, item in fields.items()}
        return {"part": [type(value).__name__, written]}
    return other(value)


def is_listing(value: Any) -> bool:
    """Return whether a value lists others and has an order: a range, keys, a column of a frame."""
    sized = hasattr(value, "__iter__") and hasattr(value, "__len__")
    return sized and not isinstance(value, (str, bytes, Mapping, set, frozenset)) and not hasattr(value, "columns")


def read_value(data: Any, parts: Parts, other: Callable[[str, Any], Any]) -> Any:
    """Read what ``write_value`` wrote; nothing but plain values and the classes named here is made.

    Args:
        data: Plain values.
        parts: Classes of attrs that may be made, by name.
        other: Reads values of further kinds, or refuses them.
    """
    if isinstance(data, list):
        return [read_value(item, parts, other) for item in data]
    if not isinstance(data, dict):
        return data
    check(len(data) == 1)
    kind, inner = next(iter(data.items()))
    if kind == "float":
        return _WORDS[inner]
    if kind == "fraction":
        return read_fraction(inner)
    if kind == "codebook":
        return Codebook.from_dict(inner)
    if kind in ("date", "datetime"):
        return (date if kind == "date" else datetime).fromisoformat(inner)
    if kind == "tuple":
        return tuple(read_value(inner, parts, other))
    if kind == "dict":
        return {_key(name): item for name, item in read_value(inner, parts, other)}
    if kind == "array":
        return _read_array(inner, parts, other)
    if kind == "scalar":
        return _read_array(inner, parts, other)[()]
    if kind == "part":
        return _read_part(inner, parts, other)
    return other(kind, inner)


def room_of_texts(data: Any) -> int:
    """Return how many characters the arrays of texts in plain values need: each text has the room of the longest.

    Args:
        data: Plain values, of whatever form.
    """
    if isinstance(data, dict):
        array = data.get("array")
        if isinstance(array, list) and len(array) == 3 and array[0] == "U" and isinstance(array[2], list):
            lengths = [len(item) for item in array[2] if isinstance(item, str)]
            return len(lengths) * max(lengths, default=0)
        return sum(map(room_of_texts, data.values()))
    return sum(map(room_of_texts, data)) if isinstance(data, list) else 0


def refuse_value(value: Any) -> Any:
    """Refuse a value that has no exact form in JSON."""
    raise WrongTypeError(
        f"to_json cannot write a {type(value).__name__}. Give parameters as numbers, texts, lists, dictionaries, numpy "
        "arrays, budgets and codebooks."
    )


def _key(name: Any) -> Any:
    hash(name)
    return name


def _write_float(value: float) -> Any:
    if math.isfinite(value):
        return value
    return {"float": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}


def _write_numpy(value: Any, parts: Parts, other: Callable[[Any], Any]) -> Any:
    array = np.asarray(value)
    kind = array.dtype.name if array.dtype.isnative and array.dtype.name in _DTYPES else array.dtype.kind
    if kind not in (*_DTYPES, "U", "O"):
        return refuse_value(array)
    flat = [_plain(item) if kind in _DTYPES else write_value(item, parts, other) for item in array.ravel().tolist()]
    return {"scalar" if isinstance(value, np.generic) else "array": [kind, list(array.shape), flat]}


def _plain(item: Any) -> Any:
    """Write an item of an array of numbers; what is not finite is a word."""
    written = _write_float(item) if type(item) is float else item
    return written["float"] if isinstance(written, dict) else written


def _read_array(data: Any, parts: Parts, other: Callable[[str, Any], Any]) -> Array:
    kind, shape, items = data
    check(kind in (*_DTYPES, "U", "O") and isinstance(shape, list) and isinstance(items, list))
    check(all(type(side) is int and side >= 0 for side in shape) and math.prod(shape) == len(items))
    if kind == "O":
        flat = np.empty(len(items), dtype=object)
        flat[:] = [read_value(item, parts, other) for item in items]
    elif kind == "U":
        check(all(type(item) is str for item in items))
        flat = np.array(items, dtype=str)
    else:
        floats = kind.startswith("float")
        expected: Any = float if floats else bool if kind == "bool" else int
        numbers = [_WORDS[item] if floats and isinstance(item, str) else item for item in items]
        check(all(type(item) is expected for item in numbers))
        flat = np.array(numbers, dtype=kind)
    return flat.reshape(shape)


def _read_part(data: Any, parts: Parts, other: Callable[[str, Any], Any]) -> Any:
    name, fields = data
    if not isinstance(name, str) or name not in parts:
        raise InvalidError(f"there is no part {str(name)[:40]!r} in this kind of model.")
    known = {each.name: each.alias for each in attrs.fields(parts[name]) if each.init}
    check(isinstance(fields, dict) and fields.keys() <= known.keys())
    return parts[name](**{str(known[key]): read_value(item, parts, other) for key, item in fields.items()})
