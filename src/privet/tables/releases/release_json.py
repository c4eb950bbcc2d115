"""Releases as JSON, exactly: whole numbers as they are, fractions as "a/b", floats by their shortest decimal."""

import math
from collections.abc import Sequence
from datetime import date, datetime
from fractions import Fraction
from importlib import import_module
from types import NoneType
from typing import Any, cast

import attrs
import numpy as np

from privet.core.rows import Array
from privet.errors import InvalidError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.bins import Bins
from privet.tables.aggregates.noise import Noise
from privet.tables.aggregates.top_k import TopColumn
from privet.tables.noise.plan import NoisePlan, NoisyNumbers
from privet.tables.releases.json_text import check, fits, read_fraction
from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.statistic import GridColumn, Statistic

Groups = tuple[tuple[Any, ...], ...]
KEYS = (NoneType, bool, int, float, str, Fraction, date)
_MODULES = {
    "ColumnsCorrelation": "correlation",
    "ColumnsCovariance": "covariance",
    "CountIds": "count_ids",
    "CountRows": "count",
    "DistinctColumn": "count_distinct",
    "HistogramColumn": "histogram",
    "MeanColumn": "mean",
    "QuantilesColumn": "quantile",
    "SharedColumn": "shared",
    "StandardDeviationColumn": "standard_deviation",
    "SumByPerson": "sum_by_person",
    "SumColumn": "sum",
    "TopColumn": "top_k",
    "VarianceColumn": "variance",
}


def encode_plan(plan: NoisePlan) -> dict[str, Any]:
    """Write a plan as plain values; grids and distances follow from the aggregates."""
    return {
        "contribution": attrs.asdict(plan.contribution),
        "aggregates": [[name, encode_value(aggregate)] for name, aggregate in plan.aggregates],
        "noise": [[list(part.names), part.noise.kind, str(part.noise.scale)] for part in plan.planned],
    }


def decode_plan(found: dict[str, Any], groups: int) -> NoisePlan:
    """Read a plan; a level of a roll-up that was not measured has no noise."""
    aggregates = tuple((name, decode_value(item)) for name, item in found["aggregates"])
    named = dict(aggregates)
    check(fits(aggregates, tuple[tuple[str, Aggregate], ...]) and len(named) == len(aggregates))
    planned = tuple(_decode_noise(named, *part) for part in found["noise"])
    read = [name for part in planned for name in part.names]
    check(not planned or (len(read) == len(named) and set(read) == set(named)))
    contribution = Contribution(**found["contribution"])
    return NoisePlan(aggregates=aggregates, contribution=contribution, groups=groups, planned=planned)


def _decode_noise(named: dict[str, Aggregate], names: list[str], kind: Any, scale: Any) -> NoisyNumbers:
    measured = named[names[0]].measured()
    check(all(named[name].measured() == measured for name in names))
    noise = Noise(kind=kind, scale=read_fraction(scale), grid=measured.grid)
    return NoisyNumbers(measured=measured, noise=noise, names=tuple(names))


def encode_groups(groups: Groups) -> list[list[Any]]:
    """Write group keys as plain values."""
    return [[encode_value(key) for key in group] for group in groups]


def decode_groups(found: Any, keys: Any, notes: Any) -> tuple[Groups, tuple[str, ...], tuple[str, ...]]:
    """Read groups, the names of their keys, and notes."""
    groups = tuple(tuple(map(decode_value, group)) for group in found)
    check(len(set(groups)) == len(groups) and all(isinstance(key, KEYS) for group in groups for key in group))
    check(fits((tuple(keys), tuple(notes)), tuple[tuple[str, ...], tuple[str, ...]]) and len(set(keys)) == len(keys))
    check(all(len(group) == len(keys) for group in groups))
    return groups, tuple(keys), tuple(notes)


def encode_arrays(numbers: Sequence[Array]) -> list[Any]:
    """Write arrays of numbers as lists."""
    return [[list(map(encode_value, row)) for row in each.tolist()] for each in numbers]


def decode_array(rows: list[list[Any]]) -> Array:
    """Read an array of numbers."""
    read = [list(map(decode_value, row)) for row in rows]
    items = [item for row in read for item in row]
    check(all(type(item) in (int, float) for item in items))
    whole = all(type(item) is int for item in items)
    return np.array(read, dtype=np.int64 if whole else np.float64)


def encode_value(value: Any) -> Any:
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
    if isinstance(value, Aggregate | GridColumn | Bins | Statistic) and attrs.has(type(value)):
        fields = {
            item.name: encode_value(getattr(value, item.name))
            for item in attrs.fields(cast("Any", type(value)))
            if item.init
        }
        return {"class": type(value).__name__, **fields}
    raise WrongTypeError(f"Release.to_json cannot write a {type(value).__name__}.")


def decode_value(value: Any) -> Any:
    """Read one value."""
    if isinstance(value, list):
        return tuple(map(decode_value, value))
    if not isinstance(value, dict):
        return value
    readers: dict[str, Any] = {
        "fraction": read_fraction,
        "float": float,
        "date": date.fromisoformat,
        "timestamp": datetime.fromisoformat,
    }
    for name, read in readers.items():
        if set(value) == {name}:
            return read(value[name])
    return _decode_object(dict(value))


def _decode_object(value: dict[str, Any]) -> Any:
    name = value.pop("class", None)
    plain: dict[Any, Any] = {"GridColumn": GridColumn, "Bins": Bins, "Statistic": Statistic}
    if not isinstance(name, str) or (name not in plain and name not in _MODULES):
        raise InvalidError(
            f"Release.from_json: there is no aggregate {name!r}."
        )  # nothing else is ever made from a file
    module = import_module(f"privet.tables.aggregates.{_MODULES[name]}") if name in _MODULES else None
    made = (plain[name] if module is None else getattr(module, name))(
        **{key: decode_value(item) for key, item in value.items()}
    )
    check(all(fits(getattr(made, item.name), item.type) for item in attrs.fields(type(made))))
    _check_sizes(made)
    return made


def _check_sizes(made: Any) -> None:
    """Refuse what would take for ever, or stand for nothing."""
    if isinstance(made, GridColumn):
        check(made.grid > 0 and made.low <= made.high)
    if isinstance(made, Bins):
        check(made.labels and made.statistic.length == len(made.labels))
    if isinstance(made, TopColumn):
        check(made.found is not None and made.count <= len(made.found.labels))
