"""Approximate Rényi privacy: divergences at finitely many orders, outside an event of probability delta."""

import math
from fractions import Fraction
from functools import cached_property
from typing import final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.renyi import Corner, RenyiLoss, read_points
from privet.accounting.numerics import Amount, Point
from privet.core import few_items, number, probability, short


@final
@frozen(order=False, slots=False)
class ApproximateRenyiLoss(Loss):
    """A loss of which the Rényi divergence is known at some orders, outside an event.

    Args:
        points: Pairs (order, cost): outside the event, the divergence of that order is at most the cost, in both
            directions. The event is the same for all orders.
        slack: Delta, the probability of the event, between zero and one.

    Guarantee: delta + (1 - delta) times what the best order allows. In a sum, deltas add up and divergences of one
        order add up (Bun and Steinke 2016, lemma 8.2).
    Proof: docs/accounting/losses/approximate_renyi.md.

    >>> loss = ApproximateRenyiLoss(((2, 1), (8, 4)), 1e-9)
    >>> round(float(loss.epsilon(1e-6)), 3), loss.epsilon(1e-9)
    (5.543, inf)
    """

    points: tuple[Corner, ...] = field(converter=read_points, repr=few_items)
    slack: Fraction = field(converter=number, validator=probability, repr=short)
    tight = False  # many pairs of laws have these divergences

    @cached_property
    def _outside(self) -> RenyiLoss:
        return RenyiLoss(self.points)

    def pure(self) -> Point:
        """Infinite, unless a divergence is zero outside the event."""
        return self._point(self._outside.pure())

    def concentrated(self) -> Point:
        """Infinite, unless a divergence is zero outside the event."""
        return self._point(self._outside.concentrated())

    def _renyi(self, order: Fraction) -> Amount:
        """Infinite where there is an event: it may reveal everything."""
        return self._outside.renyi(order) if self.slack == 0 else math.inf

    def _renyi_point(self, order: Fraction) -> Point:
        """The lower hull of the stated points, outside the event."""
        return Point(self._outside.renyi(order), self.slack)

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The event, and what the best order allows outside it."""
        return self.slack + (1 - self.slack) * self._outside.delta(epsilon)

    def _epsilon(self, delta: Fraction) -> Amount:
        """The best order at the share of delta that the event leaves."""
        if delta == 1:
            return Fraction(0)
        if delta < self.slack:
            return math.inf
        return self._outside.epsilon((delta - self.slack) / (1 - self.slack))

    def _point(self, outside: Point) -> Point:
        return Point(outside.cost, self.slack) if outside.cost == 0 else Point(math.inf, Fraction(0))
