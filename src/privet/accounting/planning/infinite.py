"""A budget without an end, for tests and examples on public data."""

from fractions import Fraction
from typing import Any, final

from attrs import frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics.convert import Point
from privet.accounting.planning.budget import AdditiveBudget
from privet.errors import UnavailableError

_NOTHING = Point(Fraction(0), Fraction(0))


@final
@frozen
class InfiniteBudget(AdditiveBudget):
    """Whatever is asked is granted: no bound on what is lost, so never for private data.

    For code that is tried out on made-up or public data: every step is the same as with a budget, noise included. A
    release with a very large epsilon, such as ``epsilon=10**9``, has noise too small to be seen.

    >>> from privet.combinators.privacy_filter import PrivacyFilter
    >>> from privet.accounting.losses.pure import PureLoss
    >>> cap = PrivacyFilter(InfiniteBudget())
    >>> cap.charge(PureLoss(10**9))
    >>> cap.remaining
    InfiniteBudget()
    """

    def covers(self, loss: Loss) -> bool:
        """Everything fits."""
        return True

    def point(self) -> Point:
        """Charges count for nothing, so that nothing of them is ever missing."""
        return _NOTHING

    def like(self, point: Point) -> "InfiniteBudget":
        """The same, whatever was spent."""
        return self

    def price(self, loss: Loss, delta: Any = None) -> Point:
        """Nothing."""
        return _NOTHING

    def loss(self) -> Loss:
        """No bound: that of a release which may tell everything."""
        raise UnavailableError("an infinite budget bounds nothing: what it paid for has no loss to state.")
