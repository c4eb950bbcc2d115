"""Discrete Laplace noise: two-sided geometric noise on the integers."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, overload

from attrs import frozen
from flint import arb, fmpq
from numpy.typing import NDArray

from privet.core.exact import ball, directed, precision
from privet.noise.drawing import (
    GUARD,
    Entropy,
    LazyUniform,
    certified_bounds,
    count,
    current,
    draw_on_scale,
    positive,
    symmetric,
    table_of,
    with_signs,
)
from privet.noise.geometric import (
    LARGEST_TABLE,
    exponential_split,
    first_bits,
    floored_log,
    quantile,
    rate_ball,
)


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
    spread = positive("discrete_laplace.scale", scale)
    return draw_on_scale("discrete_laplace", spread, size, entropy or current(), draw_one, _proposals)


def _proposals(scale: Fraction, source: Entropy) -> Callable[[int], NDArray[Any]]:
    if scale <= LARGEST_TABLE:
        direct = table_of(LaplaceMagnitude(scale))
        return lambda n: with_signs(direct.draw(n, source), source)
    parts = exponential_split(scale)
    return lambda n: symmetric(parts.propose(n, source), source)


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
    return directed(partial(_tail, k), rate, toward="down"), directed(partial(_tail, k), rate, toward="up")


def discrete_laplace_quantile(scale: object, beta: object) -> int:
    """Return the smallest k whose certified upper tail ``P(|Z| > k)`` is at most beta.

    >>> discrete_laplace_quantile(10, 0.05)
    30
    """
    return quantile(
        "discrete_laplace_quantile", scale, beta, discrete_laplace_tail, lambda spread, tail: -spread * tail.log()
    )
