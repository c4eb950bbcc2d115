"""What the sampling units share: rows of any table, the steps between two tables, and random keys."""

from typing import Any, TypeAlias

import numpy as np
from attrs import evolve

from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain, Records, RecordsDomain
from privet.core.metric import HammingDistance, InsertDelete, Metric, SymmetricDistance
from privet.core.rows import Array
from privet.core.space import Space
from privet.errors import MismatchError
from privet.noise import current
from privet.transforms.columns import replaced

Table: TypeAlias = VectorDomain | MatrixDomain | RecordsDomain


def table(unit: object, space: Space) -> Table:
    """Return the domain of a column, a matrix or records, or say what is there instead."""
    name = type(unit).__name__
    if not isinstance(space.domain, VectorDomain | MatrixDomain | RecordsDomain):
        raise MismatchError(f"{name} reads rows, got {type(space.domain).__name__}: start from pc.vector(...).")
    if not isinstance(space.metric, SymmetricDistance | HammingDistance | InsertDelete):
        raise MismatchError(
            f"{name} reads records, got the metric {type(space.metric).__name__}: use SymmetricDistance."
        )
    return space.domain


def sized(unit: object, space: Space, hint: str) -> tuple[VectorDomain | MatrixDomain, int]:
    """Return the domain of a table of public size, and that size, or say how to come by one."""
    domain = table(unit, space)
    if isinstance(domain, RecordsDomain) or domain.size is None:
        raise MismatchError(f"{type(unit).__name__} needs a public size: {hint}.")
    return domain, domain.size


def with_size(domain: Table, size: int | None, metric: Metric) -> Space:
    """Return the space of tables that are like these but for their size and metric."""
    if isinstance(domain, RecordsDomain):  # which never has a size
        return Space(domain, metric)
    ordered = isinstance(metric, HammingDistance) or (isinstance(metric, InsertDelete) and size is not None)
    return Space(evolve(domain, size=size, ordered=ordered), metric)


def size_of(domain: Table) -> int | None:
    """Return the public size, or None where it is private."""
    return None if isinstance(domain, RecordsDomain) else domain.size


def rows_changed(space: Space, d_in: int) -> int:
    """Count the additions and removals that lead from one table to the other; a replacement is two."""
    swaps = replaced(space, d_in)
    return d_in if swaps is None else 2 * swaps


def take(value: Any, rows: Array) -> Any:
    """Return some of the rows, by index or by mask."""
    return value.take(rows) if isinstance(value, Records) else value[rows]


def distinct_keys(rows: int) -> Array:
    """Draw different random keys, one for each row; sorting by them is a uniformly random order.

    If two keys are equal all are drawn again, so that no tie is ever decided by position.
    """
    source = current()
    while True:
        keys = source.words(rows, np.uint64)
        ranked = np.sort(keys)
        if not np.any(ranked[1:] == ranked[:-1]):
            return keys
