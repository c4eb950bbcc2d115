"""Clamping: move every value into public bounds."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, cast, final

from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import (
    Array,
    Bounds,
    MatrixDomain,
    Sides,
    Space,
    VectorDomain,
    bounded_grid,
    column_bounds,
    is_one_sided,
    matrix_grid,
    number,
    optional_grid,
    read_side,
    readable,
    short,
)
from privet.errors import InvalidError, WrongTypeError
from privet.transforms import all_readable, column_or_matrix, pair_or_pairs, present


def _limits(value: object) -> Any:
    """Convert a field to a pair, to a tuple of pairs, or to a pair with a bound on one side."""
    if isinstance(value, tuple | list) and is_one_sided(value):
        return tuple(None if end is None else number(end) for end in value)
    return pair_or_pairs(value)


@final
@frozen(kw_only=True)
class Clamp(RowTransformation):
    """Move every value to the nearest point within bounds.

    Real values are also rounded to a public grid, half to even. Nulls and NaN stay; infinities move to the bounds.
    With one bound, ``(lower, None)`` or ``(None, upper)``, a column is clamped on that side and nothing is rounded.

    Args:
        bounds: The pair (lower, upper), chosen without looking at the data; for a matrix also a list of pairs, one
            for each column. One of the pair may be None for a column.
        grid: The grid step of real values, a power of two; by default 2^-32 of the bounds (the largest, in a matrix).

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/clamp.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> Clamp(bounds=(0, 10)))([-3, 4, 99]).tolist()
    [0, 4, 10]
    >>> (vector(int) >> Clamp(bounds=(0, None)))([-3, 4, 99]).tolist()
    [0, 4, 99]
    """

    bounds: Bounds | Sides | tuple[Bounds, ...] = field(converter=_limits, validator=all_readable, repr=short)
    grid: Fraction | None = field(default=None, converter=optional_grid, validator=readable, repr=False)

    def output(self, space: Space) -> Space:
        """Narrow the bounds."""
        return Space(self._narrow(column_or_matrix(self, space)), space.metric)

    def _narrow(self, domain: VectorDomain | MatrixDomain) -> VectorDomain | MatrixDomain:
        if is_one_sided(self.bounds):
            return self._narrow_side(domain, cast("Sides", self.bounds))
        if isinstance(domain, MatrixDomain):
            limits = column_bounds("Clamp", self.bounds, domain.columns)
            # a row that moves may leave its ball
            return evolve(
                domain, bounds=limits, grid=self._kept(partial(matrix_grid, "Clamp", limits), domain.grid), norm=None
            )
        limit = self._one_pair()
        step = self._kept(partial(bounded_grid, "Clamp", domain.kind, limit), domain.grid)
        return evolve(domain, bounds=limit, grid=step, categories=None, sides=None)

    def _narrow_side(self, domain: VectorDomain | MatrixDomain, sides: Sides) -> VectorDomain:
        """Add a bound on one side; with a bound on the other side from before, the column is bounded."""
        if isinstance(domain, MatrixDomain):
            raise InvalidError(
                f"Clamp.bounds of a matrix need both sides, got {short(sides)}: write the pair (lower, upper)."
            )
        lower, upper = read_side("Clamp.bounds", domain.kind, sides)
        before = domain.sides if domain.bounds is None else domain.bounds
        if before is not None:
            lower = max((end for end in (lower, before[0]) if end is not None), default=None)
            upper = min((end for end in (upper, before[1]) if end is not None), default=None)
        if lower is None or upper is None:
            if self.grid is not None:
                raise InvalidError("Clamp.grid needs bounds on both sides: a grid is only exact within them.")
            return evolve(domain, categories=None, sides=(lower, upper))
        if lower >= upper:
            raise InvalidError(
                f"Clamp.bounds: lower must be below upper, got lower={short(lower)}, upper={short(upper)} with the "
                "bounds that the column already has."
            )
        step = self._kept(partial(bounded_grid, "Clamp", domain.kind, (lower, upper)), domain.grid)
        return evolve(domain, bounds=(lower, upper), grid=step, categories=None, sides=None)

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
