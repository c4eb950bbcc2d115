"""The pairs of a loss, composed for its epsilon, its delta or its distribution."""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privet.accounting.composition.composable import Composable, Curve
from privet.accounting.composition.composition import ComposedDirections, PairTerms, curve_above, delta_below
from privet.accounting.composition.curve_pair import pair_of_curve
from privet.accounting.composition.fourier import compose
from privet.accounting.numerics import UNIT, Amount, bisect, exp, smallest
from privet.accounting.pairs.distribution import Distribution, halves
from privet.accounting.pairs.normal_pair import NormalPair, fused
from privet.accounting.pairs.pair import Pair
from privet.core import short, to_float_up
from privet.errors import InvalidError, UnavailableError

_OFTEN = 2**40  # more copies of one pair are not composed: what is lost by rounding each adds up to more than is gained
_EVER = 2**200  # normal pairs are put together before, up to this many
_COMMON = Fraction(1, 64)  # only tests and trade-off curves need larger deltas
_FAINT = Fraction(1, 10**40)  # below this delta, closed forms are tried as well
_HALVINGS = 24  # of the search for an epsilon by a closed form
_LONGEST = 2**22  # masses of a distribution that is given out
_NARROWEST, _WIDEST = Fraction(1, 10**12), 10**6  # steps that floats can bear


@lru_cache(maxsize=64)
def directions(loss: Composable) -> tuple[PairTerms, ...]:
    """Give the pairs with multiplicities for one direction, or for both where they differ; none where none are known.

    Parts of which only a curve is known are added up first: their sum has one curve.
    """
    known = [(part, times) for part, times in loss.parts() if not part.by_curve]
    if not known or any(times > _EVER for _, times in known):
        return ()
    terms = [(part.pair(), times) for part, times in known]
    others = loss._unpaired()
    if others is not None:
        terms.append((pair_of_curve(others), 1))
    forward = fused(terms)
    if any(times > _OFTEN for _, times in forward):
        return ()
    if not any(part.directed for part, _ in known):
        return (forward,)
    turned: list[tuple[Pair, int]] = [
        (pair.reverse() if index < len(known) and known[index][0].directed else pair, times)
        for index, (pair, times) in enumerate(terms)
    ]
    return forward, fused(turned)


def _attained(loss: Composable) -> tuple[PairTerms, ...]:
    """Give the pairs that neighbours may have; parts without one are left out, which only lowers the bound."""
    pairs = [(part, part._attained(), times) for part, times in loss.parts()]
    kept = [
        (part, pair, times)
        for part, pair, times in pairs
        if pair is not None and times <= (_EVER if isinstance(pair, NormalPair) else _OFTEN)
    ]
    if not kept:
        return ()
    forward = fused([(pair, times) for _, pair, times in kept])
    if not any(part.directed for part, _, _ in kept):
        return (forward,)
    return forward, fused([(pair.reverse() if part.directed else pair, times) for part, pair, times in kept])


@lru_cache(maxsize=256)
def composed_epsilon(loss: Composable, delta: Fraction) -> Amount:
    """Give the epsilon of composed pairs; infinite where none are known."""
    if not directions(loss) or not 0 < delta < 1:
        return math.inf
    found = _from_above(loss, delta).above
    if delta < _COMMON or not isinstance(found, Fraction):
        return found
    # a plan for a rare delta may lie too high for a common one; a look from its answer lies right
    return smallest(curve_above(directions(loss), found), delta, start=found)


@lru_cache(maxsize=4)  # each holds arrays of some megabytes
def _from_above(loss: Composable, delta: Fraction) -> ComposedDirections:
    return ComposedDirections(directions(loss), delta)


def composed_curve(loss: Composable, near: Fraction) -> Curve | None:
    """Give upper bounds of delta of composed pairs, sharpest near an epsilon; None where no pairs are known."""
    found = directions(loss)
    return curve_above(found, near) if found else None


@lru_cache(maxsize=256)
def lower_epsilon(loss: Composable, delta: Fraction) -> Fraction:
    """Give a lower bound of epsilon of the worst neighbours that the loss allows."""
    if not 0 < delta < 1:
        return Fraction(0)
    if directions(loss) and all(part.tight for part, _ in loss.parts()):
        found, below = directions(loss), _from_above(loss, delta).below
    else:
        found = _attained(loss)
        below = ComposedDirections(found, delta).below if found else Fraction(0)
    if found and delta >= _COMMON:
        near = composed_epsilon(loss, delta) * (1 - Fraction(1, 2**20))
        if below < near < math.inf and delta_below(found, Fraction(near)) > delta:
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
    found = _attained(loss)
    composed = delta_below(found, epsilon) if found else Fraction(0)
    return composed if composed > _FAINT else max(composed, loss._least_delta(epsilon))


def distribution_of(loss: Composable, step: Fraction, tail: Fraction) -> Distribution:
    """Give the distribution of a loss on a grid, from above, in the direction in which records are removed."""
    if not 0 < step <= _WIDEST:
        raise InvalidError(f"Loss.step must be above zero and at most {_WIDEST}, got {short(step)}.")
    if step < _NARROWEST:
        raise UnavailableError(f"Loss.step must be {float(_NARROWEST)} or more, got {short(step)}: give a larger step.")
    found = directions(loss)
    if not found:
        found = (((pair_of_curve(loss), 1),),)
    terms = found[0]
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
    first = round(whole.losses[0] / float(step))
    return Distribution(float(step), first, masses, to_float_up(whole.infinite), whole.slip)
