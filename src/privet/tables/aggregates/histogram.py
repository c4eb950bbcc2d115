"""Counts of the values of a column in each group, by public bins: categories, or intervals between edges."""

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.core import read_number, read_whole, saturated, short, vector
from privet.errors import InvalidError, UnavailableError
from privet.tables.aggregates.aggregate import Aggregate, Expected, column_bounds, optional_bounds
from privet.tables.aggregates.noise import Noise
from privet.tables.aggregates.ranks import spaced
from privet.tables.columns import Bounds, Column, find_column, moments_of
from privet.tables.statistics import NumbersSpec, Statistic, grid_column, one_number
from privet.transforms.count_by import CountBy

_MOST = 100_000


@final
@frozen(kw_only=True)
class Bins:
    """Bins, counted one by one.

    Args:
        statistic: The counts.
        labels: The name of each bin.
    """

    statistic: Statistic
    labels: tuple[Any, ...]

    def measured(self) -> NumbersSpec:
        """All counts; their map is that of ``CountBy``."""
        count = len(self.labels)
        row = one_number((vector(int) >> CountBy(categories=tuple(range(count)))).map(1))
        matrix = tuple(((at, 1),) for at in range(count))
        return NumbersSpec(statistics=(self.statistic,), matrix=matrix, grid=Fraction(1), row=row)


def category_bins(caller: str, name: str, column: Column) -> Bins:
    """Count each public category."""
    values = (False, True) if column.kind == "boolean" else column.categories
    if values is None:
        raise InvalidError(f"{caller} needs the categories of {name!r}: put them in the codebook.")
    return Bins(statistic=Statistic(kind="categories", column=name, categories=values), labels=values)


def interval_bins(caller: str, name: str, column: Column, bins: Any, bounds: Any) -> Bins:
    """Count values between edges: a number of equal widths, or given edges; the last bin includes its end.

    Values beyond the outer edges are counted in the outer bins.
    """
    if isinstance(bins, tuple | list):
        edges = [read_number(f"{caller}.bins", edge) for edge in bins]
        if len(edges) < 2 or any(a >= b for a, b in pairwise(edges)):
            raise InvalidError(f"{caller}.bins must be a number of bins, or two or more rising edges.")
        on_grid = grid_column(caller, name, column, (edges[0], edges[-1]))
        inner = [math.ceil(edge / on_grid.grid) for edge in edges[1:-1]]
        cuts = (on_grid.low, *inner, on_grid.high + 1)
        if any(a >= b for a, b in pairwise(cuts)):
            raise InvalidError(
                f"{caller}.bins must each hold a value of the grid {short(on_grid.grid)}, within the bounds."
            )
        ends = edges
    else:
        count = read_whole(f"{caller}.bins", bins)
        if not 1 <= count <= _MOST:
            raise InvalidError(f"{caller}.bins must be between 1 and {_MOST}, got {count}.")
        on_grid = grid_column(caller, name, column, bounds)
        cuts = spaced(on_grid.low, on_grid.high, count)
        ends = [cut * on_grid.grid for cut in (*cuts[:-1], on_grid.high)]
    last = len(cuts) - 2
    labels = tuple(
        f"[{_end(low, column)}, {_end(high, column)}{']' if at == last else ')'}"
        for at, (low, high) in enumerate(pairwise(ends))
    )
    return Bins(statistic=Statistic(kind="bins", of=(on_grid,), edges=cuts), labels=labels)


def _end(value: Fraction, column: Column) -> str:
    if column.kind in ("date", "timestamp"):
        return str(
            moments_of(column.kind, np.array([float(value)]), np.ceil).tolist()[0]
        )  # the first one from there on
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.10g}"


def _edges(value: Any) -> Any:
    """Read decimals as they were typed, so that equal edges are equal however they were given."""
    if not isinstance(value, list | tuple):
        return value
    return tuple(read_number("histogram.bins", edge) if isinstance(edge, float) else edge for edge in value)


@final
@frozen(kw_only=True)
class HistogramColumn(Aggregate):
    """Count the rows of each group by public category, or by interval; nulls and other values are not counted.

    Args:
        column: Its name.
        bins: How many intervals of equal width, or their edges; None for the categories of the column.
        bounds: Where to clamp, for intervals of equal width; None for the bounds of the column.
        bound_bins: The categories or intervals, once the column is bound.

    Guarantee: one row moves one of the counts by one.
    Proof: docs/tables/aggregates/histogram.md.

    >>> bound = histogram("age", 3, bounds=(0, 30)).bind({"age": Column(kind="integer")})
    >>> bound.outputs
    ('[0, 10)', '[10, 20)', '[20, 30]')
    """

    nonnegative = True

    column: str
    bins: Any = field(default=None, converter=_edges)
    bounds: Bounds | None = field(default=None, converter=optional_bounds, repr=short)
    bound_bins: Bins | None = None

    @property
    def name(self) -> str:
        """``histogram`` with the column."""
        return f"histogram_{self.column}"

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The categories or intervals."""
        return self._bins().labels

    def bind(self, columns: Mapping[str, Column]) -> "HistogramColumn":
        """Fix the categories or intervals."""
        caller = f"histogram({self.column!r})"
        known = find_column(caller, self.column, columns)
        if self.bins is None:
            return evolve(self, bound_bins=category_bins(caller, self.column, known))
        bounds = column_bounds(caller, self.column, known, self.bounds)
        return evolve(self, bounds=bounds, bound_bins=interval_bins(caller, self.column, known, self.bins, bounds))

    def measured(self) -> NumbersSpec:
        """All counts."""
        return self._bins().measured()

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The deviation of the noise; rows spread evenly over the bins are assumed."""
        return Expected(error=noise.deviation, size=saturated(rows) / len(self._bins().labels))

    def _bins(self) -> Bins:
        return require_bins(f"histogram({self.column!r})", self.bound_bins)


def require_bins(caller: str, bins: Bins | None) -> Bins:
    """Give the bins of a column that was bound."""
    if bins is None:
        raise UnavailableError(f"{caller} has no bins yet: call bind(columns) with what is known of the columns first.")
    return bins


def histogram(column: str, bins: Any = None, *, bounds: object = None) -> HistogramColumn:
    """Count the values of a column by category, or by interval."""
    return HistogramColumn(column=column, bins=bins, bounds=bounds)
