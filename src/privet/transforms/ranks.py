"""Counts of the rows below and above each of many points, exact and without sorting all rows."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import Attribute

from privet.core import INT_MAX, INT_MIN, Array, VectorDomain, number, short
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.cleaning import all_readable

_FEW = 8  # for up to this many points, comparing every row with each of them is fastest
_CELLS = 2**15


def rows_around(values: Array, points: Array) -> tuple[Array, Array]:
    """Count the values below and above each point.

    A monotone function first assigns rows to cells, so that only rows in the cell of a point need a comparison.

    Args:
        values: Numbers without NaN.
        points: Increasing finite numbers of the same type.

    >>> [part.tolist() for part in rows_around(np.array([1.0, 2.0, 2.0, 5.0]), np.array([0.0, 2.0]))]
    [[0, 1], [4, 1]]
    """
    if len(values) <= _CELLS:
        ordered = np.sort(values)
        upto = np.searchsorted(ordered, points, "right")
        return np.searchsorted(ordered, points, "left").astype(np.int64), (len(values) - upto).astype(np.int64)
    if len(points) <= _FEW:
        both = [(np.count_nonzero(values < point), np.count_nonzero(values > point)) for point in points]
        below, above = np.array(both, dtype=np.int64).T
        return below, above
    cell, cell_of_points = _cells(values, points), _cells(points, points)
    counts = np.bincount(cell, minlength=_CELLS)
    holds = np.zeros(_CELLS, dtype=bool)
    holds[cell_of_points] = True
    close = np.sort(values[holds[cell]])
    # all rows in the cells before the cell of a point lie below it
    before = np.concatenate([[0], np.cumsum(counts)])[cell_of_points]
    close_before = np.concatenate([[0], np.cumsum(np.where(holds, counts, 0))])[cell_of_points]
    below = before + np.searchsorted(close, points, "left") - close_before
    upto = before + np.searchsorted(close, points, "right") - close_before
    return below.astype(np.int64), (len(values) - upto).astype(np.int64)


def _cells(values: Array, points: Array) -> Array:
    """Assign numbers to cells. Every operation is monotone in floats too, so a lower cell means a smaller number."""
    low, high = float(points[0]), float(points[-1])
    scale = (_CELLS - 2) / max(high - low, np.finfo(np.float64).tiny * _CELLS)
    with np.errstate(over="ignore", invalid="ignore"):
        place = (values.astype(np.float64) - low) * scale
    return np.clip(np.nan_to_num(place, nan=0.0), 0, _CELLS - 1).astype(np.int32)


def number_list(value: Iterable[object]) -> tuple[Any, ...]:
    """Convert a field to a tuple of numbers; the validator refuses unreadable values."""
    try:
        return tuple(map(number, value))
    except TypeError:
        return ()


def listed(instance: object, attribute: "Attribute[Any]", value: tuple[Any, ...]) -> None:
    """Refuse anything but a non-empty list of numbers."""
    all_readable(instance, attribute, value)
    if not value:
        raise WrongTypeError(f"{type(instance).__name__}.{attribute.name} must be a list of one or more numbers.")


def rising(instance: object, attribute: "Attribute[Any]", value: tuple[Any, ...]) -> None:
    """Refuse anything but a non-empty list of increasing numbers."""
    listed(instance, attribute, value)
    for before, after in pairwise(value):
        if before >= after:
            label = f"{type(instance).__name__}.{attribute.name}"
            raise InvalidError(f"{label} must rise, got {short(before)} before {short(after)}.")


def points_of(unit: object, domain: VectorDomain, numbers: tuple[Fraction, ...]) -> Array:
    """Convert candidates to the type of the column: whole numbers, or the nearest floats."""
    name = type(unit).__name__
    if domain.kind is int:
        if not all(item.denominator == 1 and INT_MIN <= item <= INT_MAX for item in numbers):
            raise MismatchError(f"{name}.candidates must be whole numbers of 64 bits for a column of int.")
        return np.array([item.numerator for item in numbers], dtype=np.int64)
    if any(abs(item) > Fraction(np.finfo(np.float64).max.item()) for item in numbers):
        raise MismatchError(f"{name}.candidates must lie within the floats, up to about 1.8e308.")
    points = np.array([float(item) for item in numbers], dtype=np.float64)
    if bool((np.diff(points) <= 0).any()):
        raise MismatchError(f"{name}.candidates must differ as floats: some are closer than 2^-52 of each other.")
    return points
