"""Lines through random pairs of points, evaluated at public places; the medians are points of a robust line."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import RandomTransformation
from privet.core import (
    Array,
    Bounds,
    PartitionDistance,
    PartitionDomain,
    Parts,
    Space,
    SymmetricDistance,
    VectorDomain,
    bounded_grid,
    bounds,
    optional_grid,
    readable,
    short,
    whole,
)
from privet.transforms import bounded_columns, largest_step, listed, matrix_steps, number_list
from privet.transforms.matchings import a_number_of_matchings, keys_of_points, pairs_changed, pairs_of, points_domain

_SAFE = 2**62  # below it sums and doubles of two whole numbers fit in 64 bits


@final
@frozen(kw_only=True)
class PairLines(RandomTransformation):
    """Pair the points (x, y) at random and evaluate the line through each pair at public places.

    The result has one part for each place: the heights of all lines there. In each matching every point is in at most
    one pair; if the number of points is odd, a random point is left out. A height is computed exactly, rounded to a
    public grid, half to even, and clamped. If two points have the same x, or a coordinate is missing, it is null.

    Args:
        at: The places on the axis of x, chosen without looking at the data; they are rounded to the grid of the points.
        bounds: Clamp heights to this interval.
        grid: The grid step of heights, a power of two; by default 2^-32 of the bounds.
        matchings: How many times the points are paired, independently; a part holds the heights of all matchings.

    Guarantee: ``linf = matchings (d_in + ceil(d_in / 2))`` for each of p places, ``l1 = p linf``, ``l2² = p linf²``; if
        the number of points is public, ``linf = matchings 2 ceil(d_in / 2)``.
    Proof: docs/transforms/pair_lines.md.

    >>> from privet.core.space import matrix
    >>> chain = matrix(2, bounds=(0, 10)) >> PairLines(at=[0, 4], bounds=(0, 10))
    >>> [part.tolist() for part in chain([(0, 1), (2, 3)])]
    [[1.0], [5.0]]
    """

    at: tuple[Fraction, ...] = field(converter=number_list, validator=listed, repr=short)
    bounds: Bounds = field(converter=bounds, validator=readable, repr=short)
    grid: Fraction | None = field(default=None, converter=optional_grid, validator=readable, repr=False)
    matchings: int = field(default=1, converter=whole, validator=a_number_of_matchings)

    def output(self, space: Space) -> Space:
        """One bounded column of heights for each place."""
        size = points_domain(self, space).size
        bounded_columns(self, space)
        pairs = None if size is None else size // 2 * self.matchings
        heights = VectorDomain(kind=float, bounds=self.bounds, grid=self._step(), size=pairs)
        return Space(PartitionDomain(parts=len(self.at), inner=heights), PartitionDistance(SymmetricDistance()))

    def _step(self) -> Fraction:
        return bounded_grid("PairLines", float, self.bounds, self.grid) or Fraction(1)

    def coins(self, rows: int, space: Space) -> Array:
        """Draw for each point one key for each matching."""
        return keys_of_points(rows, self.matchings)

    def combine(self, value: Array, coins: Array, space: Space) -> tuple[Array, ...]:
        """Compute the heights of all pairs in whole grid steps, place by place."""
        sides, grid = bounded_columns(self, space)
        step, places = self._step(), [round(item / grid) for item in self.at]
        first, second = pairs_of(coins, len(value), self.matchings)
        steps, missing = matrix_steps(value, grid, [0, 0]), np.isnan(value[:, 0]) | np.isnan(value[:, 1])
        run = steps[second, 0] - steps[first, 0]
        null = (run == 0) | missing[first] | missing[second]
        ratio = grid / step  # a power of two, as both grids are
        whole_steps = _dtype(places, [largest_step(pair, grid) for pair in sides], ratio)
        x, y = (steps[first, column].astype(whole_steps) for column in (0, 1))
        run, rise = np.where(null, 1, run).astype(whole_steps), (steps[second, 1] - steps[first, 1]).astype(whole_steps)
        low, high = math.ceil(self.bounds[0] / step), math.floor(self.bounds[1] / step)
        parts = []
        for place in places:
            height = _divided((y * run + (place - x) * rise) * ratio.numerator, run * ratio.denominator)
            inside = np.minimum(np.maximum(height, low), high).astype(np.float64) * float(step)
            parts.append(np.ma.MaskedArray(np.where(null, 0.0, inside), mask=null))
        return tuple(parts)

    def stability(self, d_in: int, space: Space) -> Parts:
        """Every place has a height for each pair that changes."""
        places, pairs = len(self.at), pairs_changed(space, d_in, self.matchings)
        return Parts(l0=places if pairs else 0, l1=places * pairs, l2_squared=places * pairs**2, linf=pairs)


def _dtype(places: list[int], largest: list[int], ratio: Fraction) -> Any:
    """Return 64-bit integers if every number on the way to a height fits, else Python's, which have no limit."""
    x, y = largest
    far = max(map(abs, places)) + x
    above = (2 * x * y + far * 2 * y) * ratio.numerator
    factors = max(ratio.numerator, ratio.denominator)  # beside bounds of zero a product is small, and they need not be
    return np.int64 if max(above, 4 * x * ratio.denominator, far, factors) < _SAFE else object


def _divided(above: Array, below: Array) -> Array:
    """Divide whole numbers and round half to even; no divisor is zero."""
    above, below = np.where(below < 0, -above, above), np.abs(below)
    floor = above // below
    rest = 2 * (above - floor * below)
    return np.asarray(floor + ((rest > below) | ((rest == below) & (floor % 2 == 1))))
