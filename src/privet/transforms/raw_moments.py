"""Sums of powers of a bounded column."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    Array,
    Bounds,
    NumbersDomain,
    Parts,
    Space,
    VectorDistance,
    at_most,
    nearest_step,
    positive,
    whole,
)
from privet.transforms import bounded_column, column_steps, largest_step, power_sum, replaced

_MOST = 16


@final
@frozen(kw_only=True)
class RawMoments(Transformation):
    """Add up the first powers of a bounded column exactly: the sums of x, x², x³ and so on.

    A null or NaN counts as the value within the bounds nearest to zero. Divided by the number of rows, the sums are the
    raw moments.

    Args:
        order: The highest power, from 1 to 16.

    Guarantee: the sum of the j-th powers changes by ``d_in max(|lower|, |upper|)^j``, for a replacement by the width of
    the range of ``x^j``; the norms add these up.
    Proof: docs/transforms/raw_moments.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(-10, 10)) >> RawMoments(order=3))([1, -2, 3]).tolist()
    [2.0, 14.0, 20.0]
    """

    order: int = field(converter=whole, validator=[positive, at_most(_MOST)])

    def output(self, space: Space) -> Space:
        """One number for each power, on the finest of the powers of the column's grid."""
        return Space(NumbersDomain(length=self.order, kind=float, grid=self._grid(space)), VectorDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Raise to powers and add up, in grid steps."""
        domain, bounds = bounded_column(self, space)
        step, grid = domain.step, self._grid(space)
        steps = column_steps(value, domain, missing=nearest_step(Fraction(0), bounds, step))
        largest = largest_step(bounds, step)
        powers = range(1, self.order + 1)
        sums = [power_sum(steps, power, largest) * int(step**power / grid) for power in powers]
        return np.array(sums, dtype=object)

    def stability(self, d_in: int, space: Space) -> Parts:
        """Every power has its own bounds."""
        _, bounds = bounded_column(self, space)
        swaps = replaced(space, d_in)
        most = max(abs(bounds[0]), abs(bounds[1]))
        powers = range(1, self.order + 1)
        if swaps is None:
            return Parts.of(d_in * most**power for power in powers)
        return Parts.of(swaps * power_width(bounds, power) for power in powers)

    def _grid(self, space: Space) -> Fraction:
        step = bounded_column(self, space)[0].step
        return min(step, step**self.order)


def power_width(bounds: Bounds, power: int) -> Fraction:
    """Return the width of the range of a power within bounds; an even power over both signs starts at zero."""
    ends = [end**power for end in bounds]
    if power % 2 == 0 and bounds[0] < 0 < bounds[1]:
        ends.append(Fraction(0))
    return max(ends) - min(ends)
