"""The mean of rows of numbers, of public size."""

from typing import final

from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import Array, NumbersDomain, Parts, Space, VectorDistance, nearest_step
from privet.errors import MismatchError
from privet.transforms import bounded_columns, matrix_domain, norm_ball
from privet.transforms.vector_sum import VectorSum, sum_columns


@final
@frozen(kw_only=True)
class VectorMean(Transformation):
    """Average rows of bounded norm, or of bounded columns, whose number is public.

    The sums are exact and the division is free: the result is a number of grid steps of grid/size. NaN counts as the
    origin of the ball, in bounded columns as the midpoint of the bounds.

    Guarantee: for a ball of radius R and k replacements of n rows ``l2² = (2 k R / n)²``.
    Proof: docs/transforms/vector_mean.md.

    >>> from privet.core.space import matrix
    >>> (matrix(2, bounds=(0, 10), size=2) >> VectorMean())([[1, 2], [3, 40]]).tolist()
    [2.0, 6.0]
    """

    def output(self, space: Space) -> Space:
        """One number for each column, on the grid of the rows divided by the size."""
        size = self._size(space)
        domain = matrix_domain(self, space)
        _, grid = bounded_columns(self, space) if domain.norm is None else norm_ball(self, space)
        return Space(NumbersDomain(length=domain.columns, kind=float, grid=grid / size), VectorDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Add up; the division by the size is part of the grid."""
        if matrix_domain(self, space).norm is not None:
            return VectorSum().apply(value, space)
        bounds, grid = bounded_columns(self, space)
        return sum_columns(self, value, space, [nearest_step((pair[0] + pair[1]) / 2, pair, grid) for pair in bounds])

    def stability(self, d_in: int, space: Space) -> Parts:
        """The stability of the sum, divided by the size."""
        size, moved = self._size(space), VectorSum().stability(d_in, space)
        return Parts(l0=moved.l0, l1=moved.l1 / size, l2_squared=moved.l2_squared / size**2, linf=moved.linf / size)

    def _size(self, space: Space) -> int:
        size = matrix_domain(self, space).size
        if not size:
            raise MismatchError("VectorMean needs a public size of one row or more: write pc.matrix(..., size=n).")
        return size
