"""Helpers of the sampling units: rows of any table, the number of changed rows, and a random key for each row."""

from typing import Any, TypeAlias

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
    ReplacementDistance,
    Space,
    SymmetricDistance,
    VectorDomain,
)
from privet.errors import MismatchError
from privet.noise import distinct_keys
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


def sized_table(unit: object, space: Space, hint: str) -> tuple[Table, int]:
    """Return the domain of a table of public size, and that size, or raise an error with a remedy."""
    domain = table(unit, space)
    if domain.size is None:
        raise MismatchError(f"{type(unit).__name__} needs a public size: {hint}.")
    return domain, domain.size


def with_size(domain: Table, size: int | None, metric: Metric) -> Space:
    """Return the space of such tables with another size and metric."""
    ordered = isinstance(metric, HammingDistance | InsertDelete) and size is not None
    return Space(evolve(domain, size=size, ordered=ordered), metric)


def without_size(domain: Table, space: Space) -> Space:
    """Return the space after rows were dropped: the size is private, and positions have changed."""
    if isinstance(space.metric, HammingDistance):
        return with_size(domain, None, InsertDelete())
    counted = SymmetricDistance() if isinstance(space.metric, ReplacementDistance) else space.metric
    return with_size(domain, None, counted)


def size_of(domain: Table) -> int | None:
    """Return the public size, or None if it is private."""
    return domain.size


def take(value: Records | Array, rows: Array) -> Any:
    """Select rows by index or by mask."""
    return value.take(rows) if isinstance(value, Records) else value[rows]


class KeyedTransformation(RandomTransformation):
    """A random transformation whose coins are different keys: it depends on the rows and on the order of their keys."""

    def coins(self, rows: int, space: Space) -> Array:
        """Draw a key for each row."""
        return distinct_keys(rows)
