"""The sum of a column in each group."""

from collections.abc import Mapping
from fractions import Fraction
from typing import final

from attrs import evolve, field, frozen

from privet.core.checks import short
from privet.core.rows import Array, saturated
from privet.tables.aggregates.aggregate import Aggregate, Estimate, Expected
from privet.tables.aggregates.bound import column_space, find_column, optional_bounds, settled
from privet.tables.aggregates.linear import linear_estimate, linear_interval, one_number
from privet.tables.aggregates.noise import Noise
from privet.tables.columns.column import Bounds, Column
from privet.tables.statistics.numbers_spec import ONE, NumbersSpec
from privet.tables.statistics.statistic import GridColumn, Statistic, grid_column
from privet.transforms.sum import Sum


@final
@frozen(kw_only=True)
class SumColumn(Aggregate):
    """Add up the clamped values of a column in each group; nulls add nothing.

    Args:
        column: Its name.
        bounds: Where to clamp; None for the bounds of the column.
        steps: The column as whole steps, once it is bound.

    Guarantee: one row moves the sum by ``max(|lower|, |upper|)``.
    Proof: docs/tables/aggregates/sum.md.

    >>> bound = sum("age", bounds=(-2, 5)).bind({"age": Column(kind="integer")})
    >>> bound.measured().row.l1
    Fraction(5, 1)
    """

    column: str
    bounds: Bounds | None = field(default=None, converter=optional_bounds, repr=short)
    steps: GridColumn | None = None

    @property
    def name(self) -> str:
        """``sum`` with the column."""
        return f"sum_{self.column}"

    @property
    def nonnegative(self) -> bool:
        """Where the bounds are."""
        return self.steps is not None and self.steps.low >= 0

    def bind(self, columns: Mapping[str, Column]) -> "SumColumn":
        """Settle bounds and grid."""
        asked = f"sum({self.column!r})"
        return evolve(
            self, steps=grid_column(asked, self.column, find_column(asked, self.column, columns), self.bounds)
        )

    def measured(self) -> NumbersSpec:
        """One sum, whose map is that of ``Sum``."""
        steps = settled(f"sum({self.column!r})", self.steps)
        row = one_number((column_space(steps) >> Sum()).map(1))
        return NumbersSpec(statistics=(Statistic(kind="sum", of=(steps,)),), matrix=ONE, grid=steps.grid, row=row)

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """The noisy sum."""
        return linear_estimate(numbers, noise)

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """The noisy sum, less and plus what its noise may be."""
        return linear_interval(numbers, noise, level)

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The deviation of the noise; values in the middle between zero and the farther bound are assumed."""
        steps = settled(f"sum({self.column!r})", self.steps)
        return Expected(error=noise.deviation, size=saturated(rows * max(abs(steps.lower), abs(steps.upper)) / 2))


def sum(column: str, *, bounds: object = None) -> SumColumn:  # noqa: A001
    """Add up a column.

    >>> sum("age").name
    'sum_age'
    """
    return SumColumn(column=column, bounds=bounds)
