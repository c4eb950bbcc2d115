"""The cell of each row in a public tree of hyperplanes."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Space, must_be
from privet.errors import MismatchError
from privet.transforms import gap_steps, matrix_domain, norm_ball

Split = tuple[int, float, int, int]  # axis, threshold, the cells below and above it at the next level; -1 for none

_BITS = 50  # of a projection


def _axes(value: Any) -> tuple[tuple[float, ...], ...]:
    try:
        return tuple(tuple(float(item) for item in row) for row in value)
    except (TypeError, ValueError, OverflowError):
        return ()  # which the validator refuses


def _levels(value: Any) -> tuple[tuple[Split, ...], ...]:
    try:
        return tuple(tuple((int(axis), float(at), int(low), int(high)) for axis, at, low, high in row) for row in value)
    except (TypeError, ValueError, OverflowError):
        return ()


def _rectangular(rows: tuple[tuple[float, ...], ...]) -> bool:
    finite = all(abs(item) < 2.0**100 for row in rows for item in row)
    return bool(rows) and bool(rows[0]) and len({len(row) for row in rows}) == 1 and finite


def _cells(level: tuple[Split, ...]) -> int:
    return 1 + max((max(low, high) for _, _, low, high in level), default=-1)


def _tree(levels: tuple[tuple[Split, ...], ...]) -> bool:
    cells = 1
    for level in levels:
        if len(level) != cells or any(min(low, high) < -1 or at != at for _, at, low, high in level):
            return False
        cells = _cells(level)
    return bool(levels) and cells > 0


@final
@frozen(kw_only=True)
class AssignCells(RowTransformation):
    """Write in front of every row the cell of a public tree that it lies in.

    Rows are read as offsets from the origin of their ball. All start in one cell. At each level a cell is split by one
    axis: a row whose projection is above the threshold goes to one cell of the next level, any other row to another.
    The result is (cell, offset); a row that a split sends to no cell gets the number of cells.

    Args:
        axes: Directions, one row each with a number for each column; chosen without looking at the data or from
            releases. They are rounded so that projections are exact.
        levels: For each level a list with one split for each cell: (axis, threshold, cell below, cell above), where
            the cells are those of the next level, counted from zero, or -1 for none.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/assign_cells.md.

    >>> from privet.core.space import matrix
    >>> from privet.transforms.clamp_norm import ClampNorm
    >>> unit = AssignCells(axes=[[1, 1]], levels=[[(0, 0.5, 0, 1)]])
    >>> (matrix(2) >> ClampNorm(radius=2, grid=2**-10) >> unit)([[1, 1], [-1, 0.5]]).tolist()
    [[1.0, 1.0, 1.0], [0.0, -1.0, 0.5]]
    """

    axes: tuple[tuple[float, ...], ...] = field(
        converter=_axes,
        validator=must_be(_rectangular, "rows of the same number of finite numbers"),
        repr=lambda rows: f"<{len(rows)} x {len(rows[0])}>",
    )
    levels: tuple[tuple[Split, ...], ...] = field(
        converter=_levels,
        validator=must_be(_tree, "levels with one split for each cell of the level before"),
        repr=lambda levels: f"<{len(levels)} levels>",
    )

    @levels.validator
    def _check_axes(self, _: object, value: tuple[tuple[Split, ...], ...]) -> None:
        if any(not 0 <= axis < len(self.axes) for level in value for axis, _at, _low, _high in level):
            raise MismatchError(f"AssignCells.levels names an axis that is none of the {len(self.axes)} axes.")

    @property
    def cells(self) -> int:
        """How many cells the last level has."""
        return _cells(self.levels[-1])

    def output(self, space: Space) -> Space:
        """A column of cells, and the offsets within the radius."""
        norm, grid = norm_ball(self, space)
        domain = matrix_domain(self, space)
        if domain.columns != len(self.axes[0]):
            raise MismatchError(
                f"AssignCells.axes have {len(self.axes[0])} numbers each, and the rows have {domain.columns} columns."
            )
        if norm.radius / grid >= 2**32 or grid > 1:
            raise MismatchError("AssignCells needs a grid of at most one and of at least 2^-32 of the radius.")
        sides = ((-norm.radius, norm.radius),) * domain.columns
        bounds = ((Fraction(0), Fraction(self.cells)), *sides)
        return Space(evolve(domain, columns=domain.columns + 1, bounds=bounds, norm=None), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Project, and walk down the tree."""
        norm, grid = norm_ball(self, space)
        steps = gap_steps(value, norm, grid).astype(np.float64)
        whole, unit = self._directions(norm.radius, grid)
        scores = (steps @ whole.T) * (unit * float(grid))  # the sums are exact in any order: see _directions
        cells = np.zeros(len(steps), dtype=np.int64)
        for level in self.levels:
            # one more entry for rows in no cell, which -1 points at
            axis = np.array([split[0] for split in level] + [0])
            at = np.array([split[1] for split in level] + [0.0])
            below, above = (np.array([split[side] for split in level] + [-1]) for side in (2, 3))
            high = scores[np.arange(len(steps)), axis[cells]] > at[cells]
            cells = np.where(high, above[cells], below[cells])
        numbers = np.where(cells < 0, self.cells, cells).astype(np.float64)
        return np.concatenate([numbers[:, None], steps * float(grid)], axis=1)

    def _directions(self, radius: Fraction, grid: Fraction) -> tuple[Array, float]:
        """Return the axes in whole numbers, and their unit: every sum of a projection is a whole number below 2^51.

        We round toward zero, so that the rounding of many columns does not add up.
        """
        axes = np.array(self.axes)
        reach = float(np.abs(axes).sum(axis=1).max()) * float(radius / grid) + 1.0
        unit = 2.0 ** (int(np.ceil(np.log2(reach))) - _BITS)
        return np.trunc(axes / unit), unit
