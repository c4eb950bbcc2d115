"""The sum of squared deviations from the mean."""

import math
from fractions import Fraction
from typing import final

from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import AbsoluteDistance, Array, ScalarDomain, Space
from privet.transforms import bounded_column, largest_change, replaced, round_to_steps, scaled_deviations


@final
@frozen(kw_only=True)
class SumOfSquaredDeviations(Transformation):
    """Add up the squared deviations of a bounded column from its mean, without floats.

    If the size is public, the result is exact, in grid steps of grid²/size; for a private size it is rounded to grid².
    A null or NaN counts as the midpoint of the bounds.

    Guarantee: ``d_out = d_in (upper - lower)²``; for k replacements of n rows, k at most n/2,
    ``k (n - k) / n (upper - lower)²``.
    Proof: docs/transforms/sum_of_squared_deviations.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 10), size=4) >> SumOfSquaredDeviations())([1, 2, 3, 5])
    8.75
    """

    def output(self, space: Space) -> Space:
        """One real number on the square of the grid, divided by a public size."""
        return Space(ScalarDomain(kind=float, grid=self._grid(space)), AbsoluteDistance())

    def apply(self, value: Array, space: Space) -> int:
        """Square and add up, in grid steps."""
        scaled = scaled_deviations(self, value, space)
        domain, _ = bounded_column(self, space)
        if domain.size is not None:
            return scaled
        return round_to_steps(Fraction(scaled, max(len(value), 1)))

    def stability(self, d_in: int, space: Space) -> Fraction:
        """The change is largest if the changed rows lie at one bound and all others at the other."""
        domain, (lower, upper) = bounded_column(self, space)
        square = (upper - lower) ** 2
        if domain.size is None:
            grid = self._grid(space)
            return math.ceil(d_in * square / grid) * grid
        return largest_change(replaced(space, d_in) or 0, domain.size) * square if domain.size else Fraction(0)

    def _grid(self, space: Space) -> Fraction:
        domain, _ = bounded_column(self, space)
        return domain.step**2 / (domain.size or 1)
