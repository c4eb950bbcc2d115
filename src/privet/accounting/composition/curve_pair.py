"""A dominating pair from a curve of which only upper bounds are known.

The curve of the true pair is convex in e^epsilon, so the straight lines between upper bounds of a few of its points lie
above it, and these lines are the curve of a pair with finitely many losses. Proof: docs/accounting/pairs/pair.md.
"""

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np

from privet.accounting.composition.composable import Composable, Curve
from privet.accounting.numerics import UNIT, bisect
from privet.accounting.pairs.pair import AtomPair, Pair, nothing_private
from privet.core import log_down, to_float_up

_POINTS = 160
_LITTLE = Fraction(1, 10**24)  # where a curve is below, the rest counts as infinite loss
_FAR = 256


def curve_pair(delta: Curve) -> Pair:
    """Give a pair that dominates every two laws with this curve in both directions.

    Args:
        delta: Upper bounds of delta at each epsilon of zero or more, in both directions.
    """
    last = _last(delta)
    if last == 0:
        return nothing_private() if delta(Fraction(0)) == 1 else _flat(delta(Fraction(0)))
    # knots e^epsilon are short fractions; the curve is read at an epsilon rounded down, where it is higher
    between = [Fraction(math.exp(last * index / _POINTS)).limit_denominator(10**6) for index in range(1, _POINTS)]
    knots = sorted({Fraction(1), *between, Fraction(math.exp(last) * (1 + 2.0**-40))})
    heights = [delta(Fraction(0))]
    for knot in knots[1:]:
        heights.append(min(delta(log_down(knot)), heights[-1]))
    # the other direction gives the points below one: c delta(1 / c) + 1 - c
    falling = zip(knots[:0:-1], heights[:0:-1], strict=True)
    below = [(1 / knot, 1 - 1 / knot + height / knot) for knot, height in falling]
    points = _hull([(Fraction(0), Fraction(1)), *below, *zip(knots, heights, strict=True)])
    return _atoms(points)


def _last(delta: Curve) -> float:
    """Find, roughly, where the curve ends: at next to nothing, or at a height that it keeps."""
    floor, high = delta(Fraction(_FAR)), float(_FAR)
    if floor > _LITTLE:  # bounds may rise again, as those of groups do: the lowest counts
        nearer = {end: delta(Fraction(end)) for end in (high / 2**halving for halving in range(1, 9))}
        floor = min(floor, *nearer.values())
        high = min([high, *(end for end, height in nearer.items() if height <= floor * Fraction(1001, 1000))])
    if floor >= delta(Fraction(0)):
        return 0.0
    enough = max(floor * Fraction(1001, 1000), _LITTLE)
    return bisect(lambda epsilon: delta(Fraction(epsilon)) > enough, 0.0, high, 24)[1]


def _flat(height: Fraction) -> Pair:
    kept = to_float_up(1 - height)
    return AtomPair(np.array([0.0]), np.array([kept]), to_float_up(height), to_float_up(height), UNIT, 0.0)


def _hull(points: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Give the lower convex hull of points with rising first coordinates."""
    hull: list[tuple[Fraction, Fraction]] = []
    for x, y in points:
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2], hull[-1]
            if (y1 - y0) * (x - x1) < (y - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    return hull


def _atoms(points: list[tuple[Fraction, Fraction]]) -> Pair:
    """Give the pair whose curve has these corners: Q has the change of slope as mass at each."""
    slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points)]
    slopes.append(Fraction(0))  # from the last corner on the curve stays
    losses, masses = [], []
    for index in range(1, len(points)):
        x = points[index][0]
        mass = (slopes[index] - slopes[index - 1]) * x
        if mass > 0:
            losses.append(math.log(x))
            masses.append(to_float_up(mass))
    only_q = to_float_up(1 + slopes[0])  # Q has one in all
    infinite = to_float_up(points[-1][1])
    return AtomPair(np.array(losses), np.array(masses), infinite, max(only_q, 0.0), 2.0**-50, 2.0**-44)


@lru_cache(maxsize=256)
def pair_of_curve(loss: Composable) -> Pair:
    """Give the pair of a loss's curve, once for each loss; the curve is read in a few stretches."""
    stretches: dict[int, Curve] = {}

    def delta(epsilon: Fraction) -> Fraction:
        stretch = math.floor(4 * math.log2(float(epsilon) + 0.125))
        if stretch not in stretches:
            stretches[stretch] = loss.curve(epsilon)
        return stretches[stretch](epsilon)

    return curve_pair(delta)
