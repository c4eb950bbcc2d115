"""Conversions between the forms of loss, each with its direction of rounding.

Proofs: docs/accounting/index.md; of the curves of Gaussian noise, docs/accounting/losses/gaussian.md.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import final

from attrs import frozen
from flint import arb

from privet.accounting.numerics.search import bisect, valley
from privet.core import (
    ball,
    directed,
    ends,
    exp_down,
    exp_up,
    expm1_down,
    expm1_up,
    log1p_down,
    log1p_up,
    log_down,
    log_up,
    precision,
)

Amount = Fraction | float  # a float only where it is math.inf
_HUGE = 2**500  # beyond this, floats could not even choose an order
_LARGE = 4096  # beyond this, e^epsilon is not worth writing down as a fraction
_FAR = 200  # deviations
_TERMS = 64  # of a sum from below
_FARTHEST = 2**14  # minus the binary logarithm of what still differs from zero


@final
@frozen
class Point:
    """A cost in some form, outside an event of probability delta."""

    cost: Amount
    delta: Fraction

    @staticmethod
    def total(points: "Iterable[tuple[Point, int]]") -> "Point":
        """Add up points with multiplicities."""
        cost, delta, bounded = Fraction(0), Fraction(0), True
        for point, times in points:
            delta += point.delta * times
            if isinstance(point.cost, Fraction):  # adding infinity would turn a huge fraction into a float
                cost += point.cost * times
            else:
                bounded = False
        return Point(cost if bounded else math.inf, min(delta, Fraction(1)))


def pure_delta(point: Point, epsilon: Fraction) -> Fraction:
    """Give delta at an epsilon for an (epsilon_0, delta_0) point.

    The worst pair with that point is randomised response outside the event, whose curve is
    delta_0 + (1 - delta_0) (e^epsilon_0 - e^epsilon) / (1 + e^epsilon_0).
    """
    if epsilon >= point.cost:
        return point.delta
    if point.cost == math.inf:
        return Fraction(1)
    # divided by e^epsilon_0, so that a huge epsilon_0 stays a small number
    gap = 1 - exp_down(epsilon - Fraction(point.cost))
    part = gap / (1 + exp_down(-Fraction(point.cost)))
    return min(point.delta + (1 - point.delta) * part, Fraction(1))


def pure_epsilon(point: Point, delta: Fraction) -> Amount:
    """Give epsilon at a delta for an (epsilon_0, delta_0) point: the inverse of ``pure_delta``."""
    if delta == 1:
        return Fraction(0)
    if delta < point.delta or point.cost == math.inf:
        return math.inf
    if delta == point.delta:
        return point.cost
    share = (delta - point.delta) / (1 - point.delta)
    cost = Fraction(point.cost)
    remaining = 1 - share * (1 + exp_down(-cost))  # e^(epsilon - epsilon_0), rounded up
    return max(cost + log_up(remaining), Fraction(0)) if remaining > 0 else Fraction(0)


def concentrated_delta(point: Point, epsilon: Fraction) -> Fraction:
    """Give delta at an epsilon for a (rho, delta_0) point.

    For every order alpha above one, delta = exp((alpha - 1)(alpha rho - epsilon)) / (alpha - 1) * (1 - 1/alpha)^alpha
    (Canonne, Kamath and Steinke 2020, proposition 12). Any order is valid; floats only choose a good one.
    """
    if point.cost > _HUGE:
        return Fraction(1)
    rho = Fraction(point.cost)
    if rho == 0:
        return point.delta
    epsilon = min(epsilon, Fraction(_HUGE))  # a smaller epsilon has a larger delta

    near_rho, near_epsilon = float(rho), float(epsilon)

    def exponent(alpha: float) -> float:
        return (alpha - 1) * (alpha * near_rho - near_epsilon) - math.log(alpha - 1) + alpha * math.log1p(-1 / alpha)

    alpha = _best_order(exponent)
    power = (alpha - 1) * (alpha * rho - epsilon) + alpha * log1p_up(-1 / alpha) - log_down(alpha - 1)
    bound = exp_up(power) if power < 0 else Fraction(1)
    return min(point.delta + (1 - point.delta) * bound, Fraction(1))


def concentrated_epsilon(point: Point, delta: Fraction) -> Amount:
    """Give epsilon at a delta for a (rho, delta_0) point: the inverse of ``concentrated_delta``.

    For every order alpha above one, epsilon = alpha rho + ln(1/(alpha delta)) / (alpha - 1) + ln(1 - 1/alpha).
    """
    if delta == 1:
        return Fraction(0)
    if point.cost == 0 and delta >= point.delta:
        return Fraction(0)
    if delta <= point.delta or point.cost > _HUGE:
        return math.inf
    rho, share = Fraction(point.cost), (delta - point.delta) / (1 - point.delta)
    near_rho, log_share = float(rho), float(log_up(share))

    def value(alpha: float) -> float:
        return alpha * near_rho - (log_share + math.log(alpha)) / (alpha - 1) + math.log1p(-1 / alpha)

    alpha = _best_order(value)
    # ln(1/(alpha share)) is rounded up, whatever its sign
    return max(alpha * rho + log_up(1 / (alpha * share)) / (alpha - 1) + log1p_up(-1 / alpha), Fraction(0))


def _best_order(cost: Callable[[float], float]) -> Fraction:
    """Find a good order by golden sections of ln(alpha - 1); every order gives a valid answer."""

    def at(t: float) -> float:
        try:
            return cost(1 + math.exp(t))
        except (OverflowError, ValueError, ZeroDivisionError):
            return math.inf

    return 1 + Fraction(max(math.exp(valley(at, -30.0, 60.0, 39)), 2.0**-40))


def walked(delta: Fraction, per_step: Fraction, steps: int) -> Fraction:
    """Give the delta after several steps that each cost (per_step, delta): delta times the sum of e^(i per_step)."""
    if delta == 0 or per_step == 0:
        return min(delta * steps, Fraction(1))
    if steps * per_step > _LARGE:
        return Fraction(1)
    return min(delta * expm1_up(steps * per_step) / expm1_down(per_step), Fraction(1))


def amplified(epsilon: Fraction, rate: Fraction) -> Fraction:
    """Give ln(1 + rate (e^epsilon - 1)), rounded up."""
    if epsilon > _LARGE:  # the same number, without e^epsilon
        return epsilon + log_up(rate + (1 - rate) * exp_up(-epsilon))
    return log1p_up(rate * expm1_up(epsilon))


def before_sampling(epsilon: Fraction, rate: Fraction) -> Fraction:
    """Give the epsilon on the sample that ``amplified`` turns into this one, rounded down and not below zero."""
    return epsilon if epsilon > _LARGE else max(log1p_down(expm1_down(epsilon) / rate), Fraction(0))


def smallest(curve: Callable[[Fraction], Fraction], delta: Fraction, *, start: Amount) -> Amount:
    """Find an epsilon, to 40 bits, at which a falling curve is at most delta; certified at the end.

    Args:
        curve: An upper bound of delta at each epsilon.
        delta: What is allowed.
        start: An epsilon known to be enough, or infinity.
    """
    high = Fraction(1) if start == math.inf else Fraction(start)
    while start == math.inf and curve(high) > delta:
        high *= 2
        if high > 2**20:
            return math.inf
    low = Fraction(0)
    if curve(low) <= delta:
        return low
    while high - low > high / 2**40:
        middle = (low + high) / 2
        low, high = (middle, high) if curve(middle) > delta else (low, middle)
    return high


def pure_gaussian(epsilon: Fraction) -> Amount:
    """Give mu² such that epsilon alone implies mu-Gaussian privacy: the normal tail of mu/2 is 1 / (1 + e^epsilon).

    The trade-off curve of epsilon is two straight lines through that point; that of mu, convex, lies below them.
    """
    if epsilon == 0:
        return Fraction(0)
    if epsilon > 600:
        return math.inf
    tail = 1 / (1 + exp_up(epsilon))  # rounded down
    _, near = bisect(lambda mu: math.erfc(mu / math.sqrt(8)) / 2 > float(tail), 0.0, 80.0, 60)
    mu = Fraction(near) * (1 + Fraction(1, 2**44))
    while normal_tail_up(mu / 2) > tail:
        mu *= 1 + Fraction(1, 2**40)
    return mu**2


def normal_tail_up(z: Fraction) -> Fraction:
    """An upper bound of the probability that a standard normal variable exceeds z."""
    return directed(lambda x: (x / arb(2).sqrt()).erfc() / 2, z, toward="up")


def normal_delta(mu: Fraction, epsilon: Fraction) -> Fraction:
    """Give delta at an epsilon for two normal laws mu deviations apart, rounded up (Balle and Wang 2018, theorem 8).

    It grows with mu.
    """
    if epsilon > 600 or mu > 600:
        return Fraction(1) if mu > 30 else exp_up(-((epsilon / mu - mu / 2) ** 2) / 2)
    if epsilon / mu - mu / 2 > _FAR:  # the tail beyond is less than this, and no fraction could tell how much
        return exp_up(-(Fraction(_FAR) ** 2) / 2)
    return max(min(directed(lambda x: _normal(ball(mu), x), epsilon, toward="up"), Fraction(1)), Fraction(0))


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
        shifts = range(first, first + _TERMS)
        gains = ((-arb((k - steps) ** 2) / spread).exp() - tilt * (-arb(k * k) / spread).exp() for k in shifts)
        # a sum over all whole numbers is at most its largest term more than the integral
        return _lower_end(sum((gain for gain in gains if gain > 0), arb(0)) / (1 + (spread * arb.pi()).sqrt()))


def _lower_end(value: arb) -> Fraction:
    """Give the lower end, or zero if it is nearly zero."""
    return ends(value.lower())[0] if value.lower() > arb(2) ** -_FARTHEST else Fraction(0)
