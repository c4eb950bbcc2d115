"""Discrete Gaussian noise: the normal law's shape on the integers."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Literal, overload

import numpy as np
from attrs import frozen
from flint import arb
from numpy.typing import NDArray

from privet.core.exact import ball, precision
from privet.noise.discrete_laplace import magnitude_offset
from privet.noise.drawing import (
    GUARD,
    Entropy,
    LazyUniform,
    Split,
    cell_ball,
    current,
    draw_on_scale,
    exp_bounds,
    outward,
    positive,
    split_of,
    symmetric,
    table_of,
    with_signs,
)
from privet.noise.gaussian_sums import normaliser
from privet.noise.geometric import first_bits, floored_log

LARGEST_TABLE = 64
_MASK = 2**64 - 1


@overload
def discrete_gaussian(scale: object, size: None = None, *, entropy: Entropy | None = None) -> int: ...
@overload
def discrete_gaussian(scale: object, size: int, *, entropy: Entropy | None = None) -> NDArray[Any]: ...
def discrete_gaussian(scale: object, size: int | None = None, *, entropy: Entropy | None = None) -> int | NDArray[Any]:
    """Draw whole numbers with ``P(Z = z)`` proportional to ``exp(-z^2 / (2 scale^2))``, exactly.

    Args:
        scale: Spread, above zero. The standard deviation is at most the scale, and close to it for scales of 1 or more.
        size: How many to draw; None for one Python int.
        entropy: The source of randomness; by default the stream of the operating system.

    Returns:
        A Python int, or an array of int64 (of Python ints from a scale of 2^52 on).

    Proof: docs/noise/discrete_gaussian.md.

    >>> discrete_gaussian(2, 4).shape
    (4,)
    """
    spread = positive("discrete_gaussian.scale", scale)
    return draw_on_scale("discrete_gaussian", spread, size, entropy or current(), draw_one, _proposals)


def _proposals(scale: Fraction, source: Entropy) -> Callable[[int], NDArray[Any]]:
    if scale <= LARGEST_TABLE:
        direct = table_of(HalfGaussian(scale, 2))
        return lambda n: with_signs(direct.draw(n, source), source)
    parts = _gaussian_split(scale)
    return lambda n: symmetric(parts.propose(n, source), source)


def draw_one(scale: Fraction, entropy: Entropy) -> int:
    """Draw by rejection from discrete Laplace noise of the same scale (after Canonne, Kamath and Steinke 2020).

    With r the integer nearest to the scale, a proposal z is accepted with probability exp(-gamma), where
    gamma = ((|z| - scale)^2 - (r - scale)^2) / (2 scale^2).
    """
    bits, nearest, balls = _proposal(scale.numerator, scale.denominator)
    while True:
        word = entropy.bits(bits + 65)
        first, second, minus = word >> 65, word >> 1 & _MASK, word & 1
        magnitude, accepted = _decide_quickly(first, second, bits, nearest, balls)
        if accepted is None:
            magnitude = floored_log(scale, magnitude_offset, LazyUniform(entropy, first, bits))
            gamma = (magnitude - nearest) * (magnitude + nearest - 2 * scale) / (2 * scale**2)
            accepted = LazyUniform(entropy, second, 64).below(partial(exp_bounds, gamma))
        if accepted:
            return -magnitude if minus else magnitude


def _decide_quickly(
    first: int, second: int, bits: int, nearest: int, balls: tuple[arb, ...]
) -> tuple[int, bool | None]:
    """Decide a proposal with the bits at hand, or return None. One precision for both decisions halves the time."""
    width, offset, shift, factor, unit, cell, unit64, cell64 = balls
    with precision(bits + GUARD):
        magnitude = (width * (offset - (arb(first) * unit + cell).log())).floor().unique_fmpz()
        if magnitude is None:
            return 0, None
        chance = ((magnitude - nearest) * (magnitude + shift) * factor).exp()
        uniform = arb(second) * unit64 + cell64
        if uniform < chance:
            return int(magnitude), True
        return 0, (False if uniform > chance else None)


@lru_cache(maxsize=256)
def _proposal(n: int, d: int) -> tuple[int, int, tuple[arb, ...]]:
    scale = Fraction(n, d)
    bits, nearest = first_bits(scale), round(scale)
    with precision(bits + GUARD):
        balls = (*magnitude_offset(n, d, bits), ball(nearest - 2 * scale), -1 / (2 * ball(scale) ** 2))
    return bits, nearest, balls + cell_ball(bits) + cell_ball(64)


@frozen
class HalfGaussian:
    """Weights 1, then ``sides * exp(-k^2 / (2 scale^2))``: the magnitude of Z (2 sides), or Z given Z >= 0 (1)."""

    scale: Fraction
    sides: Literal[1, 2]

    def bounds(self, k: int, bits: int) -> tuple[int, int]:
        """Bracket ``P(K <= k)``; beyond the summed terms, use the last sum and 1."""
        sums = _partial_sums(self, bits)
        with precision(bits + GUARD):
            lo, hi = outward(sums[min(k, len(sums) - 1)], bits)
        return (lo, hi) if k < len(sums) else (lo, 1 << bits)


@lru_cache(maxsize=8)
def _partial_sums(law: HalfGaussian, bits: int) -> tuple[arb, ...]:
    """Enclose P(K <= k) for all k until the remaining mass is below about 2^-(bits + 8)."""
    with precision(bits + GUARD):
        total = 1 + law.sides * (normaliser(law.scale) - 1) / 2
        rate = -1 / (2 * ball(law.scale) ** 2)
        cumulative, sums, k = 1 / total, [1 / total], 0
        end = (bits + 8) * law.scale**2 * 2 * Fraction(7, 10)  # 0.7 > ln 2
        while k * k < end:
            k += 1
            cumulative += law.sides * (k * k * rate).exp() / total
            sums.append(cumulative)
    return tuple(sums)


@frozen
class GaussianDecay:
    """Weights ``exp(-x^2 / (2 scale^2))``."""

    scale: Fraction

    @property
    def shift(self) -> int:
        """The number of fine bits with which the coarse part has a scale of 32 to 64."""
        return int(self.scale).bit_length() - 6

    @property
    def coarse(self) -> HalfGaussian:
        """The distribution with weights ``exp(-(m high)^2 / (2 scale^2))``."""
        return HalfGaussian(self.scale / (1 << self.shift), 1)

    def gamma(self, high: int, low: int) -> Fraction:
        """Return ``low (2 m high + low) / (2 scale^2)``."""
        return low * ((high << self.shift + 1) + low) / (2 * self.scale**2)

    def approximate(self, high: NDArray[np.int64], low: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return gamma with four roundings: high < 2^15 and low < 2^46, so the second factor fits 64 bits."""
        double = (high << self.shift + 1) + low
        return low.astype(np.float64) * double.astype(np.float64) * float(1 / (2 * self.scale**2))


@lru_cache(maxsize=64)
def _gaussian_split(scale: Fraction) -> Split:
    return split_of(GaussianDecay(scale))
