"""Helpers of the transformations of records by person: identifiers, and an order that depends on records only."""

import numpy as np

from privet.core import INT_MAX, INT_MIN, Array, IdentifierDistance, Records, RecordsDomain, Space, VectorDomain, is_a
from privet.errors import MismatchError
from privet.transforms.columns import present

column_name = is_a(str, "the name of a column")


def by_person(unit: object, space: Space, person: str) -> RecordsDomain:
    """Return the domain of records measured by persons, or raise an error that names the actual space."""
    label = type(unit).__name__
    if not isinstance(space.domain, RecordsDomain):
        raise MismatchError(f"{label} reads records, got {type(space.domain).__name__}: start from pc.records(...).")
    if space.metric != IdentifierDistance(person):
        raise MismatchError(
            f"{label} reads persons identified by {person!r}, got the metric {space.metric!r}: "
            f"start from pc.persons({person!r}, ...)."
        )
    identifier = field_of(unit, space.domain, person)
    clamped = identifier.bounds is not None or identifier.sides is not None
    if identifier.kind is float or clamped or not identifier.nullable:
        # rounding, clamping, or one replacement for all nulls would merge different persons
        raise MismatchError(
            f"{label} needs identifiers that no two persons share, got {identifier.describe()}: "
            "read the identifier as str or int, nullable, without bounds."
        )
    return space.domain


def field_of(unit: object, domain: RecordsDomain, column: str) -> VectorDomain:
    """Return the domain of one column, or raise an error if no column has this name."""
    column_domain = domain.column(column)
    if column_domain is None:
        names = ", ".join(known for known, _ in domain.columns)
        raise MismatchError(f"{type(unit).__name__} needs a column named {column!r}, got the columns {names}.")
    return column_domain


def has_identifier(records: Records, person: str) -> Array:
    """Mark the records of a person: those with a readable identifier.

    A null may stand for any unreadable identifier, and the ends of the 64-bit integers for all numbers beyond them.
    There many persons may have been merged, so none of these records belongs to a person.
    """
    values, null = present(records.columns[person])
    known = np.ones(len(values), dtype=bool) if null is None else ~null
    if values.dtype.kind == "i":
        known = known & (values != INT_MIN) & (values != INT_MAX)
    return known


def value_ranks(values: Array) -> Array:
    """Return the rank of each value of a column; equal values have the same rank, NaN and then nulls come last."""
    plain, null = present(values)
    _, inverse = np.unique(plain, return_inverse=True)
    numbers = inverse.astype(np.int64)
    if plain.dtype.kind == "f":
        numbers[np.isnan(plain)] = len(plain)
    if null is not None:
        numbers[null] = len(plain) + 1
    return numbers


def contents(records: Records) -> list[Array]:
    """Return the ranks of every column, so that records can be sorted by their contents."""
    return [value_ranks(column) for column in records.columns.values()]


def people(person: Array) -> tuple[Array, Array]:
    """Sort records by person; return their positions, and the start of each person among them."""
    order = np.argsort(person, kind="stable")
    ranked = person[order]
    fresh = np.ones(len(ranked), dtype=bool)
    fresh[1:] = ranked[1:] != ranked[:-1]
    return order, np.flatnonzero(fresh)


def first_of_each(person: Array, keys: list[Array], rows: int) -> Array:
    """Return the positions of each person's first ``rows`` records, sorted by the keys (the first key first)."""
    order = np.lexsort([*reversed(keys), person])
    ranked = person[order]
    fresh = np.ones(len(ranked), dtype=bool)
    fresh[1:] = ranked[1:] != ranked[:-1]
    starts = np.flatnonzero(fresh)[np.cumsum(fresh) - 1]
    positions: Array = np.sort(order[np.arange(len(ranked)) - starts < rows])
    return positions
