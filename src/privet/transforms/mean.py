"""The mean of a bounded column of public size, or of at least a public number of rows."""

import math
from fractions import Fraction
from typing import final

from attrs import converters, field, frozen, validators

from privet.chains.transformation import Transformation
from privet.core import AbsoluteDistance, Array, ScalarDomain, Space, nearest_step, positive, whole
from privet.errors import MismatchError
from privet.transforms import bounded_column, finer, replaced, round_to_steps, total


@final
@frozen(kw_only=True)
class Mean(Transformation):
    """Average a bounded column whose size, or a lower bound on it, is public.

    If the size is public, the sum is exact and the division is free: the result is a number of grid steps of grid/size.
    With ``min_size``, a shorter column is padded with the midpoint of the bounds, and the mean is rounded to a public
    grid. A null or NaN counts as the midpoint. If nothing is known about the size, use ``NoisyMean``.

    Args:
        min_size: The smallest divisor, for a private size.

    Guarantee: ``d_out = ceil(d_in / 2) (upper - lower) / size``; with ``min_size`` of at least ``d_in``
    ``d_in (upper - lower) / (min_size + d_in)``, rounded up to the grid.
    Proof: docs/transforms/mean.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 100), size=10) >> Mean()).map(2)
    Fraction(10, 1)
    """

    min_size: int | None = field(
        default=None, converter=converters.optional(whole), validator=validators.optional(positive)
    )

    def output(self, space: Space) -> Space:
        """One real number on the grid divided by the size, or on a similarly fine grid for ``min_size``."""
        step = bounded_column(self, space)[0].step
        grid = step / self._size(space) if self.min_size is None else self._grid(self.min_size, space)
        return Space(ScalarDomain(kind=float, grid=grid), AbsoluteDistance())

    def apply(self, value: Array, space: Space) -> int:
        """Add up; the division by the size is part of the grid, or happens here."""
        domain, bounds = bounded_column(self, space)
        middle = nearest_step((bounds[0] + bounds[1]) / 2, bounds, domain.step)
        steps = total(value, domain, bounds, missing=middle)
        if self.min_size is None:
            return steps
        padding = max(self.min_size - len(value), 0)
        mean = (steps * domain.step + padding * (bounds[0] + bounds[1]) / 2) / (len(value) + padding)
        return round_to_steps(mean / self._grid(self.min_size, space))

    def stability(self, d_in: int, space: Space) -> Fraction:
        """A replaced row changes the mean by at most width / size; an added row also changes the divisor."""
        _, (lower, upper) = bounded_column(self, space)
        if self.min_size is None:
            return Fraction(replaced(space, d_in) or 0) * (upper - lower) / self._size(space)
        least, grid = self.min_size, self._grid(self.min_size, space)
        share = max(Fraction(d_in, least + d_in), min(Fraction(d_in, 2 * least), Fraction(1)))
        if replaced(space, d_in) is not None:  # rows are replaced in place: the private divisor does not change
            share = min(Fraction(d_in, least), Fraction(1))
        return math.ceil(share * (upper - lower) / grid) * grid

    def _grid(self, least: int, space: Space) -> Fraction:
        domain, _ = bounded_column(self, space)
        if domain.size is not None:
            raise MismatchError("Mean.min_size is for a private size, got a column of public size: write Mean().")
        return finer(domain.step, least)

    def _size(self, space: Space) -> int:
        domain, _ = bounded_column(self, space)
        if not domain.size:
            raise MismatchError(
                "Mean needs a public size of one row or more: write pc.vector(..., size=n), or Mean(min_size=n), or "
                "use NoisyMean(noise=...) if the size is private."
            )
        return domain.size
