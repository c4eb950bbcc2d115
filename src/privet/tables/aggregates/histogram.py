"""Counts of the values of a column in each group, by category or by interval."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, final

from attrs import evolve, field, frozen

from privet.core import read_number, saturated, short
from privet.errors import UnavailableError
from privet.tables.aggregates.aggregate import Aggregate, Expected
from privet.tables.aggregates.bins import Bins, category_bins, interval_bins
from privet.tables.aggregates.bound import optional_bounds
from privet.tables.aggregates.noise import Noise
from privet.tables.columns import Bounds, Column, find_column
from privet.tables.statistics.numbers_spec import NumbersSpec


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

    @property
    def nonnegative(self) -> bool:
        """Counts are."""
        return True

    def bind(self, columns: Mapping[str, Column]) -> "HistogramColumn":
        """Fix the categories or intervals."""
        caller = f"histogram({self.column!r})"
        known = find_column(caller, self.column, columns)
        if self.bins is None:
            return evolve(self, bound_bins=category_bins(caller, self.column, known))
        return evolve(self, bound_bins=interval_bins(caller, self.column, known, self.bins, self.bounds))

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
