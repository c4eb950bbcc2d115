"""The sum of a column in each group, where the total of each person is clamped instead of each row."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import final

from attrs import evolve, field, frozen

from privet.core import read_bounds, saturated, short
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import ColumnAggregate, Expected
from privet.tables.aggregates.noise import Noise
from privet.tables.columns import LARGEST, SMALLEST, Bounds, Column, find_column
from privet.tables.statistics import ONE, NumbersSpec, Statistic, grid_column, one_number

_EVERYTHING = (Fraction(SMALLEST // 2), Fraction(LARGEST // 2))
_FARTHEST = 2**90  # grid steps: the totals of 2^36 persons still have room in 128 bits


def _total_bounds(value: object) -> Bounds:
    return read_bounds("sum_by_person.bounds", value)


@final
@frozen(kw_only=True)
class SumByPerson(ColumnAggregate):
    """Add up a column in each group, after all values of a person in a group are added up and clamped.

    Nulls add nothing: a person whose values in a group are all null adds 0 there, whatever the bounds.

    Args:
        column: Its name.
        bounds: Where the total of a person in a group is clamped.
        on_grid: The column in grid steps, once it is bound.

    Guarantee: one person moves the sum by ``max(|lower|, |upper|)`` in each group where they count, however many rows.
    Proof: docs/tables/aggregates/sum_by_person.md.

    >>> bound = sum_by_person("spent", bounds=(0, 50)).bind({"spent": Column(kind="integer", bounds=(0, 1000))})
    >>> bound.measured().row.l1, bound.measured().per
    (Fraction(50, 1), 'persons')
    """

    call = "sum_by_person"

    bounds: Bounds = field(converter=_total_bounds, repr=short)

    @property
    def nonnegative(self) -> bool:
        """Where the bounds are."""
        return self.bounds[0] >= 0

    def bind(self, columns: Mapping[str, Column]) -> "SumByPerson":
        """Choose the grid; a row counts with its value within the bounds of its column."""
        caller = self.caller
        known = find_column(caller, self.column, columns)
        whole = known.kind in ("integer", "date", "timestamp") and known.bounds is None
        bound = evolve(self, on_grid=grid_column(caller, self.column, known, _EVERYTHING if whole else None))
        low, high = bound._ends
        if low >= high:
            raise InvalidError(f"{caller} needs two totals between the bounds, on the grid of the column.")
        if max(abs(low), abs(high)) > _FARTHEST:
            raise InvalidError(f"{caller} has room for totals of 2^90 grid steps; give narrower bounds.")
        return bound

    def measured(self) -> NumbersSpec:
        """One sum, which a person moves by the larger end."""
        low, high = self._ends
        statistic = Statistic(kind="person_sum", of=(self.bound,), ends=(low, high))
        row = one_number(max(abs(low), abs(high)) * self.bound.grid)
        return NumbersSpec(statistics=(statistic,), matrix=ONE, grid=self.bound.grid, row=row, per="persons")

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The deviation of the noise; as many persons as rows, with totals half way to the farther bound."""
        largest = max(abs(self.bounds[0]), abs(self.bounds[1]))
        return Expected(error=noise.deviation, size=saturated(rows * largest / 2))

    @property
    def _ends(self) -> tuple[int, int]:
        grid = self.bound.grid
        return math.ceil(self.bounds[0] / grid), math.floor(self.bounds[1] / grid)


def sum_by_person(column: str, *, bounds: object) -> SumByPerson:
    """Add up a column, with the total of each person clamped.

    >>> sum_by_person("spent", bounds=(0, 50)).name
    'sum_by_person_spent'
    """
    return SumByPerson(column=column, bounds=bounds)
