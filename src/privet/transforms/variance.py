"""The variance of a bounded column of public size."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import AbsoluteDistance, Array, ScalarDomain, Space, one_of, whole
from privet.transforms import bounded_column, scaled_deviations, spread_size, variance_change


@final
@frozen(kw_only=True)
class Variance(Transformation):
    """Compute the variance of a bounded column of n rows exactly, in grid steps of grid²/(n (n - ddof)).

    A null or NaN counts as the midpoint of the bounds.

    Args:
        ddof: The number subtracted from the size in the divisor: 1 for the unbiased estimator, 0 for the variance of
            these rows.

    Guarantee: for one replacement ``d_out = (upper - lower)² / n`` with ``ddof=1``.
    Proof: docs/transforms/variance.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 10), size=100) >> Variance()).map(2)
    Fraction(1, 1)
    """

    ddof: int = field(default=1, converter=whole, validator=one_of(0, 1))

    def output(self, space: Space) -> Space:
        """One real number; both divisors are in the grid."""
        size = spread_size(self, space, self.ddof)
        domain, _ = bounded_column(self, space)
        grid = domain.step**2 / (size * (size - self.ddof))
        return Space(ScalarDomain(kind=float, grid=grid), AbsoluteDistance())

    def apply(self, value: Array, space: Space) -> int:
        """Square and add up, in grid steps."""
        return scaled_deviations(self, value, space)

    def stability(self, d_in: int, space: Space) -> Fraction:
        """The change is largest if k rows move from one bound, where all rows lie, to the other."""
        return variance_change(self, d_in, space, self.ddof)
