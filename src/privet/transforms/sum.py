"""Exact sums of bounded columns."""

from fractions import Fraction
from typing import final

from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import AbsoluteDistance, Array, ScalarDomain, Space, nearest_step
from privet.transforms import bounded_column, replaced, total


@final
@frozen(kw_only=True)
class Sum(Transformation):
    """Add up a bounded column exactly: without rounding or overflow, in any order.

    The result is a whole number of steps of the column's grid. A null or NaN counts as the value within the bounds
    nearest to zero; it is zero if the bounds contain zero.

    Guarantee: ``d_out = d_in max(|lower|, |upper|)``; if the size is public, ``ceil(d_in / 2) (upper - lower)``.
    Proof: docs/transforms/sum.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 10)) >> Sum())([1, 2, 30])
    13
    """

    def output(self, space: Space) -> Space:
        """One number on the grid of the column."""
        domain, _ = bounded_column(self, space)
        return Space(ScalarDomain(kind=domain.kind, grid=domain.step), AbsoluteDistance())

    def apply(self, value: Array, space: Space) -> int:
        """Add up, in grid steps."""
        domain, bounds = bounded_column(self, space)
        return total(value, domain, bounds, missing=nearest_step(Fraction(0), bounds, domain.step))

    def stability(self, d_in: int, space: Space) -> Fraction:
        """A row changes the sum by at most the larger bound, a replacement by at most the width."""
        _, (lower, upper) = bounded_column(self, space)
        swaps = replaced(space, d_in)
        return d_in * max(abs(lower), abs(upper)) if swaps is None else swaps * (upper - lower)
