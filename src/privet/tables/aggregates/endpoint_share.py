"""Where a mean lies between two ends, from noisy sums of the distances to both ends.

What is computed here in floats is post-processing of releases: no privacy depends on it.
"""

from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np
from attrs import frozen

from privet.core import Array
from privet.tables.aggregates.noise import Noise, rejection_edge

_HALVINGS = 50
_TINY = np.finfo(np.float64).tiny


@final
@frozen(kw_only=True, eq=False, slots=False)
class EndpointShare:
    """The share of the way from the lower to the upper end at which a mean lies.

    A row at share s adds (s, 1 - s) to the two sums of its group.

    Args:
        numbers: The noisy sums of each group, in grid steps.
        noise: The noise of each sum, in rows.

    Proof: docs/tables/aggregates/mean.md.
    """

    numbers: Array
    noise: Noise

    @cached_property
    def _sums(self) -> tuple[Array, Array]:
        """Give both sums in rows: not below zero, like the exact ones; tiny where both would be zero."""
        sums = np.maximum(self.numbers.astype(np.float64) * float(self.noise.grid), 0.0)
        low, high = sums[:, :1], sums[:, 1:]
        empty = low + high == 0
        return np.where(empty, _TINY, low), np.where(empty, _TINY, high)

    @property
    def value(self) -> Array:
        """The ratio of the first sum to both; one half where the sums say nothing."""
        low, high = self._sums
        return np.asarray(low / (low + high))

    @property
    def error(self) -> Array:
        """The standard error at first order; one half where the sums say nothing."""
        low, high = self._sums
        share = self.value
        with np.errstate(over="ignore"):  # where the sums say nothing
            first = np.sqrt(share**2 + (1 - share) ** 2) * self.noise.deviation / (low + high)
        return np.asarray(np.minimum(np.nan_to_num(first, nan=0.5, posinf=0.5), 0.5))

    def interval(self, level: Fraction) -> tuple[Array, Array]:
        """Every share that a test of exact level does not reject."""
        return self._end(0.0, level), self._end(1.0, level)

    def _end(self, side: float, level: Fraction) -> Array:
        """Find where the test begins to reject, between the estimate and one end.

        A share s is rejected where ``|(1 - s) low - s high|`` exceeds the ``level`` quantile of
        ``|(1 - s) Z - s Z'|``. On each side of the estimate the rejected shares form one interval.
        """
        low, high = self._sums

        def rejected(at: Array) -> Array:
            weights = np.concatenate([1 - at, at], axis=1)
            return self.noise.exceeds(np.abs((1 - at) * low - at * high)[:, 0], weights, level)[:, None]

        end = np.full_like(self.value, side)
        return np.where(rejected(end), rejection_edge(rejected, self.value, end, _HALVINGS), end)
