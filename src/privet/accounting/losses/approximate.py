"""Approximate differential privacy: pure, outside an event of probability delta."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Point
from privet.core import not_negative, number, probability, short


@final
@frozen(order=False, cache_hash=True)
class ApproximateLoss(Loss):
    """A loss of which one (epsilon, delta) is known.

    Args:
        cost: Epsilon, zero or more.
        slack: Delta, between zero and one.

    Guarantee: delta-approximate rho = epsilon tanh(epsilon / 2) (Bun and Steinke 2016, section 8).
    Proof: docs/accounting/losses/approximate.md.

    >>> loss = ApproximateLoss(1, 1e-9) + ApproximateLoss(1, 1e-9)
    >>> loss.epsilon(2e-9), loss.epsilon(1e-9)
    (Fraction(2, 1), inf)
    """

    cost: Fraction = field(converter=number, validator=not_negative, repr=short)
    slack: Fraction = field(converter=number, validator=probability, repr=short)

    def pure(self) -> Point:
        """The pair itself."""
        return Point(self.cost, self.slack)
