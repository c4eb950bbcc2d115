"""The sum of a column in each group."""

from fractions import Fraction
from typing import final

from attrs import frozen

from privet.core import saturated
from privet.tables.aggregates.aggregate import ColumnAggregate, Expected, column_space
from privet.tables.aggregates.noise import Noise
from privet.tables.statistics import ONE, NumbersSpec, Statistic, one_number
from privet.transforms.sum import Sum


@final
@frozen(kw_only=True)
class SumColumn(ColumnAggregate):
    """Add up the clamped values of a column in each group; nulls add nothing.

    Args:
        column: Its name.
        bounds: Where to clamp; None for the bounds of the column.
        on_grid: The column in grid steps, once it is bound.

    Guarantee: one row moves the sum by ``max(|lower|, |upper|)``.
    Proof: docs/tables/aggregates/sum.md.

    >>> from privet.tables.columns import Column
    >>> bound = sum("age", bounds=(-2, 5)).bind({"age": Column(kind="integer")})
    >>> bound.measured().row.l1
    Fraction(5, 1)
    """

    call = "sum"

    def measured(self) -> NumbersSpec:
        """One sum, whose map is that of ``Sum``."""
        row = one_number((column_space(self.bound) >> Sum()).map(1))
        statistics = (Statistic(kind="sum", of=(self.bound,)),)
        return NumbersSpec(statistics=statistics, matrix=ONE, grid=self.bound.grid, row=row)

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The deviation of the noise; values in the middle between zero and the farther bound are assumed."""
        farther = max(abs(self.bound.lower), abs(self.bound.upper))
        return Expected(error=noise.deviation, size=saturated(rows * farther / 2))


def sum(column: str, *, bounds: object = None) -> SumColumn:  # noqa: A001
    """Add up a column.

    >>> sum("age").name
    'sum_age'
    """
    return SumColumn(column=column, bounds=bounds)
