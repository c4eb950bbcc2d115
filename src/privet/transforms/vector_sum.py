"""Exact sums of rows of numbers."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import Array, Norm, NumbersDomain, Parts, Space, VectorDistance, nearest_step, sqrt_up
from privet.transforms import (
    bounded_columns,
    dot,
    gap_steps,
    largest_step,
    matrix_domain,
    matrix_steps,
    norm_ball,
    replaced,
)


@final
@frozen(kw_only=True)
class VectorSum(Transformation):
    """Add up rows of bounded norm, or of bounded columns, exactly.

    For a private size we add up the offsets of the rows *from the origin* of the ball; for a public size the origin is
    added back, once for each row. NaN counts as the origin, in bounded columns as the value nearest to zero.

    Guarantee: for a ball of radius R ``l2² = (d_in R)²`` (order 1: ``l1 = d_in R``), for k replacements with 2 k R;
    for bounded columns the norms of the changes of the columns, as in ``Sum``.
    Proof: docs/transforms/vector_sum.md.

    >>> from privet.core.space import matrix
    >>> (matrix(2, bounds=(0, 10)) >> VectorSum())([[1, 2], [3, 40]]).tolist()
    [4.0, 12.0]
    """

    def output(self, space: Space) -> Space:
        """One number for each column, on the grid of the rows."""
        domain = matrix_domain(self, space)
        _, grid = bounded_columns(self, space) if domain.norm is None else norm_ball(self, space)
        return Space(NumbersDomain(length=domain.columns, kind=float, grid=grid), VectorDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Add up, in grid steps."""
        domain = matrix_domain(self, space)
        if domain.norm is None:
            bounds, grid = bounded_columns(self, space)
            return sum_columns(self, value, space, [nearest_step(Fraction(0), pair, grid) for pair in bounds])
        norm, grid = norm_ball(self, space)
        gaps = gap_steps(value, norm, grid)
        ones = np.ones(len(gaps), dtype=np.int64)
        back = 0 if domain.size is None else domain.size
        radius = int(norm.radius / grid)
        sums = [dot(gaps[:, at], ones, radius) + back * int(item / grid) for at, item in enumerate(norm.origin)]
        return np.array(sums, dtype=object)

    def stability(self, d_in: int, space: Space) -> Parts:
        """A row is at most a radius from the origin, two rows at most a diameter apart."""
        domain = matrix_domain(self, space)
        swaps = replaced(space, d_in)
        if domain.norm is not None:
            return ball_distance(domain.norm, d_in if swaps is None else 2 * swaps)
        bounds, _ = bounded_columns(self, space)
        if swaps is None:
            return Parts.of(d_in * max(abs(lower), abs(upper)) for lower, upper in bounds)
        return Parts.of(swaps * (upper - lower) for lower, upper in bounds)


def sum_columns(unit: object, value: Array, space: Space, missing: list[int]) -> Array:
    """Add up bounded columns in grid steps; NaN counts as the entry of ``missing`` for its column."""
    bounds, grid = bounded_columns(unit, space)
    steps = matrix_steps(value, grid, missing)
    ones = np.ones(len(steps), dtype=np.int64)
    sums = [dot(steps[:, at], ones, largest_step(pair, grid)) for at, pair in enumerate(bounds)]
    return np.array(sums, dtype=object)


def ball_distance(norm: Norm, radii: int) -> Parts:
    """Return the distance of sums that are this many radii apart in the norm of the ball."""
    reach, columns = radii * norm.radius, len(norm.origin)
    spread = reach if norm.order == 1 else sqrt_up(columns * reach**2)  # along the diagonal, in the Euclidean norm
    return Parts(l0=columns if radii else 0, l1=spread, l2_squared=reach**2, linf=reach)
