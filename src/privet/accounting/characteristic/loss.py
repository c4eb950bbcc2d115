"""A loss known by characteristic functions: the analytical Fourier accountant, with certified bounds."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import chain
from typing import Any, final

from attrs import field, frozen
from flint import acb, arb

from privet.accounting.characteristic.inversion import Inversion, chernoff, infinite, top
from privet.accounting.characteristic.nodes import Terms
from privet.accounting.characteristic.term import CharacteristicTerm
from privet.accounting.composition.composable import Curve
from privet.accounting.losses.loss import CurveLoss, Loss
from privet.accounting.numerics import Amount, End, Point, log, read_epsilon, read_pairs, read_probability, regula_falsi
from privet.core import ball, ends, few_items, precision, read_count, require_type
from privet.errors import InvalidError, WrongTypeError

_FAR = Fraction(2**40)  # beyond this, one layout of nodes is as good as another
_LOWER, _UPPER = 0, 1
_SHARES = (*(1 - Fraction(1, 4**power) for power in range(10, 0, -1)), Fraction(0))
_PROBE, _SECANTS, _TOO_FAR = Fraction(1023, 1024), 8, 1.02  # of the first steps of that search
_ROUNDS = 60  # of the search for an epsilon, far more than it takes


def _read(value: Any) -> Terms:
    label, rule = "CharacteristicLoss.terms and backward", "pairs (term, how often), such as (LaplaceTerm(0.1), 10)"
    terms = read_pairs(label, rule, value)
    for term, times in terms:
        require_type(isinstance(term, CharacteristicTerm), label, rule, term)
        read_count(f"a count in {label}", times)
        _plausible(term)
    return _merge([tuple(terms)])


def _plausible(term: CharacteristicTerm) -> None:
    """Refuse a moment that is no moment: mass one under P, and at most one under Q."""
    with precision(128):
        mass, other = term.moment(acb(0)).real, term.moment(acb(-1)).real
        if not mass.overlaps(1 - ball(term.infinite())) or other > arb(1):
            raise InvalidError(
                f"{type(term).__name__}.moment must be one minus the infinite mass at s = 0 and at most one at s = -1; "
                "it is the expectation of e^(s L) under the first distribution."
            )


def _merge(several: Iterable[Terms]) -> Terms:
    counts: dict[CharacteristicTerm, int] = {}
    for term, times in chain.from_iterable(several):
        counts[term] = counts.get(term, 0) + times
    return tuple((term, times) for term, times in counts.items() if times)


@final
@frozen(order=False)
class CharacteristicLoss(CurveLoss):
    """The loss of releases whose privacy losses are known by their characteristic functions.

    Args:
        terms: Pairs (term, how often), each term a pair of distributions that dominates a release.
        backward: The same for the reversed direction, where the terms do not dominate that too.

    Guarantee: delta(epsilon) between certified bounds, by Fourier inversion.
    Proof: docs/accounting/characteristic/loss.md.

    >>> from privet.accounting.characteristic.continuous import GaussianTerm
    >>> loss = CharacteristicLoss(((GaussianTerm(1), 1),))
    >>> round(float(loss.epsilon(1e-6)), 5)
    4.88655
    """

    terms: Terms = field(converter=_read, repr=few_items)
    backward: Terms = field(default=(), converter=_read, repr=few_items)

    @staticmethod
    def compose(*losses: "CharacteristicLoss") -> "CharacteristicLoss":
        """The loss of several releases together, equal terms counted once with their multiplicity."""
        forward = _merge(loss.terms for loss in losses)
        if not any(loss.backward for loss in losses):
            return CharacteristicLoss(forward)
        return CharacteristicLoss(forward, _merge(loss.backward or loss.terms for loss in losses))

    def pure(self) -> Point:
        """The sum of the terms' points."""
        return self._total(lambda term: term.pure())

    def concentrated(self) -> Point:
        """The sum of the terms' points."""
        return self._total(lambda term: term.concentrated())

    def bounds(self, epsilon: object) -> tuple[Fraction, Fraction]:
        """Lower and upper bounds of the smallest delta at an epsilon of zero or more."""
        level = read_epsilon(epsilon)
        bounds = [_curve(terms, level)(level) for terms in self._directions()]
        upper = min(max(high for _, high in bounds), Loss._delta(self, level))
        return min(max(low for low, _ in bounds), upper), upper

    def interval(self, *, delta: object = None, epsilon: object = None) -> tuple[Fraction, Amount]:
        """Both bounds of delta at an epsilon, or of epsilon at a delta, for the stated pairs."""
        if (delta is None) == (epsilon is None):
            raise WrongTypeError("CharacteristicLoss.interval takes delta=... or epsilon=..., one of them.")
        if delta is None:
            return self.bounds(epsilon)
        share = read_probability("delta", delta)
        upper = self.epsilon(share)
        if share in (0, 1):
            return Fraction(0), upper
        lower = max(_search(terms, share, _LOWER)[0] for terms in self._directions())
        return lower if lower <= upper else Fraction(upper), upper

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The upper bound."""
        return self.bounds(epsilon)[1]

    def curve(self, near: Fraction) -> Curve:
        """The upper bound, with one set of nodes for all evaluations."""
        curves = [_curve(terms, near) for terms in self._directions()]
        return lambda epsilon: min(max(curve(epsilon)[1] for curve in curves), Loss._delta(self, epsilon))

    def _epsilon(self, delta: Fraction) -> Amount:
        """An epsilon at which the upper bound is at most delta, certified."""
        by_points = Loss._epsilon(self, delta)
        if delta in (0, 1) or by_points == 0:
            return by_points
        return min(by_points, max(_search(terms, delta, _UPPER)[1] for terms in self._directions()))

    def _renyi(self, order: Fraction) -> Amount:
        """The logarithm of the moment at order - 1, divided by order - 1; rounded up."""
        return min(Loss._renyi(self, order), max(_renyi(terms, order - 1) for terms in self._directions()))

    def _directions(self) -> tuple[Terms, ...]:
        return (self.terms, self.backward) if self.backward else (self.terms,)

    def _total(self, point: Callable[[CharacteristicTerm], Point]) -> Point:
        totals = [Point.total((point(term), times) for term, times in terms) for terms in self._directions()]
        return Point(max(total.cost for total in totals), max(total.delta for total in totals))


def _curve(terms: Terms, near: Fraction) -> Callable[[Fraction], tuple[Fraction, Fraction]]:
    """Both bounds of delta, sharpest near an epsilon."""
    largest = top(terms)
    if largest == 0 or any(term.infinite() == 1 for term, _ in terms):
        with precision(128):
            nothing = ends(infinite(terms))
        return lambda _: nothing
    return Inversion.near(terms, min(float(min(near, _FAR)), 0.999 * float(largest))).bounds


def _renyi(terms: Terms, less: Fraction) -> Amount:
    if any(term.infinite() for term, _ in terms):
        return math.inf
    with precision(128):
        moments = ((term.moment(acb(ball(less))).real, times) for term, times in terms)
        total = sum((moment.log() * times for moment, times in moments), arb(0)) / ball(less)
        return max(ends(total)[1], Fraction(0)) if total.is_finite() else math.inf


def _search(terms: Terms, delta: Fraction, end: int) -> tuple[Fraction, Amount]:
    """Enclose the epsilon at which one of the two bounds passes delta; both ends of the search were certified."""
    with precision(128):
        slack = ball(delta) - infinite(terms)
        if not slack > 0:
            return Fraction(0), math.inf
        log_slack = float(slack.log())
    guess = max(chernoff(terms, log_slack), 0.0) if top(terms) > 0 else 0.0
    bounds = _curve(terms, Fraction(min(guess, float(_FAR))))

    def excess(epsilon: Fraction) -> float:
        ratio = bounds(epsilon)[end] / delta
        return max(log(ratio), 1e-30) if ratio > 1 else min(max(log(ratio), -70.0), -1e-30)  # floats decide no sign

    return _enclose(excess, Fraction(guess), top(terms))


def _enclose(excess: Callable[[Fraction], float], guess: Fraction, largest: Amount) -> tuple[Fraction, Amount]:
    """Give two epsilons, close together: the left one has excess, unless it is zero, and the right one has none."""
    high = Fraction(min(guess, largest))
    below = excess(high)
    low, above = Fraction(0), -1.0
    if high > 0 and below < 0:
        (high, below), (low, above) = _step_down(excess, (high, below))
    if above < 0:
        # bounds are sharp near the guess only, so the left end is first looked for nearby
        starts = ((start, excess(start)) for start in (high * share for share in _SHARES))
        low, above = next(((start, value) for start, value in starts if value > 0), (Fraction(0), -1.0))
    if above < 0:
        return low, low
    for _ in range(_ROUNDS):
        if below < 0:
            return regula_falsi(excess, (low, above), (high, below), bits=32)
        if high == largest:
            break
        high = Fraction(min(2 * high + 1, largest))
        below = excess(high)
    return low, math.inf


def _step_down(excess: Callable[[Fraction], float], right: tuple[Fraction, float]) -> tuple[End, End]:
    """Go left from an end without excess along secants, a little too far each time, until there is excess.

    Give the last end without it, and the first with it, or one at zero where a few steps did not find it.
    """
    (high, below), nothing = right, (Fraction(0), -1.0)
    low = high * _PROBE
    for _ in range(_SECANTS):
        value = excess(low)
        if value > 0:
            return (high, below), (low, value)
        slope = (value - below) / float(high - low)
        high, below = low, value
        if not slope > 0:
            break
        low = Fraction(float(high) + _TOO_FAR * below / slope)
        if low <= 0:
            break
    return (high, below), nothing
