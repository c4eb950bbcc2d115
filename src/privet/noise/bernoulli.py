"""Coins with a rational probability."""

from fractions import Fraction
from functools import partial
from typing import overload

import numpy as np
from numpy.typing import NDArray

from privet.noise.drawing import Entropy, current, toss
from privet.noise.drawing import probability as read


@overload
def bernoulli(probability: object, size: None = None, *, entropy: Entropy | None = None) -> bool: ...
@overload
def bernoulli(probability: object, size: int, *, entropy: Entropy | None = None) -> NDArray[np.bool_]: ...
def bernoulli(
    probability: object, size: int | None = None, *, entropy: Entropy | None = None
) -> bool | NDArray[np.bool_]:
    """Toss coins that show True with exactly the given probability.

    Args:
        probability: Between 0 and 1.
        size: How many to toss; None for one bool.
        entropy: The source of randomness; by default the stream of the operating system.

    Proof: docs/noise/bernoulli.md.

    >>> bernoulli(1), bernoulli(0)
    (True, False)
    """
    bounds = partial(_bounds, read("bernoulli.probability", probability))
    return toss("bernoulli.size", bounds, size, entropy or current())


def _bounds(p: Fraction, bits: int) -> tuple[int, int]:
    low, rest = divmod(p.numerator << bits, p.denominator)
    return low, low + (rest > 0)
