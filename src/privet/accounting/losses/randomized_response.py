"""The loss of randomised response, with its exact curve."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import field, frozen
from flint import arb

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import UNIT, Amount, Point, pure_rho
from privet.accounting.pairs.pair import LARGEST, AtomPair, Pair, nothing_private
from privet.core import ball, directed, exp_down, log_up, number, positive, read_number, short, to_float_up
from privet.errors import InvalidError


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
        if value > self.truth:
            raise InvalidError(
                f"RandomizedResponseLoss.other must not exceed truth, got truth={self.truth}, other={value}."
            )
        if self.truth + value > 1:
            raise InvalidError(
                "RandomizedResponseLoss.truth and other are probabilities of different answers and add up to at most 1,"
                f" got truth={short(self.truth)}, other={short(value)}."
            )

    def pure(self) -> Point:
        """The logarithm of the odds, rounded up."""
        return Point(log_up(self.truth / self.other), Fraction(0))

    def concentrated(self) -> Point:
        """What epsilon implies."""
        return Point(pure_rho(Fraction(self.pure().cost)), Fraction(0))

    def delta(self, epsilon: object) -> Fraction:
        """The exact curve, rounded up."""
        general = super().delta(epsilon)
        tilt = exp_down(read_number("RandomizedResponseLoss.epsilon", epsilon)) if general else Fraction(0)
        return min(general, max(self.truth - tilt * self.other, Fraction(0)))

    def epsilon(self, delta: object = 0) -> Amount:
        """The exact curve backwards, rounded up."""
        general = super().epsilon(delta)
        odds = (self.truth - read_number("RandomizedResponseLoss.delta", delta)) / self.other
        return min(general, max(log_up(odds), Fraction(0)) if odds > 1 else Fraction(0))

    def renyi(self, order: object) -> Amount:
        """The exact divergence, rounded up."""
        general = super().renyi(order)  # checks the order
        if self.truth == self.other:
            return general
        alpha = read_number("Loss.order", order)

        def value(odds: arb) -> arb:
            log = odds.log()
            moved = (ball(alpha) * log).exp() + (ball(1 - alpha) * log).exp()
            return (ball(self.other) * moved + ball(1 - self.truth - self.other)).log() / ball(alpha - 1)

        return min(general, max(directed(value, self.truth / self.other, toward="up"), Fraction(0)))

    def pair(self) -> Pair:
        """Two answers, and all others together, which lose nothing."""
        loss = to_float_up(Fraction(self.pure().cost))
        if loss == 0:
            return AtomPair.of_one()
        if loss > LARGEST:
            return nothing_private()
        masses = np.array([float(self.other), float(1 - self.truth - self.other), float(self.truth)])
        return AtomPair(np.array([-loss, 0.0, loss]), masses, 0.0, 0.0, 4 * UNIT, 4 * UNIT * (1 + loss), 2 * loss)
