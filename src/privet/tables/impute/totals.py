"""Totals over a completed table: which of them depend on what was imputed, and how far one row moves them.

Proof: docs/tables/impute.md.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import final

from attrs import frozen

from privet.imputation.influence import Influence
from privet.tables.columns.column import Column
from privet.tables.statistics.statistic import GridColumn, Statistic


@final
@frozen(kw_only=True)
class Dependence:
    """What of the rows of a query depends on imputed values.

    Args:
        columns: What is known of the columns.
        tainted: The columns that do: the imputed one, and those derived from it.
        reach: For columns that are the imputed one, how far a value moves when one donor changes.
        entered: Whether rows enter or leave a group because of imputed values.
    """

    columns: Mapping[str, Column]
    tainted: frozenset[str]
    reach: Mapping[str, Fraction]
    entered: bool

    def total(self, statistic: Statistic) -> "Total":
        """Settle how far one row moves a total, by itself and through those to which it gives."""
        read = self.tainted.intersection(statistic.columns)
        entered = self.entered or any(self.columns[name].nullable for name in read)
        if statistic.kind in ("rows", "present"):
            return Total(statistic=statistic, own=1, donee=int(entered))
        own, moved = _size(statistic.of), self._moved(statistic.of)
        return Total(statistic=statistic, own=own, donee=max(own, moved) if entered else moved)

    def _moved(self, factors: tuple[GridColumn, ...]) -> int:
        """How far the product of a row moves when one donor changes, in steps."""
        touched = [at for at, each in enumerate(factors) if each.column in self.tainted]
        if not touched:
            return 0
        if _is_square(factors):
            far, near = _size(factors[:1]), max(_size(factors[:1]) - self._reach(factors[0]), 0)
            return far**2 - near**2
        # one factor after the other: each moves by its reach while the others are as large as they can be
        moved = 0
        for at in touched:
            others = _size(factors[:at] + factors[at + 1 :])
            moved += self._reach(factors[at]) * others
        low, high = _ends(factors)
        return min(moved, high - low)

    def _reach(self, steps: GridColumn) -> int:
        known = self.reach.get(steps.column)
        if known is None:
            return steps.width
        return min(steps.width, math.ceil(known / steps.grid) + 1)  # both values are rounded to steps


@final
@frozen(kw_only=True)
class Total:
    """A number of each group, in whole steps.

    Args:
        statistic: What is counted or added up.
        own: The most that a row counts by itself.
        donee: The most that an incomplete row moves it when one of its donors changes; zero where it does not depend
            on what is imputed.
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
        """The size of a step."""
        return math.prod((each.grid for each in self.statistic.of), start=Fraction(1)) if self._sums else Fraction(1)

    @property
    def _sums(self) -> bool:
        return self.statistic.kind == "sum"

    @property
    def told(self) -> str:
        """Name it for readers."""
        if not self._sums:
            return "rows" if self.statistic.kind == "rows" else f"rows with {', '.join(self.statistic.columns)}"
        return "sum of " + " x ".join(map(_told, self.statistic.of))


def _told(each: GridColumn) -> str:
    return f"({each.column} - {float(each.origin * each.grid):g})" if each.origin else each.column


def _is_square(factors: tuple[GridColumn, ...]) -> bool:
    return len(factors) == 2 and factors[0] == factors[1]


def _size(factors: tuple[GridColumn, ...]) -> int:
    """The largest size of a product."""
    return math.prod(max(abs(each.low - each.origin), abs(each.high - each.origin)) for each in factors)


def _ends(factors: tuple[GridColumn, ...]) -> tuple[int, int]:
    """The smallest and the largest product; a square of one column is not negative."""
    if _is_square(factors):
        return 0, _size(factors)
    low, high = 1, 1
    for each in factors:
        corners = [end * value for end in (low, high) for value in (each.low - each.origin, each.high - each.origin)]
        low, high = min(corners), max(corners)
    return low, high
