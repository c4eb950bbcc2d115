"""Exact sums of columns and of their products, in whole grid steps, without overflow and without rounding."""

import math
from fractions import Fraction

import numpy as np

from privet.core import EXACT_STEPS, Array, Bounds, VectorDomain, sum_steps
from privet.transforms.columns import present

_BITS = 22  # bits of a limb: three limbs hold 64 bits
_LIMB = 2**_BITS - 1
_ROWS = 2**17  # the sum of this many products of limbs, each below 2^44, fits in 64 bits
_FEWEST = 2**10  # rows: shorter chunks would not be worth a product of matrices
_HALVES = 2**30  # the sum of this many 32-bit halves fits in 64 bits


def largest_step(bounds: Bounds, grid: Fraction) -> int:
    """Return the largest magnitude within bounds, in grid steps."""
    return math.floor(max(abs(bounds[0]), abs(bounds[1])) / grid)


def total(value: Array, domain: VectorDomain, bounds: Bounds, *, missing: int) -> int:
    """Add up a column in grid steps; nulls and NaN count as ``missing`` steps."""
    values, null = present(value)
    result = 0
    if null is not None:
        result = missing * int(null.sum())
        values = values[~null]
    largest = largest_step(bounds, domain.step)
    if domain.kind is float:
        return result + sum_steps(values, float(1 / domain.step), largest, missing)
    return result + _sum_integers(values, largest)


def _sum_integers(values: Array, largest: int) -> int:
    """Add up 64-bit integers without overflow: in two halves if one accumulator could overflow."""
    if largest * len(values) < 2**63:
        return int(values.sum(dtype=np.int64))
    result = 0
    for start in range(0, len(values), _HALVES):
        chunk = values[start : start + _HALVES]
        result += (int((chunk >> 32).sum(dtype=np.int64)) << 32) + int((chunk & 0xFFFFFFFF).sum(dtype=np.int64))
    return result


def column_steps(value: Array, domain: VectorDomain, *, missing: int) -> Array:
    """Return a column as 64-bit grid steps; nulls and NaN count as ``missing`` steps."""
    values, null = present(value)
    if domain.kind is float:
        nan = np.isnan(values)
        null = nan if null is None else null | nan
        values = (np.where(null, 0.0, values) * float(1 / domain.step)).astype(np.int64)  # exact: below 2^53
    return values if null is None else np.where(null, np.int64(missing), values)


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


def products(x: Array, largest: int) -> Array:
    """Add up the products of every pair of columns of 64-bit integers exactly: a symmetric matrix of integers.

    Args:
        x: One row for each record.
        largest: A public upper bound on the square of an entry.
    """
    columns = x.shape[1]
    rows = EXACT_STEPS // max(largest, 1)
    if rows < _FEWEST:
        sums = np.array([[dot(x[:, i], x[:, j], largest) for j in range(i + 1)] for i in range(columns)], dtype=object)
        return np.array([[sums[max(i, j)][min(i, j)] for j in range(columns)] for i in range(columns)], dtype=object)
    total = np.zeros((columns, columns), dtype=object)
    for start in range(0, len(x), rows):  # every partial sum is a whole number below 2^53: floats are exact
        part = x[start : start + rows].astype(np.float64)
        total += (part.T @ part).astype(np.int64)
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
