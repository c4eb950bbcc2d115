"""Exact sums of bounded columns."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import AbsoluteDistance, Array, Bounds, ScalarDomain, Space, VectorDomain, nearest_step, sum_steps
from privet.transforms.columns import bounded_column, present, replaced


@final
@frozen(kw_only=True)
class Sum(Transformation):
    """Add up a bounded column exactly: without rounding or overflow, in any order.

    The result is a whole number of steps of the column's grid. A null or NaN counts as the value within the bounds
    nearest to zero; it is zero if the bounds contain zero.

    Guarantee: ``d_out = d_in max(|lower|, |upper|)``; if the size is public, ``ceil(d_in / 2) (upper - lower)``.
    Proof: docs/transforms/sum.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 10)) >> Sum())([1, 2, 30])
    13
    """

    def output(self, space: Space) -> Space:
        """One number on the grid of the column."""
        domain, _ = bounded_column(self, space)
        return Space(ScalarDomain(kind=domain.kind, grid=step_of(domain)), AbsoluteDistance())

    def apply(self, value: Array, space: Space) -> int:
        """Add up, in grid steps."""
        domain, bounds = bounded_column(self, space)
        return total(value, domain, bounds, missing=nearest_step(Fraction(0), bounds, step_of(domain)))

    def stability(self, d_in: int, space: Space) -> Fraction:
        """A row changes the sum by at most the larger bound, a replacement by at most the width."""
        _, (lower, upper) = bounded_column(self, space)
        swaps = replaced(space, d_in)
        return d_in * max(abs(lower), abs(upper)) if swaps is None else swaps * (upper - lower)


_ROWS = 2**30  # the sum of this many 32-bit halves fits in 64 bits


def step_of(domain: VectorDomain) -> Fraction:
    """Return the grid step of a column; for whole numbers it is one."""
    return Fraction(1) if domain.grid is None else domain.grid


def total(value: Array, domain: VectorDomain, bounds: Bounds, *, missing: int) -> int:
    """Add up a column in grid steps; nulls and NaN count as ``missing`` steps."""
    values, null = present(value)
    result = 0
    if null is not None:
        result = missing * int(null.sum())
        values = values[~null]
    step = step_of(domain)
    largest = math.floor(max(abs(bounds[0]), abs(bounds[1])) / step)
    if domain.kind is float:
        return result + sum_steps(values, float(1 / step), largest, missing)
    return result + _sum_integers(values, largest)


def _sum_integers(values: Array, largest: int) -> int:
    """Add up 64-bit integers without overflow: in two halves if one accumulator could overflow."""
    if largest * len(values) < 2**63:
        return int(values.sum(dtype=np.int64))
    total = 0
    for start in range(0, len(values), _ROWS):
        chunk = values[start : start + _ROWS]
        total += (int((chunk >> 32).sum(dtype=np.int64)) << 32) + int((chunk & 0xFFFFFFFF).sum(dtype=np.int64))
    return total
