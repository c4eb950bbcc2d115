"""Sums of squares and products of rows of bounded norm."""

from typing import final

import numpy as np
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import Array, NumbersDomain, Parts, Space, VectorDistance, sqrt_up
from privet.transforms import dot, gap_steps, norm_ball, replaced


@final
@frozen(kw_only=True)
class SumOfOuterProducts(Transformation):
    """Add up z zᵀ over the rows exactly, where z is the offset of a row from the origin of its ball.

    The result is the upper triangle, row by row, with each product once and without a weight: for two columns the sums
    of z1², z1 z2 and z2². NaN counts as the origin. ``symmetric`` makes the full matrix of a release.

    Guarantee: for a ball of radius R ``l2² = (d_in R²)²``, for k replacements ``l2² = 2 (k R²)²``.
    Proof: docs/transforms/sum_of_outer_products.md.

    >>> from privet.core.space import matrix
    >>> from privet.transforms.clamp_norm import ClampNorm
    >>> (matrix(2) >> ClampNorm(radius=5) >> SumOfOuterProducts())([[1, 2], [3, 4]]).tolist()
    [10.0, 14.0, 20.0]
    """

    def output(self, space: Space) -> Space:
        """The upper triangle, on the square of the grid."""
        norm, grid = norm_ball(self, space)
        columns = len(norm.origin)
        length = columns * (columns + 1) // 2
        return Space(NumbersDomain(length=length, kind=float, grid=grid**2), VectorDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Multiply and add up, in grid steps."""
        norm, grid = norm_ball(self, space)
        gaps = gap_steps(value, norm, grid)
        columns, largest = len(norm.origin), int(norm.radius / grid) ** 2
        first, second = np.triu_indices(columns)
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        return np.array([dot(gaps[:, i], gaps[:, j], largest) for i, j in pairs], dtype=object)

    def stability(self, d_in: int, space: Space) -> Parts:
        """The Frobenius norm of z zᵀ is the squared norm of z; two such matrices have no negative inner product."""
        norm, _ = norm_ball(self, space)
        columns, square = len(norm.origin), norm.radius**2
        length = columns * (columns + 1) // 2
        swaps = replaced(space, d_in)
        if swaps is None or columns == 1:  # squares of numbers have one sign: a replacement costs one addition
            reach = (d_in if swaps is None else swaps) * square
            spread = reach if norm.order == 1 else reach * (columns + 1) / 2
            return Parts(l0=length if reach else 0, l1=spread, l2_squared=reach**2, linf=reach)
        reach = swaps * square
        spread = 2 * reach if norm.order == 1 else sqrt_up(reach**2 * columns * (columns + 3) / 2)
        return Parts(l0=length if reach else 0, l1=spread, l2_squared=2 * reach**2, linf=reach)


def symmetric(triangle: Array, columns: int) -> Array:
    """Return the full symmetric matrix of an upper triangle: post-processing of a release.

    Args:
        triangle: The numbers on and above the diagonal, row by row.
        columns: How many columns the rows had.

    >>> symmetric(np.array([1, 2, 3]), 2).tolist()
    [[1, 2], [2, 3]]
    """
    full = np.zeros((columns, columns), dtype=triangle.dtype)
    full[np.triu_indices(columns)] = triangle
    return full + np.triu(full, 1).T
