"""Certified tables: inverse-CDF sampling that compares integers only.

Ball arithmetic brackets the distribution function by 64-bit integers. If a uniform word falls between two brackets, it
decides the value. If it falls into a bracket, we draw more random bits and compute narrower brackets until the value is
decided. The result has exactly the stated distribution, not a rounded one.
Proof: docs/noise/index.md.
"""

from functools import lru_cache

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from privet.noise.drawing.lazy import Cumulative, LazyUniform, invert
from privet.noise.entropy import Entropy

_HEAD = 16  # the bits drawn first; they decide all but a few draws in a thousand
_REST = 64 - _HEAD


@frozen(eq=False)
class DrawTable:
    """The brackets of a distribution on 0, 1, 2, ...

    A 64-bit word v stands for the reals in [v, v + 1] / 2^64. The value is certainly at most k when v < low[k], and
    certainly above k when v >= high[k].
    """

    law: Cumulative
    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    guide: NDArray[np.int16] = field(init=False)
    """For each 16-bit head the value that all its continuations have in common, or -1."""

    def __attrs_post_init__(self) -> None:
        first = np.arange(1 << _HEAD, dtype=np.uint64) << np.uint64(_REST)
        last = first | np.uint64((1 << _REST) - 1)
        least, most = self.least(first), self.most(last)
        guide = np.where((least == most) & (least < 2**15), least, -1).astype(np.int16)
        object.__setattr__(self, "guide", guide)

    def least(self, words: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return the smallest value that is still possible for each word."""
        return np.searchsorted(self.high, words, side="right")

    def most(self, words: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return the largest value that is still possible for each word; the table's length means any value beyond."""
        return np.searchsorted(self.low, words, side="right")

    def draw(self, n: int, entropy: Entropy) -> NDArray[np.int64]:
        """Draw n independent values."""
        heads = entropy.words(n, np.uint16)
        values = self.guide.take(heads)
        open_ = np.flatnonzero(values < 0)
        result = values.astype(np.int64)
        if open_.size:
            result[open_] = self._draw_more_bits(heads[open_], entropy)
        return result

    def _draw_more_bits(self, heads: NDArray[np.uint16], entropy: Entropy) -> NDArray[np.int64]:
        rest = entropy.words(heads.size, np.uint64) >> np.uint64(_HEAD)
        words = (heads.astype(np.uint64) << np.uint64(_REST)) | rest
        least, most = self.least(words), self.most(words)
        values = least.astype(np.int64)
        for i in np.flatnonzero(least != most):
            values[i] = invert(self.law, LazyUniform(entropy, int(words[i]), 64), int(least[i]))
        return values


@lru_cache(maxsize=64)
def table_of(law: Cumulative) -> DrawTable:
    """Build the table of a distribution, or return the cached table.

    The table ends where the upper bound reaches 1, that is, where the remaining mass is below about 2^-64.
    """
    low: list[int] = []
    high: list[int] = []
    while True:
        lo, hi = law.bounds(len(low), 64)
        low.append(min(lo, 2**64 - 1))  # a smaller number is still a lower bound
        if hi >= 2**64:
            break
        high.append(hi)
    # Rounding may put adjacent bounds out of order by a unit; F is monotone, so the better bound holds for both.
    lows = np.maximum.accumulate(np.array(low, np.uint64))
    highs = np.minimum.accumulate(np.array(high[::-1], np.uint64))[::-1]
    return DrawTable(law, lows, np.ascontiguousarray(highs))
