"""Releases as JSON: what was asked, the noise and the noisy numbers; everything else follows from them."""

from collections.abc import Iterable
from typing import Any, cast

import attrs
import numpy as np

from privet.core.rows import Array
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise
from privet.tables.noise.plan import Named, NoisePlan, NoisyNumbers
from privet.tables.releases.estimated import Estimated, EstimatedValue
from privet.tables.releases.json_text import agrees, check, fits, read_fraction, reading
from privet.tables.releases.release import Release
from privet.tables.releases.value_json import KEYS, Classes, decode_value, encode_value, known_classes, own_classes
from privet.tables.statistics.contribution import Contribution

_VERSION = 1


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


def decode_release(found: Any, aggregates: Iterable[type[Aggregate]] = ()) -> Release:
    """Read a release from plain values; grids, distances and the loss follow from what was asked.

    Args:
        found: What ``encode_release`` wrote.
        aggregates: Aggregates of one's own that the release may hold.
    """
    release = _decode(found, known_classes(aggregates))
    _check_measured(release)
    return release


def decode_level(found: Any) -> Release:
    """Read a release, or a level of a roll-up that was not measured and has no numbers."""
    return _decode(found, own_classes())


def _check_measured(release: Release) -> None:
    if not release.plan.planned:
        raise InvalidError("Release.from_json: a release has numbers, and here are none.")


def _decode(found: Any, classes: Classes) -> Release:
    """Read a release. It is written again and compared with what was read, so that no value is misread in silence."""
    if not isinstance(found, dict) or not agrees(found.get("privet_release"), _VERSION):
        raise InvalidError(f"Release.from_json reads what to_json wrote, in version {_VERSION}.")
    with reading("Release"):
        release = _decode_parts({"estimates": [], **found}, classes)
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


def _decode_parts(found: dict[str, Any], classes: Classes) -> Release:
    groups = tuple(tuple(decode_value(key, classes) for key in group) for group in found["groups"])
    check(len(set(groups)) == len(groups) and all(isinstance(key, KEYS) for group in groups for key in group))
    keys, notes = tuple(found["keys"]), tuple(found["notes"])
    check(fits((keys, notes), tuple[tuple[str, ...], tuple[str, ...]]) and len(set(keys)) == len(keys))
    release = Release(
        keys=keys,
        groups=groups,
        plan=_decode_plan(found, len(groups), classes),
        numbers=tuple(_array(rows) for rows in found["numbers"]),
        notes=notes,
        estimates=tuple(_estimated(classes, *parts) for parts in found["estimates"]),
    )
    check(len({*release.names, *keys}) == len(release.names) + len(keys))
    return _processed(release, found)


def _decode_plan(found: dict[str, Any], groups: int, classes: Classes) -> NoisePlan:
    named = tuple((name, decode_value(item, classes)) for name, item in found["aggregates"])
    check(fits(named, tuple[tuple[str, Aggregate], ...]) and len(dict(named)) == len(named))
    return NoisePlan(
        aggregates=named,
        contribution=Contribution(**found["contribution"]),
        groups=groups,
        planned=_decode_noise(found["noise"], named),
    )


def _decode_noise(parts: Any, named: Named) -> tuple[NoisyNumbers, ...]:
    aggregates, planned = dict(named), []
    for names, kind, scale in parts:
        measured = aggregates[names[0]].measured()
        check(all(aggregates[name].measured() == measured for name in names))
        noise = Noise(kind=kind, scale=read_fraction(scale), grid=measured.grid)
        planned.append(NoisyNumbers(measured=measured, noise=noise, names=tuple(names)))
    readers = [name for part in planned for name in part.names]
    complete = len(readers) == len(aggregates) and set(readers) == set(aggregates)
    check(complete or not planned)  # a level that was not measured has no noise
    return tuple(planned)


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


def _estimated(classes: Classes, name: Any, value: Any, counts: Any) -> Estimated:
    read = decode_value(value)
    check(isinstance(name, str) and fits(read, EstimatedValue))
    histogram = _decode(counts, classes)
    _check_measured(histogram)
    return Estimated(name=name, value=read, histogram=histogram)


def _array(rows: list[list[Any]]) -> Array:
    read = [list(map(decode_value, row)) for row in rows]
    items = [item for row in read for item in row]
    check(all(type(item) in (int, float) for item in items))
    whole = all(type(item) is int for item in items)
    return np.array(read, dtype=np.int64 if whole else np.float64)
