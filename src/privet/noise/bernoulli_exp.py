"""Coins with probability exp(-rate)."""

from functools import partial
from typing import overload

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidError
from privet.noise.drawing import Entropy, current, exp_bounds, number, toss


@overload
def bernoulli_exp(rate: object, size: None = None, *, entropy: Entropy | None = None) -> bool: ...
@overload
def bernoulli_exp(rate: object, size: int, *, entropy: Entropy | None = None) -> NDArray[np.bool_]: ...
def bernoulli_exp(rate: object, size: int | None = None, *, entropy: Entropy | None = None) -> bool | NDArray[np.bool_]:
    """Toss coins that show True with probability exactly ``exp(-rate)``.

    Args:
        rate: Zero or more.
        size: How many to toss; None for one bool.
        entropy: The source of randomness; by default the stream of the operating system.

    Proof: docs/noise/bernoulli_exp.md.

    >>> bernoulli_exp(0)
    True
    """
    exponent = number("bernoulli_exp.rate", rate)
    if exponent < 0:
        raise InvalidError(f"bernoulli_exp.rate must be zero or more, got {rate}.")
    return toss("bernoulli_exp.size", partial(exp_bounds, exponent), size, entropy or current())
