"""A budget without a limit, for tests and examples on public data."""

from fractions import Fraction
from typing import final

from attrs import frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Point
from privet.accounting.planning.budget import AdditiveBudget
from privet.errors import UnavailableError

_NOTHING = Point(Fraction(0), Fraction(0))


@final
@frozen
class InfiniteBudget(AdditiveBudget):
    """A budget that allows every release. Nothing bounds the privacy loss: never use it on private data.

    Use it to try code on made-up or public data. Everything works as with a limited budget, noise included. A release
    with a very large epsilon, such as ``epsilon=10**9``, has noise too small to see.

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
        """Zero, as every charge: the budget never runs out."""
        return _NOTHING

    def like(self, point: Point) -> "InfiniteBudget":
        """The same budget, whatever the charges."""
        return self

    def price(self, loss: Loss, delta: object = None) -> Point:
        """Zero."""
        return _NOTHING

    def loss(self) -> Loss:
        """Refuse: no loss bounds a release that may reveal everything."""
        raise UnavailableError("an infinite budget bounds nothing: what it paid for has no loss to state.")

    def amounts(self, point: Point, *, up: bool = True) -> dict[str, str]:
        """None: there is no limit."""
        return {}
