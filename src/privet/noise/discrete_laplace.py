"""Discrete Laplace noise: two-sided geometric noise on the integers."""

from fractions import Fraction
from functools import lru_cache
from typing import Any, overload

import numpy as np
from attrs import frozen
from flint import arb, fmpq
from numpy.typing import NDArray

from privet.core.exact import ball, directed, precision
from privet.noise.batches import SMALL, gather, symmetric, with_signs
from privet.noise.entropy import Entropy, current
from privet.noise.geometric import (
    LARGEST_TABLE,
    exponential_split,
    first_bits,
    floored_log,
    rate_ball,
    smallest_within,
    tail_mass,
)
from privet.noise.lazy import GUARD, LazyUniform, certified_bounds, near
from privet.noise.parameters import count, positive
from privet.noise.split import LARGEST_SCALE
from privet.noise.table import table


@overload
def discrete_laplace(scale: object, size: None = None, *, entropy: Entropy | None = None) -> int: ...
@overload
def discrete_laplace(scale: object, size: int, *, entropy: Entropy | None = None) -> NDArray[Any]: ...
def discrete_laplace(scale: object, size: int | None = None, *, entropy: Entropy | None = None) -> int | NDArray[Any]:
    """Draw whole numbers with ``P(Z = z)`` proportional to ``exp(-|z| / scale)``, exactly.

    Args:
        scale: Spread, above zero.
        size: How many to draw; None for one Python int.
        entropy: The source of randomness; by default the stream of the operating system.

    Returns:
        A Python int, or an array of int64 (of Python ints from a scale of 2^52 on).

    Proof: docs/noise/discrete_laplace.md.

    >>> discrete_laplace(0.5, 4).shape
    (4,)
    """
    scale = positive("discrete_laplace.scale", scale)
    source = entropy or current()
    if size is None:
        return draw_one(scale, source)
    size = count("discrete_laplace.size", size)
    if scale >= LARGEST_SCALE:
        return np.array([draw_one(scale, source) for _ in range(size)], dtype=object)
    if size < SMALL:
        return np.array([draw_one(scale, source) for _ in range(size)], dtype=np.int64)
    if scale <= LARGEST_TABLE:
        direct = table(LaplaceMagnitude(scale))
        return gather(size, lambda n: with_signs(direct.draw(n, source), source))
    parts = exponential_split(scale)
    return gather(size, lambda n: symmetric(parts.propose(n, source), source))


def draw_one(scale: Fraction, entropy: Entropy) -> int:
    """Draw one value by inversion: a magnitude ``floor(scale * (c - ln U))`` and a sign."""
    bits = first_bits(scale)
    word = entropy.bits(bits + 1)
    magnitude = floored_log(scale, magnitude_offset, LazyUniform(entropy, word >> 1, bits))
    return -magnitude if word & 1 else magnitude


@lru_cache(maxsize=256)
def magnitude_offset(n: int, d: int, bits: int) -> tuple[arb, arb]:
    """Enclose the scale n / d and the constant c of the magnitude."""
    with precision(bits + GUARD):
        # c = ln(2 / (1 + e^(-1/b))), from P(|Z| >= k) = 2 e^(-k/b) / (1 + e^(-1/b)) for k >= 1
        return arb(fmpq(n, d)), (2 / (1 + (-arb(fmpq(d, n))).exp())).log()


@frozen
class LaplaceMagnitude:
    """The distribution of ``|Z|``, in the form that a table needs."""

    scale: Fraction

    def bounds(self, k: int, bits: int) -> tuple[int, int]:
        """Bracket ``P(|Z| <= k)``."""
        return certified_bounds(lambda: 1 - _tail(k, rate_ball(self.scale, bits)), bits)


def _tail(k: int, rate: arb) -> arb:
    return 2 * ((k + 1) * rate).exp() / (1 + rate.exp())


def discrete_laplace_mass(scale: object, z: int) -> arb:
    """Enclose ``P(Z = z) = exp(-|z| / scale) * tanh(1 / (2 scale))`` at the current precision."""
    rate = -1 / ball(positive("discrete_laplace_mass.scale", scale))
    return -rate.expm1() / (1 + rate.exp()) * (abs(z) * rate).exp()


def discrete_laplace_tail(scale: object, k: int) -> tuple[Fraction, Fraction]:
    """Enclose ``P(|Z| > k)``.

    >>> low, high = discrete_laplace_tail(1, 0)
    >>> float(low), float(high)
    (0.5378828427399902, 0.5378828427399902)
    """
    k = count("discrete_laplace_tail.k", k)
    rate = -1 / positive("discrete_laplace_tail.scale", scale)
    low = directed(lambda x: _tail(k, x), rate, toward="down")
    return low, directed(lambda x: _tail(k, x), rate, toward="up")


def discrete_laplace_quantile(scale: object, beta: object) -> int:
    """Return the smallest k whose certified upper tail ``P(|Z| > k)`` is at most beta.

    >>> discrete_laplace_quantile(10, 0.05)
    30
    """
    spread = positive("discrete_laplace_quantile.scale", scale)
    tail = tail_mass("discrete_laplace_quantile.beta", beta)
    with precision(128):
        guess = near(-ball(spread) * ball(tail).log())
    return smallest_within(lambda k: discrete_laplace_tail(spread, k)[1] <= tail, guess)
