"""Parts of releases as JSON: plans, groups and noisy numbers; everything else follows from them."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from privet.core import Array
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.noise.plan import NoisePlan, NoisyNumbers
from privet.tables.releases.json_text import check, fits, read_fraction
from privet.tables.releases.value_json import KEYS, Classes, decode_value, encode_value
from privet.tables.statistics import Contribution

Groups = tuple[tuple[Any, ...], ...]


def encode_plan(plan: NoisePlan) -> dict[str, Any]:
    """Write a plan as plain values; grids and distances follow from the aggregates."""
    return {
        "contribution": attrs.asdict(plan.contribution),
        "aggregates": [[name, encode_value(aggregate)] for name, aggregate in plan.aggregates],
        "noise": [[list(part.names), part.noise.kind, str(part.noise.scale)] for part in plan.planned],
    }


def decode_plan(data: dict[str, Any], groups: int, classes: Classes) -> NoisePlan:
    """Read a plan; a level of a roll-up that was not measured has no noise.

    Args:
        data: What ``encode_plan`` wrote.
        groups: The number of groups.
        classes: The classes of aggregates that may be made.
    """
    aggregates = tuple((name, decode_value(item, classes)) for name, item in data["aggregates"])
    named = dict(aggregates)
    check(fits(aggregates, tuple[tuple[str, Aggregate], ...]) and len(named) == len(aggregates))
    planned = tuple(_decode_noise(named, *part) for part in data["noise"])
    read = [name for part in planned for name in part.names]
    check(not planned or (len(read) == len(named) and set(read) == set(named)))
    contribution = Contribution(**data["contribution"])
    return NoisePlan(aggregates=aggregates, contribution=contribution, groups=groups, planned=planned)


def _decode_noise(named: dict[str, Aggregate], names: list[str], kind: NoiseKind, scale: str) -> NoisyNumbers:
    measured = named[names[0]].measured()
    check(all(named[name].measured() == measured for name in names))
    noise = Noise(kind=kind, scale=read_fraction(scale), grid=measured.grid)
    return NoisyNumbers(measured=measured, noise=noise, names=tuple(names))


def encode_groups(groups: Groups) -> list[list[Any]]:
    """Write group keys as plain values."""
    return [[encode_value(key) for key in group] for group in groups]


def decode_groups(
    rows: list[list[object]], keys: list[str], notes: list[str]
) -> tuple[Groups, tuple[str, ...], tuple[str, ...]]:
    """Read groups, the names of their keys, and notes."""
    groups = tuple(tuple(map(decode_value, group)) for group in rows)
    check(len(set(groups)) == len(groups) and all(isinstance(key, KEYS) for group in groups for key in group))
    check(fits((tuple(keys), tuple(notes)), tuple[tuple[str, ...], tuple[str, ...]]) and len(set(keys)) == len(keys))
    check(all(len(group) == len(keys) for group in groups))
    return groups, tuple(keys), tuple(notes)


def encode_arrays(numbers: Sequence[Array]) -> list[Any]:
    """Write arrays of numbers as lists."""
    return [[list(map(encode_value, row)) for row in each.tolist()] for each in numbers]


def decode_numbers(data: Sequence[list[list[Any]]], plan: NoisePlan) -> tuple[Array, ...]:
    """Read the numbers of a plan; without groups there are none, and their number in a group follows from the plan."""
    if plan.groups == 0:
        check(list(data) == [[]] * len(plan.planned))
        return tuple(np.zeros((0, part.measured.length), dtype=np.int64) for part in plan.planned)
    return tuple(map(decode_array, data))


def decode_array(rows: list[list[Any]]) -> Array:
    """Read an array of numbers."""
    read = [list(map(decode_value, row)) for row in rows]
    items = [item for row in read for item in row]
    check(all(type(item) in (int, float) for item in items))
    whole = all(type(item) is int for item in items)
    return np.array(read, dtype=np.int64 if whole else np.float64)
