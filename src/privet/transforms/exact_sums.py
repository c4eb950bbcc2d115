"""Exact sums of products of whole numbers of grid steps, without overflow and without floats."""

import math
from fractions import Fraction

import numpy as np

from privet.core import Array, VectorDomain
from privet.transforms.columns import present
from privet.transforms.sum import step_of

_BITS = 22  # bits of a limb: three limbs hold 64 bits
_LIMB = 2**_BITS - 1
_ROWS = 2**17  # the sum of this many products of limbs, each below 2^44, fits in 64 bits


def column_steps(value: Array, domain: VectorDomain, *, missing: int) -> Array:
    """Return a column as 64-bit grid steps; nulls and NaN count as ``missing`` steps."""
    values, null = present(value)
    steps = values
    if domain.kind is float:
        nan = np.isnan(values)
        null = nan if null is None else null | nan
        steps = (np.where(null, 0.0, values) * float(1 / step_of(domain))).astype(np.int64)  # exact: below 2^53
    return steps if null is None else np.where(null, np.int64(missing), steps)


def dot(x: Array, y: Array, largest: int) -> int:
    """Add up the products of two columns of 64-bit integers exactly.

    Args:
        x: One column.
        y: The other.
        largest: A public upper bound on the magnitude of a product.
    """
    if largest * len(x) < 2**63:
        return int(np.dot(x, y))
    total = 0
    for start in range(0, len(x), _ROWS):
        first, second = _limbs(x[start : start + _ROWS]), _limbs(y[start : start + _ROWS])
        for i, a in enumerate(first):
            for j, b in enumerate(second):
                total += int(np.dot(a, b)) << (_BITS * (i + j))
    return total


def _limbs(x: Array) -> tuple[Array, Array, Array]:
    """Split into low, middle and (signed) high bits."""
    return x & _LIMB, (x >> _BITS) & _LIMB, x >> (2 * _BITS)


def power_sum(steps: Array, power: int, largest: int) -> int:
    """Add up a power of a column of 64-bit integers exactly; no magnitude is above ``largest``."""
    if power == 2:
        return dot(steps, steps, largest**2)
    if max(largest, 1) ** power * len(steps) < 2**63:
        return int((steps**power).sum(dtype=np.int64))
    return int((steps.astype(object) ** power).sum())


def round_to_steps(value: Fraction) -> int:
    """Round to a whole number, halves up.

    Halves go up, not to even: two numbers at distance d are then at most d apart, rounded up to a whole number.
    """
    return math.floor(value + Fraction(1, 2))


def finer(step: Fraction, rows: int) -> Fraction:
    """Return the grid step of a rounded average: at most 2^-10 of its change under one of ``rows`` rows."""
    return step / Fraction(2 ** (rows.bit_length() + 10))
