"""The mean of a bounded column of public size."""

from fractions import Fraction
from typing import final

from attrs import frozen

from privet.core.domain import ScalarDomain
from privet.core.grid import nearest_step
from privet.core.metric import AbsoluteDistance
from privet.core.rows import Array
from privet.core.space import Space
from privet.core.transformation import Transformation
from privet.errors import Mismatch
from privet.transforms.columns import bounded_column, replaced
from privet.transforms.sum import step_of, total


@final
@frozen(kw_only=True)
class Mean(Transformation):
    """Average a bounded column whose size is public.

    The sum is exact and the division is free: the result counts steps of grid/size. A null or NaN counts as the
    middle of the bounds. For a private size use ``NoisyMean``.

    Guarantee: ``d_out = ceil(d_in / 2) (upper - lower) / size``.
    Proof: docs/transforms/mean.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 100), size=10) >> Mean()).map(2)
    Fraction(10, 1)
    """

    def output(self, space: Space) -> Space:
        """One real number on the grid divided by the size."""
        domain, _ = bounded_column(self, space)
        step = step_of(domain) / self._size(space)
        return Space(ScalarDomain(kind=float, grid=step), AbsoluteDistance())

    def apply(self, value: Array, space: Space) -> int:
        """Add up; the size is in the grid."""
        domain, bounds = bounded_column(self, space)
        middle = nearest_step((bounds[0] + bounds[1]) / 2, bounds, step_of(domain))
        return total(value, domain, bounds, missing=middle)

    def stability(self, d_in: int, space: Space) -> Fraction:
        """A replaced row moves the mean by at most the width over the size."""
        _, (lower, upper) = bounded_column(self, space)
        swaps = replaced(space, d_in)
        return Fraction(swaps or 0) * (upper - lower) / self._size(space)

    def _size(self, space: Space) -> int:
        domain, _ = bounded_column(self, space)
        if not domain.size:
            raise Mismatch(
                "Mean needs a public size of one row or more: write pv.vector(..., size=n), or use "
                "NoisyMean(noise=...) where the size is private."
            )
        return domain.size
