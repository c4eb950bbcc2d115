"""What the transformations of records by person share: who is a person, and an order that only records decide."""

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import Attribute

from privet.core.domain import VectorDomain
from privet.core.frames import Records, RecordsDomain
from privet.core.metric import IdentifierDistance
from privet.core.rows import INT_MAX, INT_MIN, Array
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.columns import present


def name(instance: object, attribute: "Attribute[str]", value: object) -> None:
    """Refuse what is not the name of a column."""
    if not isinstance(value, str):
        label = f"{type(instance).__name__}.{attribute.name}"
        raise WrongTypeError(f"{label} must be the name of a column, got {type(value).__name__}.")


def one_of(*choices: str) -> Callable[[object, "Attribute[Any]", object], None]:
    """Make a validator that refuses what is not one of a few words."""

    def check(instance: object, attribute: "Attribute[Any]", value: object) -> None:
        if value not in choices:
            words = ", ".join(map(repr, choices))
            raise InvalidError(f"{type(instance).__name__}.{attribute.name} must be one of {words}, got {value!r}.")

    return check


def by_person(unit: object, space: Space, person: str) -> RecordsDomain:
    """Return the domain of records that are measured by the person they belong to, or say what is there instead."""
    owner = type(unit).__name__
    if not isinstance(space.domain, RecordsDomain):
        raise MismatchError(f"{owner} reads records, got {type(space.domain).__name__}: start from pc.records(...).")
    if space.metric != IdentifierDistance(person):
        raise MismatchError(
            f"{owner} reads persons told apart by {person!r}, got the metric {space.metric!r}: "
            f"start from pc.persons({person!r}, ...)."
        )
    found = field_of(unit, space.domain, person)
    if found.kind is float or found.bounds is not None or not found.nullable:
        # each of these reads different persons as one: rounded, clamped, or filled with the same value
        raise MismatchError(
            f"{owner} needs identifiers that no two persons share, got {found.describe()}: "
            "read the identifier as str or int, nullable, without bounds."
        )
    return space.domain


def field_of(unit: object, domain: RecordsDomain, column: str) -> VectorDomain:
    """Return the domain of one column, or say that there is none of this name."""
    found = domain.column(column)
    if found is None:
        names = ", ".join(known for known, _ in domain.columns)
        raise MismatchError(f"{type(unit).__name__} needs a column named {column!r}, got the columns {names}.")
    return found


def identified(records: Records, person: str) -> Array:
    """Mark the records that belong to somebody: those whose identifier could be read.

    Null stands for whatever could not be read, and the ends of the 64-bit integers for all that lies beyond them: many
    persons may have become one there, so the records of all of them count for nobody.
    """
    values, null = present(records.columns[person])
    known = np.ones(len(values), dtype=bool) if null is None else ~null
    if values.dtype.kind == "i":
        known = known & (values != INT_MIN) & (values != INT_MAX)
    return known


def ranks(values: Array) -> Array:
    """Number the values of a column by their order, equal ones alike; NaN and then nulls come last."""
    plain, null = present(values)
    _, found = np.unique(plain, return_inverse=True)
    found = found.astype(np.int64)
    if plain.dtype.kind == "f":
        found[np.isnan(plain)] = len(plain)
    if null is not None:
        found[null] = len(plain) + 1
    return found


def contents(records: Records) -> list[Array]:
    """Number the values of every column, so that records can be put in an order of their own."""
    return [ranks(column) for column in records.columns.values()]


def people(person: Array) -> tuple[Array, Array]:
    """Sort records by person: give their positions, and where in them each person starts."""
    order = np.argsort(person, kind="stable")
    ranked = person[order]
    fresh = np.ones(len(ranked), dtype=bool)
    fresh[1:] = ranked[1:] != ranked[:-1]
    return order, np.flatnonzero(fresh)


def first_of_each(person: Array, keys: list[Array], rows: int) -> Array:
    """Return the positions of the first ``rows`` records of each person in the order of the keys, the first key first."""
    order = np.lexsort([*reversed(keys), person])
    ranked = person[order]
    fresh = np.ones(len(ranked), dtype=bool)
    fresh[1:] = ranked[1:] != ranked[:-1]
    started = np.flatnonzero(fresh)[np.cumsum(fresh) - 1]
    kept: Array = np.sort(order[np.arange(len(ranked)) - started < rows])
    return kept
