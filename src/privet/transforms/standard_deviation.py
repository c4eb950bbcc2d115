"""The standard deviation of a bounded column of public size."""

import math
from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import AbsoluteDistance, Array, ScalarDomain, Space, one_of, whole
from privet.transforms import bounded_column, finer, scaled_deviations, spread_size, variance_change


@final
@frozen(kw_only=True)
class StandardDeviation(Transformation):
    """Compute the square root of the variance of a bounded column of n rows, rounded to a public grid.

    It is the root of a whole number, so no float is involved. A null or NaN counts as the midpoint of the bounds.

    Args:
        ddof: The number subtracted from the size in the divisor of the variance: 1 or 0.

    Guarantee: for one replacement ``d_out = (upper - lower) / sqrt(n)`` with ``ddof=1``, rounded up to the grid.
    Proof: docs/transforms/standard_deviation.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 10), size=100) >> StandardDeviation()).map(2)
    Fraction(1, 1)
    """

    ddof: int = field(default=1, converter=whole, validator=one_of(0, 1))

    def output(self, space: Space) -> Space:
        """One real number."""
        return Space(ScalarDomain(kind=float, grid=self._grid(space)), AbsoluteDistance())

    def apply(self, value: Array, space: Space) -> int:
        """Round the root of the exact variance to the nearest grid step, halves up."""
        size = spread_size(self, space, self.ddof)
        step = bounded_column(self, space)[0].step
        variance = scaled_deviations(self, value, space) * step**2 / (size * (size - self.ddof))
        return (math.isqrt(math.floor(4 * variance / self._grid(space) ** 2)) + 1) // 2

    def stability(self, d_in: int, space: Space) -> Fraction:
        """The distance of two roots is at most the root of the distance of their squares."""
        grid = self._grid(space)
        squared = math.ceil(variance_change(self, d_in, space, self.ddof) / grid**2)
        return (math.isqrt(squared - 1) + 1) * grid if squared else Fraction(0)

    def _grid(self, space: Space) -> Fraction:
        return finer(bounded_column(self, space)[0].step, spread_size(self, space, self.ddof))
