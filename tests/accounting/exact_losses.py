"""Exact oracles for pairs and loss distributions: curves in c = e^epsilon as balls, and sums over distributions."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen
from flint import arb

from privet.accounting.numerics.floats import Floats
from privet.accounting.pairs.distribution import Distribution, halves, offset_for
from privet.accounting.pairs.pair import Cells, Pair
from privet.core.exact import ball, ends, precision

Curve = Callable[[arb], arb]  # c -> sup_S P(S) - c Q(S), for c above zero
BITS = 240


def off_by(found: float, exact: arb) -> float:
    """Give the relative error of a float."""
    return float(ends(abs((ball(Fraction(found)) - exact) / exact))[1])


def at(curve: Curve, epsilon: Fraction) -> Fraction:
    """Read a curve at an epsilon, rounded down by next to nothing."""
    return enclosed(curve, epsilon)[0]


def enclosed(curve: Curve, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Read a curve at an epsilon, rounded down and up."""
    with precision(BITS):
        value = curve(ball(epsilon).exp())
        if abs(value) < arb(2) ** -5000:  # as a fraction it might not fit into the memory
            return Fraction(0), Fraction(1, 2**5000)
        return ends(value)


def distribution_delta(distribution: Distribution, epsilon: Fraction, toward: int) -> Fraction:
    """Give what a distribution says about delta: toward = 1 from above, -1 from below."""
    step = Fraction(distribution.step)
    start = epsilon - toward * Fraction(distribution.slip) - Fraction(distribution.offset) - distribution.first * step
    last = math.floor(start / step)  # losses at later places are above
    places: Iterable[int] = range(len(distribution.masses))
    if distribution.places is not None:
        places = map(int, distribution.places)
    with precision(BITS):
        total, ratio = ball(Fraction(distribution.infinite)), ball(-step).exp()
        before, factor = 0, ball(start).exp()
        for place, mass in zip(places, distribution.masses.tolist(), strict=True):
            if place > last and mass > 0:
                factor *= ratio if place == before + 1 else ratio ** (place - before)
                before = place
                total += arb(mass) * (1 - factor)
        return ends(total)[1 if toward > 0 else 0]


def both_ways(curve: Curve) -> Curve:
    """Extend a curve for c of one or more, the same in both directions, to all c."""

    def extended(c: arb) -> arb:
        return curve(c) if c >= 1 else 1 - c + c * curve(1 / c)

    return extended


def tail(z: arb) -> arb:
    """The probability above z of a normal law."""
    return (z / arb(2).sqrt()).erfc() / 2


def normal_curve(mu: Fraction) -> Curve:
    """Balle and Wang 2018, theorem 8."""

    def curve(c: arb) -> arb:
        m, x = ball(mu), c.log()
        return tail(x / m - m / 2) - c * tail(x / m + m / 2)

    return curve


def response_curve(epsilon: Fraction, slack: Fraction = Fraction(0)) -> Curve:
    """Randomised response outside an event."""

    def curve(c: arb) -> arb:
        top = ball(epsilon).exp()
        return ball(slack) + ball(1 - slack) * ((top - c) / (1 + top) if c < top else arb(0))

    return both_ways(curve)


def laplace_curve(epsilon: Fraction) -> Curve:
    """1 - e^((x - epsilon) / 2) up to epsilon."""

    def curve(c: arb) -> arb:
        top = ball(epsilon).exp()
        return 1 - (c / top).sqrt() if c < top else arb(0)

    return both_ways(curve)


def range_curve(eta: Fraction) -> Curve:
    """(e^(eta/2) - sqrt c)² / (e^eta - 1) up to eta."""

    def curve(c: arb) -> arb:
        top = ball(eta).exp()
        return (top.sqrt() - c.sqrt()) ** 2 / (top - 1) if c < top else arb(0)

    return both_ways(curve)


def sum_curve(p: list[arb], q: list[arb]) -> Curve:
    """Sum over outcomes."""

    def curve(c: arb) -> arb:
        total = arb(0)
        for in_p, in_q in zip(p, q, strict=True):
            gain = in_p - c * in_q
            if gain > 0:
                total += gain
        return total

    return curve


def discrete_laplace_curve(epsilon: Fraction, steps: int) -> Curve:
    """Sum over both halves and the numbers between."""

    def curve(c: arb) -> arb:
        r = (-ball(epsilon) / steps).exp()
        half, part = 1 / (1 + r), (1 - r) / (1 + r)
        p = [half, half * r**steps, *(part * r**k for k in range(1, steps))]
        q = [half * r**steps, half, *(part * r ** (steps - k) for k in range(1, steps))]
        return sum_curve(p, q)(c)

    return curve


def discrete_normal_curve(distance: int, variance: Fraction) -> Curve:
    """Sum over the whole numbers within fifteen deviations and more."""
    reach = 15 * int(float(variance) ** 0.5 + 1) + 15

    def curve(c: arb) -> arb:
        numbers = range(-reach, distance + reach + 1)
        p = [(-ball(Fraction((k - distance) ** 2) / (2 * variance))).exp() for k in numbers]
        q = [(-ball(Fraction(k**2) / (2 * variance))).exp() for k in numbers]
        total = sum(p, arb(0))
        return sum_curve([each / total for each in p], [each / total for each in q])(c)

    return curve


def mixed_curve(base: Curve, rate: Fraction) -> Curve:
    """sup (1 - r) Q + r P - c Q = r (P - (c - 1 + r) / r Q)."""

    def curve(c: arb) -> arb:
        r = ball(rate)
        inner = (c - 1 + r) / r
        return r * base(inner) if inner > 0 else 1 - c

    return curve


def turned_curve(curve: Curve) -> Curve:
    """The curve of (Q, P)."""

    def turned(c: arb) -> arb:
        return 1 - c + c * curve(1 / c)

    return turned


def grid(low: float, high: float, count: int) -> list[Fraction]:
    """Give epsilons that lie on no grid of a test."""
    return [Fraction(x).limit_denominator(10**7) for x in np.linspace(low, high, count)]


def faults(pair: Pair, curve: Curve, step: float, epsilons: Iterable[Fraction], tail: float = 1e-13) -> list[str]:
    """Say where a pair's distributions are on the wrong side of the exact curve, in both directions."""
    found = []
    for name, each, exact in (("forward", pair, curve), ("turned", pair.reverse(), turned_curve(curve))):
        above = halves(each, step, tail).above()
        below = halves(each, step, tail, offset_for(each, step)).below()
        for epsilon in epsilons:
            least, most = enclosed(exact, epsilon)
            if distribution_delta(above, epsilon, 1) < least:
                found.append(f"{name} from above at {float(epsilon)}")
            if distribution_delta(below, epsilon, -1) > max(most, Fraction(0)):
                found.append(f"{name} from below at {float(epsilon)}")
    return found


def gap(pair: Pair, step: float, epsilon: Fraction) -> float:
    """Give how far the bounds are apart, relatively."""
    above = distribution_delta(halves(pair, step, 1e-13).above(), epsilon, 1)
    below = distribution_delta(halves(pair, step, 1e-13, offset_for(pair, step)).below(), epsilon, -1)
    return float((above - below) / above)


@final
@frozen(eq=False)
class Changed(Pair):
    """A pair with a mistake.

    Args:
        base: The right one.
        change: What is done to its cells.
    """

    base: Pair
    change: Callable[[Cells], Cells]

    def cells(self, edges: Floats) -> Cells:
        """Change them."""
        return self.change(self.base.cells(edges))

    def span(self, tail: float) -> tuple[float, float]:
        """That of the right one."""
        return self.base.span(tail)
