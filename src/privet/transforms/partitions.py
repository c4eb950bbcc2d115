"""Helpers of the transformations to and from partitions: the part of a record, and the metric of the parts."""

from typing import Any

import numpy as np
from attrs import Attribute

from privet.core import (
    Array,
    InsertDelete,
    Metric,
    PartitionDistance,
    PartitionDomain,
    Records,
    Space,
    SymmetricDistance,
    VectorDomain,
)
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.categories import check_kind
from privet.transforms.columns import present
from privet.transforms.tables import table, with_size


def partition_space(unit: object, space: Space, parts: int) -> Space:
    """Return the space of partitions of a table: parts of the same kind and of private size."""
    domain = table(unit, space)
    metric = space.metric if isinstance(space.metric, InsertDelete) else SymmetricDistance()
    inner = with_size(domain, None, metric).domain
    return Space(PartitionDomain(parts=parts, inner=inner), PartitionDistance(metric))


def partition_metric(unit: object, space: Space) -> Metric:
    """Return the metric of the parts of a partition of records, or raise an error that names the actual one."""
    name = type(unit).__name__
    if not isinstance(space.domain, PartitionDomain) or not isinstance(space.metric, PartitionDistance):
        raise MismatchError(
            f"{name} reads a partition, got {space!r}: put PartitionByKey or PartitionRandomly before it."
        )
    if not isinstance(space.metric.inner, SymmetricDistance | InsertDelete):
        raise MismatchError(f"{name} reads parts made of records, got the metric {space.metric.inner!r}.")
    return space.metric.inner


def partition_of(unit: object, space: Space) -> PartitionDomain:
    """Return the domain of a partition of records, of one part or more."""
    partition_metric(unit, space)
    domain = space.domain
    if not isinstance(domain, PartitionDomain) or domain.parts < 1:
        raise MismatchError(f"{type(unit).__name__} reads a partition of one part or more.")
    return domain


def concatenate(parts: tuple[Any, ...]) -> Any:
    """Concatenate one or more data sets of the same kind."""
    if isinstance(parts[0], Records):
        return Records({name: concatenate(tuple(part.columns[name] for part in parts)) for name in parts[0].columns})
    if isinstance(parts[0], np.ma.MaskedArray):
        null = np.concatenate([np.ma.getmaskarray(part) for part in parts])
        return np.ma.MaskedArray(np.concatenate([part.data for part in parts]), mask=null)
    return np.concatenate(parts)


def as_tuple(value: object) -> Any:
    """Convert a list of any kind to a tuple; leave other values to the validator."""
    return tuple(value) if isinstance(value, list | tuple | range) else value


def one_or_more(value: object) -> tuple[Any, ...]:
    """Convert a list, or one value, to a tuple."""
    return tuple(value) if isinstance(value, list | tuple | range) else (value,)


def different_keys(instance: object, attribute: "Attribute[Any]", value: object) -> None:
    """Refuse anything but a list of different keys; None means the categories of the column."""
    if value is None:
        return
    label = f"{type(instance).__name__}.{attribute.name}"
    if not isinstance(value, tuple):
        raise WrongTypeError(f"{label} must be a list of values, got {type(value).__name__}.")
    try:
        different = len(set(value))
    except TypeError:
        raise WrongTypeError(f"{label} must be a list of plain values.") from None
    if not value or different != len(value):
        raise InvalidError(f"{label} must be different values, got {len(value)}.")


def keys_of(unit: object, keys: tuple[Any, ...] | None, column: VectorDomain) -> tuple[Any, ...]:
    """Return the public keys: the stated ones, or the categories of the column."""
    label, public = f"{type(unit).__name__}.categories", column.categories if keys is None else keys
    if public is None:
        raise MismatchError(f"{label} must be stated for a column without categories.")
    check_kind(label, public, column)
    return public


def places(column: Array, keys: tuple[Any, ...]) -> Array:
    """Return the position of each row's key; unknown and missing keys come after the last."""
    values, null = present(column)
    positions = {item: place for place, item in enumerate(keys)}
    rows = np.fromiter((positions.get(item, len(keys)) for item in values.tolist()), dtype=np.int64, count=len(values))
    if null is not None:
        rows[null] = len(keys)
    return rows
