"""The number of different persons in each group."""

from fractions import Fraction
from typing import final

from attrs import frozen

from privet.tables.aggregates.aggregate import CountingAggregate
from privet.tables.statistics import ONE, PERSONS, NumbersSpec, one_number


@final
@frozen(kw_only=True)
class CountIds(CountingAggregate):
    """Count the different persons who have rows in each group.

    Guarantee: one person moves the count by one in each group where they have rows, however many.
    Proof: docs/tables/aggregates/count_ids.md.

    >>> from privet.tables.statistics.contribution import Contribution
    >>> count_ids().measured().distance(Contribution(l0=3, l1=30, linf=10), groups=100)
    Parts(l0=3, l1=3, l2_squared=3, linf=1)
    """

    @property
    def name(self) -> str:
        """``count_ids``."""
        return "count_ids"

    def measured(self) -> NumbersSpec:
        """One count, which a person moves by one."""
        return NumbersSpec(statistics=(PERSONS,), matrix=ONE, grid=Fraction(1), row=one_number(1), per="persons")


def count_ids() -> CountIds:
    """Count different persons.

    >>> count_ids().name
    'count_ids'
    """
    return CountIds()
