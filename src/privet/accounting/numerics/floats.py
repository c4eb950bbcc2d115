"""Vectors of floats with proved errors: what makes loss distributions fast without trusting a mathematics library.

Only IEEE additions, multiplications and roundings are used, so that every bound follows from the standard model of
floating-point arithmetic. Proofs: docs/accounting/numerics/floats.md.
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

UNIT = 2.0**-53  # the unit roundoff
EXP_ERROR = 2.0**-47  # the relative error of ``exp`` below
SMALLEST_EXPONENT = -690.0  # below, ``exp`` gives e^-690 and hence an upper bound

_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # 33 bits, so that its products with whole numbers are exact
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_PER_LN2 = float.fromhex("0x1.71547652b82fep+0")
_TERMS = tuple(1 / math.factorial(n) for n in range(13, -1, -1))
_NODES = (0.861136311594052575, 0.339981043584856265)  # of the four-point Gauss-Legendre rule, and their weights
_WEIGHTS = (0.347854845137453857, 0.652145154862546143)
_BLOCK = 2**13
_PIECE = 0.15  # a cell of width w around z is cut until w (|z| + 3) is below this


def exp(values: Floats) -> Floats:
    """Give e^x for each x of at most 700, with a relative error below 2^-47; x below -690 is raised to that."""
    if values.size <= _BLOCK or values.ndim != 1:
        return _exp(values)
    # block by block, so that all terms find the numbers in the cache
    return np.concatenate([_exp(values[at : at + _BLOCK]) for at in range(0, len(values), _BLOCK)])


def _exp(values: Floats) -> Floats:
    x = np.maximum(values, SMALLEST_EXPONENT)
    turns = np.rint(x * _PER_LN2)
    rest = (x - turns * _LN2_HIGH) - turns * _LN2_LOW
    result = np.full_like(rest, _TERMS[0])
    for term in _TERMS[1:]:
        result *= rest
        result += term
    return np.asarray(np.ldexp(result, turns.astype(np.int32)))


def expm1(values: Floats) -> Floats:
    """Give e^x - 1 for each x between -690 and 700, with a relative error below 2^-45."""
    small = np.clip(values, -0.375, 0.375)
    result = np.full_like(small, _TERMS[0] / 14)
    for term in _TERMS[:-1]:
        result *= small
        result += term
    result *= small
    large = np.abs(values) > 0.375
    return np.where(large, exp(values) - 1, result) if large.any() else result


def geometric(ratio: float, count: int, first: int) -> Floats:
    """Give e^(ratio (first + i)) for i below count, each with a relative error below 2^-45 + 2^-52 |exponent|.

    The ratio is above zero; exponents above 650 may give something smaller.
    """
    block = max(min(512, int(32 / ratio)), 1)  # so that no factor is far larger or smaller than the product
    coarse = exp(np.minimum(np.arange(first, first + count, block, dtype=np.float64) * np.float64(ratio), 660.0))
    return np.outer(coarse, exp(np.arange(block, dtype=np.float64) * np.float64(ratio))).ravel()[:count]


def normal_masses(edges: Floats, mean: float) -> Floats:
    """Give the probability of each cell between rising edges, within 37 of the mean, of a normal law of variance one.

    The relative error of each is at most ``mass_error`` of the largest distance from the mean and the widest cell.
    """
    low, width = edges[:-1], np.diff(edges)
    far = np.maximum(np.abs(edges[:-1] - mean), np.abs(edges[1:] - mean))
    cuts = np.maximum(np.ceil(width * (far + 3) / _PIECE), 1).astype(np.int64)
    if cuts.max(initial=1) == 1:
        return _four_points(low - mean, width)
    starts = np.concatenate([[0], np.cumsum(cuts)[:-1]])
    piece = np.repeat(width / cuts, cuts)
    within = np.arange(int(cuts.sum())) - np.repeat(starts, cuts)
    return np.asarray(np.add.reduceat(_four_points(np.repeat(low, cuts) + within * piece - mean, piece), starts))


def mass_error(far: float, widest: float) -> float:
    """Give the relative error of ``normal_masses`` with edges up to so far from the mean and from zero.

    The last part is for the additions where a cell so wide is cut.
    """
    return UNIT * (5 * far * far + 256 + 9 * widest * (far + 3))


def _four_points(low: Floats, width: Floats) -> Floats:
    if len(low) > _BLOCK:
        return np.concatenate(
            [_four_points(low[at : at + _BLOCK], width[at : at + _BLOCK]) for at in range(0, len(low), _BLOCK)]
        )
    half = width * 0.5
    middle = low + half
    total = np.zeros_like(low)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        for sign in (-1.0, 1.0):
            z = middle + half * (sign * node)
            total += exp(z * z * -0.5) * weight
    return np.asarray(total * half * 0.3989422804014327)
