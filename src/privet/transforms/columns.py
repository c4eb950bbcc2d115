"""Helpers of the transformations of columns: checks of their input, and the number of replaced rows."""

import numpy as np

from privet.core import Array, Bounds, HammingDistance, InsertDelete, Space, SymmetricDistance, VectorDomain
from privet.errors import MismatchError


def column(unit: object, space: Space) -> VectorDomain:
    """Return the domain of a column of records, or raise an error that names the actual one."""
    name = type(unit).__name__
    if not isinstance(space.domain, VectorDomain):
        raise MismatchError(
            f"{name} reads a column of records, got {type(space.domain).__name__}: start from pc.vector(...)."
        )
    if not isinstance(space.metric, SymmetricDistance | HammingDistance | InsertDelete):
        raise MismatchError(
            f"{name} reads records, got the metric {type(space.metric).__name__}: use SymmetricDistance."
        )
    return space.domain


def bounded_column(unit: object, space: Space) -> tuple[VectorDomain, Bounds]:
    """Return the domain and the bounds of a column of numbers."""
    domain = column(unit, space)
    if domain.kind not in (int, float):
        hint = ": read it with pc.vector(int, bounds=(0, 1))" if domain.kind is bool else ""
        raise MismatchError(f"{type(unit).__name__} reads numbers, got a column of {domain.kind.__name__}{hint}.")
    if domain.bounds is None:
        raise MismatchError(
            f"{type(unit).__name__} needs bounded input, got a column without bounds: "
            "put Clamp(bounds=(lower, upper)) before it."
        )
    return domain, domain.bounds


def replaced(space: Space, d_in: int) -> int | None:
    """Return the number of replaced records for a public size, or None if rows are added and removed."""
    if isinstance(space.metric, HammingDistance):
        return d_in
    sized = getattr(space.domain, "size", None) is not None
    # A replacement is one removal and one addition, so columns of equal size are an even distance apart. We round an
    # odd distance up: padding and cutting turn one row more or less into a replacement, and we charge for it.
    return (d_in + 1) // 2 if sized else None


def positions_count(space: Space) -> bool:
    """Return whether the metric depends on the order of rows."""
    return isinstance(space.metric, HammingDistance | InsertDelete)


def present(value: Array) -> tuple[Array, Array | None]:
    """Split a column into plain values and a null mask (None without nulls)."""
    if not isinstance(value, np.ma.MaskedArray):
        return value, None
    mask = np.ma.getmask(value)
    return value.data, None if mask is np.ma.nomask else np.asarray(mask)
