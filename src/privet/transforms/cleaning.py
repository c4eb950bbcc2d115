"""Helpers of the cleaning transformations: their input tables, missing values, and arguments for each column."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import Attribute, evolve

from privet.core import (
    Array,
    Bounds,
    MatrixDomain,
    RecordsDomain,
    Space,
    UnreadableValue,
    VectorDomain,
    bounds,
    number,
    readable,
)
from privet.errors import MismatchError, WrongTypeError
from privet.transforms.columns import bounded_column, missing, present
from privet.transforms.tables import table_or_persons


def column_or_matrix(unit: object, space: Space) -> VectorDomain | MatrixDomain:
    """Return the domain of a column or a matrix."""
    domain = table_or_persons(unit, space)
    if isinstance(domain, RecordsDomain):
        raise MismatchError(
            f"{type(unit).__name__} reads a column or a matrix, got records: put Select(columns=...) before it."
        )
    return domain


def bounded_numbers(unit: object, space: Space) -> tuple[VectorDomain | MatrixDomain, tuple[Bounds, ...], Fraction]:
    """Return the domain, the bounds of each column and the grid of a bounded column or matrix of numbers."""
    domain = column_or_matrix(unit, space)
    if isinstance(domain, VectorDomain):
        return domain, (bounded_column(unit, space)[1],), domain.step
    if domain.bounds is None or domain.grid is None:
        raise MismatchError(
            f"{type(unit).__name__} needs bounded input, got a matrix without bounds: put Clamp(bounds=...) before it."
        )
    return domain, domain.bounds, domain.grid


def ends_in_steps(limit: Bounds, grid: Fraction) -> tuple[int, int]:
    """Return the outermost grid points within bounds, in grid steps."""
    return math.ceil(limit[0] / grid), math.floor(limit[1] / grid)


def complete(domain: VectorDomain | MatrixDomain) -> VectorDomain | MatrixDomain:
    """Return the domain without missing values; an imputed row need not lie in the ball of a norm."""
    if isinstance(domain, VectorDomain):
        return evolve(domain, nullable=False, nan=False)
    return evolve(domain, nan=False, norm=None)


def put_steps(value: Array, steps: Sequence[Array], grid: Fraction) -> Array:
    """Replace missing values by whole numbers of grid steps, one array for each column."""
    null, values = missing(value), present(value)[0].copy()
    if values.ndim == 1:
        _put(values, steps[0], null, grid)
    else:
        for at, column_steps in enumerate(steps):
            _put(values[:, at], column_steps, null[:, at], grid)
    return values


def _put(values: Array, steps: Array, null: Array, grid: Fraction) -> None:
    whole = steps[null].astype(np.int64)
    # grid steps of reals stay below 2^53 and the grid is a power of two: the product is exact
    values[null] = whole if values.dtype.kind == "i" else whole.astype(np.float64) * float(grid)


def one_or_each(value: object) -> Fraction | tuple[Fraction, ...]:
    """Convert a field to one number, or to a tuple with one number for each column."""
    return tuple(map(number, value)) if isinstance(value, tuple | list) else number(value)


def all_readable(instance: object, attribute: "Attribute[Any]", value: object) -> None:
    """Refuse a value that its converter could not read, and a tuple with such an entry."""
    readable(instance, attribute, value)
    for at, item in enumerate(value if isinstance(value, tuple) else ()):
        if isinstance(item, UnreadableValue):
            item.read(f"{type(instance).__name__}.{attribute.name}[{at}]", item.value)


def for_each(label: str, value: Fraction | tuple[Fraction, ...], domain: VectorDomain | MatrixDomain) -> list[Fraction]:
    """Return one number for each column."""
    count = 1 if isinstance(domain, VectorDomain) else domain.columns
    if not isinstance(value, tuple):
        return [value] * count
    if isinstance(domain, VectorDomain):
        raise WrongTypeError(f"{label} must be one number for a column, got a list of {len(value)}.")
    if len(value) != count:
        raise WrongTypeError(
            f"{label} must be one number, or a list of {count}, one for each column; got {len(value)}."
        )
    return list(value)


def pair_or_pairs(value: object) -> Bounds | tuple[Bounds, ...]:
    """Convert a field to a pair (lower, upper), or to a tuple with one pair for each column."""
    if isinstance(value, tuple | list) and value and all(isinstance(item, tuple | list) for item in value):
        return tuple(map(bounds, value))
    return bounds(value)
