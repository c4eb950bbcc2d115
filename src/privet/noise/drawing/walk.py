"""Counts drawn by walking up from the smallest: distributions known by their first mass and the ratios of masses.

This suits random numbers of repetitions, since the caller takes as many steps anyway. We compare a uniform number with
the partial sums, as balls. If it lies too near to one of them, we draw more of its bits and start again at a higher
precision. So the result is the inverse at the real number, not at a rounded one.
"""

from fractions import Fraction
from typing import Protocol

from flint import arb

from privet.core.exact import ball, precision
from privet.noise.drawing.lazy import LazyUniform, outward
from privet.noise.entropy import Entropy

_GUARD = 64  # extra bits of precision: sums of 2^30 positive balls lose less than half of them


class Walk(Protocol):
    """A distribution on ``least``, ``least + 1``, ... without end."""

    @property
    def least(self) -> int:
        """The smallest value."""

    def first(self) -> arb:
        """Enclose the mass of the smallest value at the current precision."""

    def ratio(self, k: int) -> Fraction:
        """Return ``P(K = k + 1) / P(K = k)`` exactly."""


def draw_by_walking(law: Walk, entropy: Entropy) -> int:
    """Draw one value: the smallest k with ``U < P(K <= k)``."""
    uniform = LazyUniform(entropy)
    while True:
        value = _decide(law, uniform)
        if value is not None:
            return value
        uniform.extend()


def _decide(law: Walk, uniform: LazyUniform) -> int | None:
    """Return the value if the known bits of the uniform decide it, or None."""
    bits = uniform.bits
    with precision(bits + _GUARD):
        k, mass = law.least, law.first()
        total = mass
        while True:
            low, high = outward(total, bits)
            if uniform.value < low:
                return k
            if uniform.value < high:  # this ends the loop at the latest when the upper bound of the sum reaches one
                return None
            mass = mass * ball(law.ratio(k))
            total += mass
            k += 1
