"""Large draws in pieces that stay in the processor's cache."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from privet.noise.drawing.parameters import count
from privet.noise.entropy import Entropy

CHUNK = 1 << 15
SMALL = 64  # below this many values, exact scalar draws cost less than building a table
LARGEST_SCALE = 1 << 52
"""From this scale on a value might not fit in 64 bits, so the samplers return Python ints."""


def one_or_many(label: str, size: int | None, draw: Callable[[], int], dtype: DTypeLike) -> int | NDArray[Any]:
    """Draw one Python int if ``size`` is None, or an array of that many."""
    if size is None:
        return draw()
    return np.array([draw() for _ in range(count(label, size))], dtype=dtype)


def draw_on_scale(
    name: str,
    scale: Fraction,
    size: int | None,
    entropy: Entropy,
    draw_one: Callable[[Fraction, Entropy], int],
    proposals: Callable[[Fraction, Entropy], Callable[[int], NDArray[Any]]],
) -> int | NDArray[Any]:
    """Draw noise of a scale: one value, or few, by inversion; many of 64 bits from batches of proposals.

    Args:
        name: The sampler, for messages.
        scale: Above zero.
        size: How many to draw; None for one Python int.
        entropy: The source of randomness.
        draw_one: Draws one value.
        proposals: Prepares a function that returns about as many draws as its argument says.
    """
    if size is None:
        return draw_one(scale, entropy)
    rows = count(f"{name}.size", size)
    if rows >= SMALL and scale < LARGEST_SCALE:
        return gather(rows, proposals(scale, entropy))
    dtype = np.int64 if scale < LARGEST_SCALE else object
    return np.array([draw_one(scale, entropy) for _ in range(rows)], dtype=dtype)


def gather(size: int, propose: Callable[[int], NDArray[Any]], dtype: DTypeLike = np.int64) -> NDArray[Any]:
    """Collect the first ``size`` accepted values of independent proposals.

    ``propose(n)`` makes n proposals and returns the accepted ones, in order. Surplus values are dropped without looking
    at them, so the values are independent draws from the accepted distribution.
    """
    out = np.empty(size, dtype)
    done = 0
    while done < size:
        missing = size - done
        part = propose(min(CHUNK, missing + missing // 16 + 8))[:missing]
        out[done : done + part.size] = part
        done += part.size
    return out


def random_bits(n: int, k: int, entropy: Entropy) -> NDArray[np.int64]:
    """Draw n whole numbers of k random bits each, 1 <= k <= 63."""
    kind = smallest_word(k)
    words = entropy.words(n, kind)
    spare = 8 * kind.itemsize - k
    # Shift in the unsigned type: numpy converts uint64 with int64 to floats.
    return (words >> kind.type(spare) if spare else words).astype(np.int64)


def smallest_word(bits: int) -> "np.dtype[Any]":
    """Return the smallest unsigned numpy type with at least this many bits."""
    return np.dtype(np.uint8 if bits <= 8 else np.uint16 if bits <= 16 else np.uint32 if bits <= 32 else np.uint64)


def coins(n: int, entropy: Entropy) -> NDArray[np.uint8]:
    """Draw n fair bits."""
    return np.unpackbits(entropy.words((n + 7) // 8, np.uint8))[:n]


def with_signs(magnitudes: NDArray[np.int64], entropy: Entropy) -> NDArray[np.int64]:
    """Give every magnitude a fair sign, in place."""
    _negate(magnitudes, coins(magnitudes.size, entropy))
    return magnitudes


def _negate(values: NDArray[np.int64], where: NDArray[np.uint8]) -> None:
    flips = where.astype(np.int64)
    np.negative(flips, out=flips)
    values ^= flips  # with all bits set this is -x - 1, with none it is x
    values -= flips


def symmetric(values: NDArray[np.int64], entropy: Entropy) -> NDArray[np.int64]:
    """Turn draws with weights f(0), f(1), ... into draws with weights f(|z|) on all integers, in place.

    A negative zero is rejected, since zero would otherwise have twice its weight. So the result may be shorter.
    """
    minus = coins(values.size, entropy)
    zeros = np.flatnonzero(values == 0)
    negative_zeros = zeros[minus[zeros] == 1]
    _negate(values, minus)
    return np.delete(values, negative_zeros) if negative_zeros.size else values
