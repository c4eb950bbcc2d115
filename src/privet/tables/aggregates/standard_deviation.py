"""The standard deviation of a column in each group: the root of its variance."""

from collections.abc import Mapping
from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, frozen

from privet.core import Array
from privet.tables.aggregates.aggregate import Aggregate, Estimate, Expected
from privet.tables.aggregates.noise import Noise
from privet.tables.aggregates.variance import VarianceColumn, variance
from privet.tables.columns import Column
from privet.tables.statistics import NumbersSpec


@final
@frozen(kw_only=True)
class StandardDeviationColumn(Aggregate):
    """The root of the variance of a column in each group; the noise and the loss are those of the variance.

    Args:
        of: The variance.

    Guarantee: that of the variance.
    Proof: docs/tables/aggregates/standard_deviation.md.

    >>> std("age").name
    'std_age'
    """

    nonnegative = True

    of: VarianceColumn

    @property
    def name(self) -> str:
        """``std`` with the column."""
        return f"std_{self.of.column}"

    def bind(self, columns: Mapping[str, Column]) -> "StandardDeviationColumn":
        """Choose bounds and a grid that leave room for squares."""
        return evolve(self, of=self.of.bind(columns))

    def measured(self) -> NumbersSpec:
        """The numbers of the variance, shared with it."""
        return self.of.measured()

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """The root; its error at first order, and never above the root of the error of the variance."""
        variance = self.of.estimate(numbers, noise)
        root = np.sqrt(variance.value)
        with np.errstate(over="ignore"):  # where the variance is zero
            first = variance.error / np.maximum(2 * root, np.finfo(np.float64).tiny)
        return Estimate(value=root, error=np.minimum(first, np.sqrt(variance.error)))

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """The roots of the ends of the variance's interval: the root is increasing."""
        low, high = self.of.interval(numbers, noise, level)
        return np.sqrt(low), np.sqrt(high)

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The error at first order."""
        variance = self.of.expected(noise, rows)
        root = float(np.sqrt(variance.size))
        return Expected(error=variance.error / (2 * root) if root else float(np.sqrt(variance.error)), size=root)

    def typical(self, rows: Fraction) -> Array:
        """Those of the variance."""
        return self.of.typical(rows)


def std(column: str, *, bounds: object = None, ddof: int = 1) -> StandardDeviationColumn:
    """The standard deviation of a column."""
    return StandardDeviationColumn(of=variance(column, bounds=bounds, ddof=ddof))
