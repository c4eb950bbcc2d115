"""The number of different persons in each group."""

from fractions import Fraction
from typing import final

from attrs import frozen

from privet.core import saturated
from privet.tables.aggregates.aggregate import Aggregate, Expected
from privet.tables.aggregates.noise import Noise
from privet.tables.statistics.numbers_spec import ONE, NumbersSpec, one_number
from privet.tables.statistics.statistic import PERSONS


@final
@frozen(kw_only=True)
class CountIds(Aggregate):
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

    @property
    def nonnegative(self) -> bool:
        """A count is."""
        return True

    def measured(self) -> NumbersSpec:
        """One count, which a person moves by one."""
        return NumbersSpec(statistics=(PERSONS,), matrix=ONE, grid=Fraction(1), row=one_number(1), per="persons")

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The deviation of the noise; as many persons as rows are assumed."""
        return Expected(error=noise.deviation, size=saturated(rows))


def count_ids() -> CountIds:
    """Count different persons.

    >>> count_ids().name
    'count_ids'
    """
    return CountIds()
