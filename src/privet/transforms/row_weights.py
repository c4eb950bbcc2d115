"""Helpers of the units that centre rows and move them into a ball: one row at a time, in a fixed order."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from attrs import evolve

from privet.core import EXACT_STEPS, Array, Space
from privet.errors import MismatchError
from privet.transforms import bounded_columns, matrix_domain

FINENESS = 16  # the grid step of centred rows is 2^-16 of the radius, rounded down to a power of two
_ROWS = 2**15  # rows at a time
_FARTHEST = Fraction(2) ** 300  # between its inverse and itself no square over- or underflows


def centred_grid(radius: Fraction) -> Fraction:
    """Return the largest power of two that is at most 2^-16 of a public length."""
    return Fraction(2) ** (_floor_log2(radius) - FINENESS)


def _floor_log2(value: Fraction) -> int:
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= value else exponent - 1


def centred_space(
    unit: object,
    space: Space,
    *,
    centre: tuple[Fraction, ...],
    radius: Fraction,
    intercept: Fraction,
    target: Fraction = Fraction(0),
) -> Space:
    """Return the space of rows of centred features, a constant and a target, or refuse what floats cannot hold."""
    bounds, _ = bounded_columns(unit, space)
    domain, name = matrix_domain(unit, space), type(unit).__name__
    if domain.columns != len(centre) + 1 or domain.nan:
        raise MismatchError(
            f"{name} reads rows without NaN of {len(centre)} features, one for each number of centre, and a target; "
            f"got {domain.describe()}."
        )
    largest = max(abs(item) for item in (*centre, target, *(end for pair in bounds for end in pair)))
    if largest > _FARTHEST or not 1 / _FARTHEST <= radius <= _FARTHEST:
        raise MismatchError(
            f"{name} needs bounds, a centre and a target of at most 2^300 and a radius between 2^-300 and 2^300: "
            "scale the columns first."
        )
    grid, shift = centred_grid(radius), Fraction(float(target))  # the number that is subtracted
    side, constant = _outward(radius, grid), _outward(intercept, grid)
    reach = _outward(max(abs(end - shift) for end in bounds[-1]), grid)
    if max(constant, reach) / grid >= EXACT_STEPS:
        raise MismatchError(
            f"{name} rounds to a grid of about 2^-16 of the radius, and a float holds fewer than 2^53 grid steps: "
            "take a larger radius, or scale the target or the intercept down."
        )
    limits = (*(((-side, side),) * len(centre)), (Fraction(0), constant), (-reach, reach))
    return Space(evolve(domain, columns=domain.columns + 1, bounds=limits, grid=grid, norm=None), space.metric)


def in_chunks(value: Array, make: Callable[[Array], Array]) -> Array:
    """Apply a row-by-row function to some rows at a time, so that it needs little memory."""
    first = make(value[:_ROWS])
    if len(value) <= _ROWS:
        return first
    made = np.empty((len(value), first.shape[1]))
    made[:_ROWS] = first
    for start in range(_ROWS, len(value), _ROWS):
        made[start : start + _ROWS] = make(value[start : start + _ROWS])
    return made


def centred(value: Array, centre: tuple[Fraction, ...], radius: Fraction) -> tuple[Array, Array]:
    """Return the offsets of the features from a centre, one column behind the other, and the weight of each row.

    The weight is the radius divided by the length of the offset, at most one. We add up column by column: a weight
    depends on its own row only.
    """
    middle = np.array([float(item) for item in centre])
    gaps = np.array(value[:, : len(centre)].T, dtype=np.float64, order="C")
    gaps -= middle[:, None]
    squares = np.zeros(gaps.shape[1])
    for gap in gaps:
        squares += gap * gap
    lengths = np.sqrt(squares)
    limit = float(radius)
    return gaps, np.where(lengths > limit, limit / np.where(lengths > limit, lengths, 1.0), 1.0)


def stacked(columns: Array, more: list[Array], grid: Fraction) -> Array:
    """Return rows of the columns and of more columns, rounded toward zero to the grid."""
    rows = np.empty((columns.shape[1], len(columns) + len(more)))
    for at, column in enumerate((*columns, *more)):
        rows[:, at] = np.trunc(column * float(1 / grid)) * float(grid)
    return rows


def _outward(value: Fraction, grid: Fraction) -> Fraction:
    """Round a magnitude up to the grid."""
    return math.ceil(value / grid) * grid
