"""The most frequent categories of a column in each group."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.core import Array, count_text, positive, saturated, whole
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate, Estimate, Expected
from privet.tables.aggregates.histogram import Bins, category_bins, require_bins
from privet.tables.aggregates.noise import Noise
from privet.tables.columns import Column, find_column
from privet.tables.statistics import NumbersSpec


@final
@frozen(kw_only=True)
class TopColumn(Aggregate):
    """The categories with the largest noisy counts in each group, best first; equal counts in public order.

    It reads the counts of ``histogram`` and shares them where a query has both. There is no standard error and no
    interval: values are categories.

    Args:
        column: Its name.
        count: How many.
        label: The name of its result.
        bound_bins: The categories or intervals, once the column is bound.

    Guarantee: that of the histogram: one row moves one of the counts by one.
    Proof: docs/tables/aggregates/top_k.md.

    >>> bound = mode("answer").bind({"answer": Column(kind="text", categories=("yes", "no"))})
    >>> bound.measured().length
    2
    """

    numeric = False  # categories are no numbers, even if they look like numbers

    column: str
    count: int = field(default=1, converter=whole, validator=positive)
    label: str = "top"
    bound_bins: Bins | None = None

    @property
    def name(self) -> str:
        """The label with the column."""
        return f"{self.label}_{self.column}"

    @property
    def outputs(self) -> tuple[Any, ...]:
        """Places, where there are several."""
        return ("",) if self.label == "mode" else tuple(str(at + 1) for at in range(self.count))

    def bind(self, columns: Mapping[str, Column]) -> "TopColumn":
        """Read the categories of the column."""
        caller = f"{'mode' if self.label == 'mode' else 'top_k'}({self.column!r})"
        bins = category_bins(caller, self.column, find_column(caller, self.column, columns))
        if self.count > len(bins.labels):
            known = count_text(len(bins.labels), "category", "categories")
            raise InvalidError(f"{caller} has {known} to choose from, got count={self.count}.")
        return evolve(self, bound_bins=bins)

    def measured(self) -> NumbersSpec:
        """The counts of all categories."""
        return self._bins().measured()

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """Sort by noisy count."""
        labels = np.empty(len(self._bins().labels), dtype=object)
        labels[:] = self._bins().labels
        order = np.argsort(-numbers.astype(np.float64), axis=1, kind="stable")[:, : self.count]
        return Estimate(value=labels[order], error=np.full(order.shape, np.nan))

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """None."""
        nothing = np.full((len(numbers), self.count), np.nan)
        return nothing, nothing

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """By how many rows the chosen category may fall short: the noise of a difference of two counts."""
        return Expected(error=noise.deviation * 2**0.5, size=saturated(rows) / len(self._bins().labels))

    def _bins(self) -> Bins:
        return require_bins(self.name, self.bound_bins)


def top_k(column: str, count: int) -> TopColumn:
    """The most frequent categories of a column, best first.

    >>> top_k("city", 3).outputs
    ('1', '2', '3')
    """
    return TopColumn(column=column, count=count)


def mode(column: str) -> TopColumn:
    """The most frequent category of a column."""
    return TopColumn(column=column, label="mode")
