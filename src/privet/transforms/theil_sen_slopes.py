"""Slopes of random pairs of points; their median is the slope of a Theil-Sen line."""

from fractions import Fraction
from math import isfinite
from typing import final

import numpy as np
from attrs import field, frozen

from privet.core import (
    Array,
    Bounds,
    MatrixDomain,
    Space,
    SymmetricDistance,
    VectorDomain,
    bounded_grid,
    bounds,
    nearest_step,
    optional_grid,
    readable,
    short,
)
from privet.errors import MismatchError
from privet.transforms import KeyedTransformation, replaced


@final
@frozen(kw_only=True)
class TheilSenSlopes(KeyedTransformation):
    """Pair the points (x, y) at random and compute the slope of each pair.

    Every point is in at most one pair; if the number of points is odd, a random point is left out. A slope is computed
    exactly, rounded to a public grid, half to even, and clamped. If two points have the same x, or a coordinate is
    not a finite number, the slope is null.

    Args:
        bounds: Clamp slopes to this interval.
        grid: The grid step of slopes, a power of two; by default 2^-32 of the bounds.

    Guarantee: ``d_out = d_in + ceil(d_in / 2)``; if the number of points is public, ``2 ceil(d_in / 2)``.
    Proof: docs/transforms/theil_sen_slopes.md.

    >>> from privet.core.space import matrix
    >>> chain = matrix(2) >> TheilSenSlopes(bounds=(-10, 10))
    >>> chain([(0, 1), (2, 7)]).tolist()
    [3.0]
    """

    bounds: Bounds = field(converter=bounds, validator=readable, repr=short)
    grid: Fraction | None = field(default=None, converter=optional_grid, validator=readable, repr=False)

    def output(self, space: Space) -> Space:
        """A bounded column of slopes, half as many as there are points."""
        size = self._points(space).size
        half = None if size is None else size // 2
        domain = VectorDomain(kind=float, bounds=self.bounds, grid=self._step(), size=half)
        return Space(domain, SymmetricDistance())

    def _step(self) -> Fraction:
        return bounded_grid("TheilSenSlopes", float, self.bounds, self.grid) or Fraction(1)

    def _points(self, space: Space) -> MatrixDomain:
        if not isinstance(space.domain, MatrixDomain) or space.domain.columns != 2:
            raise MismatchError(
                f"TheilSenSlopes reads points with two coordinates, got {space!r}: start from pc.matrix(2)."
            )
        if not isinstance(space.metric, SymmetricDistance):
            raise MismatchError(f"TheilSenSlopes reads unordered points, got {space.metric!r}: use SymmetricDistance.")
        return space.domain

    def combine(self, value: Array, coins: Array, space: Space) -> Array:
        """Pair adjacent points in the shuffled order; the last point of an odd number is left out."""
        points = value[np.argsort(coins)].tolist()
        step = self._step()
        slopes = [self._slope(first, second, step) for first, second in zip(points[::2], points[1::2], strict=False)]
        null = np.array([item is None for item in slopes], dtype=bool)
        values = np.array([0.0 if item is None else float(item * step) for item in slopes], dtype=np.float64)
        return np.ma.MaskedArray(values, mask=null)

    def _slope(self, first: list[float], second: list[float], step: Fraction) -> int | None:
        if first[0] == second[0] or not all(map(isfinite, (*first, *second))):
            return None
        run, rise = (Fraction(a) - Fraction(b) for a, b in zip(first, second, strict=True))
        return nearest_step(rise / run, self.bounds, step)

    def stability(self, d_in: int, space: Space) -> int:
        """Added points alternately add a slope and replace a slope; a replaced point replaces one slope."""
        swaps = replaced(space, d_in)
        return d_in + (d_in + 1) // 2 if swaps is None else 2 * swaps
