"""The gradient of a generalised linear model, with the contribution of each row clipped."""

from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    EXACT_STEPS,
    Array,
    Norm,
    NumbersDomain,
    Parts,
    Space,
    VectorDistance,
    must_be,
    number,
    one_of,
    positive,
    short,
)
from privet.errors import MismatchError
from privet.transforms import bounded_columns, matrix_domain, replaced
from privet.transforms.residuals import RESIDUALS, squared_lengths
from privet.transforms.vector_sum import ball_distance

_CLIP_STEPS = 2**34  # an upper bound on the clip in grid steps of the result
_ROWS = EXACT_STEPS // _CLIP_STEPS  # the sum of this many gradients is exact in floats
_FARTHEST = 2**200  # public numbers between its inverse and itself: no product of floats over- or underflows


def _matrix(value: Any) -> tuple[tuple[float, ...], ...]:
    try:
        return tuple(tuple(float(item) for item in row) for row in value)
    except (TypeError, ValueError, OverflowError):
        return ()  # which the validator refuses


def _rectangular(rows: tuple[tuple[float, ...], ...]) -> bool:
    finite = all(abs(item) < _FARTHEST for row in rows for item in row)
    return bool(rows) and bool(rows[0]) and len({len(row) for row in rows}) == 1 and finite


@final
@frozen(kw_only=True)
class ClippedGradients(Transformation):
    """Add up the gradients of a loss at public coefficients, each row's gradient shortened to a public length.

    The rows are features z and a target t in the last column. With k rows of coefficients W, a row has the linear
    predictors u = W z, the residual a (one number for each row of W) and the gradient a zᵀ, whose length is
    |a| |z|. If that is above the clip, a is multiplied by the clip divided by it. The result lists the sum of a zᵀ row
    by row.

    Args:
        coefficients: The matrix W as a list of rows, one column for each feature; chosen without looking at the data
            or from releases.
        residual: "squared" (u - t), "logistic" (t is 0 or 1), "multinomial" (t is a class 0, 1, ..., one row of
            coefficients each) or "poisson" (exp(u) - t). A class outside the list contributes nothing.
        clip: The largest length of the gradient of a row.

    Guarantee: ``l2² = (d_in clip)²``, for k replacements with 2 k clip.
    Proof: docs/transforms/clipped_gradients.md.

    >>> from attrs import evolve
    >>> from privet.core.space import matrix
    >>> plane = matrix(2, bounds=(-8, 8), grid=2**-10)
    >>> rows = Space(evolve(plane.domain, nan=False), plane.metric)
    >>> unit = ClippedGradients(coefficients=[[0]], residual="squared", clip=4)
    >>> round(float((rows >> unit)([[1, -2], [2, -1], [-8, 8]])[0]), 2)  # 2 and 2, and 64 clipped to 4
    8.0
    """

    coefficients: tuple[tuple[float, ...], ...] = field(
        converter=_matrix,
        validator=must_be(_rectangular, "rows of the same number of numbers below 2^200"),
        repr=lambda rows: f"<{len(rows)} x {len(rows[0])}>",
    )
    residual: Literal["squared", "logistic", "multinomial", "poisson"] = field(validator=one_of(*RESIDUALS))
    clip: Fraction = field(
        converter=number,
        validator=[
            positive,
            must_be(lambda clip: Fraction(1, _FARTHEST) <= clip <= _FARTHEST, "between 2^-200 and 2^200"),
        ],
        repr=short,
    )

    def output(self, space: Space) -> Space:
        """One number for each coefficient."""
        self._magnitudes(space)
        length = len(self.coefficients) * len(self.coefficients[0])
        return Space(NumbersDomain(length=length, kind=float, grid=self._step()), VectorDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Compute, clip and add up; chunks are so short that every partial sum of floats is exact."""
        weights = self._weights(space)
        _, grid = bounded_columns(self, space)
        total = np.zeros(weights.shape, dtype=object)
        for start in range(0, len(value), _ROWS):
            part = value[start : start + _ROWS]
            features = part[:, :-1]
            residuals = RESIDUALS[self.residual](features @ weights.T, part[:, -1])
            clipped = self._clipped(residuals, features, grid)
            total += (clipped.T @ features * float(1 / grid)).astype(np.int64)
        return total.ravel()

    def stability(self, d_in: int, space: Space) -> Parts:
        """A row adds a gradient no longer than the clip."""
        swaps = replaced(space, d_in)
        length = len(self.coefficients) * len(self.coefficients[0])
        ball = Norm(order=2, radius=self.clip, origin=(Fraction(0),) * length)
        return ball_distance(ball, d_in if swaps is None else 2 * swaps)

    def _step(self) -> Fraction:
        """The grid step of the result, a power of two between 2^-34 and 2^-32 of the clip."""
        top, bottom = self.clip.numerator, self.clip.denominator
        return Fraction(2) ** (top.bit_length() - bottom.bit_length() - 33)

    def _clipped(self, residuals: Array, features: Array, grid: Fraction) -> Array:
        """Shorten the residuals, in whole steps, so that no gradient is longer than the clip."""
        squares = np.einsum("ij,ij->i", features, features)  # exact: whole numbers of squared grid steps below 2^53
        lengths = np.sqrt(squared_lengths(residuals) * squares)
        margin = (residuals.shape[1] + 16) * 2.0**-50  # several times the relative error of all the sums here
        limit = float(self.clip) * (1 - margin)
        factor = np.where(lengths > limit, limit / np.where(lengths > limit, lengths, 1.0), 1.0)
        steps = np.trunc(residuals * factor[:, None] * float(grid / self._step()))
        far = squared_lengths(steps) * squares * float((self._step() / grid) ** 2)
        inside = far <= float(self.clip) ** 2 * (1 - margin)  # false for NaN, where features are zero
        return np.where(inside[:, None], steps, 0.0)

    def _magnitudes(self, space: Space) -> tuple[list[Fraction], Fraction]:
        """Return the largest magnitude of each feature, and the grid."""
        bounds, grid = bounded_columns(self, space)
        domain = matrix_domain(self, space)
        if domain.columns != len(self.coefficients[0]) + 1 or domain.nan:
            raise MismatchError(
                f"ClippedGradients reads rows without NaN of {len(self.coefficients[0])} features, one for each "
                f"coefficient, and a target; got {domain.describe()}."
            )
        largest = [max(abs(lower), abs(upper)) for lower, upper in bounds[:-1]]
        if sum((item / grid) ** 2 for item in largest) >= EXACT_STEPS:
            raise MismatchError("ClippedGradients needs a coarser grid: squared lengths must stay below 2^53 steps.")
        if not Fraction(1, _FARTHEST) <= grid <= _FARTHEST:
            raise MismatchError("ClippedGradients needs a grid between 2^-200 and 2^200: scale the columns first.")
        return largest, grid

    def _weights(self, space: Space) -> Array:
        """Round the coefficients so that all linear predictors are exact in floats."""
        largest, grid = self._magnitudes(space)
        sides = np.array([float(item / grid) for item in largest])
        weights = np.array(self.coefficients)
        reach = float((np.abs(weights) @ (sides + 1)).max())
        step = 2.0 ** (int(np.ceil(np.log2(max(reach, 2.0**-200)))) - 51)
        return np.asarray(np.rint(weights / step) * step)
