"""A tree of cells along private principal axes: rows are counted level by level, empty cells are dropped."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.core import Array
from privet.models.private_rows import PrivateRows
from privet.transforms.assign_cells import AssignCells, Split
from privet.transforms.sums_by_group import SumsByGroup
from privet.transforms.take_columns import TakeColumns

_MOVE, _SHRINK = 0.8, 0.6  # of a width: how far the middle of a half moves, and how wide the half is


@final
@frozen(kw_only=True)
class Cell:
    """A cell that holds rows.

    Args:
        middle: Its presumed middle, along the axes.
        width: Its presumed width along each axis.
        count: Its noisy number of rows.
    """

    middle: Array
    width: Array
    count: float


@final
@frozen(kw_only=True)
class CellTree:
    """A tree and its last cells.

    Args:
        axes: The directions of the splits, one row each.
        levels: As ``AssignCells`` reads them; none if no split left a cell with rows.
        cells: The cells of the last level.
    """

    axes: Array
    levels: tuple[tuple[Split, ...], ...]
    cells: tuple[Cell, ...]

    def assign(self) -> AssignCells:
        """Return the unit that assigns rows; without levels, all rows to one cell."""
        levels = self.levels or (((0, 0.0, 0, 0),),)
        return AssignCells(axes=self.axes.tolist(), levels=levels)


def grow(
    rows: PrivateRows, axes: Array, spreads: Array, count: float, *, depth: int, share: Fraction, least: float
) -> CellTree:
    """Halve cells along their widest axis, level by level; keep those with more than noise.

    Args:
        rows: Rows in a ball.
        axes: Directions from a release, one row each.
        spreads: How far rows spread along each of them.
        count: The noisy number of rows.
        depth: How many levels.
        share: The part of the budget for all levels together.
        least: The fewest rows of a cell beyond three noise scales of its count.
    """
    cells = (Cell(middle=np.zeros(len(axes)), width=spreads, count=count),)
    tree = CellTree(axes=axes, levels=(), cells=cells)
    for _ in range(depth):
        full = _split(tree.cells, range(2 * len(tree.cells)))
        unit = AssignCells(axes=axes.tolist(), levels=(*tree.levels, full))
        counts = rows.release(
            "counts of cells", unit, TakeColumns(columns=[0]), SumsByGroup(groups=[unit.cells]), share=share / depth
        )
        noisy = np.asarray(counts, dtype=np.float64)
        keep = noisy > 3 * rows.scale() + least
        if not keep.any():
            break
        numbers = np.where(keep, np.cumsum(keep) - 1, -1).tolist()
        halves = [half for cell in tree.cells for half in _halves(cell)]
        kept = tuple(
            Cell(middle=middle, width=width, count=float(noisy[at]))
            for at, (middle, width) in enumerate(halves)
            if keep[at]
        )
        tree = CellTree(axes=axes, levels=(*tree.levels, _split(tree.cells, numbers)), cells=kept)
    return tree


def _split(cells: tuple[Cell, ...], numbers: "range | list[int]") -> tuple[Split, ...]:
    """Split every cell at its middle along its widest axis; the numbers of the halves come two by two."""
    splits: list[Split] = []
    for at, cell in enumerate(cells):
        axis = int(np.argmax(cell.width))
        splits.append((axis, float(cell.middle[axis]), numbers[2 * at], numbers[2 * at + 1]))
    return tuple(splits)


def _halves(cell: Cell) -> list[tuple[Array, Array]]:
    """Return the presumed middle and width of the half below and the half above."""
    axis = int(np.argmax(cell.width))
    found = []
    for sign in (-1.0, 1.0):
        middle, width = cell.middle.copy(), cell.width.copy()
        middle[axis] += sign * _MOVE * width[axis]
        width[axis] *= _SHRINK
        found.append((middle, width))
    return found


def levels_for(count: float, spread: float, noise: float, columns: int, clusters: int) -> int:
    """Return a depth at which the sums of a cell still stand out from noise, enough for the clusters."""
    deep = math.log2(max(count * spread / (3 * noise * math.sqrt(columns)), 2.0))
    return int(min(max(deep, math.ceil(math.log2(clusters))), 12)) or 1
