"""Values as JSON, exactly: whole numbers as they are, fractions as "a/b", floats by their shortest decimal.

An aggregate is written with the name of its class and its fields. A file can name a class, but never loads one: the
classes that may be made are those of ``privet.tables.aggregates`` and those that the caller gives.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from fractions import Fraction
from functools import cache
from importlib import import_module
from itertools import pairwise
from pkgutil import iter_modules
from types import MappingProxyType, NoneType
from typing import Any, cast, get_type_hints

import attrs

import privet.tables.aggregates as package
from privet.errors import InvalidError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.histogram import Bins
from privet.tables.aggregates.top_k import TopColumn
from privet.tables.releases.json_text import check, fits, read_fraction
from privet.tables.statistics import GridColumn, Statistic

Classes = Mapping[str, type]
KEYS = (NoneType, bool, int, float, str, Fraction, date)
_PARTS = (Bins, GridColumn, Statistic)  # what aggregates are made of
_READERS: dict[str, Callable[[Any], object]] = {
    "fraction": read_fraction,
    "float": float,
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
}


@cache
def own_classes() -> Classes:
    """Give Privet's own aggregates and their parts by name: every final aggregate in ``privet.tables.aggregates``.

    >>> sorted(own_classes())[:3]
    ['Bins', 'ColumnsCorrelation', 'ColumnsCovariance']
    """
    modules = [import_module(f"{package.__name__}.{each.name}") for each in iter_modules(package.__path__)]
    aggregates = [
        item
        for module in modules
        for item in vars(module).values()
        if _is_aggregate(item) and item.__module__ == module.__name__
    ]
    return MappingProxyType({each.__name__: each for each in (*_PARTS, *aggregates)})


def known_classes(aggregates: Iterable[type[Aggregate]]) -> Classes:
    """Give the classes that may be made from a file: Privet's own, and those that the caller gives.

    Args:
        aggregates: Aggregates of one's own: concrete attrs classes derived from ``Aggregate``.
    """
    classes = dict(own_classes())
    for each in aggregates:
        if not _is_aggregate(each):
            raise WrongTypeError(
                f"Release.from_json: aggregates must be concrete attrs classes derived from Aggregate, got {each!r}."
            )
        classes[class_name(each)] = each
    return MappingProxyType(classes)


def class_name(kind: type) -> str:
    """Give the name under which a class is written: with its module unless it is one of Privet's own."""
    own = own_classes().get(kind.__name__) is kind
    return kind.__name__ if own else f"{kind.__module__}:{kind.__qualname__}"


def encode_value(value: object) -> Any:
    """Write one value."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, datetime):
        return {"timestamp": value.isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, tuple):
        return [encode_value(item) for item in value]
    if isinstance(value, _PARTS) or _is_aggregate(type(value)):
        fields = {item.name: encode_value(getattr(value, item.name)) for item in _fields(type(value)) if item.init}
        return {"class": class_name(type(value)), **fields}
    raise WrongTypeError(f"Release.to_json cannot write a {type(value).__name__}.")


def decode_value(value: object, classes: Classes | None = None) -> Any:
    """Read one value.

    Args:
        value: What ``encode_value`` wrote.
        classes: What may be made; Privet's own classes by default.
    """
    if isinstance(value, list):
        return tuple(decode_value(item, classes) for item in value)
    if not isinstance(value, dict):
        return value
    for name, read in _READERS.items():
        if set(value) == {name}:
            return read(value[name])
    return _decode_object(dict(value), own_classes() if classes is None else classes)


def _decode_object(value: dict[str, Any], classes: Classes) -> Any:
    name = value.pop("class", None)
    if not isinstance(name, str) or name not in classes:  # nothing else is ever made from a file
        raise InvalidError(
            f"Release.from_json: there is no aggregate {str(name)[:80]!r}. Hand the class of an aggregate of your own "
            "over: Release.from_json(text, aggregates=[...])."
        )
    kind = classes[name]
    made = kind(**{key: decode_value(item, classes) for key, item in value.items()})
    hints = _hints(kind)
    check(all(fits(getattr(made, item.name), hints[item.name]) for item in _fields(kind)))
    _check_sizes(made)
    return made


def _is_aggregate(kind: object) -> bool:
    concrete = isinstance(kind, type) and issubclass(kind, Aggregate) and not inspect.isabstract(kind)
    return concrete and attrs.has(cast("type", kind))


def _fields(kind: type) -> tuple["attrs.Attribute[Any]", ...]:
    return tuple(attrs.fields(cast("Any", kind)))


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Give the types of the fields, also where a module writes its annotations as texts."""
    if not any(isinstance(item.type, str) for item in _fields(kind)):
        return {item.name: item.type for item in _fields(kind)}
    try:
        return get_type_hints(kind)
    except NameError:
        raise InvalidError(
            f"Release.from_json: the annotations of {kind.__qualname__} name types that its module does not import."
        ) from None


def _check_sizes(made: object) -> None:
    """Refuse values that would take for ever to compute, or that mean nothing."""
    if isinstance(made, GridColumn):
        check(made.grid > 0 and made.low <= made.high)
    if isinstance(made, Bins):
        statistic, edges = made.statistic, made.statistic.edges
        check(made.labels and statistic.length == len(made.labels) and statistic.kind in ("bins", "categories"))
        check(all(low < high for low, high in pairwise(edges)) and len(statistic.columns) == 1)
    bins = getattr(made, "bound_bins", None)
    if isinstance(bins, Bins):
        check(bins.statistic.columns == (getattr(made, "column", None),))
    if isinstance(made, TopColumn):
        check(made.bound_bins is not None and made.count <= len(made.bound_bins.labels))
