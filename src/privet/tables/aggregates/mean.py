"""The mean of a column in each group, where the size of the group is private."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, field, frozen

from privet.core.checks import short
from privet.core.rows import Array, saturated
from privet.tables.aggregates.aggregate import Aggregate, Estimate, Expected
from privet.tables.aggregates.bound import column_space, find_column, optional_bounds, settled, usual_size
from privet.tables.aggregates.linear import one_number
from privet.tables.aggregates.noise import Noise, unit_noise
from privet.tables.columns.column import Bounds, Column
from privet.tables.statistics.numbers_spec import NumbersSpec, sparse
from privet.tables.statistics.statistic import GridColumn, Statistic, grid_column
from privet.transforms.endpoint_sums import EndpointSums

_HALVINGS = 50


@final
@frozen(kw_only=True)
class MeanColumn(Aggregate):
    """Average the clamped values of a column in each group; nulls are left out.

    Noise is added to two sums, of the distances to the lower and to the upper bound; their ratio is the mean. A group
    without values gives the middle of the bounds, and an interval that says so.

    Args:
        column: Its name.
        bounds: Where to clamp; None for the bounds of the column.
        steps: The column as whole steps, once it is bound.

    Guarantee: one row moves the two sums by ``upper - lower`` in all.
    Proof: docs/tables/aggregates/mean.md.

    >>> bound = mean("age", bounds=(0, 120)).bind({"age": Column(kind="integer")})
    >>> bound.measured().row.l1
    Fraction(120, 1)
    """

    column: str
    bounds: Bounds | None = field(default=None, converter=optional_bounds, repr=short)
    steps: GridColumn | None = None

    @property
    def name(self) -> str:
        """``mean`` with the column."""
        return f"mean_{self.column}"

    @property
    def nonnegative(self) -> bool:
        """Where the bounds are."""
        return self.steps is not None and self.steps.low >= 0

    def bind(self, columns: Mapping[str, Column]) -> "MeanColumn":
        """Settle bounds and grid."""
        asked = f"mean({self.column!r})"
        return evolve(
            self, steps=grid_column(asked, self.column, find_column(asked, self.column, columns), self.bounds)
        )

    def measured(self) -> NumbersSpec:
        """Two sums, whose map is that of ``EndpointSums``."""
        steps = self._steps()
        shifted = evolve(steps, origin=steps.low)
        row = one_number((column_space(steps) >> EndpointSums()).map(1))
        return NumbersSpec(
            statistics=(Statistic(kind="sum", of=(shifted,)), Statistic(kind="present", of=(steps,))),
            matrix=sparse(((1, 0), (-1, steps.width))),
            grid=steps.grid,
            row=row,
        )

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """The ratio of the sums, and its error at first order; half the width where the sums say nothing."""
        steps = self._steps()
        width, rows = float(steps.upper - steps.lower), unit_noise(noise, steps.upper - steps.lower)
        low, _, total = _sums(numbers, rows)
        share = low / total
        with np.errstate(over="ignore"):  # where the sums say nothing
            first = np.sqrt(share**2 + (1 - share) ** 2) * rows.deviation / total
        error = width * np.minimum(np.nan_to_num(first, nan=0.5, posinf=0.5), 0.5)
        return Estimate(value=float(steps.lower) + width * share, error=error)

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Every mean that a test of exact level does not reject."""
        steps = self._steps()
        lower, width = float(steps.lower), float(steps.upper - steps.lower)
        rows = unit_noise(noise, steps.upper - steps.lower)
        low, high, total = _sums(numbers, rows)
        share = low / total
        ends = [_end(low, high, share, side, rows, level) for side in (0.0, 1.0)]
        return np.maximum(lower + width * ends[0], lower), np.minimum(lower + width * ends[1], lower + width)

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The error at first order, for a mean a quarter of the way up from the lower bound: see ``usual_size``."""
        steps = self._steps()
        width = float(steps.upper - steps.lower)
        error = noise.deviation * math.sqrt(0.25**2 + 0.75**2) / max(saturated(rows), 1e-300)
        return Expected(error=min(error, width / 2), size=usual_size(steps))

    def _steps(self) -> GridColumn:
        return settled(f"mean({self.column!r})", self.steps)


def mean(column: str, *, bounds: object = None) -> MeanColumn:
    """Average a column.

    >>> mean("age").name
    'mean_age'
    """
    return MeanColumn(column=column, bounds=bounds)


def _sums(numbers: Array, noise: Noise) -> tuple[Array, Array, Array]:
    """Give both sums in rows and their total: not below zero, as the exact ones; tiny where both would be zero."""
    sums = np.maximum(numbers.astype(np.float64) * float(noise.grid), 0.0)
    low, high = sums[:, :1], sums[:, 1:]
    empty = low + high == 0
    tiny = np.finfo(np.float64).tiny
    low, high = np.where(empty, tiny, low), np.where(empty, tiny, high)
    return low, high, low + high


def _end(low: Array, high: Array, share: Array, side: float, noise: Noise, level: Fraction) -> Array:
    """Find where the test begins to reject, between the estimate and one end of the bounds.

    A share s is rejected where ``|(1 - s) low - s high|`` exceeds what ``|(1 - s) Z - s Z'|`` does not with probability
    ``level``. On each side of the estimate the rejected shares form one interval (docs/tables/aggregates/mean.md).
    """

    def rejected(at: Array) -> Array:
        weights = np.concatenate([1 - at, at], axis=1)
        return noise.exceeds(np.abs((1 - at) * low - at * high)[:, 0], weights, level)[:, None]

    outside, inside = np.full_like(share, side), share
    open_end = ~rejected(outside)
    for _ in range(_HALVINGS):
        middle = (outside + inside) / 2
        out = rejected(middle)
        outside, inside = np.where(out, middle, outside), np.where(out, inside, middle)
    return np.where(open_end, side, outside)
