"""From Rényi divergences of one order, or of several, to (epsilon, delta).

Proofs: docs/accounting/numerics/renyi_convert.md.

The bound of Balle et al. 2020 (theorem 21) and Canonne, Kamath and Steinke 2020 (proposition 12) uses one moment only.
That both distributions have mass one gives more where the divergence is small: the best bound that one order allows
(Asoodeh et al. 2021). Both are upper bounds for every choice of their parameters; searches only choose.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np
from flint import arb

from privet.accounting.numerics.convert import Amount, Point
from privet.accounting.numerics.floats import Floats
from privet.accounting.numerics.search import GOLDEN, golden_section
from privet.core import ball, directed, ends, exp_down, exp_up, log1p_up, log_down, log_up, precision

Curve = Sequence[tuple[Fraction, Amount]]

_WORTHLESS = 30  # where ln(moment / order) is larger, mass one improves the bound by less than e^-30
_HUGE = 2**40  # beyond this cost or epsilon, the search for a better bound is not worth its digits
_STEPS = 16  # orders per doubling of order - 1
_FAR = 700  # where (order - 1) epsilon is larger, delta is below 1e-290
_KEPT = 80  # bits of a rho
_PRECISIONS = tuple(2 * _KEPT << doubling for doubling in range(14))  # of the arithmetic that decides them
_SMALL, _LARGE = Fraction(1, 2**64), 128  # outside, rho differs by less than 2^-80 of itself from a simpler form
_RIGHT = 100.0  # up to where the logit of a power is searched


@cache
def orders() -> tuple[Fraction, ...]:
    """Orders to search, from 1 + 2^-6 to 1 + 2^12: sixteen to a doubling of order - 1, whole numbers from 17 on.

    >>> len(orders()), orders()[0], orders()[-1]
    (289, Fraction(65, 64), Fraction(4097, 1))
    """
    steps = [Fraction(_STEPS + j, _STEPS) * Fraction(2) ** e for e in range(-6, 12) for j in range(_STEPS)]
    return tuple(1 + step for step in (*steps, Fraction(2**12)))


@lru_cache(maxsize=4096)
def pure_rho(epsilon: Fraction) -> Fraction:
    """Give the smallest rho that pure privacy implies: epsilon tanh(epsilon / 2), rounded up.

    It rises with epsilon, to the last bit, and is never above epsilon or epsilon^2 / 2.

    >>> float(pure_rho(Fraction(5))) < 4.94
    True
    """
    if epsilon > _LARGE:
        return epsilon
    if epsilon < _SMALL:
        return epsilon**2 / 2
    return min(_next_above(lambda x: x * (x / 2).tanh(), epsilon), epsilon**2 / 2, epsilon)


def implied_rho(point: Point) -> Point:
    """Give the concentrated point that a pure one implies, outside the same event."""
    return Point(pure_rho(point.cost) if isinstance(point.cost, Fraction) else math.inf, point.delta)


@lru_cache(maxsize=4096)
def range_rho(eta: Fraction) -> Fraction:
    """Give the smallest rho that bounded range implies, rounded up.

    It is z coth z - 1 + ln(sinh z / z) with z = eta / 2: the largest mean loss of a pair of that range. It rises with
    eta, to the last bit, and is never above eta or eta^2 / 8.

    >>> float(range_rho(Fraction(8))) < 4.93 < 8**2 / 8
    True
    """
    if eta < _SMALL:
        return eta**2 / 8

    def value(twice: arb) -> arb:
        # in e^(-2z), so that a large range stays small
        small, half = (-twice).exp(), twice / 2
        return half * (1 + small) / (1 - small) - 1 + half + (-small).log1p() - twice.log()

    return min(_next_above(value, eta), eta**2 / 8, eta)


def _next_above(function: Callable[[arb], arb], value: Fraction) -> Fraction:
    """Give the least number of 80 bits that is not below a function's value: a rising function stays one."""
    for bits in _PRECISIONS:
        with precision(bits):
            enclosure = function(ball(value))
            low, high = map(_with_few_bits, ends(enclosure)) if enclosure > 0 else (Fraction(0), Fraction(1))
        if low == high:
            break
    return high


def _with_few_bits(value: Fraction) -> Fraction:
    """Round a fraction above zero up to 80 bits."""
    unit = Fraction(2) ** (value.numerator.bit_length() - value.denominator.bit_length() - _KEPT)
    if value / unit < 2**_KEPT:  # the difference of two lengths is off by one at most
        unit /= 2
    return math.ceil(value / unit) * unit


def pure_renyi(epsilon: Fraction, order: Fraction) -> Fraction:
    """Give the largest Rényi divergence under pure privacy, that of randomised response, rounded up.

    It is ln(cosh((order - 1/2) epsilon) / cosh(epsilon / 2)) / (order - 1).

    >>> float(pure_renyi(Fraction(1), Fraction(2))) < min(1, 2 / 2)
    True
    """
    if epsilon == 0:
        return Fraction(0)
    above = order - 1

    def value(cost: arb) -> arb:
        # e^(-x) instead of cosh, so that a large epsilon stays small
        small, smaller = (-cost).exp(), (-cost * (2 * ball(order) - 1)).exp()
        return cost + (smaller.log1p() - small.log1p()) / ball(above)

    return min(directed(value, epsilon, toward="up"), epsilon)  # rounding up may exceed the cost itself


def renyi_delta(order: Fraction, cost: Amount, epsilon: Fraction) -> Fraction:
    """Give a delta at an epsilon for a Rényi divergence of at most ``cost`` in both directions, rounded up.

    >>> float(renyi_delta(Fraction(2), Fraction(1), Fraction(3))) < math.exp(1 - 3) / 4
    True
    """
    if cost == 0:
        return Fraction(0)  # a divergence of zero leaves one distribution
    if cost > _HUGE:
        return Fraction(1)
    spent, above = Fraction(cost), order - 1
    if spent - epsilon >= log1p_up(1 / above):
        return 1 - exp_down(epsilon - spent)  # one outcome has all the mass of the first distribution
    exponent = above * (spent - epsilon) + above * log1p_up(-1 / order) - log_down(order)
    plain = exp_up(exponent) if exponent < 0 else Fraction(1)
    if not _improvable(order, spent, epsilon):
        return plain
    with precision(_bits(order, spent, epsilon)):
        left, width = _left(order, epsilon), _width(order, spent)
        power = _smallest(lambda power: _bound(order, spent, ball(epsilon), power), left, width)
        tight = _bound(order, spent, ball(epsilon), power)
        return max(min(plain, ends(tight)[1]), Fraction(0)) if tight.is_finite() else plain


def renyi_epsilon(order: Fraction, cost: Amount, delta: Fraction) -> Amount:
    """Give an epsilon at a delta for a Rényi divergence of at most ``cost`` in both directions, rounded up.

    >>> float(renyi_epsilon(Fraction(2), Fraction(1), Fraction(1, 100))) < 1 + math.log(100 / 4)
    True
    """
    if delta == 1 or cost == 0:
        return Fraction(0)
    if delta == 0 or cost == math.inf:
        return math.inf
    spent, above = Fraction(cost), order - 1
    if delta * order >= 1:
        return max(spent + log1p_up(-delta), Fraction(0))  # one outcome has all the mass of the first distribution
    plain = max(spent + log1p_up(-1 / order) + log_up(1 / (order * delta)) / above, Fraction(0))
    if plain == 0 or not _improvable(order, spent, plain):
        return plain
    with precision(_bits(order, spent, plain)):
        power = _smallest(lambda power: _root(order, spent, delta, power), _left(order, plain), _width(order, spent))
        near = _root(order, spent, delta, power)
        if not near.is_finite():
            return plain
        middle = max(ends(near)[1], Fraction(0))
        # a root is a proposal: only an epsilon that the bound confirms is returned
        for slack in (Fraction(1, 2**50), Fraction(1, 2**36), Fraction(1, 2**24)):
            proposed = middle * (1 + slack) + spent * slack
            if proposed < plain and ends(_bound(order, spent, ball(proposed), power))[1] <= delta:
                return proposed
    return plain


def curve_delta(curve: Curve, epsilon: Fraction) -> Fraction:
    """Give the smallest delta that the orders of a curve allow; floats choose the order, its bound is certified."""
    kept = _finite(curve)
    return renyi_delta(*kept[_best(kept, epsilon)], epsilon) if kept else Fraction(1)


def curve_epsilon(curve: Curve, delta: Fraction) -> Amount:
    """Give the smallest epsilon that the orders of a curve allow; floats choose the order, its bound is certified."""
    kept = _finite(curve)
    if not kept or delta in (0, 1):
        return min((renyi_epsilon(*point, delta) for point in curve), default=math.inf)
    alpha, cost = _arrays(kept)
    log_delta, log_other = float(log_up(delta)), float(log1p_up(-delta))
    plain = cost + np.log1p(-1 / alpha) - (log_delta + np.log(alpha)) / (alpha - 1)
    plain = np.where(alpha * float(delta) >= 1, cost + log_other, plain)
    best = Fraction(renyi_epsilon(*kept[int(np.argmin(plain))], delta))
    for _ in range(8):
        # an order with a smaller delta at this epsilon has a smaller epsilon at this delta; none is left at the best
        better = Fraction(renyi_epsilon(*kept[_best(kept, best)], delta))
        if better >= best:
            break
        best = better
    return best


def _improvable(order: Fraction, cost: Fraction, epsilon: Fraction) -> bool:
    """Tell whether mass one can matter."""
    return (order - 1) * epsilon < _FAR and (order - 1) * cost < _WORTHLESS + math.log(order)


def _left(order: Fraction, epsilon: Fraction) -> float:
    """From where the logit of a power is searched: the lower point may lie near one, the upper one near e^epsilon."""
    return -60.0 - float((order - 1) * epsilon)


def _bits(order: Fraction, cost: Fraction, epsilon: Fraction) -> int:
    """Enough that small divergences and orders near one do not cancel."""
    size = abs(math.frexp(float(min(order - 1, Fraction(1))))[1]) + cost.denominator.bit_length()
    return 192 + 2 * size - 2 * math.floor(_left(order, epsilon))


def _width(order: Fraction, cost: Fraction) -> float:
    """How near the search must come: a small divergence has its best point close to an end, in a narrow valley."""
    above, spent = min(float(order) - 1, 1.0), float(cost)
    return min(max(1e-4 * math.sqrt(above * spent) * above, 1e-13), 1e-4)


def _bound(order: Fraction, cost: Fraction, epsilon: arb, power: arb) -> arb:
    """Give E of C (r^order - order low^(order - 1) r + (order - 1) low^order), which lies above (r - e^epsilon)+.

    It touches zero at ``low`` and r - e^epsilon at ``high``, where low = share high and power = share^(order - 1).
    """
    alpha, above = ball(order), ball(order - 1)
    share = power ** (1 / above)
    high = epsilon.exp() * (alpha / above) * (1 - power) / (1 - power * share)
    if not share * high <= 1:  # never the best choice, and valid nevertheless
        return arb("inf")
    moment = (above * (ball(cost) - high.log())).exp()
    return (moment - alpha * power + above * power * share * high) / (alpha * (1 - power))


def _root(order: Fraction, cost: Fraction, delta: Fraction, power: arb) -> arb:
    """Solve ``_bound`` = delta for epsilon by Newton's method, from the left of a falling convex function."""
    alpha, above = ball(order), ball(order - 1)
    share = power ** (1 / above)
    target = alpha * (ball(delta) * (1 - power) + power)
    slope, moment = above * power * share, (above * ball(cost)).exp()
    high = arb((moment / target).log() / above).exp().mid()
    for _ in range(60):
        falling = moment * high ** (-above)
        step = (falling + slope * high - target) / (above * falling / high - slope)
        if not step.is_finite() or step < 0:
            return arb("inf")  # past the lowest point: no epsilon will do with this power
        high = (high + step).mid()
        if step < high * arb(2) ** -60:
            break
    if not share * high <= 1:
        return arb("inf")
    return (high * (above / alpha) * (1 - power * share) / (1 - power)).log()


def _smallest(value: Callable[[arb], arb], low: float, width: float) -> arb:
    """Search a number between zero and one by golden sections of its logit, from ``low`` on, to this width."""

    def number(logit: float) -> arb:
        return (1 / (1 + arb(-logit).exp())).mid()

    def at(logit: float) -> arb:
        height = value(number(logit))
        return height.mid() if height.is_finite() else arb("inf")

    rounds = math.ceil(math.log(width / (_RIGHT - low), GOLDEN))
    return number(golden_section(at, low, _RIGHT, rounds)[0])  # the right end may lie outside the valid numbers


def _finite(curve: Curve) -> list[tuple[Fraction, Fraction]]:
    return [(order, Fraction(cost)) for order, cost in curve if cost < _HUGE]


def _arrays(curve: Sequence[tuple[Fraction, Fraction]]) -> tuple[Floats, Floats]:
    return np.array([float(order) for order, _ in curve]), np.array([float(cost) for _, cost in curve])


def _best(curve: Sequence[tuple[Fraction, Fraction]], epsilon: Fraction) -> int:
    """Choose an order in floats: golden sections as in ``_smallest``, for all orders at once."""
    alpha, cost = _arrays(curve)
    above, level, ratio = alpha - 1, float(min(epsilon, Fraction(_HUGE))), GOLDEN
    plain = above * (cost - level) + above * np.log1p(-1 / alpha) - np.log(alpha)
    one_outcome = cost - level >= -np.log1p(-1 / alpha)
    plain[one_outcome] = np.log(-np.expm1(level - cost[one_outcome]))

    def at(logit: Floats) -> Floats:
        log_power = -np.logaddexp(0, -logit)
        log_share, rest = log_power / above, -np.expm1(log_power)
        log_high = level + np.log(alpha / above) + np.log(rest) - np.log(-np.expm1(log_power + log_share))
        low = log_share + log_high
        bound = np.exp(above * (cost - log_high)) + np.exp(log_power) * (above * np.exp(low) - alpha)
        return np.where((low <= 0) & (bound > 0), np.log(bound / (alpha * rest)), np.inf)

    with np.errstate(all="ignore"):
        low, high = -60.0 - above * level, np.full_like(alpha, 35.0)  # beyond, a power is one in floats
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        at_left, at_right = at(left), at(right)
        for _ in range(36):
            down = at_left <= at_right
            low, high = np.where(down, low, left), np.where(down, right, high)
            middle = np.where(down, high - ratio * (high - low), low + ratio * (high - low))
            value = at(middle)
            left, right = np.where(down, middle, right), np.where(down, left, middle)
            at_left, at_right = np.where(down, value, at_right), np.where(down, at_left, value)
        improvable = (above * level < _FAR) & (above * cost < _WORTHLESS + np.log(alpha))
        return int(np.argmin(np.where(improvable, np.minimum(plain, np.minimum(at_left, at_right)), plain)))
