"""The number of rows of each group."""

from fractions import Fraction
from typing import final

from attrs import frozen

from privet.core import vector
from privet.tables.aggregates.aggregate import CountingAggregate
from privet.tables.statistics import ONE, ROWS, NumbersSpec, Statistic, one_number
from privet.transforms.count import Count


@final
@frozen(kw_only=True)
class CountRows(CountingAggregate):
    """Count the rows of each group, or those in which a column has a value.

    Args:
        column: The column whose values are counted; None for all rows.

    Guarantee: one row moves the count by one.
    Proof: docs/tables/aggregates/count.md.

    >>> count().measured().row.l1
    Fraction(1, 1)
    """

    column: str | None = None

    @property
    def name(self) -> str:
        """``count``, with the column."""
        return "count" if self.column is None else f"count_{self.column}"

    def measured(self) -> NumbersSpec:
        """One count, whose map is that of ``Count``."""
        row = one_number((vector(int) >> Count()).map(1))
        statistic = ROWS if self.column is None else Statistic(kind="present", column=self.column)
        return NumbersSpec(statistics=(statistic,), matrix=ONE, grid=Fraction(1), row=row)


def count(column: str | None = None) -> CountRows:
    """Count rows; with a column, those in which it has a value.

    >>> count().name
    'count'
    """
    return CountRows(column=column)
