"""Magnitudes of characteristic functions at many nodes, in floats that are never too small.

Only additions, multiplications, divisions and square roots are done in floats, whose rounding is known; angles and
exponentials come from balls. Proof: docs/accounting/characteristic/loss.md.
"""

import math
from typing import Any

import numpy as np
from flint import acb, arb
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SLACK = 2.0**-40  # above every rounding error of a sum of up to a thousand weights that add up to one
_UP = 1 + 2.0**-50
_TINY = 1e-300


def rotations(angle: arb, start: int, stop: int) -> NDArray[np.complex128]:
    """Give e^(i k angle) for k from start to before stop, each the product of two values rounded from balls."""
    width = math.isqrt(stop - start) + 1
    inner = np.array([complex(acb(0, angle * k).exp()) for k in range(width)])
    outer = np.array([complex(acb(0, angle * k).exp()) for k in range(start, stop, width)])
    return np.asarray(outer[:, None] * inner[None, :]).reshape(-1)[: stop - start]


def magnitude(values: NDArray[np.complex128]) -> Floats:
    """The magnitude by a square root, with the slack of the sum that the values are."""
    return np.asarray(np.sqrt(values.real * values.real + values.imag * values.imag) + SLACK)


def product_up(first: Floats, second: Floats) -> Floats:
    """The product of arrays of zero or more, rounded up."""
    return np.asarray(first * second * _UP + _TINY)


def power_up(values: Floats, times: int) -> Floats:
    """A whole power, rounded up."""
    total = np.ones_like(values)
    while times:
        if times % 2:
            total = product_up(total, values)
        times //= 2
        if times:
            values = product_up(values, values)
    return total


def sum_up(values: Any) -> float:
    """The sum of an array of zero or more, rounded up."""
    total = float(np.sum(values))
    return total * (1 + len(values) * 2.0**-50) + _TINY
