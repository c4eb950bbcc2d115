"""The curves of Gaussian noise at one epsilon, rounded up or down. Proofs: docs/accounting/losses/gaussian.md."""

import math
from fractions import Fraction

from flint import arb

from privet.core import ball, directed, ends, exp_up, precision

_FAR = 200  # deviations
_TERMS = 64  # of a sum from below
_FARTHEST = 2**14  # minus the binary logarithm of what is still told apart from nothing


def normal_delta(mu: Fraction, epsilon: Fraction) -> Fraction:
    """Give delta at an epsilon for two normal laws mu deviations apart, rounded up (Balle and Wang 2018, theorem 8).

    It grows with mu.
    """
    if epsilon > 600 or mu > 600:
        return Fraction(1) if mu > 30 else exp_up(-((epsilon / mu - mu / 2) ** 2) / 2)
    if epsilon / mu - mu / 2 > _FAR:  # the tail beyond is less than this, and no fraction could tell how much
        return exp_up(-(Fraction(_FAR) ** 2) / 2)

    def value(x: arb) -> arb:
        return _normal(ball(mu), x)

    return max(min(directed(value, epsilon, toward="up"), Fraction(1)), Fraction(0))


def normal_delta_down(mu: Fraction, epsilon: Fraction) -> Fraction:
    """Give a lower bound of the same.

    >>> normal_delta_down(Fraction(1), Fraction(2)) <= normal_delta(Fraction(1), Fraction(2))
    True
    """
    if mu <= 0 or epsilon / mu - mu / 2 > _FAR:
        return Fraction(0)
    with precision(256 + 2 * math.ceil(epsilon)):
        return _lower_end(_normal(ball(mu), ball(epsilon)))


def _normal(mu: arb, epsilon: arb) -> arb:
    root = arb(2).sqrt()
    above = ((epsilon / mu - mu / 2) / root).erfc() / 2
    return above - epsilon.exp() * ((epsilon / mu + mu / 2) / root).erfc() / 2


def discrete_delta_down(steps: int, variance: Fraction, epsilon: Fraction) -> Fraction:
    """Give a lower bound of delta for discrete noise that is shifted by whole steps: some terms of a sum of gains."""
    if steps == 0:
        return Fraction(0)
    first = math.floor(epsilon * variance / steps + Fraction(steps, 2)) + 1  # from here on the loss exceeds epsilon
    with precision(256 + 2 * math.ceil(epsilon)):
        spread, tilt = 2 * ball(variance), ball(epsilon).exp()
        gains = arb(0)
        for k in range(first, first + _TERMS):
            gain = (-arb((k - steps) ** 2) / spread).exp() - tilt * (-arb(k * k) / spread).exp()
            gains += gain if gain > 0 else 0
        # a sum over all whole numbers is at most its largest term more than the integral
        return _lower_end(gains / (1 + (spread * arb.pi()).sqrt()))


def _lower_end(value: arb) -> Fraction:
    """Give the lower end where it is above next to nothing."""
    return ends(value.lower())[0] if value.lower() > arb(2) ** -_FARTHEST else Fraction(0)
