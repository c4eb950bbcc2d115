"""A float approximation of exp(-g) with a proved error, to decide comparisons that are not close.

It uses IEEE additions and multiplications only: the standard fixes their error, but not that of a library's ``exp``.
Proof of the bound: docs/noise/index.md.
"""

import math

import numpy as np
from numpy.typing import NDArray

LIMIT = 0.5
"""The largest argument for which the bound is proved."""

ERROR = 2.0**-32
"""Absolute: truncation is below 2^-36, rounding below 2^-47; the rest is margin for the argument and the uniform."""

_DEGREE = 10
_COEFFICIENTS = tuple((-1) ** i / math.factorial(i) for i in range(_DEGREE + 1))


def exp_minus(g: NDArray[np.float64]) -> NDArray[np.float64]:
    """Approximate exp(-g) for 0 <= g <= 1/2 by its Taylor polynomial; the result for other arguments is meaningless.

    >>> bool(abs(exp_minus(np.array([0.5])) - 0.6065306597126334)[0] < ERROR)
    True
    """
    total = np.full_like(g, _COEFFICIENTS[-1])
    for coefficient in reversed(_COEFFICIENTS[:-1]):
        total *= g
        total += coefficient
    return total
