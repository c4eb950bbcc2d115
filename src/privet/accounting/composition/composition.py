"""How a sum of pairs is composed: which tilt, which grid, which window; then the answer, from above and from below.

Everything chosen here may be chosen badly without harm: the answer is certified by what ``fourier`` returns.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import count, islice, takewhile
from typing import final

import numpy as np
from attrs import evolve, frozen

from privet.accounting.composition.fourier import CUT, Composed, compose
from privet.accounting.numerics import Amount, Floats, valley
from privet.accounting.pairs.distribution import AtomGrid, Halves, halves, offset_for, scatter
from privet.accounting.pairs.pair import Pair

PairTerms = Sequence[tuple[Pair, int]]
_COARSE = 2**11  # cells of the first look, for all pairs together
_FINE = 4e-7  # how much of the variance the grid may add, relative
_SMALL = 13.0  # minus the logarithm of the tilted probability far above the window
_ALIAS = 14.0  # how much smaller than delta, logarithmically, is what wraps around from below
_LEAST, _MOST = 2**13, 2**21  # points of the window
_DIGITS = 1e-6  # the step of the grid, relative to epsilon, is never smaller
_FEWEST = 512  # cells of a pair, at least
_COARSER = 8  # how much coarser the grid of the cheaper direction is
_STEEPEST = 600.0  # the largest tilt times loss
_SURE, _TRIES = 2.0**-30, 40  # how much larger an epsilon is tried when one is not certified, and how often
_TINY = 1e-290  # smaller deltas are planned for as this one
_HUGE = 1e9  # and larger epsilons as this one


@final
@frozen(eq=False)
class Plan:
    """The choices for one composition.

    Args:
        tilt: The tilt.
        step: The step of the grid.
        window: The losses that are computed.
        rate: The rate at which Markov's inequality bounds what lies far above them.
        tail: The probability that each distribution may count as infinite loss.
        epsilon: About where the answer lies.
        delta: About its delta.
        widest: How far the losses of one pair reach.
    """

    tilt: float
    step: float
    window: tuple[float, float]
    rate: float
    tail: float
    epsilon: float
    delta: float
    widest: float

    def coarser(self, other: "Plan") -> "Plan":
        """Give a plan for a first answer about a direction that probably costs less than another."""
        step = min(other.step * _COARSER, self.widest / _FEWEST, (self.window[1] - self.window[0]) / _FEWEST)
        return evolve(self, step=max(step, self.step))


@final
@frozen(eq=False)
class MomentScan:
    """A first look at the terms, coarse, to choose by.

    Args:
        losses: Losses of all terms, one row for each.
        logs: Logarithms of their masses.
        times: Multiplicities.
    """

    losses: Floats
    logs: Floats
    times: Floats

    @staticmethod
    def at(terms: PairTerms, tail: float) -> "MomentScan":
        """Read each pair in a few hundred cells."""
        count = max(_COARSE // len(terms), 48)
        losses, logs = np.zeros((len(terms), count + 2)), np.zeros((len(terms), count + 2))
        for row, (pair, _) in enumerate(terms):
            low, high = pair.span(tail)
            edges = _looked_at(low, max(high, low + 1e-12), count)
            losses[row] = np.concatenate([edges[:1], (edges[1:] + edges[:-1]) / 2, edges[-1:]])
            logs[row] = np.log(np.maximum(pair.cells(edges).p, 1e-300))
        return MomentScan(losses, logs, np.array([float(times) for _, times in terms]))

    def moments(self, tilt: float) -> tuple[float, float, float]:
        """Give the logarithm of E e^(tilt loss) of the sum, and the mean and variance when tilted so."""
        exponents = self.logs + tilt * self.losses
        top = exponents.max(axis=1, keepdims=True)
        weights = np.exp(exponents - top)
        total = weights.sum(axis=1)
        mean = (weights * self.losses).sum(axis=1) / total
        spread = (weights * (self.losses - mean[:, None]) ** 2).sum(axis=1) / total
        return float(self.times @ (np.log(total) + top[:, 0])), float(self.times @ mean), float(self.times @ spread)

    def steepest(self) -> float:
        """Give the logarithm of the largest tilt that floats can bear."""
        return math.log(min(_STEEPEST / max(float(np.abs(self.losses).max()), 1e-9), 1e6))

    def reach(self, tilt: float) -> tuple[float, float]:
        """Give a loss that the tilted sum hardly exceeds, and the rate that shows so."""
        base, _, variance = self.moments(tilt)
        deviation = math.sqrt(max(variance, 1e-300))

        def end(log_rate: float) -> float:
            rate = math.exp(log_rate)
            return (self.moments(tilt + rate)[0] - base + _SMALL) / rate

        highest = min(1e2 / deviation, _STEEPEST / max(float(np.abs(self.losses).max()), 1e-9))
        best = valley(end, math.log(min(1e-2 / deviation, highest / 10)), math.log(highest), 18)
        return end(best), math.exp(best)


def _looked_at(low: float, high: float, count: int) -> Floats:
    """Give edges between two losses, denser around zero, where most of a sampled pair lies."""
    if low >= 0 or high <= 0:
        return np.linspace(low, high, count + 1)
    share = np.linspace(-1.0, 1.0, count + 1) ** 3
    return np.where(share < 0, -low * share, high * share)


def plan_for_delta(terms: PairTerms, delta: float) -> Plan:
    """Choose for an epsilon at this delta."""
    delta = max(delta, _TINY)
    look = MomentScan.at(terms, _tail(terms, delta))

    def epsilon(log_tilt: float) -> float:
        tilt = math.exp(log_tilt)
        return (look.moments(tilt)[0] - math.log(delta * tilt * (1 + tilt))) / tilt

    best = valley(epsilon, math.log(1e-4), look.steepest(), 32)
    return _plan(terms, look, math.exp(best), max(epsilon(best), 0.0), delta)


def plan_for_epsilon(terms: PairTerms, epsilon: float) -> Plan:
    """Choose for a delta at this epsilon."""
    epsilon, delta = min(epsilon, _HUGE), 1e-12
    for _ in range(2):
        look = MomentScan.at(terms, _tail(terms, delta))

        def log_delta(log_tilt: float, look: MomentScan = look) -> float:
            tilt = math.exp(log_tilt)
            return look.moments(tilt)[0] - tilt * epsilon - math.log(tilt * (1 + tilt))

        best = valley(log_delta, math.log(1e-4), look.steepest(), 32)
        delta = math.exp(max(min(log_delta(best), 0.0), -600.0))
    return _plan(terms, look, math.exp(best), epsilon, delta)


def _tail(terms: PairTerms, delta: float) -> float:
    return max(delta * 1e-7 / sum(times for _, times in terms), 1e-280)


def _plan(terms: PairTerms, look: MomentScan, tilt: float, epsilon: float, delta: float) -> Plan:
    variance = look.moments(tilt)[2]
    reach, rate = look.reach(tilt)
    top = epsilon + CUT / tilt
    length = max(reach - epsilon, (_ALIAS - math.log(delta)) / tilt, (CUT + 4) / tilt, 1e-9)
    count = sum(times for _, times in terms)
    tail = _tail(terms, delta)
    spans = [pair.span(tail) for pair, _ in terms]
    widest = max(high - low for low, high in spans)
    least = max(length / _MOST, widest / _MOST, epsilon * _DIGITS, 1e-13)
    step = max(min(math.sqrt(6 * _FINE * variance / count), length / _LEAST), least)
    spacings = {pair.spacing() for pair, _ in terms}
    if len(spacings) == 1 and (apart := spacings.pop()) > step * 2.0**-40:
        # then the grid holds every loss that has a probability of its own, or lies evenly between them
        half = apart / 2
        step = half / math.ceil(half / step) if half >= step else half * math.floor(step / half)
    # losses may lie two steps beyond a span
    tilt = min(tilt, 1.05 * _STEEPEST / max(max(-low, high) + 3 * step for low, high in spans))
    return Plan(tilt, step, (top - length, top), rate, tail, epsilon, delta, widest)


@final
class Composition:
    """The composition of pairs in one direction, for an epsilon or a delta.

    Args:
        terms: Pairs with multiplicities.
        plan: The choices.
    """

    def __init__(self, terms: PairTerms, plan: Plan) -> None:
        self._plan = plan
        self._terms = terms

    @cached_property
    def above(self) -> Composed:
        """The composition from above."""
        parts = [(part.above(), times) for part, (_, times) in zip(self._read, self._terms, strict=True)]
        return compose(parts, self._plan.tilt, self._plan.window, None)

    @cached_property
    def below(self) -> Composed:
        """The composition from below."""
        plan, parts = self._plan, []
        for part, (pair, times) in zip(self._read, self._terms, strict=True):
            if isinstance(part, Halves) and (offset := offset_for(pair, plan.step)):
                parts.append((halves(pair, plan.step, plan.tail, offset).below(), times))
            else:
                parts.append((part.below(), times))
        return compose(parts, plan.tilt, plan.window, plan.rate)

    @cached_property
    def _read(self) -> list[Halves | AtomGrid]:
        step, tail = self._plan.step, self._plan.tail
        return [scatter(pair, step, tail) or halves(pair, step, tail) for pair, _ in self._terms]


def _guesses(composed: Composed, delta: Fraction, direction: int) -> Iterator[Fraction]:
    """Give about the epsilon at which delta is reached, then epsilons farther and farther away."""
    start = Fraction(max(composed.solve(float(delta)), 0.0))
    return (start + direction * Fraction(_SURE) * (2**tries - 1) for tries in count())


def certified_epsilon(composed: Composed, delta: Fraction) -> Amount:
    """Give an epsilon at which delta is certainly not exceeded; infinite where a few tries do not reach one."""
    tries = islice(_guesses(composed, delta, 1), _TRIES)
    return next((epsilon for epsilon in tries if composed.delta_above(epsilon) <= delta), math.inf)


def surely_exceeded(composed: Composed, delta: Fraction) -> Fraction:
    """Give an epsilon at which delta is certainly exceeded, or zero."""
    tries = takewhile(lambda epsilon: epsilon > 0, _guesses(composed, delta, -1))
    return next((epsilon for epsilon in tries if composed.delta_below(epsilon) > delta), Fraction(0))


@final
class ComposedDirections:
    """The compositions of all directions at one delta, kept for both bounds.

    Args:
        directions: The terms of each direction.
        delta: The delta.
    """

    def __init__(self, directions: Sequence[PairTerms], delta: Fraction) -> None:
        self._directions, self._delta = directions, delta
        self._plans = [plan_for_delta(terms, float(delta)) for terms in directions]
        self._worst = max(range(len(directions)), key=lambda index: self._plans[index].epsilon)
        self._main = Composition(directions[self._worst], self._plans[self._worst])

    @cached_property
    def above(self) -> Amount:
        """An epsilon for the worse direction, from above."""
        epsilon = certified_epsilon(self._main.above, self._delta)
        for index, (terms, plan) in enumerate(zip(self._directions, self._plans, strict=True)):
            if index == self._worst:
                continue
            # the other direction mostly costs less, which a coarse grid shows
            other = certified_epsilon(Composition(terms, plan.coarser(self._plans[self._worst])).above, self._delta)
            if other > epsilon:
                epsilon = max(epsilon, certified_epsilon(Composition(terms, plan).above, self._delta))
        return epsilon

    @cached_property
    def below(self) -> Fraction:
        """A lower bound of epsilon, of the direction that looks worse."""
        return surely_exceeded(self._main.below, self._delta)


def curve_above(directions: Sequence[PairTerms], near: Fraction) -> Callable[[Fraction], Fraction]:
    """Give upper bounds of delta for the worse of some directions, sharpest near an epsilon."""
    plans = [plan_for_epsilon(terms, float(min(near, Fraction(_HUGE)))) for terms in directions]
    worst = max(range(len(directions)), key=lambda index: plans[index].delta)
    main = Composition(directions[worst], plans[worst]).above
    composed = [main]
    for index, terms in enumerate(directions):
        if index != worst:
            other = Composition(terms, plans[index].coarser(plans[worst])).above
            if other.delta_above(near) > main.delta_above(near):
                other = Composition(terms, plans[index]).above
            composed.append(other)
    return lambda epsilon: max(each.delta_above(epsilon) for each in composed)


def delta_below(directions: Sequence[PairTerms], epsilon: Fraction) -> Fraction:
    """Give a lower bound of delta for the worse of some directions."""
    plans = [(terms, plan_for_epsilon(terms, float(min(epsilon, Fraction(_HUGE))))) for terms in directions]
    terms, plan = max(plans, key=lambda each: each[1].delta)
    return Composition(terms, plan).below.delta_below(epsilon)
