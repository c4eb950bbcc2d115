"""What one row contributes to the next tree of a boosted model: its leaf, its gradient and its curvature."""

import math
from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Space, must_be, number, one_of, positive, read_whole, short
from privet.errors import MismatchError
from privet.transforms.oblivious_trees import Splits, are_splits, coded_rows, leaves_of, read_splits, show_splits
from privet.transforms.residuals import RESIDUALS, squared_lengths


def _count(value: Any) -> int:
    return read_whole("LeafGradients.scores", value)


@final
@frozen(kw_only=True)
class LeafGradients(RowTransformation):
    """Turn codes, a target and scores into the leaf of a public tree, a clipped gradient and a scaled curvature.

    The last columns of a row are scores, the column before them the target, all others codes. The gradient is what
    the target is more than the prediction, one number for each score, shortened to the clip. The curvature is the
    second derivative of the loss, scaled so that its largest value is half the clip.

    Args:
        splits: Pairs of a column and a table of zeros and ones, as in ``AddTree``.
        loss: "squared", "logistic" (the target is 0 or 1, one score) or "multinomial" (a class 0, 1, ..., one score
            each). A class outside the list contributes zeros.
        scores: How many scores a row has.
        clip: The largest length of the gradient.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/leaf_gradients.md.

    >>> from attrs import evolve
    >>> from privet.core.space import matrix
    >>> space = matrix(3, bounds=[(0, 3), (-1, 1), (-8, 8)], grid=2**-10)
    >>> rows = Space(evolve(space.domain, nan=False), space.metric)
    >>> unit = LeafGradients(splits=[(0, [0, 0, 1, 1])], loss="squared", clip=0.5)
    >>> (rows >> unit)([[1, 0.25, 0], [3, 1, -1]]).tolist()
    [[0.0, 0.25, 0.25], [1.0, 0.5, 0.25]]
    """

    splits: Splits = field(
        converter=read_splits, validator=must_be(are_splits, "pairs of a column and zeros and ones"), repr=show_splits
    )
    loss: Literal["squared", "logistic", "multinomial"] = field(validator=one_of("squared", "logistic", "multinomial"))
    scores: int = field(
        default=1,
        converter=_count,
        validator=must_be(lambda count: count >= 1, "one or more"),
    )
    clip: Fraction = field(default=Fraction(1, 2), converter=number, validator=positive, repr=short)

    def __attrs_post_init__(self) -> None:
        if (self.scores > 1) != (self.loss == "multinomial"):
            raise MismatchError(
                f"LeafGradients.scores must be one, and two or more for loss='multinomial'; got {self.scores} for "
                f"loss={self.loss!r}."
            )

    def output(self, space: Space) -> Space:
        """The leaf, gradients up to the clip, and a curvature up to half the clip."""
        domain, _ = coded_rows(self, space, self.splits, self.scores + 1)
        grid = self._grid(space)
        end, top = math.ceil(self.clip / grid) * grid, math.ceil(self.clip / 2 / grid) * grid
        leaf = (Fraction(0), Fraction(2 ** len(self.splits)))
        bounds = (leaf, *(((-end, end),) * self.scores), (Fraction(0), top))
        return Space(evolve(domain, columns=len(bounds), bounds=bounds, norm=None), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Compute column by column, round toward zero to the grid."""
        grid = self._grid(space)
        first = value.shape[1] - self.scores
        target = value[:, first - 1]
        residual = RESIDUALS[self.loss](value[:, first:], target)
        rows = np.empty((len(value), self.scores + 2), order="F")
        rows[:, 0] = leaves_of(value, self.splits)
        limit = float(self.clip)
        lengths = np.abs(residual[:, 0]) if self.scores == 1 else np.sqrt(squared_lengths(residual))
        factor = np.where(lengths > limit, limit / np.where(lengths > limit, lengths, 1.0), 1.0)
        for at in range(self.scores):
            rows[:, at + 1] = np.clip(-residual[:, at] * factor, -limit, limit)
        rows[:, -1] = np.clip(self._curvature(residual, target), 0.0, 1.0) * (limit / 2)
        rows[:, 1:] *= float(1 / grid)
        np.trunc(rows[:, 1:], out=rows[:, 1:])
        rows[:, 1:] *= float(grid)
        return rows

    def _curvature(self, residual: Array, target: Array) -> Array:
        """Return the second derivative of the loss, relative to its largest value."""
        if self.loss == "squared":
            return np.ones(len(residual))
        if self.loss == "logistic":
            part = np.abs(residual[:, 0])  # the probability of the other class
            return np.asarray(4 * part * (1 - part))
        classes = np.arange(self.scores)
        one = target[:, None] == classes
        known = one.any(axis=1)
        return np.asarray(np.where(known, 1 - squared_lengths(residual + one), 0.0) / (1 - 1 / self.scores))

    def _grid(self, space: Space) -> Fraction:
        domain, _ = coded_rows(self, space, self.splits, self.scores + 1)
        grid = domain.grid or Fraction(1)
        if grid > 1 or grid > self.clip / 2:
            raise MismatchError("LeafGradients needs rows on a grid finer than half the clip.")
        return grid
