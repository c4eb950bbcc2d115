"""Releases as JSON, exactly: whole numbers as they are, fractions as "a/b", floats by their shortest decimal."""

import json
import math
from datetime import date, datetime
from fractions import Fraction
from importlib import import_module
from typing import Any, cast

import attrs
import numpy as np

from privet.core.rows import Array
from privet.errors import Invalid, PrivetError, WrongType
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.bins import Bins
from privet.tables.aggregates.contribution import Contribution
from privet.tables.aggregates.noise import Noise
from privet.tables.aggregates.statistic import Statistic, Steps
from privet.tables.auto import Estimated
from privet.tables.noise.plan import NoisePlan, Planned
from privet.tables.release import Release

_VERSION = 1
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


def encode_release(release: Release) -> dict[str, Any]:
    """Write a release as plain values."""
    plan = release.plan
    return {
        "privet_release": _VERSION,
        "keys": list(release.keys),
        "groups": [[_encode(key) for key in group] for group in release.groups],
        "contribution": attrs.asdict(plan.contribution),
        "aggregates": [[name, _encode(aggregate)] for name, aggregate in plan.aggregates],
        "noise": [[list(part.names), part.noise.kind, str(part.noise.scale)] for part in plan.planned],
        "numbers": [[list(map(_encode, row)) for row in numbers.tolist()] for numbers in release.numbers],
        "changes": [list(change) for change in release.changes],
        "ratios": [list(made) for made in release.ratios],
        "notes": list(release.notes),
        "estimates": [[each.name, _encode(each.value), encode_release(each.histogram)] for each in release.estimates],
    }


def read_json(what: str, text: Any) -> Any:
    """Read a text as JSON."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        raise Invalid(f"{what}.from_json reads the text that to_json wrote; this is no JSON.") from None


def decode_release(found: Any) -> Release:
    """Read a release from plain values; grids, distances and the loss follow from what was asked."""
    if not isinstance(found, dict) or found.get("privet_release") != _VERSION:
        raise Invalid(f"Release.from_json reads what to_json wrote, in version {_VERSION}.")
    try:
        return _decode_parts(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, PrivetError):
            raise
        raise Invalid("Release.from_json: this was not written by to_json, or was changed since.") from None


def _decode_parts(found: dict[str, Any]) -> Release:
    aggregates = tuple((name, _decode(item)) for name, item in found["aggregates"])
    asked = dict(aggregates)
    planned = []
    for names, kind, scale in found["noise"]:
        measured = asked[names[0]].measured()
        noise = Noise(kind=kind, scale=Fraction(scale), grid=measured.grid)
        planned.append(Planned(measured=measured, noise=noise, names=tuple(names)))
    plan = NoisePlan(
        aggregates=aggregates,
        contribution=Contribution(**found["contribution"]),
        groups=len(found["groups"]),
        planned=tuple(planned),
    )
    return Release(
        keys=tuple(found["keys"]),
        groups=tuple(tuple(map(_decode, group)) for group in found["groups"]),
        plan=plan,
        numbers=tuple(_array(rows) for rows in found["numbers"]),
        changes=tuple((what, name) for what, name in found["changes"]),
        ratios=tuple((name, top, bottom) for name, top, bottom in found["ratios"]),
        notes=tuple(found["notes"]),
        estimates=tuple(
            Estimated(name=name, value=_decode(value), histogram=decode_release(counts))
            for name, value, counts in found.get("estimates", ())
        ),
    )


def _array(rows: list[list[Any]]) -> Array:
    read = [list(map(_decode, row)) for row in rows]
    whole = all(isinstance(item, int) for row in read for item in row)
    return np.array(read, dtype=np.int64 if whole else np.float64)


def _encode(value: Any) -> Any:
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
        return [_encode(item) for item in value]
    if isinstance(value, Aggregate | Steps | Bins | Statistic) and attrs.has(type(value)):
        fields = {
            item.name: _encode(getattr(value, item.name))
            for item in attrs.fields(cast("Any", type(value)))
            if item.init
        }
        return {"class": type(value).__name__, **fields}
    raise WrongType(f"Release.to_json cannot write a {type(value).__name__}.")


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_decode, value))
    if not isinstance(value, dict):
        return value
    readers: dict[str, Any] = {
        "fraction": Fraction,
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
    fields = {key: _decode(item) for key, item in value.items()}
    plain: dict[Any, Any] = {"Steps": Steps, "Bins": Bins, "Statistic": Statistic}
    if name in plain:
        return plain[name](**fields)
    if name not in _MODULES:  # nothing but our own aggregates is ever made from a file
        raise Invalid(f"Release.from_json: there is no aggregate {name!r}.")
    module = import_module(f"privet.tables.aggregates.{_MODULES[name]}")
    return getattr(module, name)(**fields)
