"""The pairs of a loss, composed for its epsilon, its delta or its distribution.

Where only upper bounds of a curve are known, a pair is made from them. The curve of the true pair is convex in
e^epsilon, so the straight lines between upper bounds of a few of its points lie above it, and these lines are the curve
of a pair with finitely many losses. Proof: docs/accounting/pairs/pair.md.
"""

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np

from privet.accounting.composition.composable import Composable, Curve
from privet.accounting.composition.composition import ComposedDirections, PairTerms, curve_above, delta_below
from privet.accounting.composition.fourier import compose
from privet.accounting.numerics import UNIT, Amount, bisect, exp, lower_hull, smallest
from privet.accounting.pairs.distribution import Distribution, halves
from privet.accounting.pairs.normal_pair import NormalPair, fused
from privet.accounting.pairs.pair import AtomPair, Pair
from privet.core import log_down, require, short, to_float_up
from privet.errors import UnavailableError

_OFTEN = 2**40  # more copies of one pair are not composed: the roundings of each add up to more than is gained
_EVER = 2**200  # normal pairs are put together before, up to this many
_COMMON = Fraction(1, 64)  # only tests and trade-off curves need larger deltas
_FAINT = Fraction(1, 10**40)  # below this delta, closed forms are tried as well
_HALVINGS = 24  # of the search for an epsilon by a closed form
_POINTS = 160  # of a curve that a pair is made from
_LITTLE = Fraction(1, 10**24)  # where such a curve is below, the rest counts as infinite loss
_FAR = 256  # an epsilon beyond which such a curve is not read
_LONGEST = 2**22  # masses of a distribution
_NARROWEST, _WIDEST = Fraction(1, 10**12), 10**6  # steps that floats can bear


def curve_pair(delta: Curve) -> Pair:
    """Give a pair that dominates every two laws with this curve in both directions.

    Args:
        delta: Upper bounds of delta at each epsilon of zero or more, in both directions.
    """
    last = _last(delta)
    if last == 0:
        height = to_float_up(delta(Fraction(0)))
        return AtomPair(np.array([0.0]), np.array([to_float_up(1 - delta(Fraction(0)))]), height, height, UNIT, 0.0)
    # knots e^epsilon are short fractions; the curve is read at an epsilon rounded down, where it is higher
    between = [Fraction(math.exp(last * index / _POINTS)).limit_denominator(10**6) for index in range(1, _POINTS)]
    knots = sorted({Fraction(1), *between, Fraction(math.exp(last) * (1 + 2.0**-40))})
    heights = [delta(Fraction(0))]
    for knot in knots[1:]:
        heights.append(min(delta(log_down(knot)), heights[-1]))
    # the other direction gives the points below one: c delta(1 / c) + 1 - c
    falling = zip(knots[:0:-1], heights[:0:-1], strict=True)
    below = [(1 / knot, 1 - 1 / knot + height / knot) for knot, height in falling]
    return _atoms(lower_hull([(Fraction(0), Fraction(1)), *below, *zip(knots, heights, strict=True)]))


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


def _atoms(points: list[tuple[Fraction, Fraction]]) -> Pair:
    """Give the pair whose curve has these corners: Q has the change of slope as mass at each."""
    slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points)]
    slopes.append(Fraction(0))  # from the last corner on the curve stays
    changes = [(x, (after - before) * x) for (before, after), (x, _) in zip(pairwise(slopes), points[1:], strict=True)]
    return AtomPair(
        losses=np.array([math.log(x) for x, mass in changes if mass > 0]),
        masses=np.array([to_float_up(mass) for _, mass in changes if mass > 0]),
        only_p=to_float_up(points[-1][1]),
        only_q=max(to_float_up(1 + slopes[0]), 0.0),  # Q has one in all
        error=2.0**-50,
        slip=2.0**-44,
    )


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


@lru_cache(maxsize=64)
def directions(loss: Composable) -> tuple[PairTerms, ...]:
    """Give the pairs with multiplicities for one direction, or for both where they differ; none where none are known.

    Parts of which only a curve is known are added up first: their sum has one curve.
    """
    known = [(part, times) for part, times in loss.parts() if not part.by_curve]
    if not known or any(times > _EVER for _, times in known):
        return ()
    terms = [(part.pair(), times, part.directed) for part, times in known]
    others = loss._unpaired()
    if others is not None:
        terms.append((pair_of_curve(others), 1, False))
    both = _in_both_directions(terms)
    return () if any(times > _OFTEN for _, times in both[0]) else both


def _attained(loss: Composable) -> tuple[PairTerms, ...]:
    """Give the pairs that neighbours may have; parts without one are left out, which only lowers the bound."""
    pairs = ((part._attained(), times, part.directed) for part, times in loss.parts())
    kept = [
        (pair, times, directed)
        for pair, times, directed in pairs
        if pair is not None and times <= (_EVER if isinstance(pair, NormalPair) else _OFTEN)
    ]
    return _in_both_directions(kept) if kept else ()


def _in_both_directions(terms: list[tuple[Pair, int, bool]]) -> tuple[PairTerms, ...]:
    """Give terms (pair, how often, directed) for records removed and for records added; once where none is directed."""
    removed = fused([(pair, times) for pair, times, _ in terms])
    if not any(directed for _, _, directed in terms):
        return (removed,)
    return removed, fused([(pair.reverse() if directed else pair, times) for pair, times, directed in terms])


@lru_cache(maxsize=256)
def composed_epsilon(loss: Composable, delta: Fraction) -> Amount:
    """Give the epsilon of composed pairs; infinite where none are known."""
    if not directions(loss) or not 0 < delta < 1:
        return math.inf
    epsilon = _from_above(loss, delta).above
    if delta < _COMMON or not isinstance(epsilon, Fraction):
        return epsilon
    # a plan for a rare delta may lie too high for a common one; a plan near the answer does not
    return smallest(curve_above(directions(loss), epsilon), delta, start=epsilon)


@lru_cache(maxsize=4)  # each holds arrays of some megabytes
def _from_above(loss: Composable, delta: Fraction) -> ComposedDirections:
    return ComposedDirections(directions(loss), delta)


def composed_curve(loss: Composable, near: Fraction) -> Curve | None:
    """Give upper bounds of delta of composed pairs, sharpest near an epsilon; None where no pairs are known."""
    return curve_above(directions(loss), near) if directions(loss) else None


@lru_cache(maxsize=256)
def lower_epsilon(loss: Composable, delta: Fraction) -> Fraction:
    """Give a lower bound of epsilon of the worst neighbours that the loss allows."""
    if not 0 < delta < 1:
        return Fraction(0)
    if directions(loss) and all(part.tight for part, _ in loss.parts()):
        pairs, below = directions(loss), _from_above(loss, delta).below
    else:
        pairs = _attained(loss)
        below = ComposedDirections(pairs, delta).below if pairs else Fraction(0)
    if pairs and delta >= _COMMON:
        near = composed_epsilon(loss, delta) * (1 - Fraction(1, 2**20))
        if below < near < math.inf and delta_below(pairs, Fraction(near)) > delta:
            return Fraction(near)
    return below if below > 0 else _from_closed_form(loss, delta)


def _from_closed_form(loss: Composable, delta: Fraction) -> Fraction:
    """Give an epsilon at which a closed form of delta exceeds it, or zero; where floats do not reach."""
    if loss._least_delta(Fraction(0)) <= delta:
        return Fraction(0)
    low, high = Fraction(0), Fraction(1)
    while loss._least_delta(high) > delta and high < 2**20:
        low, high = high, 2 * high
    return bisect(lambda epsilon: loss._least_delta(epsilon) > delta, low, high, _HALVINGS)[0]


def lower_delta(loss: Composable, epsilon: Fraction) -> Fraction:
    """Give a lower bound of delta of the worst neighbours that the loss allows."""
    pairs = _attained(loss)
    composed = delta_below(pairs, epsilon) if pairs else Fraction(0)
    return composed if composed > _FAINT else max(composed, loss._least_delta(epsilon))


def distribution_of(loss: Composable, step: Fraction, tail: Fraction) -> Distribution:
    """Give the distribution of a loss on a grid, from above, in the direction in which records are removed."""
    require(0 < step <= _WIDEST, "Loss.step", f"above zero and at most {_WIDEST}", step)
    if step < _NARROWEST:
        raise UnavailableError(f"Loss.step must be {float(_NARROWEST)} or more, got {short(step)}: give a larger step.")
    terms = directions(loss)[0] if directions(loss) else ((pair_of_curve(loss), 1),)
    each = max(float(tail) / sum(times for _, times in terms), 1e-280)
    spans = [(*pair.span(each), times) for pair, times in terms]
    if sum((high - low + 4 * float(step)) * times for low, high, times in spans) / float(step) > _LONGEST:
        raise UnavailableError(f"the distribution has more than {_LONGEST} losses: give a larger step.")
    parts = [(halves(pair, float(step), each).above(), times) for pair, times in terms]
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    low = sum(times * part.losses()[0] for part, times in parts)
    high = sum(times * part.losses()[-1] for part, times in parts)
    whole = compose(parts, 1e-9, (float(low), float(high)), None)
    # the tilt is next to nothing, so that the masses are those of the distribution, up to the bounds of their errors
    weights = exp(-whole.tilt * (whole.losses - whole.reference))
    masses = -np.diff(whole.beyond, append=0.0) + whole.error * weights + 4 * UNIT * whole.beyond
    masses *= to_float_up(whole.factor * (1 + Fraction(whole.growth))) * (1 + 2.0**-40)
    return Distribution(
        float(step), round(whole.losses[0] / float(step)), masses, to_float_up(whole.infinite), whole.slip
    )
