"""Balls: rows of numbers moved into a public ball, exactly, each row by itself."""

import math
import sys
from fractions import Fraction
from typing import Literal, final

import numpy as np
from attrs import frozen

from privet.core.rows import Array

_HUGE = sys.float_info.max  # stands for infinity, which has no direction


@final
@frozen(kw_only=True)
class Norm:
    """A ball that every row lies in.

    Args:
        order: 1 or 2.
        radius: Its radius.
        origin: Its centre, one number for each column.
    """

    order: Literal[1, 2]
    radius: Fraction
    origin: tuple[Fraction, ...]

    def holds(self, row: list[float]) -> bool:
        """Tell, by fractions, whether a row of finite numbers lies in the ball."""
        gaps = [abs(Fraction(item) - centre) for item, centre in zip(row, self.origin, strict=True)]
        return sum(gap**self.order for gap in gaps) <= self.radius**self.order


def into_ball(values: Array, norm: Norm, grid: Fraction) -> Array:
    """Move every row toward the centre until it lies in the ball, on the grid; a row with NaN becomes the centre.

    Floats propose, whole numbers decide. Sums over a row are taken column by column: a sum along an axis adds up in
    an order that depends on the layout of the memory and on the number of rows.

    Args:
        values: One row for each record.
        norm: The ball; its centre lies on the grid.
        grid: A power of two, the step of the results.
    """
    centre = np.array([float(item) for item in norm.origin])
    columns = np.array(values.T, dtype=np.float64, order="C")  # a copy, one column behind the other
    steps = _scaled(columns, centre, norm, grid)
    limit = math.floor((norm.radius / grid) ** norm.order)
    for row in np.flatnonzero(~_surely_inside(steps, norm.order, limit)).tolist():
        steps[:, row] = _shrunk([int(item) for item in steps[:, row]], norm.order, limit)
    steps *= float(grid)
    steps += centre[:, None]
    return np.ascontiguousarray(steps.T)


def _scaled(columns: Array, centre: Array, norm: Norm, grid: Fraction) -> Array:
    """Give the rows, scaled into the ball as well as floats can, in whole steps away from its centre."""
    with np.errstate(all="ignore"):  # what overflows is outside the ball
        gaps = np.clip(columns, -_HUGE, _HUGE, out=columns)
        gaps -= centre[:, None]
        np.clip(gaps, -_HUGE, _HUGE, out=gaps)
        gaps[:, np.isnan(gaps).any(axis=0)] = 0.0
        largest = np.abs(gaps).max(axis=0, initial=0.0)  # a maximum is the same in every order
        parts = gaps / np.where(largest > 0, largest, 1.0)
        norms = _sizes(parts, norm.order)
        if norm.order == 2:
            np.sqrt(norms, out=norms)
        # rows that floats cannot tell from the edge are left to the exact check, so that none inside is changed
        outside = largest * norms > float(norm.radius) * (1 + _room(columns))
        inward = float(norm.radius / grid) * (1 - 16 * _room(columns))  # so that the exact check rarely has work to do
        parts *= inward / np.where(outside, norms, 1.0)
        gaps *= float(1 / grid)
        return np.trunc(np.where(outside, parts, gaps))


def _sizes(columns: Array, order: int) -> Array:
    """Add up the magnitudes, or the squares, of each row: one column after the other, whatever the rows."""
    total = np.zeros(columns.shape[1])
    for column in columns:
        total += np.abs(column) if order == 1 else column * column
    return total


def _surely_inside(steps: Array, order: int, limit: int) -> Array:
    """Tell for each row whether a float sum, with room for all its rounding, is below the limit."""
    return np.asarray(_sizes(steps, order) <= limit * (1 - _room(steps)))


def _room(columns: Array) -> float:
    """Give several times the relative error of a float sum over a row."""
    return float(len(columns) + 8) * 2.0**-50


def _shrunk(steps: list[int], order: int, limit: int) -> list[int]:
    """Take off a little, and a step at least, until the row lies in the ball."""
    while sum(abs(item) ** order for item in steps) > limit:
        steps = [(abs(item) * (2**44 - 1) >> 44) * (1 if item > 0 else -1) for item in steps]
    return steps
