"""Approximate concentrated privacy: zero-concentrated, outside an event of probability delta."""

import math
from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Point
from privet.core import not_negative, number, probability, short


@final
@frozen(order=False)
class ApproximateConcentratedLoss(Loss):
    """A loss of which rho is known outside an event, as of Gaussian noise behind a threshold.

    Args:
        cost: Rho, zero or more.
        slack: Delta, between zero and one.

    Guarantee: delta-approximate rho-zero-concentrated privacy (Bun and Steinke 2016, definition 8.1).
    Proof: docs/accounting/losses/approximate_concentrated.md.

    >>> loss = ApproximateConcentratedLoss(0.5, 1e-9)
    >>> round(float(loss.epsilon(1e-6)), 3), loss.epsilon(1e-9)
    (5.222, inf)
    """

    cost: Fraction = field(converter=number, validator=not_negative, repr=short)
    slack: Fraction = field(converter=number, validator=probability, repr=short)

    def pure(self) -> Point:
        """Infinite, unless rho is zero outside the event."""
        return Point(Fraction(0), self.slack) if self.cost == 0 else Point(math.inf, Fraction(0))

    def concentrated(self) -> Point:
        """The pair itself."""
        return Point(self.cost, self.slack)
