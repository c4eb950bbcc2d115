"""Geometric noise: one-sided counts with exponential decay."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias, overload

import numpy as np
from attrs import frozen
from flint import arb, fmpq
from numpy.typing import NDArray

from privet.core.exact import ball, directed, precision
from privet.errors import InvalidError
from privet.noise.drawing import (
    GUARD,
    Entropy,
    LazyUniform,
    Split,
    certified_bounds,
    count,
    current,
    draw_on_scale,
    near,
    number,
    positive,
    smallest_within,
    split_of,
    table_of,
)

LARGEST_TABLE = 32
"""Up to this scale the table holds every value; beyond it, the coarse part."""


@overload
def geometric(scale: object, size: None = None, *, entropy: Entropy | None = None) -> int: ...
@overload
def geometric(scale: object, size: int, *, entropy: Entropy | None = None) -> NDArray[Any]: ...
def geometric(scale: object, size: int | None = None, *, entropy: Entropy | None = None) -> int | NDArray[Any]:
    """Draw whole numbers g >= 0 with ``P(G = g)`` proportional to ``exp(-g / scale)``, exactly.

    Args:
        scale: Spread, above zero.
        size: How many to draw; None for one Python int.
        entropy: The source of randomness; by default the stream of the operating system.

    Returns:
        A Python int, or an array of int64 (of Python ints from a scale of 2^52 on).

    Proof: docs/noise/geometric.md.

    >>> geometric(3) >= 0
    True
    """
    spread = positive("geometric.scale", scale)
    return draw_on_scale("geometric", spread, size, entropy or current(), draw_one, _proposals)


def _proposals(scale: Fraction, source: Entropy) -> Callable[[int], NDArray[Any]]:
    if scale <= LARGEST_TABLE:
        direct = table_of(GeometricLaw(scale))
        return lambda n: direct.draw(n, source)
    parts = exponential_split(scale)
    return lambda n: parts.propose(n, source)


@frozen
class GeometricLaw:
    """The distribution of G, in the form that a table needs."""

    scale: Fraction

    def bounds(self, k: int, bits: int) -> tuple[int, int]:
        """Bracket ``P(G <= k) = 1 - exp(-(k + 1) / scale)``."""
        return certified_bounds(lambda: 1 - ((k + 1) * rate_ball(self.scale, bits)).exp(), bits)


@frozen
class ExponentialDecay:
    """Weights ``exp(-x / scale)``: the fine part does not depend on the coarse one."""

    scale: Fraction

    @property
    def shift(self) -> int:
        """The number of fine bits with which the coarse part has a scale of 16 to 32."""
        return int(self.scale).bit_length() - 5

    @property
    def coarse(self) -> GeometricLaw:
        """The distribution with weights ``exp(-m high / scale)``."""
        return GeometricLaw(self.scale / (1 << self.shift))

    def gamma(self, high: int, low: int) -> Fraction:
        """Return ``low / scale``."""
        return low / self.scale

    def approximate(self, high: NDArray[np.int64], low: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return ``low / scale`` with two roundings; low has at most 48 bits, so it is exact as a float."""
        return low.astype(np.float64) * float(1 / self.scale)


@lru_cache(maxsize=64)
def exponential_split(scale: Fraction) -> Split:
    """Prepare the sampler for a large scale."""
    return split_of(ExponentialDecay(scale))


@lru_cache(maxsize=256)
def rate_ball(scale: Fraction, bits: int) -> arb:
    """Enclose ``-1 / scale``; the ball is cached for each number of bits."""
    with precision(bits + GUARD):
        return -ball(1 / scale)


def draw_one(scale: Fraction, entropy: Entropy) -> int:
    """Draw one value by inversion."""
    bits = first_bits(scale)
    return floored_log(scale, _no_offset, LazyUniform(entropy, entropy.bits(bits), bits))


def first_bits(scale: Fraction) -> int:
    """Return how many bits of U to draw first: :func:`floored_log` needs more less than once in 2^50 draws."""
    return 64 + max(scale.numerator.bit_length() - scale.denominator.bit_length(), 0)


Offset: TypeAlias = Callable[[int, int, int], tuple[arb, arb]]
"""For a scale n / d and a number of bits, balls around the scale and around c."""


def floored_log(scale: Fraction, offset: Offset, uniform: LazyUniform) -> int:
    """Return ``floor(scale * (c - ln U))`` exactly; the number of operations does not depend on the result."""
    while True:
        with precision(uniform.bits + GUARD):
            factor, shift = offset(scale.numerator, scale.denominator, uniform.bits)
            value = (factor * (shift - uniform.enclosure().log())).floor().unique_fmpz()
        if value is not None:
            return int(value)
        uniform.extend()


@lru_cache(maxsize=256)
def _no_offset(n: int, d: int, bits: int) -> tuple[arb, arb]:
    with precision(bits + GUARD):
        return arb(fmpq(n, d)), arb(0)


def geometric_mass(scale: object, g: int) -> arb:
    """Enclose ``P(G = g)`` at the current precision."""
    rate = -1 / ball(positive("geometric_mass.scale", scale))
    return -rate.expm1() * (g * rate).exp() if g >= 0 else arb(0)


def geometric_tail(scale: object, k: int) -> tuple[Fraction, Fraction]:
    """Enclose ``P(G > k) = exp(-(k + 1) / scale)``.

    >>> low, high = geometric_tail(1, 0)
    >>> float(low), float(high)
    (0.36787944117144233, 0.36787944117144233)
    """
    exponent = -(count("geometric_tail.k", k) + 1) / positive("geometric_tail.scale", scale)
    return directed(arb.exp, exponent, toward="down"), directed(arb.exp, exponent, toward="up")


def geometric_quantile(scale: object, beta: object) -> int:
    """Return the smallest k whose certified upper tail ``P(G > k)`` is at most beta.

    >>> geometric_quantile(1, 0.05)
    2
    """
    return quantile("geometric_quantile", scale, beta, geometric_tail, lambda spread, tail: -spread * tail.log())


def quantile(
    name: str,
    scale: object,
    beta: object,
    tail: Callable[[object, int], tuple[Fraction, Fraction]],
    guess: Callable[[arb, arb], arb],
) -> int:
    """Return the smallest k whose certified upper tail is at most beta.

    Args:
        name: The function, for messages.
        scale: Above zero.
        beta: The probability of the tail, strictly between zero and one.
        tail: For a scale and a k, an enclosure of the probability beyond k.
        guess: For a scale and a probability, about that k.
    """
    spread, mass = positive(f"{name}.scale", scale), number(f"{name}.beta", beta)
    if not 0 < mass < 1:
        raise InvalidError(f"{name}.beta must lie strictly between 0 and 1, got {beta}.")
    with precision(128):
        start = near(guess(ball(spread), ball(mass)))
    return smallest_within(lambda k: tail(spread, k)[1] <= mass, start)
