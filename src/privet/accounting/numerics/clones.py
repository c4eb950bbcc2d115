"""How well a person hides among the others in a shuffle: the divergence of the clone pair, enclosed.

With probability e^-epsilon_0, each of the n - 1 others sends a clone: a report drawn from one of two fixed
distributions, each equally likely. Given that there are k clones, the two values of the person differ only in the
number a of reports of the first kind among k + 1. Proofs: docs/accounting/sampling/shuffling.md.
"""

import math
from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, final

from attrs import frozen
from flint import arb

from privet.core import ball, ends, precision

_BITS = 320  # of the fixed point in which everything is kept; a walk starts above 2^-232
_ONE = 1 << _BITS
_FAINT = -80.0  # the logarithm of a probability that is not worth looking at
_BLANK = -160.0  # and of one that the fixed point could hardly hold
_CRUMB = 1 << 120  # where a tail is a geometric series of no more than 2^-200
_REST = 40  # bits of the result that more clones than counted one by one may move


class _Between(NamedTuple):
    """A number between two whole multiples of 2^-320."""

    low: int
    high: int

    @staticmethod
    def of(enclosure: arb) -> "_Between":
        low, high = ends(enclosure)
        return _Between(max(math.floor(low * _ONE), 0), max(math.ceil(high * _ONE), 0))


@final
@frozen
class _Tilt:
    """What e^epsilon and e^epsilon_0 enter as.

    With E = e^epsilon_0 and x = e^epsilon: gain = (E - x)/(E + 1), loss = x - 1, odds = weight/(E - 1) of being a
    clone, and the cut (x E - 1)/((E - 1)(1 + x)): from this share of reports of the first kind on, the first value is
    more than x times likelier.
    """

    gain: _Between
    loss: _Between
    odds: _Between
    cut: _Between
    slack: int  # what a cut in the wrong place can hide

    @staticmethod
    def of(local: Fraction, epsilon: Fraction, weight: int) -> "_Tilt":
        with precision(2 * _BITS):
            most, tilt = ball(local).exp(), ball(epsilon).exp()
            cut = _Between.of((tilt * most - 1) / ((most - 1) * (1 + tilt)))
            return _Tilt(
                gain=_Between.of((most - tilt) / (most + 1)),
                loss=_Between.of(tilt - 1),
                odds=_Between.of(weight / (most - 1)),
                cut=cut,
                slack=4 * (cut.high - cut.low) * math.ceil(ends(1 + tilt)[1]),
            )


@final
@frozen
class _Start:
    """The state at k clones: probabilities of k, of s - 1 fair heads in k tosses, and of s or more."""

    clones: int
    first: int  # s
    chance: _Between
    heads: _Between
    beyond: _Between


@lru_cache(maxsize=1024)
def clone_delta(users: int, local: Fraction, epsilon: Fraction, weight: int = 1) -> tuple[Fraction, Fraction]:
    """Enclose the hockey-stick divergence of the clone pair: (below, above).

    Args:
        users: How many reports are shuffled, one or more.
        local: The epsilon of one report, above zero and at most 64.
        epsilon: Where to evaluate, zero or more and below ``local``.
        weight: Others are clones with probability weight/(E + weight - 1): one for every mechanism, two for binary
            randomised response.

    >>> below, above = clone_delta(1000, Fraction(1), Fraction(1, 4))
    >>> above - below < Fraction(1, 2**60), f"{float(above):.4e}"
    (True, '1.2114e-09')
    """
    tilt = _Tilt.of(local, epsilon, weight)
    start = _start(users - 1, local, tilt, weight)
    # with fewer clones the divergence is at most that of none at all
    below, above = _walk(start, users - 1, tilt, _fewer(start, users - 1, tilt) * (tilt.gain.high + tilt.slack))
    return Fraction(below >> _BITS, _ONE), Fraction(-(-above >> _BITS), _ONE)


def _walk(start: _Start, others: int, tilt: _Tilt, above: int) -> tuple[int, int]:
    """Add up the divergences given each number of clones, in units of 2^-640; plain integers, as this is the work.

    The divergence given k clones is gain P(heads = s - 1) - loss P(heads >= s).
    """
    k, s, below, left = start.clones, start.first, 0, _ONE
    (w0, w1), (b0, b1), (t0, t1) = start.chance, start.heads, start.beyond
    (gain0, gain1), (loss0, loss1), (odds0, odds1) = tilt.gain, tilt.loss, tilt.odds
    while True:
        gain = max((gain1 * b1 - loss0 * t0 >> _BITS) + 1, 0) + tilt.slack
        below += w0 * max(gain0 * b0 - loss1 * t1 >> _BITS, 0)
        above += w1 * gain
        left -= w0
        if k == others:
            return below, above
        if left * gain <= above >> _REST:
            return below, above + left * gain  # more clones tell less
        w0 = (w0 * (others - k) * odds0 >> _BITS) // (k + 1)
        w1 = (w1 * (others - k) * odds1 >> _BITS) // (k + 1) + 1
        k += 1
        t0, t1 = t0 + (b0 >> 1), t1 + (b1 >> 1) + 1
        # from s - 1 heads in k - 1 tosses to s - 1 or s heads in k
        if -(-(k + 1) * tilt.cut.low >> _BITS) > s:
            b0, b1 = b0 * k // (2 * s), b1 * k // (2 * s) + 1
            t0, t1 = max(t0 - b1, 0), t1 - b0
            s += 1
        else:
            b0, b1 = b0 * k // (2 * (k + 1 - s)), b1 * k // (2 * (k + 1 - s)) + 1


def _start(others: int, local: Fraction, tilt: _Tilt, weight: int) -> _Start:
    """Start below almost all numbers of clones."""
    low = _lowest(others, weight / (math.exp(local) + weight - 1))
    # the least number of reports of the first kind that counts, or one less where that is not certain
    s = -(-(low + 1) * tilt.cut.low // _ONE)
    with precision(2 * _BITS):
        clone = weight / (ball(local).exp() + (weight - 1))
        log_choices = arb(others + 1).lgamma() - arb(low + 1).lgamma() - arb(others - low + 1).lgamma()
        chance = _Between.of((log_choices + low * clone.log() + (others - low) * (1 - clone).log()).exp())
        log_choices = arb(low + 1).lgamma() - arb(s).lgamma() - arb(low - s + 2).lgamma()
        heads = _Between.of((log_choices - low * arb(2).log()).exp())
    return _Start(low, s, chance, heads, _beyond(low, s, heads))


def _lowest(others: int, share: float) -> int:
    """Choose the number of clones to start with, by floats; any number is valid, a bad one costs time or tightness."""
    clone, other = math.log(share), math.log1p(-share)

    def faint(k: int) -> float:
        log_choices = math.lgamma(others + 1) - math.lgamma(k + 1) - math.lgamma(others - k + 1)
        return log_choices + k * clone + (others - k) * other

    # the probability rises up to the mean
    low = bisect_left(range(1, math.floor(others * share)), _FAINT, key=faint)
    return low if faint(low) > _BLANK else low + 1


def _beyond(tosses: int, first: int, before: _Between) -> _Between:
    """The probability of ``first`` heads or more, from that of one less."""
    (low, high), total0, total1 = before, 0, 0
    for heads in range(first, tosses + 1):
        low, high = low * (tosses - heads + 1) // heads, high * (tosses - heads + 1) // heads + 1
        total0 += low
        total1 += high
        fall = 2 * heads + 1 - tosses  # each later term is (tosses - heads)/(heads + 1) of its neighbour or less
        if high <= _CRUMB and fall > 0:
            total1 += high * (tosses - heads) // fall + 1
            break
    return _Between(total0, total1)


def _fewer(start: _Start, others: int, tilt: _Tilt) -> int:
    """The probability of fewer clones than the walk starts with: below a geometric series."""
    if start.clones == 0:
        return 0
    # how much less likely one clone fewer is; this falls with the number of clones
    ratio = Fraction(start.clones * _ONE, (others - start.clones + 1) * tilt.odds.low)
    return min(math.ceil(start.chance.high * ratio / (1 - ratio)), _ONE) if ratio < 1 else _ONE
