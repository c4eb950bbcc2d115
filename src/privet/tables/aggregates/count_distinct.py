"""The number of different values of a column in each group."""

from collections.abc import Mapping
from fractions import Fraction
from typing import final

from attrs import frozen

from privet.core import vector
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import CountingAggregate
from privet.tables.columns import Column, find_column
from privet.tables.statistics import ONE, NumbersSpec, Statistic, one_number
from privet.transforms.count_distinct import CountDistinct


@final
@frozen(kw_only=True)
class DistinctColumn(CountingAggregate):
    """Count the different values of a column in each group; nulls do not count. The values need not be public.

    Args:
        column: Its name.

    Guarantee: one row moves the count by one; a person, by as many as they have rows in the group.
    Proof: docs/tables/aggregates/count_distinct.md.

    >>> count_distinct("city").measured().row.l1
    Fraction(1, 1)
    """

    column: str

    @property
    def name(self) -> str:
        """``count_distinct`` with the column."""
        return f"count_distinct_{self.column}"

    def bind(self, columns: Mapping[str, Column]) -> "DistinctColumn":
        """Any column of single values may be counted."""
        known = find_column(f"count_distinct({self.column!r})", self.column, columns)
        if known.kind == "list":
            raise InvalidError(
                f"count_distinct({self.column!r}) counts single values, and {self.column!r} is a list: make a row for "
                f"each of its items first, unnest({self.column!r})."
            )
        return self

    def measured(self) -> NumbersSpec:
        """One count, whose map is that of ``CountDistinct``."""
        row = one_number((vector(str) >> CountDistinct()).map(1))
        statistic = Statistic(kind="distinct", column=self.column)
        return NumbersSpec(statistics=(statistic,), matrix=ONE, grid=Fraction(1), row=row)


def count_distinct(column: str) -> DistinctColumn:
    """Count different values.

    >>> count_distinct("city").name
    'count_distinct_city'
    """
    return DistinctColumn(column=column)
