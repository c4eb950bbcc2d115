"""Exactly uniform whole numbers."""

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidError
from privet.noise.drawing import Entropy, count, current, gather, integer, smallest_word


@overload
def uniform_below(bound: int, size: None = None, *, entropy: Entropy | None = None) -> int: ...
@overload
def uniform_below(bound: int, size: int, *, entropy: Entropy | None = None) -> NDArray[Any]: ...
def uniform_below(bound: int, size: int | None = None, *, entropy: Entropy | None = None) -> int | NDArray[Any]:
    """Draw whole numbers uniformly from 0 .. bound - 1.

    We draw as many random bits as ``bound - 1`` has, until they make a number below the bound. All 2^k patterns are
    equally likely, and so are the accepted ones.

    Args:
        bound: One more than the largest result; any whole number above zero.
        size: How many to draw; None for one Python int.
        entropy: The source of randomness; by default the stream of the operating system.

    Returns:
        A Python int, or an array of int64 (of Python ints when the bound is above 2^63).

    Proof: docs/noise/uniform.md.

    >>> uniform_below(1, 3).tolist()
    [0, 0, 0]
    """
    bound = integer("uniform_below.bound", bound)
    if bound < 1:
        raise InvalidError(f"uniform_below.bound must be 1 or more, got {bound}.")
    source = entropy or current()
    if size is None:
        return source.below(bound)
    size = count("uniform_below.size", size)
    if bound > 1 << 63:
        return np.array([source.below(bound) for _ in range(size)], dtype=object)
    if bound == 1:
        return np.zeros(size, np.int64)
    k = (bound - 1).bit_length()
    kind = smallest_word(k)
    mask, last = kind.type((1 << k) - 1), kind.type(bound - 1)

    def propose(n: int) -> NDArray[np.int64]:
        words = source.words(n, kind) & mask
        return np.asarray(words if last == mask else words[words <= last], np.int64)

    return gather(size, propose)
