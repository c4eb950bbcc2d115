"""A loss of which only mu is known."""

import math
from fractions import Fraction
from typing import final

from attrs import frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics.convert import Amount, Point


@final
@frozen(order=False)
class KnownMu(Loss):
    """Gaussian privacy."""

    distance: Amount

    def pure(self) -> Point:
        return Point(math.inf, Fraction(0))

    def concentrated(self) -> Point:
        return Point(math.inf, Fraction(0))

    def gaussian(self) -> Amount:
        return self.distance if isinstance(self.distance, float) else self.distance**2
