"""Composition of (epsilon, delta) sequences: basic, advanced, and the best that holds for all of them.

Every (epsilon, delta) pair is a function of randomised response that reveals everything with probability delta, so the
composition of those responses is the worst case (Kairouz, Oh and Viswanath 2015; Murtagh and Vadhan 2016). Its curve is
computed in balls: exactly where the epsilons share a grid, and between an upper and a lower bound where they do not.
Proofs: docs/accounting/planning/optimal.md.
"""

import heapq
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import accumulate
from typing import Any, final

from attrs import field, frozen
from flint import arb, arb_poly

from privet.accounting.numerics import Amount, Point, read_epsilon, read_pairs, read_probability
from privet.core import ball, directed, ends, expm1_up, log_up, precision, read_count, read_number, require, sqrt_up

Pairs = Iterable[Any]  # of (epsilon, delta)

_BITS = 128  # a hundred thousand products of balls still leave 100
_CELLS = 2**15
_EXACT_BITS = 2**13  # longer products of fractions are rounded


@final
@frozen(eq=False)
class _Ladder:
    """A loss that takes the values top, top - step, ..., with sums of its mass from the top."""

    top: Fraction
    step: Fraction
    mass: list[arb]  # under the first distribution
    other: list[arb]  # under the second

    @staticmethod
    def of(top: Fraction, step: Fraction, masses: Iterable[arb]) -> "_Ladder":
        """Add up masses from the top down."""
        tilt, grow = ball(-top).exp(), ball(step).exp()
        others: list[arb] = []
        kept = list(masses)
        for mass in kept:
            others.append(mass * tilt)
            tilt = tilt * grow
        return _Ladder(top, step, list(accumulate(kept)), list(accumulate(others)))

    def above(self, epsilon: Fraction) -> int:
        """Count the values above epsilon."""
        return 0 if not self.mass else min(max(math.ceil((self.top - epsilon) / self.step), 0), len(self.mass))

    def delta(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """Enclose the hockey-stick divergence."""
        count = self.above(epsilon)
        if count == 0:
            return Fraction(0), Fraction(0)
        with precision(_BITS):
            return ends(self.mass[count - 1] - ball(epsilon).exp() * self.other[count - 1])

    def epsilon(self, delta: Fraction, *, end: int) -> Fraction:
        """Solve the curve's lower (0) or upper (1) end for epsilon: between values it is linear in e^epsilon."""

        def exceeds(index: int) -> bool:
            return self.delta(self.top - index * self.step)[end] > delta

        above = bisect_left(range(self.above(Fraction(0))), x=True, key=exceeds)  # how many values must lie above
        if above == 0:
            return Fraction(0)
        rung = self.top - (above - 1) * self.step
        with precision(_BITS):
            tilt = (self.mass[above - 1] - ball(delta)) / self.other[above - 1]
            if tilt < 1:
                return Fraction(0)
            return max(min(ends(tilt.log())[end] if tilt > 0 else rung * end, rung), Fraction(0))


@final
@frozen(eq=False)
class OptimalCurve:
    """The curve of the worst composition, from above (what may be claimed) and from below (what cannot be gained)."""

    kept: tuple[Fraction, Fraction]  # bounds of the probability that no part reveals everything
    upper: _Ladder = field(repr=False)
    lower: _Ladder = field(repr=False)

    def delta(self, epsilon: object) -> Fraction:
        """An upper bound of delta at an epsilon."""
        part = self.upper.delta(read_epsilon(epsilon))[1]
        return 1 - self.kept[0] * (1 - min(max(part, Fraction(0)), Fraction(1)))

    def delta_below(self, epsilon: object) -> Fraction:
        """A lower bound of delta at an epsilon: some sequence of that kind needs it."""
        part = self.lower.delta(read_epsilon(epsilon))[0]
        return 1 - self.kept[1] * (1 - min(max(part, Fraction(0)), Fraction(1)))

    def epsilon(self, delta: object) -> Amount:
        """An upper bound of epsilon at a delta; infinite below the probability that all is revealed."""
        left = self._left(read_probability("delta", delta), self.kept[0])
        return left if isinstance(left, float) else self.upper.epsilon(left, end=1)

    def epsilon_below(self, delta: object) -> Amount:
        """A lower bound of epsilon at a delta: some sequence of that kind needs it."""
        left = self._left(read_probability("delta", delta), self.kept[1])
        return left if isinstance(left, float) else self.lower.epsilon(left, end=0)

    @staticmethod
    def _left(delta: Fraction, kept: Fraction) -> Amount:
        """Give the delta that is left if no part reveals everything, or infinity if none is left."""
        if delta == 1:
            return Fraction(1)
        return math.inf if kept < 1 - delta else 1 - (1 - delta) / kept


def basic(pairs: Pairs) -> Point:
    """Add up epsilons and deltas.

    >>> basic([(0.1, 1e-6), (0.2, 0)])
    Point(cost=Fraction(3, 10), delta=Fraction(1, 1000000))
    """
    read = _read(pairs)
    return Point(sum((e for e, _ in read), Fraction(0)), min(sum((d for _, d in read), Fraction(0)), Fraction(1)))


def advanced(epsilon: object, delta: object, times: Any, slack: object) -> Point:
    """Give the advanced composition theorem of Dwork, Rothblum and Vadhan 2010, rounded up.

    Epsilon sqrt(2 k ln(1/slack)) + k epsilon (e^epsilon - 1) at delta = k delta + slack. Often above ``basic``.

    >>> round(float(advanced(0.01, 0, 2, 1e-7).cost), 4)
    0.0805
    """
    cost, failure, count, left = _same(epsilon, delta, times, slack)
    return Point(
        cost * sqrt_up(2 * count * log_up(1 / left)) + count * cost * expm1_up(cost),
        min(count * failure + left, Fraction(1)),
    )


def improved_advanced(epsilon: object, delta: object, times: Any, slack: object) -> Point:
    """Give the closed form of Kairouz, Oh and Viswanath 2015, theorem 3.4, rounded up: never above the other two.

    >>> improved_advanced(0.01, 0, 2, 1e-7).cost
    Fraction(1, 50)
    """
    cost, failure, count, left = _same(epsilon, delta, times, slack)
    mean = count * cost * directed(arb.tanh, cost / 2, toward="up")
    with precision(_BITS):
        other = ends((arb.const_e() + ball(cost) * ball(count).sqrt() / ball(left)).log())[1]
    spread = cost * sqrt_up(2 * count * min(other, log_up(1 / left)))
    return Point(min(count * cost, mean + spread), 1 - _kept(Counter({failure: count}))[0] * (1 - left))


def optimal_homogeneous(epsilon: object, delta: object, times: Any) -> OptimalCurve:
    """Give the exact curve of ``times`` pairs (epsilon, delta), by their binomial distribution.

    >>> curve = optimal_homogeneous(0.1, 0, 100)
    >>> round(float(curve.epsilon(1e-6)), 4), round(float(improved_advanced(0.1, 0, 100, 1e-6).cost), 4)
    (4.7746, 5.7561)
    """
    cost, failure, count, _ = _same(epsilon, delta, times, 1)
    ladder = _binomial(cost, count)
    return OptimalCurve(_kept(Counter({failure: count})), ladder, ladder)


def optimal_heterogeneous(pairs: Pairs, *, cells: int = _CELLS) -> OptimalCurve:
    """Give the curve of a sequence of pairs (epsilon, delta): exactly on a common grid, else between two bounds.

    Args:
        pairs: Pairs (epsilon, delta).
        cells: How fine the grid is where they share none: the upper bound's error falls with its square.

    >>> curve = optimal_heterogeneous([(0.1, 0), (0.2, 0), (0.3, 1e-9)])
    >>> curve.delta(0.35) - curve.delta_below(0.35) < 1e-30
    True
    """
    read, fineness = _read(pairs), read_count("cells", cells, least=1)
    kept = _kept(Counter(d for _, d in read))
    costs = Counter(e for e, _ in read if e > 0)
    if len(costs) <= 1:
        ladder = _binomial(*next(iter(costs.items()), (Fraction(0), 0)))
        return OptimalCurve(kept, ladder, ladder)
    total = sum((cost * often for cost, often in costs.items()), Fraction(0))
    common = math.lcm(*(cost.denominator for cost in costs))
    step = Fraction(math.gcd(*(int(cost * common) for cost in costs)), common)
    if total / step <= 2 * fineness:
        ladder = _whole(costs, step)
        return OptimalCurve(kept, ladder, ladder)
    return OptimalCurve(kept, _split(costs, 2 * total / fineness), _whole(costs, total / (2 * fineness)))


def _read(pairs: Pairs) -> list[tuple[Fraction, Fraction]]:
    read = read_pairs("a composition", "of pairs (epsilon, delta)", list(pairs))
    return [(read_epsilon(epsilon), read_probability("delta", delta)) for epsilon, delta in read]


def _same(epsilon: object, delta: object, times: Any, slack: object) -> tuple[Fraction, Fraction, int, Fraction]:
    count, left = read_count("times", times), read_number("slack", slack)
    require(0 < left <= 1, "slack", "above zero and at most one", left)
    return read_epsilon(epsilon), read_probability("delta", delta), count, left


def _kept(failures: Counter[Fraction]) -> tuple[Fraction, Fraction]:
    """Enclose the product of 1 - delta; exactly if the fractions are short."""
    size = sum(delta.denominator.bit_length() * often for delta, often in failures.items())
    if failures[Fraction(1)]:
        return Fraction(0), Fraction(0)
    if size <= _EXACT_BITS:
        product = math.prod(((1 - delta) ** often for delta, often in failures.items()), start=Fraction(1))
        return product, product
    with precision(_BITS + max(delta.denominator.bit_length() for delta in failures)):
        balls = (ball(1 - delta) ** often for delta, often in failures.items())
        low, high = ends(math.prod(balls, start=arb(1)))
    return max(low, Fraction(0)), min(high, Fraction(1))


def _binomial(cost: Fraction, count: int) -> _Ladder:
    """Give the loss of equal responses: (2 j - count) cost, where j of them are true; above zero only."""
    if cost == 0 or count == 0:
        return _Ladder(Fraction(0), Fraction(1), [], [])

    def masses() -> Iterator[arb]:
        odds = ball(-cost).exp()
        mass = (1 + odds) ** (-count)
        for lies in range((count + 1) // 2):
            yield mass
            mass = mass * odds * (count - lies) / (lies + 1)

    with precision(_BITS):
        return _Ladder.of(count * cost, 2 * cost, masses())


def _whole(costs: Counter[Fraction], step: Fraction) -> _Ladder:
    """Give the loss of responses whose epsilon is rounded down to the grid, which reveal less."""
    with precision(_BITS):
        factors: list[arb_poly] = []
        for cost, often in costs.items():
            steps = math.floor(cost / step)
            lie = 1 / (1 + ball(steps * step).exp())
            # a power of x counts the steps of the lies, so that the first coefficient is the top
            factor = arb_poly([1 - lie, *[0] * (steps - 1), lie]) if steps else arb_poly([1])
            factors.append(factor**often)
        product = _product(factors)
        return _Ladder.of(product.degree() * step, 2 * step, product.coeffs()[: product.degree() // 2 + 1])


def _split(costs: Counter[Fraction], step: Fraction) -> _Ladder:
    """Give the loss of responses whose two outcomes are split between the grid's points around them.

    Each split keeps both masses, so joining the two points again gives the response back: it reveals more.
    """
    with precision(_BITS):
        factors: list[arb_poly] = []
        for cost, often in costs.items():
            steps = math.floor(cost / step)
            low, high = steps * step, (steps + 1) * step
            lie, tilt, at_low, at_high = 1 / (1 + ball(cost).exp()), ball(cost).exp(), ball(low).exp(), ball(high).exp()
            lie_high = lie * (tilt - at_low) / (at_high - at_low)
            lie_low = lie - lie_high
            cells = [arb(0)] * (2 * steps + 3)
            for place, mass in ((0, lie_high * at_high), (1, lie_low * at_low), (-2, lie_low), (-1, lie_high)):
                cells[place] = cells[place] + mass
            factors.append(arb_poly(cells) ** often)
        product = _product(factors)
        return _Ladder.of(Fraction(product.length() - 1, 2) * step, step, product.coeffs()[: product.length() // 2 + 1])


def _product(factors: list[arb_poly]) -> arb_poly:
    """Multiply the two shortest until one is left."""
    heap = [(factor.length(), place, factor) for place, factor in enumerate(factors)]
    heapq.heapify(heap)
    place = len(heap)
    while len(heap) > 1:
        product = heapq.heappop(heap)[2] * heapq.heappop(heap)[2]
        heapq.heappush(heap, (product.length(), place, product))
        place += 1
    return heap[0][2]
