"""Imputation of missing values by uniform draws."""

from typing import final

from attrs import converters, field, frozen, validators

from privet.chains.transformation import RandomTransformation, RowTransformation
from privet.core import Array, Bounds, Space, column_bounds, short
from privet.errors import InvalidError
from privet.noise import uniform_below
from privet.transforms import all_readable, bounded_numbers, complete, ends_in_steps, pair_or_pairs, put_steps


@final
@frozen(kw_only=True)
class ImputeUniform(RowTransformation, RandomTransformation):
    """Replace every null and every NaN by an independent draw, uniform on the grid points within bounds.

    Args:
        bounds: The interval to draw from, within the bounds of the column; by default these bounds. For a matrix one
            pair (lower, upper), or a list with one pair for each column.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/impute_uniform.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 9)) >> ImputeUniform(bounds=(4, 5)))([1, None, 3])[1] in (4, 5)
    True
    """

    bounds: Bounds | tuple[Bounds, ...] | None = field(
        default=None,
        converter=converters.optional(pair_or_pairs),
        validator=validators.optional(all_readable),
        repr=short,
    )

    def output(self, space: Space) -> Space:
        """Nothing is missing any more."""
        self._ranges(space)
        return Space(complete(bounded_numbers(self, space)[0]), space.metric)

    def coins(self, rows: int, space: Space) -> tuple[Array, ...]:
        """Draw a grid point within the bounds for every row and column, missing or not."""
        return tuple(uniform_below(high - low + 1, rows) for low, high in self._ranges(space))

    def combine(self, value: Array, coins: tuple[Array, ...], space: Space) -> Array:
        """Impute each missing value from the coins of its row."""
        _, _, grid = bounded_numbers(self, space)
        lowest = [low for low, _ in self._ranges(space)]
        # in Python integers: the width may take all 64 bits
        steps = [coin.astype(object) + low for coin, low in zip(coins, lowest, strict=True)]
        return put_steps(value, steps, grid)

    def _ranges(self, space: Space) -> list[tuple[int, int]]:
        """Return the first and the last grid step of each column."""
        _, limits, grid = bounded_numbers(self, space)
        pairs = limits if self.bounds is None else column_bounds("ImputeUniform", self.bounds, len(limits))
        ranges = [ends_in_steps(pair, grid) for pair in pairs]
        for pair, limit, (low, high) in zip(pairs, limits, ranges, strict=True):
            if pair[0] < limit[0] or pair[1] > limit[1]:
                raise InvalidError(
                    f"ImputeUniform.bounds must lie within those of the column, {short(limit)}, got {short(pair)}."
                )
            if low > high:
                raise InvalidError(f"ImputeUniform.bounds must hold a point of the grid {grid}, got {short(pair)}.")
        return ranges
