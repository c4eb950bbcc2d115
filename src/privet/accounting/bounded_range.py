"""Bounded range: the privacy loss of every two outputs differs by at most eta."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.accounting.convert import Point
from privet.accounting.loss import Loss
from privet.core.checks import not_negative, number, short


@final
@frozen(order=False)
class BoundedRangeLoss(Loss):
    """A loss whose range is known, as of the exponential mechanism.

    Args:
        cost: Eta, zero or more.

    Guarantee: epsilon = eta and rho = eta²/8 (Cesar and Rogers 2021, lemma 3.4).
    Proof: docs/accounting/bounded_range.md.

    >>> BoundedRangeLoss(1).rho()
    Fraction(1, 8)
    """

    cost: Fraction = field(converter=number, validator=not_negative, repr=short)

    def pure(self) -> Point:
        """Some output loses nothing, so none loses more than the range."""
        return Point(self.cost, Fraction(0))

    def concentrated(self) -> Point:
        """An eighth of the square, by Hoeffding's lemma."""
        return Point(self.cost**2 / 8, Fraction(0))
