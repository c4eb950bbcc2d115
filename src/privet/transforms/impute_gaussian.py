"""Imputation of missing values by Gaussian draws, censored at the bounds."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import Attribute, field, frozen

from privet.chains.transformation import RandomTransformation, RowTransformation
from privet.core import Array, Space, positive, short
from privet.noise import discrete_gaussian
from privet.transforms import all_readable, bounded_numbers, complete, ends_in_steps, for_each, one_or_each, put_steps


@final
@frozen(kw_only=True)
class ImputeGaussian(RowTransformation, RandomTransformation):
    """Replace every null and every NaN by an independent Gaussian draw on the grid, censored at the bounds.

    A draw is the shift, rounded to the grid, plus discrete Gaussian noise. A draw outside the bounds of the column
    becomes the nearest bound.

    Args:
        shift: The location of the draws, chosen without looking at the data. For a matrix one number, or a list with
            one number for each column.
        scale: The spread of the draws, above zero; one number or a list likewise.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/impute_gaussian.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 9)) >> ImputeGaussian(shift=-100, scale=1))([1, None]).tolist()
    [1, 0]
    """

    shift: Fraction | tuple[Fraction, ...] = field(converter=one_or_each, validator=all_readable, repr=short)
    scale: Fraction | tuple[Fraction, ...] = field(converter=one_or_each, validator=all_readable, repr=short)

    @scale.validator
    def _check(self, attribute: "Attribute[Any]", value: Fraction | tuple[Fraction, ...]) -> None:
        for item in value if isinstance(value, tuple) else (value,):
            positive(self, attribute, item)

    def output(self, space: Space) -> Space:
        """Nothing is missing any more."""
        domain, _, _ = bounded_numbers(self, space)
        for name, value in (("shift", self.shift), ("scale", self.scale)):
            for_each(f"ImputeGaussian.{name}", value, domain)
        return Space(complete(domain), space.metric)

    def coins(self, rows: int, space: Space) -> tuple[Array, ...]:
        """Draw noise for every row and column, missing or not."""
        domain, _, grid = bounded_numbers(self, space)
        scales = for_each("ImputeGaussian.scale", self.scale, domain)
        return tuple(discrete_gaussian(scale / grid, rows) for scale in scales)

    def combine(self, value: Array, coins: tuple[Array, ...], space: Space) -> Array:
        """Impute each missing value from the coins of its row."""
        domain, limits, grid = bounded_numbers(self, space)
        shifts = for_each("ImputeGaussian.shift", self.shift, domain)
        steps = [
            # in Python integers: shift and noise may be far beyond the bounds
            np.clip(coin.astype(object) + round(shift / grid), *ends_in_steps(limit, grid))
            for coin, shift, limit in zip(coins, shifts, limits, strict=True)
        ]
        return put_steps(value, steps, grid)
