"""The certified maximum of the likelihood ratio of generalised Cauchy noise under a shift and a dilation.

For u = a x + c with c > 0 the function h(x) = ln(1 + u^gamma) - ln(1 + x^gamma) on x >= 0 has one stationary point,
its maximum, where a x^(1 - gamma) - u^(1 - gamma) falls through c. A bracket of that point with certified signs at its
ends therefore bounds h everywhere. Proof: docs/accounting/planning/smooth.md.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache

from flint import arb

from privet.accounting.numerics.search import bisect
from privet.core import ball, ends, precision
from privet.errors import NotExactError

_PRECISIONS = tuple(192 << doubling for doubling in range(7))  # bits, until every sign is settled
_NARROW = 96  # the bracket is 2^-96 wide in ln x, and the bound is tight to about that
_FARTHEST = 2**24  # where the search for a bracket ends, in ln x


@lru_cache(maxsize=1024)
def cauchy_cost(gamma: Fraction, alpha: Fraction, beta: Fraction) -> Fraction:
    """Give an upper bound of epsilon for noise of scale S / alpha around a beta-smooth S."""
    for bits in _PRECISIONS:
        with precision(bits):
            grown, shrunk = ball(beta).exp(), ball(-beta).exp()
            move = ball(alpha)
            tops = [
                _top(gamma, arb(1), move),
                _top(gamma, shrunk, move * shrunk, ball(beta)),
                _top(gamma, grown, move, ball(-beta)),
            ]
            if None not in tops:
                return max(ends(top)[1] for top in tops if top is not None)
    raise NotExactError("the cost cannot be enclosed: alpha, beta or gamma is too extreme.")


def _top(gamma: Fraction, a: arb, c: arb, lead: arb | None = None) -> arb | None:
    """Enclose the maximum of h, plus a constant; None where the precision does not settle a sign."""
    less = ball(gamma - 1)

    def sign(s: arb) -> int:
        """The sign of h' at x = e^s: that of a x^(1 - gamma) - (a x + c)^(1 - gamma) - c."""
        rises = a * (-less * s).exp() - (-less * (a * s.exp() + c).log()).exp() - c
        return 1 if rises > 0 else -1 if rises < 0 else 0

    low, high = _bracket(sign)
    if high - low > arb((1, -_NARROW)) or sign(low) <= 0 or sign(high) >= 0:
        return None
    # between the ends u and x both grow with s
    power = ball(gamma)
    above = (1 + (power * (a * high.exp() + c).log()).exp()).log() - (1 + (power * low).exp()).log()
    below = (1 + (power * (a * low.exp() + c).log()).exp()).log() - (1 + (power * low).exp()).log()
    enclosure: arb = above.union(below) + (arb(0) if lead is None else lead)
    return enclosure if enclosure.is_finite() else None


def _bracket(sign: Callable[[arb], int]) -> tuple[arb, arb]:
    """Find s where the sign changes, by doubling and bisection on dyadic numbers."""
    low = next((end for end in _doubled(-1) if sign(end) > 0), arb(-_FARTHEST))
    high = next((end for end in _doubled(1) if sign(end) < 0), arb(_FARTHEST))
    while high - low > arb((1, -_NARROW)):
        middle = ((low + high) / 2).mid()
        side = sign(middle)
        if side == 0:
            break
        low, high = (middle, high) if side > 0 else (low, middle)
    return low, high


def _doubled(end: int) -> Iterator[arb]:
    return (arb(end << power) for power in range(_FARTHEST.bit_length() - 1))


def cauchy_guess(gamma: float, epsilon: float, beta: float) -> float:
    """Give an alpha that costs about epsilon, in floats; zero where there is none."""
    if epsilon <= beta * max(1.0, gamma - 1):
        return 0.0
    try:
        return math.exp(bisect(lambda log: _float_cost(gamma, math.exp(log), beta) <= epsilon, -30.0, 30.0, 44)[0])
    except OverflowError:
        return 0.0


def _float_cost(gamma: float, alpha: float, beta: float) -> float:
    return max(
        _float_top(gamma, 1.0, alpha),
        beta + _float_top(gamma, math.exp(-beta), alpha * math.exp(-beta)),
        -beta + _float_top(gamma, math.exp(beta), alpha),
    )


def _float_top(gamma: float, a: float, c: float) -> float:
    less = gamma - 1
    # a x^-less - (a x + c)^-less = c: the left side is at most a x^-less and x scales like that power
    end = 60.0 / min(less, 1.0)

    def moved(s: float) -> float:
        return math.log(a * math.exp(s) + c) if s < 700 else s + math.log(a)

    def rises(s: float) -> bool:
        return a * math.exp(min(-less * s, 700)) - math.exp(min(-less * moved(s), 700)) > c

    low, _ = bisect(rises, -end, end, 60)
    return _softplus(gamma * moved(low)) - _softplus(gamma * low)


def _softplus(t: float) -> float:
    return t + math.log1p(math.exp(-t)) if t > 0 else math.log1p(math.exp(t))
