"""The covariance of two bounded columns of public size."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import AbsoluteDistance, Array, ScalarDomain, Space, count_text, nearest_step, one_of, whole
from privet.errors import MismatchError
from privet.transforms import bounded_columns, dot, largest_step, matrix_domain, matrix_steps, replaced


@final
@frozen(kw_only=True)
class Covariance(Transformation):
    """Compute the covariance of two bounded columns of n rows exactly, in grid steps of grid²/(n (n - ddof)).

    NaN counts as the midpoint of the bounds of its column.

    Args:
        ddof: The number subtracted from the size in the divisor: 1 for the unbiased estimator, 0 for the covariance of
            these rows.

    Guarantee: for one replacement ``d_out = (upper - lower) (upper' - lower') / n`` with ``ddof=1``.
    Proof: docs/transforms/covariance.md.

    >>> from privet.core.space import matrix
    >>> (matrix(2, bounds=[(0, 10), (0, 1)], size=100) >> Covariance()).map(2)
    Fraction(1, 10)
    """

    ddof: int = field(default=1, converter=whole, validator=one_of(0, 1))

    def output(self, space: Space) -> Space:
        """One real number; both divisors are in the grid."""
        size = self._size(space)
        _, grid = bounded_columns(self, space)
        return Space(ScalarDomain(kind=float, grid=grid**2 / (size * (size - self.ddof))), AbsoluteDistance())

    def apply(self, value: Array, space: Space) -> int:
        """Multiply and add up, in grid steps."""
        bounds, grid = bounded_columns(self, space)
        middle = [nearest_step((pair[0] + pair[1]) / 2, pair, grid) for pair in bounds]
        steps = matrix_steps(value, grid, middle)
        x, y = steps[:, 0], steps[:, 1]
        of_x, of_y = (largest_step(pair, grid) for pair in bounds)
        ones = np.ones(len(steps), dtype=np.int64)
        return len(steps) * dot(x, y, of_x * of_y) - dot(x, ones, of_x) * dot(y, ones, of_y)

    def stability(self, d_in: int, space: Space) -> Fraction:
        """Replaced rows can turn a positive covariance into a negative one, so it changes more than a variance."""
        size = self._size(space)
        (first, second), _ = bounded_columns(self, space)
        swaps = min(replaced(space, d_in) or 0, size)
        far = min(swaps, size // 2)
        most = Fraction(far * (size - far) + swaps**2 // 4, size)
        return most * (first[1] - first[0]) * (second[1] - second[0]) / (size - self.ddof)

    def _size(self, space: Space) -> int:
        domain = matrix_domain(self, space)
        if domain.columns != 2:
            raise MismatchError(f"Covariance reads two columns, got {domain.columns}: choose two of them first.")
        if domain.size is None:
            raise MismatchError("Covariance needs a public size: write pc.matrix(2, ..., size=n).")
        if domain.size <= self.ddof:
            raise MismatchError(
                f"Covariance with ddof={self.ddof} needs more than {count_text(self.ddof, 'row')}, "
                f"got a public size of {domain.size}."
            )
        return domain.size
