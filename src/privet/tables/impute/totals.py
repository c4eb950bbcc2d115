"""Totals over a completed table: which of them depend on imputed values, and how far one row moves them.

Proof: docs/tables/impute.md.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import final

from attrs import frozen

from privet.imputation.influence import ROW, Addend, Group, Influence, steps_moved
from privet.tables.columns import Column
from privet.tables.nodes.imputed_values import ImputedFacts, ImputedValues
from privet.tables.statistics import GridColumn, Statistic


@final
@frozen(kw_only=True)
class Total:
    """One whole number of each group.

    Args:
        statistic: The statistic that the engine computes.
        own: The most that a row adds by itself.
        donee: The most by which the part of an incomplete row moves when one of its donors changes; zero for a total
            that does not depend on imputed values.
    """

    statistic: Statistic
    own: int
    donee: int

    @property
    def influence(self) -> Influence:
        """How far one row moves it."""
        return Influence(own=Fraction(self.own), donee=Fraction(self.donee))

    @property
    def step(self) -> Fraction:
        """The size of a grid step."""
        return math.prod((each.grid for each in self.statistic.of), start=Fraction(1)) if self._sums else Fraction(1)

    @property
    def _sums(self) -> bool:
        return self.statistic.kind == "sum"

    @property
    def description(self) -> str:
        """Its name in descriptions of plans."""
        if not self._sums:
            return "rows" if self.statistic.kind == "rows" else f"rows with {', '.join(self.statistic.columns)}"
        product = " x ".join(map(_describe, self.statistic.of))
        return f"sum of {_minus(product, self.statistic.origin * self.step)}"


def total_of(statistic: Statistic, columns: Mapping[str, Column], facts: ImputedFacts) -> Total:
    """Bound how far one row moves a statistic, by itself and through the rows to which it gives.

    Args:
        statistic: A number of rows, of rows with a value, or a sum.
        columns: What is known of the columns.
        facts: What depends on imputed values.
    """
    # a value that depends on imputed ones and may be null decides whether its row counts
    may_be_null = [name for name in statistic.columns if columns[name].nullable]
    group: Group = "imputed" if facts.rows or facts.reads(may_be_null) else "fixed"
    addend = _addend(statistic, columns, facts) if statistic.kind == "sum" else ROW
    influence = addend.influence(group)
    return Total(statistic=statistic, own=math.ceil(influence.own), donee=math.ceil(influence.donee))


def _addend(statistic: Statistic, columns: Mapping[str, Column], facts: ImputedFacts) -> Addend:
    reaches = [_reach(each, columns[each.column], facts.columns.get(each.column)) for each in statistic.of]
    return product_of(statistic.of, reaches).minus(statistic.origin)


def _reach(steps: GridColumn, known: Column, fact: ImputedValues | None) -> int:
    """How many grid steps one donor moves a column."""
    if fact is None:
        return 0
    if fact.reach is None:
        return steps.width
    return steps_moved(fact.reach, steps.grid, Fraction(1) if known.kind == "integer" else known.grid)


def product_of(columns: Sequence[GridColumn], reaches: Sequence[int] | None = None) -> Addend:
    """State the range of a product of columns, and how far one donor moves it; two equal columns make a square.

    Args:
        columns: The columns, in grid steps from their origins.
        reaches: How many grid steps one donor moves each; None for zeros.
    """
    factors = [
        Addend(low=each.low - each.origin, high=each.high - each.origin, reach=reach)
        for each, reach in zip(columns, reaches or [0] * len(columns), strict=True)
    ]
    if len(columns) == 2 and columns[0] == columns[1]:
        return factors[0].square()
    return reduce(Addend.times, factors)


def _describe(each: GridColumn) -> str:
    return f"({_minus(each.column, each.origin * each.grid)})" if each.origin else each.column


def _minus(text: str, number: Fraction) -> str:
    return f"{text} - {float(number):g}" if number else text
