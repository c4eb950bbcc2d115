"""The variance of each column of rows of numbers, of public size."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    Array,
    Norm,
    NumbersDomain,
    Parts,
    Space,
    VectorDistance,
    count_text,
    nearest_step,
    one_of,
    sqrt_up,
    whole,
)
from privet.errors import MismatchError
from privet.transforms import (
    bounded_columns,
    largest_change,
    largest_step,
    matrix_domain,
    matrix_steps,
    power_sum,
    replaced,
)


@final
@frozen(kw_only=True)
class VectorVariance(Transformation):
    """Compute the variance of each column of n rows exactly, in grid steps of grid²/(n (n - ddof)).

    NaN counts as the midpoint of the bounds of its column.

    Args:
        ddof: The number subtracted from the size in the divisor: 1 for the unbiased estimator, 0 for the variance of
            these rows.

    Guarantee: for one replacement, ``ddof=1`` and bounded columns each entry moves by ``(upper - lower)² / n``; in a
    ball of radius R at most ``l1 = sqrt(27) R² / n``.
    Proof: docs/transforms/vector_variance.md.

    >>> from privet.core.space import matrix
    >>> (matrix(2, bounds=(0, 10), size=100) >> VectorVariance()).map(2)
    Parts(l0=2, l1=2, l2_squared=2, linf=1)
    """

    ddof: int = field(default=1, converter=whole, validator=one_of(0, 1))

    def output(self, space: Space) -> Space:
        """One real number for each column; both divisors are in the grid."""
        size = self._size(space)
        bounds, grid = bounded_columns(self, space)
        step = grid**2 / (size * (size - self.ddof))
        return Space(NumbersDomain(length=len(bounds), kind=float, grid=step), VectorDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Square and add up, column by column, in grid steps."""
        bounds, grid = bounded_columns(self, space)
        middle = [nearest_step((pair[0] + pair[1]) / 2, pair, grid) for pair in bounds]
        steps = matrix_steps(value, grid, middle)
        result: Array = np.empty(len(bounds), dtype=object)
        for at, pair in enumerate(bounds):
            first, second = (power_sum(steps[:, at], power, largest_step(pair, grid)) for power in (1, 2))
            result[at] = len(steps) * second - first**2
        return result

    def stability(self, d_in: int, space: Space) -> Parts:
        """Each column moves at most as its variance does; in a ball all columns share the radius."""
        size, swaps = self._size(space), replaced(space, d_in) or 0
        bounds, _ = bounded_columns(self, space)
        most = largest_change(swaps, size) / (size - self.ddof)
        box = Parts.of(most * (upper - lower) ** 2 for lower, upper in bounds)
        norm = matrix_domain(self, space).norm
        if norm is None or not swaps:
            return box
        ball = _ball_change(norm, Fraction(swaps * (size - 1), size * (size - self.ddof)))
        return Parts(
            l0=box.l0,
            l1=min(box.l1, ball.l1),
            l2_squared=min(box.l2_squared, ball.l2_squared),
            linf=min(box.linf, ball.linf),
        )

    def _size(self, space: Space) -> int:
        size = matrix_domain(self, space).size
        if size is None:
            raise MismatchError(
                "VectorVariance needs a public size: write pc.matrix(..., size=n), or use SumOfOuterProducts() after "
                "InsertOnes() if the size is private."
            )
        if size <= self.ddof:
            raise MismatchError(
                f"VectorVariance with ddof={self.ddof} needs more than {count_text(self.ddof, 'row')}, "
                f"got a public size of {size}."
            )
        return size


def _ball_change(norm: Norm, times: Fraction) -> Parts:
    """Return the change for rows in a ball: in one replacement at most sqrt(27) R² in all and 4 R² in one column."""
    square = norm.radius**2 * times
    l1, linf = sqrt_up(27 * square**2), 4 * square
    return Parts(l0=len(norm.origin), l1=l1, l2_squared=l1 * linf, linf=linf)
