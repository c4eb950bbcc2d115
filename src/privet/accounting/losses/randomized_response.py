"""The loss of randomised response, with its exact curve."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen
from flint import arb

from privet.accounting.composition.outcomes import Outcomes
from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import UNIT, Amount, Point, read_outcome
from privet.accounting.pairs.pair import LARGEST, AtomPair, Pair, nothing_private
from privet.core import ball, directed, exp_down, log_down, log_up, number, positive, require, short, to_float_up


@final
@frozen(kw_only=True, order=False, cache_hash=True)
class RandomizedResponseLoss(Loss):
    """The loss between two answers of randomised response.

    Args:
        truth: The probability of the true answer.
        other: The probability of each other answer, not above ``truth``.

    Guarantee: epsilon = ln(truth / other) and delta(epsilon) = truth - e^epsilon other, exactly.
    Proof: docs/accounting/losses/randomized_response.md.

    >>> round(float(RandomizedResponseLoss(truth=0.75, other=0.25).epsilon()), 4)
    1.0986
    """

    truth: Fraction = field(converter=number, validator=positive, repr=short)
    other: Fraction = field(converter=number, validator=positive, repr=short)

    @other.validator
    def _check(self, _: object, value: Fraction) -> None:
        label = "RandomizedResponseLoss.other"
        require(value <= self.truth, label, f"at most truth={short(self.truth)}", value)
        rule = f"at most {short(1 - self.truth)}, as truth and other are probabilities of different answers"
        require(self.truth + value <= 1, label, rule, value)

    def pure(self) -> Point:
        """The logarithm of the odds, rounded up."""
        return Point(log_up(self.truth / self.other), Fraction(0))

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The exact curve, rounded up; not evaluated where e^epsilon is large and delta is zero."""
        by_points = super()._delta(epsilon)
        return min(by_points, max(self.truth - exp_down(epsilon) * self.other, Fraction(0))) if by_points else by_points

    def _epsilon(self, delta: Fraction) -> Amount:
        """The exact curve backwards, rounded up."""
        odds = (self.truth - delta) / self.other
        return min(super()._epsilon(delta), max(log_up(odds), Fraction(0)) if odds > 1 else Fraction(0))

    def _renyi(self, order: Fraction) -> Amount:
        """The exact divergence, rounded up."""
        by_points = super()._renyi(order)
        if self.truth == self.other:
            return by_points

        def value(odds: arb) -> arb:
            log = odds.log()
            moved = (ball(order) * log).exp() + (ball(1 - order) * log).exp()
            return (ball(self.other) * moved + ball(1 - self.truth - self.other)).log() / ball(order - 1)

        return min(by_points, max(directed(value, self.truth / self.other, toward="up"), Fraction(0)))

    def at(self, outcome: Any) -> Amount:
        """The logarithm of the odds at both answers, rounded up, and zero at every other answer."""
        place = read_outcome("RandomizedResponseLoss", outcome, Fraction(1))
        known = len(self._heights())
        rule = "0 (the data's own answer), 1 (the neighbour's)" + (" or 2 (another)" if known == 3 else ": no other")
        require(0 <= place < known, "RandomizedResponseLoss.at", rule, place)
        odds = self.truth / self.other
        return (log_up(odds), -log_down(odds), Fraction(0))[int(place)]

    def _outcomes(self) -> Outcomes:
        heights = self._heights()
        axis = "0: the own answer, 1: the neighbour's" + (", 2: another" if len(heights) == 3 else "")
        own = tuple(map(float, heights))
        neighbour = (own[1], own[0], *own[2:])
        return Outcomes(tuple(map(Fraction, range(len(own)))), own, neighbour, single=True, axis=axis)

    def _heights(self) -> list[Fraction]:
        rest = 1 - self.truth - self.other
        return [self.truth, self.other, rest] if rest else [self.truth, self.other]

    def pair(self) -> Pair:
        """Two answers, and all others together, which lose nothing."""
        loss = to_float_up(Fraction(self.pure().cost))
        if loss == 0 or loss > LARGEST:
            return nothing_private() if loss else AtomPair.of_one()
        return AtomPair(
            losses=np.array([-loss, 0.0, loss]),
            masses=np.array([float(self.other), float(1 - self.truth - self.other), float(self.truth)]),
            only_p=0.0,
            only_q=0.0,
            error=4 * UNIT,
            slip=4 * UNIT * (1 + loss),
            apart=2 * loss,
        )
