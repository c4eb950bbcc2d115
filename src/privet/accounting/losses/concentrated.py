"""Zero-concentrated differential privacy: the Rényi divergence of every order alpha is at most alpha rho."""

import math
from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Point
from privet.accounting.pairs.normal_pair import normal_pair
from privet.accounting.pairs.pair import Pair
from privet.core import not_negative, number, short


@final
@frozen(order=False, cache_hash=True)
class ConcentratedLoss(Loss):
    """A loss of which rho is known, as of the discrete Gaussian.

    Args:
        cost: Rho, zero or more.

    Guarantee: (epsilon, delta) by Canonne, Kamath and Steinke 2020, proposition 12.
    Proof: docs/accounting/losses/concentrated.md.

    >>> round(float(ConcentratedLoss(0.5).epsilon(1e-6)), 3)
    5.222
    """

    cost: Fraction = field(converter=number, validator=not_negative, repr=short)

    def pure(self) -> Point:
        """Infinite, unless rho is zero."""
        return Point(Fraction(0) if self.cost == 0 else math.inf, Fraction(0))

    def concentrated(self) -> Point:
        """The cost itself."""
        return Point(self.cost, Fraction(0))

    def _attained(self) -> Pair:
        """Two normal laws have this rho."""
        return normal_pair(2 * self.cost)
