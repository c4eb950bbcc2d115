"""How the loss of each row changes with a common factor of its scores, at several factors."""

from fractions import Fraction
from typing import Literal, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Space, must_be, number, one_of, positive, short
from privet.errors import MismatchError
from privet.transforms import listed, number_list
from privet.transforms.oblivious_trees import coded_rows
from privet.transforms.residuals import RESIDUALS

_LARGEST = 2**40  # of factors and offsets
_FARTHEST = 2**400  # of scores and targets: no product of floats overflows


def _moderate(values: tuple[Fraction, ...]) -> bool:
    return len(values) > 0 and all(abs(item) <= _LARGEST for item in values)


@final
@frozen(kw_only=True)
class ScaleGradients(RowTransformation):
    """Say for every row whether its loss falls if its scores are multiplied by more than a factor, and how fast.

    The last columns of a row are scores f, the column before them is the target. With the factor s the row has the
    linear predictors ``offsets + s f``. The result is minus the derivative of the loss by s, one number for each
    factor, clamped to the clip: where its sum over all rows is zero, the factor is best.

    Args:
        factors: The factors, chosen without looking at the data or from releases.
        offsets: One number for each score.
        loss: "squared", "logistic" (the target is 0 or 1, one score) or "multinomial" (a class 0, 1, ..., one score
            each). A class outside the list gives zeros.
        clip: The largest magnitude of a number.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/scale_gradients.md.

    >>> from attrs import evolve
    >>> from privet.core.space import matrix
    >>> space = matrix(2, bounds=[(-1, 1), (-8, 8)], grid=2**-10)
    >>> rows = Space(evolve(space.domain, nan=False), space.metric)
    >>> unit = ScaleGradients(factors=[0.5, 2], offsets=[0], loss="squared", clip=1)
    >>> (rows >> unit)([[1, 1], [-0.5, 2]]).tolist()
    [[0.5, -1.0], [-1.0, -1.0]]
    """

    factors: tuple[Fraction, ...] = field(
        converter=number_list, validator=must_be(_moderate, "one or more numbers up to 2^40"), repr=short
    )
    offsets: tuple[Fraction, ...] = field(converter=number_list, validator=listed, repr=short)
    loss: Literal["squared", "logistic", "multinomial"] = field(validator=one_of("squared", "logistic", "multinomial"))
    clip: Fraction = field(converter=number, validator=positive, repr=short)

    @offsets.validator
    def _check_offsets(self, _: object, value: tuple[Fraction, ...]) -> None:
        if not _moderate(value):
            raise MismatchError("ScaleGradients.offsets must be one or more numbers up to 2^40.")

    def __attrs_post_init__(self) -> None:
        if (len(self.offsets) > 1) != (self.loss == "multinomial"):
            raise MismatchError(
                "ScaleGradients.offsets must have one number, and two or more for loss='multinomial'; got "
                f"{len(self.offsets)} for loss={self.loss!r}."
            )

    def output(self, space: Space) -> Space:
        """A column for each factor, up to the clip."""
        domain, bounds = coded_rows(self, space, (), len(self.offsets) + 1)
        if any(max(map(abs, pair)) > _FARTHEST for pair in bounds[-len(self.offsets) - 1 :]):
            raise MismatchError("ScaleGradients needs scores and a target of at most 2^400: scale the columns first.")
        end = self._end(domain.grid or Fraction(1))
        sides = ((-end, end),) * len(self.factors)
        return Space(evolve(domain, columns=len(sides), bounds=sides, norm=None), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Compute factor by factor, in a fixed order within a row; round toward zero to the grid."""
        domain, _ = coded_rows(self, space, (), len(self.offsets) + 1)
        grid = domain.grid or Fraction(1)
        end, first = float(self._end(grid)), value.shape[1] - len(self.offsets)
        offsets = np.array([float(item) for item in self.offsets])
        scores, target = np.ascontiguousarray(value[:, first:]), value[:, first - 1]
        rows = np.empty((len(value), len(self.factors)), order="F")
        for at, factor in enumerate(self.factors):
            residual = RESIDUALS[self.loss](scores * float(factor) + offsets, target)
            total = np.zeros(len(value))
            for column in range(len(self.offsets)):
                total -= residual[:, column] * scores[:, column]
            rows[:, at] = np.trunc(np.clip(total, -end, end) * float(1 / grid)) * float(grid)
        return rows

    def _end(self, grid: Fraction) -> Fraction:
        steps = self.clip // grid
        if not 1 <= steps < 2**51:
            raise MismatchError("ScaleGradients.clip must be between 1 and 2^51 grid steps of the rows.")
        return Fraction(steps * grid)
