"""Distributions on 0 .. last known by the ratios of adjacent masses."""

from collections.abc import Hashable
from functools import lru_cache
from typing import Protocol

from flint import arb

from privet.core.exact import precision
from privet.noise.drawing.lazy import outward

_GUARD = 64  # a product of 2^17 rounded ratios loses less than 20 bits


class RatioLaw(Hashable, Protocol):
    """A distribution on 0 .. last with ``P(X = k + 1) / P(X = k) = ratio(k)``."""

    @property
    def last(self) -> int:
        """The largest value."""

    def ratio(self, k: int) -> tuple[int, int]:
        """Return the ratio as a numerator and a denominator, both above zero."""


def ratio_bounds(law: RatioLaw, k: int, bits: int) -> tuple[int, int]:
    """Bracket ``P(X <= k)`` between multiples of 2^-bits."""
    if k >= law.last:
        return 1 << bits, 1 << bits
    with precision(bits + _GUARD):
        return outward(_partial_sums(law, bits)[k], bits)


@lru_cache(maxsize=8)
def _partial_sums(law: RatioLaw, bits: int) -> tuple[arb, ...]:
    with precision(bits + _GUARD):
        mass, total, sums = arb(1), arb(1), []
        for k in range(law.last):
            sums.append(total)
            numerator, denominator = law.ratio(k)
            mass = mass * numerator / denominator
            total += mass  # all terms are positive: nothing cancels
        return tuple(partial / total for partial in sums)
