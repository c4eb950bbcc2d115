"""Lazy uniform numbers: draw as many bits as a decision needs, and decide exactly.

A uniform real U is known by its first bits: U lies in [value, value + 1] / 2^bits. We compare it with an irrational
number known by certified bounds; while the two intervals overlap, both are narrowed. So the result is that of the real
numbers, at whatever precision it is decided. Proof: docs/noise/index.md.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache, partial
from typing import Protocol, TypeAlias

from flint import arb

from privet.core.exact import precision
from privet.noise.entropy import Entropy

GUARD = 32  # extra bits of precision, so that rounding rarely leaves a comparison undecided
_STEP = 64

Bounds: TypeAlias = Callable[[int], tuple[int, int]]
"""For a number of bits, whole numbers with lo / 2^bits <= p <= hi / 2^bits."""


class Cumulative(Hashable, Protocol):
    """A distribution on 0, 1, 2, ... known by certified bounds on its distribution function."""

    def bounds(self, k: int, bits: int) -> tuple[int, int]:
        """Return whole numbers with lo / 2^bits <= P(X <= k) <= hi / 2^bits."""


class LazyUniform:
    """A uniform real number on [0, 1], of which only the first bits have been drawn."""

    __slots__ = ("_entropy", "bits", "value")

    def __init__(self, entropy: Entropy, value: int = 0, bits: int = 0) -> None:
        self._entropy, self.value, self.bits = entropy, value, bits
        if not bits:
            self.extend()

    def extend(self) -> None:
        """Draw 64 more bits."""
        self.value = self.value << _STEP | self._entropy.bits(_STEP)
        self.bits += _STEP

    def enclosure(self) -> arb:
        """Return a ball around the reals that share the known bits; narrow at a precision above their number."""
        unit, cell = cell_ball(self.bits)
        return arb(self.value) * unit + cell

    def below(self, bounds: Bounds) -> bool:
        """Decide U < p exactly."""
        while True:
            lo, hi = bounds(self.bits)
            if self.value < lo:
                return True
            if self.value >= hi:
                return False
            self.extend()


@lru_cache(maxsize=64)
def cell_ball(bits: int) -> tuple[arb, arb]:
    """Return 2^-bits and a ball around [0, 2^-bits]."""
    return arb((1, -bits)), arb((1, -bits - 1), (1, -bits - 1))


def invert(law: Cumulative, uniform: LazyUniform, guess: int) -> int:
    """Return the smallest k whose distribution function F(k) exceeds the uniform, searching outward from a guess."""
    return smallest_within(lambda k: uniform.below(partial(law.bounds, k)), guess)


def smallest_within(holds: Callable[[int], bool], guess: int) -> int:
    """Find the smallest k >= 0 at which a monotone condition holds, searching outward from a guess."""
    low, high, step = -1, max(guess, 0), 1
    while not holds(high):
        low, high, step = high, high + step, 2 * step
    while low < 0 <= high - step and holds(high - step):
        high, step = high - step, 2 * step
    low = max(low, high - step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def near(guess: arb) -> int:
    """Return a whole number near the middle of a ball, or 0, as the starting point of a search."""
    value = guess.mid().floor().unique_fmpz()
    return 0 if value is None else int(value)


def outward(enclosure: arb, bits: int) -> tuple[int, int]:
    """Round a ball that holds a probability outward to whole multiples of 2^-bits.

    >>> outward(arb(0.75), 1)
    (1, 2)
    """
    if not enclosure.is_finite():
        return 0, 1 << bits
    lo = _shift_down(enclosure.lower(), bits)
    hi = -_shift_down(-enclosure.upper(), bits)
    return max(lo, 0), min(hi, 1 << bits)


def _shift_down(point: arb, bits: int) -> int:
    mantissa, exponent = point.man_exp()
    shift = int(exponent) + bits
    return int(mantissa) << shift if shift >= 0 else int(mantissa) >> -shift  # a right shift rounds down


def certified_bounds(function: Callable[[], arb], bits: int) -> tuple[int, int]:
    """Evaluate a ball function with a few extra bits and round the result outward."""
    with precision(bits + GUARD):
        return outward(function(), bits)
