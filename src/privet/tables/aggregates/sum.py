"""The sum of a column in each group."""

from collections.abc import Mapping
from fractions import Fraction
from typing import final

from attrs import evolve, field, frozen

from privet.core import saturated, short
from privet.tables.aggregates.aggregate import Aggregate, Expected
from privet.tables.aggregates.bound import bound_column, column_space, optional_bounds
from privet.tables.aggregates.noise import Noise
from privet.tables.columns import Bounds, Column, find_column
from privet.tables.statistics.numbers_spec import ONE, NumbersSpec, one_number
from privet.tables.statistics.statistic import GridColumn, Statistic, grid_column
from privet.transforms.sum import Sum


@final
@frozen(kw_only=True)
class SumColumn(Aggregate):
    """Add up the clamped values of a column in each group; nulls add nothing.

    Args:
        column: Its name.
        bounds: Where to clamp; None for the bounds of the column.
        on_grid: The column in grid steps, once it is bound.

    Guarantee: one row moves the sum by ``max(|lower|, |upper|)``.
    Proof: docs/tables/aggregates/sum.md.

    >>> bound = sum("age", bounds=(-2, 5)).bind({"age": Column(kind="integer")})
    >>> bound.measured().row.l1
    Fraction(5, 1)
    """

    column: str
    bounds: Bounds | None = field(default=None, converter=optional_bounds, repr=short)
    on_grid: GridColumn | None = None

    @property
    def name(self) -> str:
        """``sum`` with the column."""
        return f"sum_{self.column}"

    @property
    def nonnegative(self) -> bool:
        """Where the bounds are."""
        return self.on_grid is not None and self.on_grid.low >= 0

    def bind(self, columns: Mapping[str, Column]) -> "SumColumn":
        """Fix the bounds and the grid."""
        caller = f"sum({self.column!r})"
        return evolve(
            self, on_grid=grid_column(caller, self.column, find_column(caller, self.column, columns), self.bounds)
        )

    def measured(self) -> NumbersSpec:
        """One sum, whose map is that of ``Sum``."""
        on_grid = bound_column(f"sum({self.column!r})", self.on_grid)
        row = one_number((column_space(on_grid) >> Sum()).map(1))
        return NumbersSpec(statistics=(Statistic(kind="sum", of=(on_grid,)),), matrix=ONE, grid=on_grid.grid, row=row)

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The deviation of the noise; values in the middle between zero and the farther bound are assumed."""
        on_grid = bound_column(f"sum({self.column!r})", self.on_grid)
        return Expected(error=noise.deviation, size=saturated(rows * max(abs(on_grid.lower), abs(on_grid.upper)) / 2))


def sum(column: str, *, bounds: object = None) -> SumColumn:  # noqa: A001
    """Add up a column.

    >>> sum("age").name
    'sum_age'
    """
    return SumColumn(column=column, bounds=bounds)
