"""Two sums that determine a mean: the distances of the rows to each end of the bounds."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import Array, HammingDistance, NumbersDomain, Parts, ReplacementDistance, Space, VectorDistance
from privet.errors import MismatchError
from privet.transforms import bounded_column, ends_in_steps, records_changed, replaced, seen, total


@final
@frozen(kw_only=True)
class EndpointSums(Transformation):
    """Sum the distances of the rows to the lower and to the upper bound.

    A row at v adds (v - lower, upper - v): two numbers of zero or more that add up to the width. So one row costs the
    width once, whereas a sum and a count cost twice as much. Count and mean follow from the two sums. Nulls and NaN add
    nothing.

    Guarantee: ``l1 = linf = d_in (upper - lower)``, ``l2² = l1²``; for k replacements ``linf = k (upper - lower)``,
        ``l1 = 2 linf``, ``l2² = 2 linf²``.
    Proof: docs/transforms/endpoint_sums.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 10)) >> EndpointSums())([1, 2, None]).tolist()
    [3.0, 17.0]
    """

    def output(self, space: Space) -> Space:
        """Two numbers on the grid of the column."""
        domain, _ = bounded_column(self, space)
        if isinstance(space.metric, HammingDistance | ReplacementDistance):
            raise MismatchError("EndpointSums is for a private size: if the size is public, Mean() is more accurate.")
        return Space(NumbersDomain(length=2, kind=float, grid=domain.step), VectorDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Add up both distances, in grid steps."""
        domain, bounds = bounded_column(self, space)
        sum_of_present, rows = total(value, domain, bounds, missing=0), len(seen(value))
        lower, upper = ends_in_steps(bounds, domain.step)
        return np.array([sum_of_present - rows * lower, rows * upper - sum_of_present], dtype=object)

    def stability(self, d_in: int, space: Space) -> Parts:
        """Every row changes the two sums by the width in total, wherever it lies."""
        _, (lower, upper) = bounded_column(self, space)
        width = records_changed(space, d_in) * (upper - lower)
        both = 1 if replaced(space, d_in) is None else 2  # a replaced row changes both sums, in opposite directions
        return Parts(l0=2 if d_in else 0, l1=both * width, l2_squared=both * width**2, linf=width)


def mean_of(toward_lower: Fraction, toward_upper: Fraction, lower: Fraction, upper: Fraction) -> Fraction:
    """Return the mean that two endpoint sums determine, or the midpoint of the bounds if both are zero.

    Args:
        toward_lower: The sum of the distances to the lower bound, possibly noisy.
        toward_upper: The sum of the distances to the upper bound, possibly noisy.
        lower: The lower bound.
        upper: The upper bound.
    """
    low, high = max(toward_lower, Fraction(0)), max(toward_upper, Fraction(0))
    if low + high == 0:
        return (lower + upper) / 2
    return lower + (upper - lower) * low / (low + high)
