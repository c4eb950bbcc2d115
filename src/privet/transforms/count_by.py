"""Counting rows by category."""

from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, Parts, Space
from privet.transforms import (
    check_kind,
    column,
    count_categories,
    counts_distance,
    counts_space,
    different_values,
    plain_tuple,
    replaced,
)


@final
@frozen(kw_only=True)
class CountBy(Transformation):
    """Count the rows of each public category, in the given order.

    Rows with other values, nulls and NaN are not counted, or are counted together in a last bin.

    Args:
        categories: The values to count, known without looking at the data.
        null_bin: Whether a last number counts all other rows.

    Guarantee: ``l1 = linf = d_in``, ``l2² = d_in²``; for k replacements ``l1 = 2k``, ``l2² = 2k²``, ``linf = k``.
    Proof: docs/transforms/count_by.md.

    >>> from privet.core.space import vector
    >>> (vector(str) >> CountBy(categories=["a", "b"], null_bin=True))(["b", "c", "b", None]).tolist()
    [0, 2, 2]
    """

    categories: tuple[Any, ...] = field(converter=plain_tuple, validator=different_values)
    null_bin: bool = field(default=False, converter=bool)

    def output(self, space: Space) -> Space:
        """One whole number for each category."""
        check_kind("CountBy.categories", self.categories, column(self, space))
        return counts_space(self._bins())

    def apply(self, value: Array, space: Space) -> Array:
        """Count."""
        counts = count_categories(value, self.categories)
        return np.append(counts, np.int64(len(value) - int(counts.sum()))) if self.null_bin else counts

    def stability(self, d_in: int, space: Space) -> Parts:
        """A row counts in at most one bin."""
        return counts_distance(d_in, replaced(space, d_in), self._bins())

    def _bins(self) -> int:
        return len(self.categories) + self.null_bin
