"""Columns that are the same public number in every row."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Space, short
from privet.errors import MismatchError
from privet.transforms import bounded_columns, listed, matrix_domain, number_list


@final
@frozen(kw_only=True)
class AppendConstants(RowTransformation):
    """Append columns with public numbers to every row, rounded to the grid of the rows.

    Args:
        values: One number for each new column, chosen without looking at the data or from a release.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/append_constants.md.

    >>> from privet.core.space import matrix
    >>> (matrix(1, bounds=(0, 9)) >> AppendConstants(values=[0.5, -2]))([[1], [7]]).tolist()
    [[1.0, 0.5, -2.0], [7.0, 0.5, -2.0]]
    """

    values: tuple[Fraction, ...] = field(converter=number_list, validator=listed, repr=short)

    def output(self, space: Space) -> Space:
        """The old columns, and for each new one bounds that hold one number."""
        bounds, grid = bounded_columns(self, space)
        domain, rounded = matrix_domain(self, space), self._rounded(grid)
        sides = (*bounds, *((item, item) for item in rounded))
        return Space(evolve(domain, columns=len(sides), bounds=sides, norm=None), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Copy the rows, one column behind the other, and append."""
        _, grid = bounded_columns(self, space)
        old = value.shape[1]
        rows = np.empty((len(value), old + len(self.values)), order="F")
        rows[:, :old] = value
        rows[:, old:] = [float(item) for item in self._rounded(grid)]
        return rows

    def _rounded(self, grid: Fraction) -> tuple[Fraction, ...]:
        steps = [round(item / grid) for item in self.values]
        if any(abs(item) >= 2**52 for item in steps):
            raise MismatchError("AppendConstants.values must be below 2^52 grid steps: choose smaller ones.")
        return tuple(item * grid for item in steps)
