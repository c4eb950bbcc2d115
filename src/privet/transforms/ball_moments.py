"""The number of rows in a ball, their sum and their squared lengths, in one vector."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import Array, Norm, NumbersDomain, Parts, Space, VectorDistance, sqrt_up
from privet.errors import MismatchError
from privet.transforms import dot, gap_steps, norm_ball, replaced

_ROWS = 2**17  # rows at a time: few enough to need little memory


@final
@frozen(kw_only=True)
class BallMoments(Transformation):
    """Count the rows in a ball, add them up, and add up their squared lengths, all measured by the radius.

    With z the offset of a row from the origin of its ball and R the radius, the result is (R n, sum of z,
    sum of |z|² / R): each of the three parts of a row has at most the length R. The parts are rounded down to the grid,
    row by row. ``read_moments`` turns a release into a count, a sum and a sum of squared lengths.

    Guarantee: ``l2² = 3 (d_in R)²``, ``linf = d_in R``; for k replacements ``l2² = 4 (k R)²``.
    Proof: docs/transforms/ball_moments.md.

    >>> from privet.core.space import matrix
    >>> from privet.transforms.clamp_norm import ClampNorm
    >>> (matrix(2) >> ClampNorm(radius=2, grid=2**-20) >> BallMoments())([[2, 0], [0, 1]]).tolist()
    [4.0, 2.0, 1.0, 2.5]
    """

    def output(self, space: Space) -> Space:
        """One number for the count, one for each column, one for the squares, on the grid of the rows."""
        norm, grid = _ball(self, space)
        return Space(NumbersDomain(length=len(norm.origin) + 2, kind=float, grid=grid), VectorDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Add up in grid steps."""
        norm, grid = _ball(self, space)
        radius = math.floor(norm.radius / grid)
        total = np.zeros(len(norm.origin) + 2, dtype=object)
        for start in range(0, len(value), _ROWS):
            gaps = gap_steps(value[start : start + _ROWS], norm, grid)
            ones = np.ones(len(gaps), dtype=np.int64)
            squares = np.zeros(len(gaps), dtype=np.int64)
            for at in range(len(norm.origin)):
                squares += gaps[:, at] ** 2  # at most the squared radius, 62 bits
                total[at + 1] += dot(gaps[:, at], ones, radius)
            total[-1] += dot(squares // math.ceil(norm.radius / grid), ones, radius + 1)
            total[0] += radius * len(gaps)
        return total

    def stability(self, d_in: int, space: Space) -> Parts:
        """Three parts of length R for a row; a replacement moves no count, and the rest by at most 2 R together."""
        norm, _ = _ball(self, space)
        columns, swaps = len(norm.origin), replaced(space, d_in)
        reach = (d_in if swaps is None else swaps) * norm.radius
        if swaps is None:
            along = sqrt_up(columns * reach**2)
            return Parts(l0=columns + 2 if reach else 0, l1=2 * reach + along, l2_squared=3 * reach**2, linf=reach)
        along = sqrt_up(columns * 4 * reach**2)
        return Parts(l0=columns + 1 if reach else 0, l1=reach + along, l2_squared=4 * reach**2, linf=2 * reach)


def _ball(unit: object, space: Space) -> tuple[Norm, Fraction]:
    """Return a Euclidean ball whose radius is below 2^31 grid steps."""
    norm, grid = norm_ball(unit, space)
    if norm.order != 2 or norm.radius / grid >= 2**31 or norm.radius < grid:
        raise MismatchError(
            f"{type(unit).__name__} needs a Euclidean ball with a radius of 1 to 2^31 grid steps: "
            "put ClampNorm(radius=..., order=2, grid=...) with a coarser grid before it."
        )
    return norm, grid


def read_moments(release: Array, radius: Fraction, grid: Fraction) -> tuple[float, Array, float]:
    """Return the count, the sum of offsets and the sum of squared lengths: post-processing of a release.

    Args:
        release: What ``BallMoments`` and noise gave.
        radius: The radius of the ball.
        grid: The grid step of the rows.

    >>> read_moments(np.array([4.0, 2.0, 1.0, 2.5]), Fraction(2), Fraction(1, 8))
    (2.0, array([2., 1.]), 5.0)
    """
    low, high = math.floor(radius / grid) * grid, math.ceil(radius / grid) * grid
    return float(release[0]) / float(low), release[1:-1], float(release[-1]) * float(high)
