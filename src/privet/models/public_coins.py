"""Coins of public choices, such as the splits of a random tree: they protect nobody and are no part of a release."""

from typing import final

import numpy as np

from privet.core import Array
from privet.noise import uniform_below

_BITS = 53
_BLOCK = 4096


@final
class Coins:
    """Random numbers, drawn in blocks from the entropy of all noise."""

    def __init__(self) -> None:
        self._block = np.empty(0)
        self._at = 0

    def uniforms(self, count: int) -> Array:
        """Return numbers between 0 and 1."""
        if self._at + count > len(self._block):
            self._block = uniform_below(2**_BITS, max(_BLOCK, count)) / 2.0**_BITS
            self._at = 0
        self._at += count
        return self._block[self._at - count : self._at]

    def uniform(self) -> float:
        """Return a number between 0 and 1."""
        return float(self.uniforms(1)[0])

    def below(self, bound: int) -> int:
        """Return a whole number below a bound."""
        return min(int(self.uniform() * bound), bound - 1)

    def normals(self, count: int) -> Array:
        """Return numbers that are nearly normal: sums of twelve uniform ones."""
        return np.asarray(self.uniforms(12 * count).reshape(count, 12).sum(axis=1) - 6.0)
