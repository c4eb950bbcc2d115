"""Scores of rows, increased by the leaves of a public tree."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Space, must_be, number, positive, short
from privet.errors import MismatchError
from privet.transforms.oblivious_trees import Splits, are_splits, coded_rows, leaves_of, read_splits, show_splits


def _table(value: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(item) for item in row) for row in value)


def _numbers(rows: tuple[tuple[float, ...], ...]) -> bool:
    finite = all(abs(item) < 2.0**200 for row in rows for item in row)
    return bool(rows) and bool(rows[0]) and len({len(row) for row in rows}) == 1 and finite


@final
@frozen(kw_only=True)
class AddTree(RowTransformation):
    """Add to the scores of every row the values of its leaf in a public tree.

    The first columns of a row are codes, the last ones scores. Each split of the tree names a column and says for
    every code of it whether it is on the side 0 or 1; all splits together give the number of the leaf. A code outside
    the table of a split is on the side 0. New scores are clamped to a public interval around zero.

    Args:
        splits: Pairs of a column and a table of zeros and ones; the first split gives the lowest bit of the leaf.
        values: For each leaf what is added, one number for each score; chosen from releases.
        reach: The largest magnitude of a score.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/add_tree.md.

    >>> from attrs import evolve
    >>> from privet.core.space import matrix
    >>> space = matrix(2, bounds=[(0, 3), (-8, 8)], grid=2**-10)
    >>> rows = Space(evolve(space.domain, nan=False), space.metric)
    >>> (rows >> AddTree(splits=[(0, [0, 0, 1, 1])], values=[[-1], [0.5]]))([[1, 0], [3, 2]]).tolist()
    [[1.0, -1.0], [3.0, 2.5]]
    """

    splits: Splits = field(
        converter=read_splits, validator=must_be(are_splits, "pairs of a column and zeros and ones"), repr=show_splits
    )
    values: tuple[tuple[float, ...], ...] = field(
        converter=_table,
        validator=must_be(_numbers, "rows of the same number of finite numbers"),
        repr=lambda rows: f"<{len(rows)} x {len(rows[0])}>",
    )
    reach: Fraction = field(default=Fraction(24), converter=number, validator=positive, repr=short)

    def __attrs_post_init__(self) -> None:
        if len(self.values) != 2 ** len(self.splits):
            raise MismatchError(
                f"AddTree.values must have one row for each of the {2 ** len(self.splits)} leaves, "
                f"got {len(self.values)}."
            )

    def output(self, space: Space) -> Space:
        """Scores between minus and plus the reach, other columns as they are."""
        domain, bounds = coded_rows(self, space, self.splits, len(self.values[0]))
        end = self._end(domain.grid or Fraction(1))
        kept = bounds[: len(bounds) - len(self.values[0])]
        return Space(evolve(domain, bounds=(*kept, *(((-end, end),) * len(self.values[0]))), norm=None), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Add whole grid steps, of which floats hold all sums exactly, and clamp."""
        domain, _ = coded_rows(self, space, self.splits, len(self.values[0]))
        grid = domain.grid or Fraction(1)
        end = float(self._end(grid))
        limit = min(2 * end, 2.0**51 * float(grid))
        steps = np.rint(np.clip(self.values, -limit, limit) * float(1 / grid)) * float(grid)
        leaf = leaves_of(value, self.splits)
        result = np.array(value, order="K")
        first = value.shape[1] - steps.shape[1]
        for at in range(steps.shape[1]):
            column = result[:, first + at]
            np.clip(column + steps[:, at][leaf], -end, end, out=column)
        return result

    def _end(self, grid: Fraction) -> Fraction:
        steps = self.reach // grid
        if not 1 <= steps < 2**51:
            raise MismatchError("AddTree.reach must be between 1 and 2^51 grid steps of the rows.")
        return steps * grid
