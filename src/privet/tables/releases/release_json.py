"""Releases as JSON, exactly: whole numbers as they are, fractions as "a/b", floats by their shortest decimal."""

import math
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
from privet.tables.releases.estimated import Estimated, EstimatedValue
from privet.tables.releases.json_text import agrees, check, fits, read_fraction, reading
from privet.tables.releases.release import Release
from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.statistic import GridColumn, Statistic

_VERSION = 1
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


def encode_release(release: Release) -> dict[str, Any]:
    """Write a release as plain values."""
    plan = release.plan
    return {
        "privet_release": _VERSION,
        "keys": list(release.keys),
        "groups": [[encode_value(key) for key in group] for group in release.groups],
        "contribution": attrs.asdict(plan.contribution),
        "aggregates": [[name, encode_value(aggregate)] for name, aggregate in plan.aggregates],
        "noise": [[list(part.names), part.noise.kind, str(part.noise.scale)] for part in plan.planned],
        "numbers": [[list(map(encode_value, row)) for row in numbers.tolist()] for numbers in release.numbers],
        "changes": [list(change) for change in release.changes],
        "ratios": [list(made) for made in release.ratios],
        "notes": list(release.notes),
        "estimates": [
            [each.name, encode_value(each.value), encode_release(cast("Release", each.histogram))]
            for each in release.estimates
        ],
    }


def decode_release(found: Any) -> Release:
    """Read a release from plain values; grids, distances and the loss follow from what was asked."""
    release = decode_level(found)
    if not release.plan.planned:
        raise InvalidError("Release.from_json: a release has numbers, and here are none.")
    return release


def decode_level(found: Any) -> Release:
    """Read a release, or a level of a roll-up that was not measured and has no numbers.

    What was made is written again and compared with what was read, so that no value is misread in silence.
    """
    if not isinstance(found, dict) or not agrees(found.get("privet_release"), _VERSION):
        raise InvalidError(f"Release.from_json reads what to_json wrote, in version {_VERSION}.")
    with reading("Release"):
        release = _decode_parts({"estimates": [], **found})
        check(agrees(found, encode_release(release)))
        if release.plan.planned:
            _try(release)
    return release


def _try(release: Release) -> None:
    """Compute what a reader will ask for, in the first group: what cannot be computed was not released."""
    release.loss.pure()
    first = attrs.evolve(
        release,
        groups=release.groups[:1],
        plan=attrs.evolve(release.plan, groups=1),
        numbers=tuple(numbers[:1] for numbers in release.numbers),
    )
    for name in first.names:
        first.errors(name)


def _decode_parts(found: dict[str, Any]) -> Release:
    aggregates = tuple((name, decode_value(item)) for name, item in found["aggregates"])
    asked = dict(aggregates)
    check(fits(aggregates, tuple[tuple[str, Aggregate], ...]) and len(asked) == len(aggregates))
    planned = []
    for names, kind, scale in found["noise"]:
        measured = asked[names[0]].measured()
        check(all(asked[name].measured() == measured for name in names))
        noise = Noise(kind=kind, scale=read_fraction(scale), grid=measured.grid)
        planned.append(NoisyNumbers(measured=measured, noise=noise, names=tuple(names)))
    read = [name for part in planned for name in part.names]
    check(
        not planned or (len(read) == len(asked) and set(read) == set(asked))
    )  # a level that was not measured has none
    plan = NoisePlan(
        aggregates=aggregates,
        contribution=Contribution(**found["contribution"]),
        groups=len(found["groups"]),
        planned=tuple(planned),
    )
    groups = tuple(tuple(map(decode_value, group)) for group in found["groups"])
    check(len(set(groups)) == len(groups) and all(isinstance(key, KEYS) for group in groups for key in group))
    keys, notes = tuple(found["keys"]), tuple(found["notes"])
    check(fits((keys, notes), tuple[tuple[str, ...], tuple[str, ...]]) and len(set(keys)) == len(keys))
    release = Release(
        keys=keys,
        groups=groups,
        plan=plan,
        numbers=tuple(_array(rows) for rows in found["numbers"]),
        notes=notes,
        estimates=tuple(_estimated(*parts) for parts in found["estimates"]),
    )
    check(len({*release.names, *keys}) == len(release.names) + len(keys))
    return _processed(release, found)


def _processed(release: Release, found: dict[str, Any]) -> Release:
    """Do again what was done to the release: what is refused there is refused here."""
    check(release.plan.planned or not (found["ratios"] or found["changes"]))
    for name, top, bottom in found["ratios"]:
        check(isinstance(name, str))
        release = release.ratio(name, top, bottom)
    for what, name in found["changes"]:
        check(what in ("nonnegative", "rounded") and isinstance(name, str))
        release = release.nonnegative(name) if what == "nonnegative" else release.rounded(name)
    return release


def _estimated(name: Any, value: Any, counts: Any) -> Estimated:
    read = decode_value(value)
    check(isinstance(name, str) and fits(read, EstimatedValue))
    return Estimated(name=name, value=read, histogram=decode_release(counts))


def _array(rows: list[list[Any]]) -> Array:
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
        check(made.bound_bins is not None and made.count <= len(made.bound_bins.labels))
