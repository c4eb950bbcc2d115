"""What plots of a loss show, as numbers: its profile, its trade-off curve, its distribution and its outcomes.

Nothing here draws or decides: exact answers become floats at the end.
"""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.accounting.composition.composable import Composable, Curve
from privet.accounting.numerics import Floats
from privet.accounting.pairs.distribution import Distribution
from privet.core import to_float_down, to_float_up
from privet.errors import UnavailableError

_NEAR = (Fraction(0), Fraction(3, 10), Fraction(6, 10), Fraction(9, 10))  # where sums are composed, as shares
_BINS = 160
_CELLS = 8 * _BINS  # steps of the grid in a picture
_FINEST = Fraction(1, 10**9)
_MANY = 40  # more single losses than this are drawn as a density
_UNSEEN = 1e-3  # of the highest: smaller masses cannot be seen
_NOTHING = 1e-6  # a probability that is not drawn
_FIRST, _LAST = Fraction(1, 100), 10**6  # steps that are tried
_GAP = 3  # a gap between single losses is this many times wider than the one on the other side
_STICKS_OUT = 6  # a mass this many times larger than its neighbours is a single loss


@final
@frozen(eq=False)
class Profile:
    """The curve delta(epsilon), from above at many places and from below at a few.

    Args:
        epsilons: Rising from zero.
        deltas: Certified upper bounds.
        places: The epsilons of the lower bounds.
        below: The lower bounds.
    """

    epsilons: Floats
    deltas: Floats
    places: Floats
    below: Floats


@final
@frozen(eq=False)
class Masses:
    """A loss distribution in bins, with single outcomes apart.

    Args:
        edges: The ends of the bins.
        densities: Probability per unit of loss in each bin.
        alone: Losses that have a probability of their own.
        heights: Those probabilities.
        infinite: The probability of infinite loss.
    """

    edges: Floats
    densities: Floats
    alone: Floats
    heights: Floats
    infinite: float


@final
@frozen(eq=False)
class OutcomeLosses:
    """The privacy loss of outcomes, and how likely they are.

    Args:
        places: The outcomes.
        losses: The privacy loss of each.
        own: How likely each is for the data.
        neighbour: How likely each is for the neighbour.
        single: Whether each outcome has a probability of its own, not a density.
        epsilon: The largest finite loss of any outcome, or None if there is none.
        axis: What an outcome is, in words.
    """

    places: Floats
    losses: Floats
    own: Floats
    neighbour: Floats
    single: bool
    epsilon: float | None
    axis: str


def outcomes_of(loss: Composable) -> OutcomeLosses:
    """Compute the losses of the outcomes that are worth drawing."""
    data = loss._outcomes()
    losses = np.array([float(loss.at(place)) for place in data.places])
    epsilon = loss.pure().cost  # outside the outcomes of infinite loss
    return OutcomeLosses(
        places=np.array([float(place) for place in data.places]),
        losses=losses,
        own=np.array(data.own),
        neighbour=np.array(data.neighbour),
        single=data.single,
        epsilon=float(epsilon) if isinstance(epsilon, Fraction) else None,
        axis=data.axis,
    )


def reach(loss: Composable, smallest: Fraction) -> Fraction:
    """Give the epsilon up to which a profile is worth drawing: where it falls to a delta, or ends."""
    cost, delta = loss.pure().cost, smallest
    while delta < 1:
        epsilon = loss.epsilon(delta)
        if isinstance(epsilon, Fraction):
            return epsilon
        if isinstance(cost, Fraction):  # delta stays above zero at every epsilon
            return cost
        delta *= 10
    raise UnavailableError("this loss has no epsilon below a delta of one: there is nothing to draw.")


def upper(loss: Composable, top: Fraction) -> Curve:
    """Give upper bounds of delta, sharp at every epsilon up to the top: sums are composed a few times only."""
    curves = list(dict.fromkeys(loss.curve(share * top) for share in _NEAR))
    return lambda epsilon: min(curve(epsilon) for curve in curves)


def epsilons_of(loss: Composable, top: Fraction, points: int) -> list[Fraction]:
    """Spread epsilons from zero to the top, with the one where a pure loss ends."""
    places = {top * step / (points - 1) for step in range(points)}
    cost = loss.pure().cost
    if isinstance(cost, Fraction) and cost <= top:
        places.add(cost)
    return sorted(places)


def profile_of(loss: Composable, smallest: Fraction, points: int, lower: int) -> Profile:
    """Compute a profile down to a delta."""
    end = reach(loss, smallest)
    ends = loss.pure().cost <= end * 2  # some room for what comes after
    top = end * (Fraction(135, 100) if ends else Fraction(105, 100)) if end else Fraction(1)
    bound = upper(loss, top)
    places = epsilons_of(loss, top, points)
    places_below = [end * (2 * step + 1) / (2 * lower) for step in range(lower)] if end else []
    return Profile(
        epsilons=np.array([float(epsilon) for epsilon in places]),
        # a delta holds for every larger epsilon too
        deltas=np.minimum.accumulate(np.array([to_float_up(bound(epsilon)) for epsilon in places])),
        places=np.array([float(epsilon) for epsilon in places_below]),
        below=np.array([to_float_down(loss._lower_delta(epsilon)) for epsilon in places_below]),
    )


def tradeoff_of(loss: Composable, points: int) -> tuple[Floats, Floats]:
    """Compute (alphas, betas), every beta a lower bound of the error of any test, up to the rounding of floats.

    Each pair (epsilon, delta) gives two straight lines below the curve, which are drawn as far as they are the highest.
    """
    top = max(reach(loss, Fraction(1, 10**8)), Fraction(1, 16))
    bound = upper(loss, top)
    places = epsilons_of(loss, top, points)
    kept = np.array([1 - to_float_up(bound(epsilon)) for epsilon in places])
    falls = np.exp(np.minimum([float(epsilon) for epsilon in places], 300.0))
    heights, slopes = np.concatenate([kept, kept / falls]), np.concatenate([falls, 1 / falls])
    order = np.argsort(slopes)
    with np.errstate(divide="ignore", invalid="ignore"):  # lines may be parallel
        crossings = np.diff(heights[order]) / np.diff(slopes[order])
    inner = np.concatenate([crossings, heights / slopes])
    alphas = np.unique(np.concatenate([np.linspace(0, 1, 101), inner[(inner > 0) & (inner < 1)]]))
    return alphas, np.array([max(float(np.max(heights - slopes * alpha)), 0.0) for alpha in alphas])


def masses_of(loss: Composable, step: Fraction | None, tail: Fraction) -> Masses:
    """Compute a distribution for drawing; without a step, one that shows some hundred bins."""
    whole = loss.distribution(step, tail) if step is not None else _sharp(loss, tail)
    first, last = _visible(whole.masses)
    places, masses = whole.losses()[first:last], whole.masses[first:last]
    if not len(masses):  # all is at infinity
        return Masses(places, masses, places, masses, whole.infinite)
    lonely = _alone(whole.masses)[first:last]
    alone, heights = _clusters(places, np.where(lonely, masses, 0.0))
    rest, bins = np.where(lonely, 0.0, masses), _BINS
    if len(alone) and heights.sum() < _UNSEEN * masses.sum():
        rest, alone, heights = masses, alone[:0], heights[:0]
    if len(alone) > _MANY:  # so close together that they make a density
        rest += _spread(places, whole.step, alone, heights)
        alone, heights, bins = alone[:0], heights[:0], _BINS // 2
    if rest.sum() < max(_NOTHING, _UNSEEN * heights.sum()):
        return Masses(places[:0], rest[:0], alone, heights, whole.infinite)
    at = np.flatnonzero(rest > _UNSEEN * rest.max())
    rest, start = rest[at[0] : at[-1] + 1], places[at[0]] - whole.step / 2
    each = math.ceil(len(rest) / bins)  # whole steps in a bin, or bins would hold unequal numbers of them
    firsts = np.arange(0, len(rest), each)
    edges = start + np.append(firsts, len(rest)) * whole.step
    return Masses(edges, np.add.reduceat(rest, firsts) / np.diff(edges), alone, heights, whole.infinite)


def _sharp(loss: Composable, tail: Fraction) -> Distribution:
    """Look coarsely, then as finely as the picture needs and the distribution allows."""
    step = _FIRST
    sharpest = _tried(loss, step, tail)
    while sharpest is None:
        step *= 4
        sharpest = loss.distribution(step, tail) if step > _LAST else _tried(loss, step, tail)
    for _ in range(4):  # a narrow law shows only then how narrow it is
        first, last = _visible(sharpest.masses)
        finer_step = max((last - first) * step / _CELLS, _FINEST)
        finer = None
        while finer_step < step / 2 and finer is None:
            finer = _tried(loss, finer_step, tail)
            finer_step, step = (finer_step * 2, step) if finer is None else (finer_step, finer_step)
        if finer is None:
            break
        sharpest = finer
    return sharpest


def _tried(loss: Composable, step: Fraction, tail: Fraction) -> Distribution | None:
    try:
        return loss.distribution(step, tail)
    except UnavailableError:
        return None


def _visible(masses: Floats) -> tuple[int, int]:
    """Give where the masses worth drawing begin and end: those that are not too small to be seen."""
    lonely = _alone(masses)
    dense, alone = np.where(lonely, 0.0, masses), np.where(lonely, masses, 0.0)
    seen = (dense > max(_UNSEEN * dense.max(), _NOTHING / len(masses))) | (alone > max(_UNSEEN * alone.max(), _NOTHING))
    at = np.flatnonzero(seen)
    return (int(at[0]), int(at[-1]) + 1) if len(at) else (0, 0)


def _alone(masses: Floats) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    """Mark the masses that stick out from those around them: outcomes with a probability of their own."""
    padded = np.pad(masses, 5)
    aside = [padded[5 + by : 5 + by + len(masses)] for by in (-5, -4, -3, -2, 2, 3, 4, 5)]
    around = np.maximum(np.min(aside[:4], axis=0), np.min(aside[4:], axis=0))
    return np.asarray((masses > _STICKS_OUT * around) & (masses > _NOTHING))


def _clusters(places: Floats, masses: Floats) -> tuple[Floats, Floats]:
    """Put neighbours together: what lies between two points of the grid was split onto both."""
    at = np.flatnonzero(masses)
    groups = np.split(at, np.flatnonzero(np.diff(at) > 2) + 1) if len(at) else []
    heights = np.array([masses[group].sum() for group in groups])
    return np.array([np.average(places[group], weights=masses[group]) for group in groups]), heights


def _spread(places: Floats, step: float, alone: Floats, heights: Floats) -> Floats:
    """Spread each single mass evenly up to half the way to those beside it, but not across a gap."""
    gaps = np.diff(alone)
    left, right = np.append(gaps[0], gaps), np.append(gaps, gaps[-1])
    low = alone - np.minimum(left, _GAP * right) / 2
    high = alone + np.minimum(right, _GAP * left) / 2
    edges = np.append(places - step / 2, places[-1] + step / 2)
    spread = np.zeros(len(places))
    for start, end, height in zip(low, high, heights, strict=True):
        first, last = np.searchsorted(edges, (start, end))
        inside = slice(max(first - 1, 0), last)
        spread[inside] += height * np.diff(np.clip(edges[max(first - 1, 0) : last + 1], start, end)) / (end - start)
    return spread
