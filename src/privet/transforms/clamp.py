"""Clamping: every value moved into public bounds."""

from fractions import Fraction
from typing import final

from attrs import evolve, field, frozen

from privet.core.checks import bounds, optional_grid, readable, short
from privet.core.domain import Bounds
from privet.core.rows import Array
from privet.core.space import Space, bounded_grid
from privet.core.transformation import Transformation
from privet.errors import Invalid
from privet.transforms.columns import column, present


@final
@frozen(kw_only=True)
class Clamp(Transformation):
    """Move every value to the nearest point within bounds.

    Real values are also rounded to a public grid, half to even. Nulls and NaN are kept; infinities go to the bounds.

    Args:
        bounds: The pair (lower, upper), chosen without looking at the data.
        grid: The step of real values, a power of two; by default 2^-32 of the bounds.

    Guarantee: ``d_out = d_in``, for every metric on columns.
    Proof: docs/transforms/clamp.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> Clamp(bounds=(0, 10)))([-3, 4, 99]).tolist()
    [0, 4, 10]
    """

    bounds: Bounds = field(converter=bounds, validator=readable, repr=short)
    grid: Fraction | None = field(default=None, converter=optional_grid, validator=readable, repr=False)

    def output(self, space: Space) -> Space:
        """Narrow the bounds."""
        domain = column(self, space)
        step = bounded_grid("Clamp", domain.kind, self.bounds, self._step(domain.grid))
        return Space(evolve(domain, bounds=self.bounds, grid=step, categories=None), space.metric)

    def _step(self, before: Fraction | None) -> Fraction | None:
        """Keep the grid that the column already has, where it is fine enough to stay exact within the new bounds."""
        if self.grid is not None or before is None:
            return self.grid
        try:
            return bounded_grid("Clamp", float, self.bounds, before)
        except Invalid:
            return None

    def apply(self, value: Array, space: Space) -> Array:
        """Clamp row by row."""
        domain = column(self, self.output(space))
        return domain.coerce(*present(value))

    def stability(self, d_in: int, space: Space) -> int:
        """A function of each row by itself changes no more rows than were changed."""
        return d_in
