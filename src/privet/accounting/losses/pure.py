"""Pure differential privacy: no event is more than e^epsilon times likelier."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Point
from privet.core import not_negative, number, short


@final
@frozen(order=False, cache_hash=True)
class PureLoss(Loss):
    """A loss of which only epsilon is known.

    Args:
        cost: Epsilon, zero or more.

    Guarantee: rho = epsilon tanh(epsilon / 2), the smallest possible; below epsilon²/2 (Bun and Steinke 2016,
        proposition 1.4).
    Proof: docs/accounting/losses/pure.md.

    >>> (PureLoss(0.1) * 10).epsilon()
    Fraction(1, 1)
    """

    cost: Fraction = field(converter=number, validator=not_negative, repr=short)

    def pure(self) -> Point:
        """The cost itself."""
        return Point(self.cost, Fraction(0))
