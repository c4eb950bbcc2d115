"""Helpers of the sampling units: rows of any table, the number of changed rows, and random keys."""

from typing import Any, TypeAlias

import numpy as np
from attrs import evolve

from privet.chains.transformation import RandomTransformation
from privet.core import (
    Array,
    HammingDistance,
    IdentifierDistance,
    InsertDelete,
    MatrixDomain,
    Metric,
    Records,
    RecordsDomain,
    Space,
    VectorDomain,
)
from privet.errors import MismatchError
from privet.noise import current
from privet.transforms.columns import check_records

Table: TypeAlias = VectorDomain | MatrixDomain | RecordsDomain


def table(unit: object, space: Space) -> Table:
    """Return the domain of a column, a matrix or records, or raise an error that names the actual one."""
    if not isinstance(space.domain, Table):
        raise MismatchError(
            f"{type(unit).__name__} reads rows, got {type(space.domain).__name__}: "
            "start from pc.vector(...), pc.matrix(...) or pc.records(...)."
        )
    check_records(unit, space)
    return space.domain


def table_or_persons(unit: object, space: Space) -> Table:
    """Return the domain of a table as ``table`` does, and of records whose neighbours differ in a person."""
    if isinstance(space.domain, RecordsDomain) and isinstance(space.metric, IdentifierDistance):
        return space.domain
    return table(unit, space)


def sized_table(unit: object, space: Space, hint: str) -> tuple[VectorDomain | MatrixDomain, int]:
    """Return the domain of a table of public size, and that size, or raise an error with a remedy."""
    domain = table(unit, space)
    if isinstance(domain, RecordsDomain) or domain.size is None:
        raise MismatchError(f"{type(unit).__name__} needs a public size: {hint}.")
    return domain, domain.size


def with_size(domain: Table, size: int | None, metric: Metric) -> Space:
    """Return the space of such tables with another size and metric."""
    if isinstance(domain, RecordsDomain):  # records never have a public size
        return Space(domain, metric)
    ordered = isinstance(metric, HammingDistance) or (isinstance(metric, InsertDelete) and size is not None)
    return Space(evolve(domain, size=size, ordered=ordered), metric)


def without_size(domain: Table, space: Space) -> Space:
    """Return the space after rows were dropped: the size is private, and positions have changed."""
    metric = InsertDelete() if isinstance(space.metric, HammingDistance) else space.metric
    return with_size(domain, None, metric)


def size_of(domain: Table) -> int | None:
    """Return the public size, or None if it is private."""
    return None if isinstance(domain, RecordsDomain) else domain.size


def take(value: Records | Array, rows: Array) -> Any:
    """Select rows by index or by mask."""
    return value.take(rows) if isinstance(value, Records) else value[rows]


class KeyedTransformation(RandomTransformation):
    """A random transformation whose coins are different keys: it depends on the rows and on the order of their keys."""

    def coins(self, rows: int, space: Space) -> Array:
        """Draw a key for each row."""
        return distinct_keys(rows)


def distinct_keys(rows: int) -> Array:
    """Draw different random keys, one for each row; sorting by them gives a uniformly random order.

    If two keys are equal, all keys are drawn again, so a position never decides a tie.
    """
    source = current()
    while True:
        keys = source.words(rows, np.uint64)
        ranked = np.sort(keys)
        if not np.any(ranked[1:] == ranked[:-1]):
            return keys
