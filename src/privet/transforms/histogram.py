"""Counting numbers by bin."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import INT_MAX, INT_MIN, Array, Parts, Space, short, to_float_down, to_float_up
from privet.errors import InvalidError
from privet.transforms import (
    counted,
    counts_distance,
    counts_space,
    number_list,
    numeric_column,
    replaced,
    rising,
    seen,
)


@final
@frozen(kw_only=True)
class Histogram(Transformation):
    """Count the numbers between public edges.

    A bin includes its lower edge but not its upper edge; the last bin includes both. Numbers outside, nulls and NaN are
    not counted, or are counted together in an extra bin at the end.

    Args:
        edges: Two or more increasing numbers, chosen without looking at the data.
        outside: Whether a last number counts all other rows.

    Guarantee: ``l1 = linf = d_in``, ``l2² = d_in²``; for k replacements ``l1 = 2k``, ``l2² = 2k²``, ``linf = k``.
    Proof: docs/transforms/histogram.md.

    >>> from privet.core.space import vector
    >>> (vector(float) >> Histogram(edges=[0, 1, 2]))([0.5, 1.0, 2.0, 2.5, None]).tolist()
    [1, 2]
    """

    edges: tuple[Fraction, ...] = field(converter=number_list, validator=rising, repr=short)
    outside: bool = field(default=False, converter=bool)

    @edges.validator
    def _check(self, _: object, value: tuple[Fraction, ...]) -> None:
        if len(value) < 2:
            raise InvalidError("Histogram.edges must be two or more numbers, got 1.")

    def output(self, space: Space) -> Space:
        """One whole number for each bin."""
        numeric_column(self, space, ": use CountBy(...)")
        return counts_space(self._bins())

    def apply(self, value: Array, space: Space) -> Array:
        """Find the bin of each row, and count."""
        known = seen(value)
        starts, last = self._limits(known.dtype)
        at = np.where(known <= last, np.searchsorted(starts, known, side="right") - 1, -1)
        inside = int((at >= 0).sum())
        return counted(at, len(self.edges) - 1, rest=len(value) - inside if self.outside else None)

    def stability(self, d_in: int, space: Space) -> Parts:
        """A row counts in at most one bin."""
        return counts_distance(d_in, replaced(space, d_in), self._bins())

    def _bins(self) -> int:
        return len(self.edges) - 1 + self.outside

    def _limits(self, dtype: np.dtype[Any]) -> tuple[Array, Any]:
        """Return the edges in the type of the column: the smallest value at or above each, the largest at the last.

        A value x of the column has ``x >= edge`` if and only if it is at least that smallest value, so no rounded edge
        decides anything.
        """
        if dtype.kind == "f":
            return np.array([to_float_up(edge) for edge in self.edges[:-1]]), to_float_down(self.edges[-1])
        starts = [max(math.ceil(edge), INT_MIN) for edge in self.edges[:-1]]
        last = math.floor(self.edges[-1])
        # an edge beyond 64 bits is above every value, so the search can skip it
        within = np.array([start for start in starts if start <= INT_MAX and last >= INT_MIN], dtype=np.int64)
        return within, np.int64(min(max(last, INT_MIN), INT_MAX))
