"""Balls: move rows of numbers into a public ball, exactly, each row by itself."""

import math
import sys
from fractions import Fraction
from typing import Literal, final

import numpy as np
from attrs import frozen

from privet.core.rows import Array

_ROWS = 2**15  # rows that are moved at a time: few enough to need little memory
_HUGE = sys.float_info.max  # stands for infinity, which has no direction


@final
@frozen(kw_only=True)
class Norm:
    """A ball that contains every row.

    Args:
        order: 1 or 2.
        radius: Its radius.
        origin: Its centre, one number for each column.
    """

    order: Literal[1, 2]
    radius: Fraction
    origin: tuple[Fraction, ...]

    def holds(self, row: list[float]) -> bool:
        """Return whether a row of finite numbers lies in the ball, computed with fractions."""
        gaps = [abs(Fraction(item) - centre) for item, centre in zip(row, self.origin, strict=True)]
        return sum(gap**self.order for gap in gaps) <= self.radius**self.order


def into_ball(values: Array, norm: Norm, grid: Fraction) -> Array:
    """Move every row toward the centre until it lies in the ball, on the grid; a row with NaN becomes the centre.

    Floats propose a result and whole numbers check it. We add up a row column by column: the order in which numpy adds
    along an axis depends on the memory layout and on the number of rows.

    Args:
        values: One row for each record.
        norm: The ball; its centre lies on the grid.
        grid: The grid step of the results, a power of two.
    """
    moved = np.empty(values.shape)
    for start in range(0, len(values), _ROWS):
        moved[start : start + _ROWS] = _chunk_into_ball(values[start : start + _ROWS], norm, grid)
    return moved


def _chunk_into_ball(values: Array, norm: Norm, grid: Fraction) -> Array:
    centre = np.array([float(item) for item in norm.origin])
    columns = np.array(values.T, dtype=np.float64, order="C")  # a copy, one column behind the other
    steps = _scale_into_ball(columns, centre, norm, grid)
    limit = math.floor((norm.radius / grid) ** norm.order)
    for row in np.flatnonzero(~_surely_inside(steps, norm.order, limit)).tolist():
        steps[:, row] = _shrink([int(item) for item in steps[:, row]], norm.order, limit)
    steps *= float(grid)
    steps += centre[:, None]
    return np.asarray(steps.T)


def _scale_into_ball(columns: Array, centre: Array, norm: Norm, grid: Fraction) -> Array:
    """Scale the rows into the ball in float arithmetic; return their offsets from the centre in whole grid steps."""
    with np.errstate(all="ignore"):  # a value that overflows lies outside the ball
        gaps = np.clip(columns, -_HUGE, _HUGE, out=columns)
        gaps -= centre[:, None]
        np.clip(gaps, -_HUGE, _HUGE, out=gaps)
        gaps[:, np.isnan(gaps).any(axis=0)] = 0.0
        largest = np.abs(gaps).max(axis=0, initial=0.0)  # a maximum does not depend on the order
        parts = gaps / np.where(largest > 0, largest, 1.0)
        norms = _sizes(parts, norm.order)
        if norm.order == 2:
            np.sqrt(norms, out=norms)
        # rows so near the edge that floats cannot decide are left to the exact check: no row inside may change
        outside = largest * norms > float(norm.radius) * (1 + _margin(columns))
        inward = float(norm.radius / grid) * (1 - 16 * _margin(columns))  # then the exact check rarely changes a row
        parts *= inward / np.where(outside, norms, 1.0)
        gaps *= float(1 / grid)
        return np.trunc(np.where(outside, parts, gaps))


def _sizes(columns: Array, order: int) -> Array:
    """Add up the magnitudes, or the squares, of each row in a fixed order: column by column."""
    total = np.zeros(columns.shape[1])
    for column in columns:
        total += np.abs(column) if order == 1 else column * column
    return total


def _surely_inside(steps: Array, order: int, limit: int) -> Array:
    """For each row, return whether a float sum is below the limit by more than its rounding error."""
    return np.asarray(_sizes(steps, order) <= limit * (1 - _margin(steps)))


def _margin(columns: Array) -> float:
    """Return several times the relative error of a float sum over a row."""
    return float(len(columns) + 8) * 2.0**-50


def _shrink(steps: list[int], order: int, limit: int) -> list[int]:
    """Shrink a row slightly, by at least one grid step, until it lies in the ball."""
    while sum(abs(item) ** order for item in steps) > limit:
        steps = [(abs(item) * (2**44 - 1) >> 44) * (1 if item > 0 else -1) for item in steps]
    return steps
