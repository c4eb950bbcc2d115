"""Helpers of the transformations of columns: checks of their input, the number of changed rows, and missing values."""

import numpy as np

from privet.core import (
    Array,
    Bounds,
    HammingDistance,
    InsertDelete,
    ReplacementDistance,
    Space,
    SymmetricDistance,
    VectorDomain,
    short,
)
from privet.errors import MismatchError


def check_records(unit: object, space: Space) -> None:
    """Refuse a metric that does not count rows."""
    if not isinstance(space.metric, SymmetricDistance | HammingDistance | InsertDelete | ReplacementDistance):
        raise MismatchError(
            f"{type(unit).__name__} reads records, got the metric {type(space.metric).__name__}: use SymmetricDistance."
        )


def column(unit: object, space: Space) -> VectorDomain:
    """Return the domain of a column of records, or raise an error that names the actual one."""
    if not isinstance(space.domain, VectorDomain):
        raise MismatchError(
            f"{type(unit).__name__} reads a column of records, got {type(space.domain).__name__}: "
            "start from pc.vector(...)."
        )
    check_records(unit, space)
    return space.domain


def numeric_column(unit: object, space: Space, remedy: str = "") -> VectorDomain:
    """Return the domain of a column of numbers, with or without bounds."""
    domain = column(unit, space)
    if domain.kind not in (int, float):
        raise MismatchError(f"{type(unit).__name__} reads numbers, got a column of {domain.kind.__name__}{remedy}.")
    return domain


def bounded_column(unit: object, space: Space) -> tuple[VectorDomain, Bounds]:
    """Return the domain and the bounds of a column of numbers."""
    of_bits = column(unit, space).kind is bool
    domain = numeric_column(unit, space, ": read it with pc.vector(int, bounds=(0, 1))" if of_bits else "")
    if domain.bounds is None:
        lacks = "without bounds" if domain.sides is None else f"with a bound on one side only, {short(domain.sides)}"
        raise MismatchError(
            f"{type(unit).__name__} needs bounded input, got a column {lacks}: "
            "put Clamp(bounds=(lower, upper)) before it."
        )
    return domain, domain.bounds


def replaced(space: Space, d_in: int) -> int | None:
    """Return the number of replaced records for a public size, or None if rows are added and removed."""
    if isinstance(space.metric, HammingDistance | ReplacementDistance):
        return d_in
    sized = getattr(space.domain, "size", None) is not None
    # A replacement is one removal and one addition, so columns of equal size are an even distance apart. We round an
    # odd distance up: padding and cutting turn one row more or less into a replacement, and we charge for it.
    return (d_in + 1) // 2 if sized else None


def records_changed(space: Space, d_in: int) -> int:
    """Return the number of records that differ between two tables; a replacement counts one."""
    swaps = replaced(space, d_in)
    return d_in if swaps is None else swaps


def rows_changed(space: Space, d_in: int) -> int:
    """Return the number of additions and removals between two tables; a replacement counts two."""
    swaps = replaced(space, d_in)
    return d_in if swaps is None else 2 * swaps


def positions_count(space: Space) -> bool:
    """Return whether the metric depends on the order of rows."""
    return isinstance(space.metric, HammingDistance | InsertDelete)


def present(value: Array) -> tuple[Array, Array | None]:
    """Split a column into plain values and a null mask (None without nulls)."""
    if not isinstance(value, np.ma.MaskedArray):
        return value, None
    mask = np.ma.getmask(value)
    return value.data, None if mask is np.ma.nomask else np.asarray(mask)


def missing(value: Array) -> Array:
    """Mark nulls and NaN: rows of a column, cells of a matrix."""
    values, mask = present(value)
    null = np.zeros(values.shape, dtype=bool) if mask is None else mask
    return null | np.isnan(values) if values.dtype.kind == "f" else null


def seen(value: Array) -> Array:
    """Return the values of a column without nulls and NaN."""
    values, null = present(value)
    if null is not None:
        values = values[~null]
    if values.dtype.kind != "f":
        return values
    nan = np.isnan(values)
    return values[~nan] if nan.any() else values
