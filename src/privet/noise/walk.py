"""Counts drawn by walking up from the smallest: distributions known by their first mass and the ratios of neighbours.

Meant for numbers of repetitions, which are walked anyway by whoever repeats. A uniform number is compared with the
partial sums, as balls; where it lies too near to one of them more bits of it are drawn and the walk starts again at a
higher precision, so that what is found is the inverse of the real number, not of a rounded one.
"""

from fractions import Fraction
from typing import Protocol

from flint import arb

from privet.core.exact import ball, precision
from privet.noise.entropy import Entropy
from privet.noise.lazy import LazyUniform, outward

_GUARD = 64  # bits beyond those of the uniform number: sums of 2^30 positive balls lose less than half of them


class Walk(Protocol):
    """A distribution on ``least``, ``least + 1``, ... without end."""

    @property
    def least(self) -> int:
        """The smallest value."""

    def first(self) -> arb:
        """Enclose the mass of the smallest value at the current precision."""

    def ratio(self, k: int) -> Fraction:
        """Return ``P(K = k + 1) / P(K = k)`` exactly."""


def walked(law: Walk, entropy: Entropy) -> int:
    """Draw one value: the smallest k with ``U < P(K <= k)``."""
    uniform = LazyUniform(entropy)
    while True:
        found = _found(law, uniform)
        if found is not None:
            return found
        uniform.extend()


def _found(law: Walk, uniform: LazyUniform) -> int | None:
    """Return the value that every continuation of the known bits leads to, or None where they leave it open."""
    bits = uniform.bits
    with precision(bits + _GUARD):
        k, mass = law.least, law.first()
        total = mass
        while True:
            low, high = outward(total, bits)
            if uniform.value < low:
                return k
            if uniform.value < high:  # as happens at the latest where the sum cannot be told from one
                return None
            mass = mass * ball(law.ratio(k))
            total += mass
            k += 1
