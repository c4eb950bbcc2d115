"""Slopes of random pairs of points; their median is the slope of a Theil-Sen line."""

from fractions import Fraction
from math import isfinite
from typing import final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import RandomTransformation
from privet.core import (
    Array,
    Bounds,
    Space,
    SymmetricDistance,
    VectorDomain,
    bounded_grid,
    bounds,
    nearest_step,
    optional_grid,
    readable,
    short,
    whole,
)
from privet.transforms.matchings import a_number_of_matchings, keys_of_points, pairs_changed, pairs_of, points_domain


@final
@frozen(kw_only=True)
class TheilSenSlopes(RandomTransformation):
    """Pair the points (x, y) at random and compute the slope of each pair.

    In each matching every point is in at most one pair; if the number of points is odd, a random point is left out. A
    slope is computed exactly, rounded to a public grid, half to even, and clamped. If two points have the same x, or a
    coordinate is not a finite number, the slope is null.

    Args:
        bounds: Clamp slopes to this interval.
        grid: The grid step of slopes, a power of two; by default 2^-32 of the bounds.
        matchings: How many times the points are paired, independently; the slopes of all matchings are one column.

    Guarantee: ``d_out = matchings (d_in + ceil(d_in / 2))``; if the number of points is public,
        ``matchings 2 ceil(d_in / 2)``.
    Proof: docs/transforms/theil_sen_slopes.md.

    >>> from privet.core.space import matrix
    >>> chain = matrix(2) >> TheilSenSlopes(bounds=(-10, 10))
    >>> chain([(0, 1), (2, 7)]).tolist()
    [3.0]
    """

    bounds: Bounds = field(converter=bounds, validator=readable, repr=short)
    grid: Fraction | None = field(default=None, converter=optional_grid, validator=readable, repr=False)
    matchings: int = field(default=1, converter=whole, validator=a_number_of_matchings)

    def output(self, space: Space) -> Space:
        """A bounded column of slopes, for each matching half as many as there are points."""
        size = points_domain(self, space).size
        pairs = None if size is None else size // 2 * self.matchings
        domain = VectorDomain(kind=float, bounds=self.bounds, grid=self._step(), size=pairs)
        return Space(domain, SymmetricDistance())

    def _step(self) -> Fraction:
        return bounded_grid("TheilSenSlopes", float, self.bounds, self.grid) or Fraction(1)

    def coins(self, rows: int, space: Space) -> Array:
        """Draw for each point one key for each matching."""
        return keys_of_points(rows, self.matchings)

    def combine(self, value: Array, coins: Array, space: Space) -> Array:
        """Compute the slope of each pair of each matching."""
        places, step = pairs_of(coins, len(value), self.matchings), self._step()
        pairs = zip(*(value[place].tolist() for place in places), strict=True)
        slopes = [self._slope(first, second, step) for first, second in pairs]
        null = np.array([item is None for item in slopes], dtype=bool)
        values = np.array([0.0 if item is None else float(item * step) for item in slopes], dtype=np.float64)
        return np.ma.MaskedArray(values, mask=null)

    def _slope(self, first: list[float], second: list[float], step: Fraction) -> int | None:
        if first[0] == second[0] or not all(map(isfinite, (*first, *second))):
            return None
        run, rise = (Fraction(a) - Fraction(b) for a, b in zip(first, second, strict=True))
        return nearest_step(rise / run, self.bounds, step)

    def stability(self, d_in: int, space: Space) -> int:
        """In each matching, added points alternately add a slope and replace one; a replaced point replaces one."""
        return pairs_changed(space, d_in, self.matchings)
