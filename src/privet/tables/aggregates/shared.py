"""Counts, sums and means of one column from the same noisy numbers.

A row at v adds (v - lower, upper - v, 0), a row without a value (0, 0, upper - lower): it moves three numbers by the
width in all. Counts, sums and the mean follow from them, at the loss of one of these alone.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, field, frozen

from privet.core import Array
from privet.errors import WrongTypeError
from privet.tables.aggregates.aggregate import (
    Aggregate,
    Estimate,
    Expected,
    linear_estimate,
    linear_interval,
    within_floats,
)
from privet.tables.aggregates.count import CountRows
from privet.tables.aggregates.mean import MeanColumn
from privet.tables.aggregates.noise import Noise, NoiseKind, unit_noise
from privet.tables.aggregates.sum import SumColumn
from privet.tables.columns import LARGEST
from privet.tables.statistics import ROWS, GridColumn, NumbersSpec, Statistic, sparse

Named = tuple[tuple[str, Aggregate], ...]
_LARGEST = 2.0**62  # whole numbers of 64 bits, with room
_ROUNDING = 1 / math.sqrt(12)  # the deviation of rounding to a whole number


@final
@frozen(kw_only=True)
class SharedColumn(Aggregate):
    """A count, a sum or a mean, read from numbers that it shares with others of the same column.

    Args:
        of: The aggregate: ``count()``, ``count(column)``, ``sum(column)`` or ``mean(column)``.
        on_grid: The column in grid steps.
        nulls: Whether rows without a value are a number too, which a count of all rows needs.

    Guarantee: one row moves the numbers by ``upper - lower`` in all.
    Proof: docs/tables/aggregates/shared.md.

    >>> from privet.tables.aggregates.sum import sum
    >>> from privet.tables.columns import Column
    >>> total = sum("age").bind({"age": Column(kind="integer", bounds=(-5, 10))})
    >>> SharedColumn(of=total, on_grid=total.on_grid, nulls=True).measured().row.l1
    Fraction(15, 1)
    """

    of: Aggregate = field()
    on_grid: GridColumn
    nulls: bool

    @of.validator
    def _check(self, _: object, value: Aggregate) -> None:
        if not isinstance(value, CountRows | SumColumn | MeanColumn):
            raise WrongTypeError(f"SharedColumn.of must be a count, a sum or a mean, got {type(value).__name__}.")

    @property
    def name(self) -> str:
        """That of the aggregate."""
        return self.of.name

    @property
    def nonnegative(self) -> bool:
        """As the aggregate."""
        return self.of.nonnegative

    @property
    def weights(self) -> tuple[Fraction, ...] | None:
        """The value as a weighted sum of the numbers, in units; None for a mean, which is not such a sum."""
        width, rest = self.on_grid.upper - self.on_grid.lower, (Fraction(0),) if self.nulls else ()
        if isinstance(self.of, MeanColumn):
            return None
        if isinstance(self.of, SumColumn):
            return (self.on_grid.upper / width, self.on_grid.lower / width, *rest)
        counted = Fraction(0) if isinstance(self.of, CountRows) and self.of.column is not None else 1 / width
        return (1 / width, 1 / width, *((counted,) if self.nulls else ()))

    def measured(self) -> NumbersSpec:
        """The numbers of a mean, and the rows without a value, each worth the width: a row is in one part only."""
        both = MeanColumn(column=self.on_grid.column, on_grid=self.on_grid).measured()
        if not self.nulls:
            return both
        width = self.on_grid.width
        return NumbersSpec(
            statistics=(*both.statistics, ROWS),
            matrix=sparse(((1, 0, 0), (-1, width, 0), (0, -width, width))),
            grid=both.grid,
            row=both.row,
        )

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """The weighted sum; whole where the exact value is."""
        weights = self.weights
        if weights is None:
            return self.of.estimate(numbers[:, :2], noise)
        if _is_first(weights):
            return linear_estimate(numbers[:, :1], noise)
        value, error = self.combined(numbers, noise), self._deviation(noise)
        if self._is_whole:
            value, error = np.rint(value), math.hypot(error, _ROUNDING)
            if bool((np.abs(value) < _LARGEST).all()):  # of what was released: larger ones stay floats
                value = value.astype(np.int64)
        return Estimate(value=value[:, None], error=np.full((len(value), 1), error))

    def combined(self, numbers: Array, noise: Noise) -> Array:
        """The weighted sum as it is."""
        weights = self._floats(noise.grid)
        largest = float(np.abs(weights).max())  # taken out, so that infinite parts do not cancel
        return np.asarray(numbers.astype(np.float64) @ (weights / largest) * largest)

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """The value plus and minus the ``level`` quantile of the weighted noise; ends are whole where the value is."""
        weights = self.weights
        if weights is None:
            return self.of.interval(numbers[:, :2], noise, level)
        if _is_first(weights):
            return linear_interval(numbers[:, :1], noise, level)
        value, per_step = self.combined(numbers, noise), self._floats(noise.grid)
        inside = within_floats(value)
        drawn = unit_noise(noise, noise.grid).quantile(per_step[per_step != 0], level)
        reach = float(drawn) + 4 * np.spacing(np.abs(inside))
        low, high = inside - reach, inside + reach
        if self._is_whole:  # the exact value is a whole number of these; the estimate always is one
            low, high = np.minimum(np.ceil(low), np.rint(value)), np.maximum(np.floor(high), np.rint(value))
        return low[:, None], high[:, None]

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The deviation of the weighted noise, and the size that the aggregate assumes."""
        expected = self.of.expected(noise, rows)
        return expected if self.weights is None else evolve(expected, error=self._deviation(noise))

    def typical(self, rows: Fraction) -> Array | None:
        """Those of a mean; counts and sums need none."""
        return self.of.typical(rows)

    @property
    def _is_whole(self) -> bool:
        return isinstance(self.of, CountRows) or self.on_grid.grid == 1

    def _floats(self, grid: Fraction) -> Array:
        """The weights of grid steps: weights of units may leave the floats."""
        return np.array([float(weight * grid) for weight in self.weights or ()])

    def _deviation(self, noise: Noise) -> float:
        return unit_noise(noise, noise.grid).deviation * math.hypot(*self._floats(noise.grid))


def share(named: Named, weights: Sequence[Fraction], kinds: Sequence[NoiseKind]) -> Named:
    """Let counts, sums and means of one column read the same numbers, where the variance of none of them grows.

    Args:
        named: Names and bound aggregates.
        weights: The share of the budget of each.
        kinds: The kinds of noise that may be chosen.
    """
    items = dict(named)
    costs = {name: weight for (name, _), weight in zip(named, weights, strict=True)}
    taken: set[str] = set()
    for on_grid, names in _candidates(named).items():
        members = {name: items[name] for name in names if name not in taken}
        kept = _all_better(members, on_grid, costs, kinds)
        taken |= set(kept)
        items |= kept
    return tuple(items.items())


def _candidates(named: Named) -> dict[GridColumn, list[str]]:
    """Name the aggregates that may share the numbers of each column: sums, means and counts of rows; in order."""
    places: dict[GridColumn, list[int]] = {}
    counts: dict[str | None, list[int]] = {}
    for at, (_, item) in enumerate(named):
        if isinstance(item, CountRows):
            counts.setdefault(item.column, []).append(at)
        elif (on_grid := _summed_column(item)) is not None:
            places.setdefault(on_grid, []).append(at)
    every = {
        on_grid: sorted([*own, *counts.get(None, ()), *counts.get(on_grid.column, ())])
        for on_grid, own in places.items()
    }
    return {on_grid: [named[at][0] for at in members] for on_grid, members in every.items()}


def _summed_column(item: Aggregate) -> GridColumn | None:
    """Give the column of a sum or a mean; none where it is of another form, or too wide to be counted from its end."""
    if not isinstance(item, SumColumn | MeanColumn) or item.on_grid is None or item.on_grid.width > LARGEST:
        return None
    if isinstance(item, MeanColumn):
        return item.on_grid
    measured = item.measured()
    usual = measured.statistics == (Statistic(kind="sum", of=(item.on_grid,)),) and measured.per == "rows"
    return item.on_grid if usual else None


def _all_better(
    members: Mapping[str, Aggregate], on_grid: GridColumn, costs: Mapping[str, Fraction], kinds: Sequence[NoiseKind]
) -> dict[str, SharedColumn]:
    """Leave out aggregates whose variance would grow, the worst first, until none is left."""
    kept = dict(members)
    while True:
        nulls = any(isinstance(item, CountRows) and item.column is None for item in kept.values())
        shared = {name: SharedColumn(of=item, on_grid=on_grid, nulls=nulls) for name, item in kept.items()}
        if len({item.measured() for item in kept.values()}) < 2:
            return {}
        worse = {name: _growth(item, name, shared, costs, kinds) for name, item in kept.items()}
        worst = max(worse, key=lambda name: worse[name])
        if worse[worst] <= 1:
            return shared
        del kept[worst]


def _growth(
    item: Aggregate,
    name: str,
    shared: Mapping[str, SharedColumn],
    costs: Mapping[str, Fraction],
    kinds: Sequence[NoiseKind],
) -> Fraction:
    """By which factor sharing multiplies the variance, for the worst of the kinds."""
    together = shared[name]
    own, joint = item.measured(), together.measured()
    alone = sum((costs[each] for each, other in shared.items() if other.of.measured() == own), Fraction(0))
    share_of_own = alone / sum((costs[each] for each in shared), Fraction(0))
    weights = together.weights
    size = Fraction(1) if weights is None else sum((weight**2 for weight in weights), Fraction(0))
    factors: dict[NoiseKind, Fraction] = {
        "laplace": size * (joint.row.l1 / own.row.l1 * share_of_own) ** 2,
        "gaussian": size * joint.row.l2_squared / own.row.l2_squared * share_of_own,
    }
    return max(factors[kind] for kind in kinds)


def _is_first(weights: Sequence[Fraction]) -> bool:
    return weights[0] == 1 and not any(weights[1:])
