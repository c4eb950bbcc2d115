"""What the selection mechanisms share: one candidate drawn with weight ``count exp(score / temperature)``, exactly.

We propose a candidate with a whole-numbered weight slightly above its true weight; floats with a proved error compute
it. We accept the proposal with the exact ratio of the two, which certified bounds enclose. The floats decide how often
we refuse a proposal, never what we select. Proof: docs/mechanisms/exponential.md.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb

from privet.core import (
    Array,
    NumbersDomain,
    RangeDistance,
    Space,
    ball,
    exp_up,
    log_up,
    read_count,
    read_positive,
    read_share,
    read_whole,
)
from privet.errors import InvalidError, MismatchError
from privet.noise.drawing import LazyUniform, certified_bounds, exp_minus
from privet.noise.entropy import current

_FAR = 128.0  # beyond this many temperatures a candidate has the smallest weight of a proposal
_ABOVE = 1 + 2.0**-30  # more than the relative error of a float weight, which is below 2^-31
_STEEPEST = Fraction(256)
_HEADROOM = 61  # bits of the sum of all weights of a proposal
_FIRST = 128  # bits of the first look at a uniform number: a second one is drawn once in 2^60 selections
_HALVES = np.array([float(exp_up(Fraction(-half, 2))) for half in range(2 * int(_FAR) + 1)])


def accept_scores(unit: object, space: Space) -> NumbersDomain:
    """Accept the scores of one or more candidates under ``RangeDistance``."""
    name = type(unit).__name__
    domain = space.domain
    if not isinstance(domain, NumbersDomain) or not isinstance(space.metric, RangeDistance):
        raise MismatchError(
            f"{name} selects by scores measured by RangeDistance, got {type(domain).__name__} with "
            f"{type(space.metric).__name__}: put scores such as ModeScores(...) before it."
        )
    if domain.length < 1:
        raise MismatchError(f"{name} needs at least one candidate, got none.")
    return domain


def gaps_of(scores: Array) -> Array:
    """Give how far each score lies below the best, in steps; nothing wraps."""
    if scores.dtype == np.int64:
        best = np.uint64(int(scores.max()) % 2**64)
        return np.asarray(best - scores.astype(np.uint64))  # modulo 2^64, and all gaps are below it
    highest = max(scores.tolist())
    return np.array([highest - score for score in scores.tolist()], dtype=object)


def select(
    gaps: Array, rate: Fraction, counts: Array | None = None, exactly: Callable[[int], int] | None = None
) -> int:
    """Draw a position with probability proportional to ``counts * exp(-rate * gaps)``.

    Args:
        gaps: Whole numbers of zero or more, at least one of them zero.
        rate: Above zero.
        counts: Whole numbers from 1 to 2^64, or None for ones.
        exactly: If gaps are only lower bounds, gives the true gap of (a random member of) a position.
    """
    weights, shift = _above(gaps, rate, counts)
    sums = np.cumsum(weights)
    while True:
        place, coin = uniform(), uniform()
        chosen = int(np.searchsorted(sums, whole_below(place, int(sums[-1])), side="right"))
        count = 1 if counts is None else int(counts[chosen])
        gap = int(gaps[chosen]) if exactly is None else exactly(chosen)
        ratio = _Ratio(gap * rate, count, int(weights[chosen]), shift)
        if coin.below(ratio.bounds):
            return chosen


def uniform() -> LazyUniform:
    """Start a uniform number with so many bits that more are hardly ever drawn."""
    source = current()
    return LazyUniform(source, source.bits(_FIRST), _FIRST)


def whole_below(uniform: LazyUniform, bound: int) -> int:
    """Give the whole part of ``U bound``, uniform on 0 .. bound - 1; the bits drawn do not depend on the bound."""
    while True:
        low = (uniform.value * bound) >> uniform.bits
        if low == ((uniform.value + 1) * bound - 1) >> uniform.bits:
            return low
        uniform.extend()


class _Ratio:
    """The probability that a proposal is accepted: its weight over that of the proposal."""

    __slots__ = ("count", "exponent", "shift", "weight")

    def __init__(self, exponent: Fraction, count: int, weight: int, shift: int) -> None:
        self.exponent, self.count, self.weight, self.shift = exponent, count, weight, shift

    def bounds(self, bits: int) -> tuple[int, int]:
        return certified_bounds(self._value, bits)

    def _value(self) -> arb:
        scaled = arb(self.count) * arb((1, self.shift)) / arb(self.weight)
        return scaled * (-ball(self.exponent)).exp()


def _above(gaps: Array, rate: Fraction, counts: Array | None) -> tuple[Array, int]:
    """Give whole weights of at least ``2^shift counts exp(-rate gaps)``, hardly more, and the shift."""
    exponents = _exponents(gaps, rate)
    near = exponents < _FAR
    inside = np.where(near, exponents, 0.0)
    halves = np.floor(inside * 2)
    close = _HALVES.take(halves.astype(np.intp)) * exp_minus(inside - halves / 2)
    if counts is not None:
        close = close * counts.astype(np.float64)
    close = np.where(near, close, 0.0)
    shift = _HEADROOM - len(gaps).bit_length() - math.frexp(float(close.max()))[1] - 1
    return np.floor(np.ldexp(close * _ABOVE, shift)).astype(np.int64) + 1, shift


def _exponents(gaps: Array, rate: Fraction) -> Array:
    if gaps.dtype == object:
        return np.array([float(min(gap * rate, _STEEPEST)) for gap in gaps.tolist()], dtype=np.float64)
    # a rate above 256 leaves every gap but zero beyond the reach of the float weights, as 256 does
    return gaps.astype(np.float64) * float(min(rate, _STEEPEST))


def shortfall(unit: object, scale: Fraction, beta: object, candidates: object) -> Fraction:
    """Return the c with ``(candidates - 1) exp(-c / scale) = beta``, rounded up; zero if there is one candidate."""
    name = type(unit).__name__
    others = read_count(f"{name}.candidates", candidates, least=1) - 1
    odds = others / read_share(f"{name}.beta", beta)
    return scale * log_up(odds) if odds > 1 else Fraction(0)


def scale_within(unit: type, most: object, beta: object, candidates: object) -> Fraction:
    """Return the largest scale whose ``shortfall`` is at most the given one.

    Args:
        unit: The mechanism, for messages.
        most: In the units of the scores, above zero.
        beta: Between zero and one.
        candidates: How many there are, two or more: one alone never falls short, whatever the scale.
    """
    label = f"{unit.__name__}.for_shortfall"
    limit, share = read_positive(f"{label}.shortfall", most), read_share(f"{label}.beta", beta)
    count = read_whole(f"{label}.candidates", candidates)
    if count < 2:
        raise InvalidError(f"{label}.candidates must be two or more, got {count}: one alone never falls short.")
    return limit / log_up((count - 1) / share)
