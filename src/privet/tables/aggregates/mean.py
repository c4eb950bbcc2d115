"""The mean of a column in each group, where the size of the group is private."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, frozen

from privet.core import Array, saturated
from privet.tables.aggregates.aggregate import ColumnAggregate, Estimate, Expected, column_space, usual_size
from privet.tables.aggregates.moments import EndpointShare
from privet.tables.aggregates.noise import Noise, unit_noise
from privet.tables.statistics import NumbersSpec, Statistic, one_number, sparse
from privet.transforms.endpoint_sums import EndpointSums


@final
@frozen(kw_only=True)
class MeanColumn(ColumnAggregate):
    """Average the clamped values of a column in each group; nulls are left out.

    Noise is added to two sums, of the distances to the lower and to the upper bound; their ratio is the mean. A group
    without values gives the middle of the bounds, and an interval that says so.

    Args:
        column: Its name.
        bounds: Where to clamp; None for the bounds of the column.
        on_grid: The column in grid steps, once it is bound.

    Guarantee: one row moves the two sums by ``upper - lower`` in all.
    Proof: docs/tables/aggregates/mean.md.

    >>> from privet.tables.columns import Column
    >>> bound = mean("age", bounds=(0, 120)).bind({"age": Column(kind="integer")})
    >>> bound.measured().row.l1
    Fraction(120, 1)
    """

    call = "mean"

    def measured(self) -> NumbersSpec:
        """Two sums, whose map is that of ``EndpointSums``."""
        on_grid = self.bound
        shifted = evolve(on_grid, origin=on_grid.low)
        row = one_number((column_space(on_grid) >> EndpointSums()).map(1))
        return NumbersSpec(
            statistics=(Statistic(kind="sum", of=(shifted,)), Statistic(kind="present", of=(on_grid,))),
            matrix=sparse(((1, 0), (-1, on_grid.width))),
            grid=on_grid.grid,
            row=row,
        )

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """The ratio of the sums, and its error at first order; half the width where the sums say nothing."""
        share, width = self._share(numbers, noise), float(self.width)
        return Estimate(value=float(self.bound.lower) + width * share.value, error=width * share.error)

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Every mean that a test of exact level does not reject."""
        lower, width = float(self.bound.lower), float(self.width)
        low, high = self._share(numbers, noise).interval(level)
        return np.maximum(lower + width * low, lower), np.minimum(lower + width * high, lower + width)

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The error at first order, for a mean a quarter of the way up from the lower bound: see ``usual_size``."""
        error = noise.deviation * math.sqrt(0.25**2 + 0.75**2) / max(saturated(rows), 1e-300)
        return Expected(error=min(error, float(self.width) / 2), size=usual_size(self.bound))

    def typical(self, rows: Fraction) -> Array:
        """Those of a mean a quarter of the way up from the lower bound."""
        whole = saturated(rows * self.bound.width)
        return np.array([[0.25 * whole, 0.75 * whole]])

    def _share(self, numbers: Array, noise: Noise) -> EndpointShare:
        return EndpointShare(numbers=numbers, noise=unit_noise(noise, self.width))


def mean(column: str, *, bounds: object = None) -> MeanColumn:
    """Average a column.

    >>> mean("age").name
    'mean_age'
    """
    return MeanColumn(column=column, bounds=bounds)
