"""Sums of squares and products of rows of bounded norm."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, NumbersDomain, Parts, Space, VectorDistance, must_be, number, short, sqrt_up
from privet.transforms import gap_steps, norm_ball, products, replaced

_ROWS = 2**17  # rows at a time: few enough to need little memory


@final
@frozen(kw_only=True)
class SumOfOuterProducts(Transformation):
    """Add up z zᵀ over the rows exactly, where z is the offset of a row from the origin of its ball.

    The result is the upper triangle, row by row, with each product once: for two columns the sums of z1², z1 z2 and
    z2². NaN counts as the origin. ``symmetric`` makes the full matrix of a release.

    Args:
        weight: What products off the diagonal are multiplied by while noise is added; a release is divided by it
            again. At least one, its square at most two. ``Fraction(140, 99)`` leaves the l2 distance as it is, so that
            Gaussian noise off the diagonal has half the variance. The l1 distance grows.

    Guarantee: for a ball of radius R ``l2² = (d_in R²)²``, for k replacements ``l2² = 2 (k R²)²``, at every weight.
    Proof: docs/transforms/sum_of_outer_products.md.

    >>> from privet.core.space import matrix
    >>> from privet.transforms.clamp_norm import ClampNorm
    >>> (matrix(2) >> ClampNorm(radius=5) >> SumOfOuterProducts())([[1, 2], [3, 4]]).tolist()
    [10.0, 14.0, 20.0]
    """

    weight: Fraction = field(
        default=Fraction(1),
        converter=number,
        validator=must_be(lambda weight: weight >= 1 and weight**2 <= 2, "at least 1 and at most the square root of 2"),
        repr=short,
    )

    def output(self, space: Space) -> Space:
        """The upper triangle, on the square of the grid divided by the denominator of the weight."""
        norm, grid = norm_ball(self, space)
        columns = len(norm.origin)
        weights = (
            None if self.weight == 1 else tuple(Fraction(1) if i == j else self.weight for i, j in _pairs(columns))
        )
        step = grid**2 / self.weight.denominator
        length = columns * (columns + 1) // 2
        return Space(NumbersDomain(length=length, kind=float, grid=step, weights=weights), VectorDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Multiply and add up, in grid steps."""
        norm, grid = norm_ball(self, space)
        columns, largest = len(norm.origin), int(norm.radius / grid) ** 2
        top, bottom = self.weight.numerator, self.weight.denominator
        sums = np.zeros((columns, columns), dtype=object)
        for start in range(0, len(value), _ROWS):
            sums += products(gap_steps(value[start : start + _ROWS], norm, grid), largest)
        return np.array([int(sums[i, j]) * (bottom if i == j else top) for i, j in _pairs(columns)], dtype=object)

    def stability(self, d_in: int, space: Space) -> Parts:
        """The weighted triangle is no longer than the matrix, whose Frobenius norm is the squared norm of z."""
        norm, _ = norm_ball(self, space)
        columns, square, weight = len(norm.origin), norm.radius**2, self.weight
        length = columns * (columns + 1) // 2
        swaps = replaced(space, d_in)
        if swaps is None or columns == 1:  # squares of numbers have one sign: a replacement costs one addition
            reach = (d_in if swaps is None else swaps) * square
            spread = reach if norm.order == 1 else reach * (1 + weight * (columns - 1) / 2)
            return Parts(l0=length if reach else 0, l1=spread, l2_squared=reach**2, linf=reach)
        reach = swaps * square
        widest = columns * (2 + (columns - 1) * weight**2 / 2)
        spread = 2 * reach if norm.order == 1 else sqrt_up(reach**2 * widest)
        return Parts(l0=length if reach else 0, l1=spread, l2_squared=2 * reach**2, linf=weight * reach)


def _pairs(columns: int) -> list[tuple[int, int]]:
    """Return the places of the upper triangle, row by row."""
    return [(i, j) for i in range(columns) for j in range(i, columns)]


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
