"""Clamping: move every value into public bounds."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import final

from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import (
    Array,
    Bounds,
    MatrixDomain,
    Space,
    VectorDomain,
    bounded_grid,
    column_bounds,
    matrix_grid,
    optional_grid,
    readable,
    short,
)
from privet.errors import InvalidError, WrongTypeError
from privet.transforms import all_readable, column_or_matrix, pair_or_pairs, present


@final
@frozen(kw_only=True)
class Clamp(RowTransformation):
    """Move every value to the nearest point within bounds.

    Real values are also rounded to a public grid, half to even. Nulls and NaN stay; infinities move to the bounds.

    Args:
        bounds: The pair (lower, upper), chosen without looking at the data; for a matrix also a list of pairs, one
            for each column.
        grid: The grid step of real values, a power of two; by default 2^-32 of the bounds (the largest, in a matrix).

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/clamp.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> Clamp(bounds=(0, 10)))([-3, 4, 99]).tolist()
    [0, 4, 10]
    """

    bounds: Bounds | tuple[Bounds, ...] = field(converter=pair_or_pairs, validator=all_readable, repr=short)
    grid: Fraction | None = field(default=None, converter=optional_grid, validator=readable, repr=False)

    def output(self, space: Space) -> Space:
        """Narrow the bounds."""
        return Space(self._narrow(column_or_matrix(self, space)), space.metric)

    def _narrow(self, domain: VectorDomain | MatrixDomain) -> VectorDomain | MatrixDomain:
        if isinstance(domain, MatrixDomain):
            limits = column_bounds("Clamp", self.bounds, domain.columns)
            # a row that moves may leave its ball
            return evolve(
                domain, bounds=limits, grid=self._kept(partial(matrix_grid, "Clamp", limits), domain.grid), norm=None
            )
        limit = self._one_pair()
        step = self._kept(partial(bounded_grid, "Clamp", domain.kind, limit), domain.grid)
        return evolve(domain, bounds=limit, grid=step, categories=None)

    def _one_pair(self) -> Bounds:
        lower, upper = self.bounds[0], self.bounds[-1]
        if isinstance(lower, Fraction) and isinstance(upper, Fraction):
            return lower, upper
        raise WrongTypeError(
            f"Clamp.bounds must be one pair (lower, upper) for a column, got a list of {len(self.bounds)}."
        )

    def _kept(self, choose: Callable[[Fraction | None], Fraction | None], before: Fraction | None) -> Fraction | None:
        """Choose the stated grid, or the grid before if it stays exact within the new bounds, or one made for them."""
        if self.grid is not None or before is None:
            return choose(self.grid)
        try:
            return choose(before)
        except InvalidError:
            return choose(None)

    def apply(self, value: Array, space: Space) -> Array:
        """Clamp row by row."""
        domain = self._narrow(column_or_matrix(self, space))
        return domain.coerce(value) if isinstance(domain, MatrixDomain) else domain.coerce(*present(value))
