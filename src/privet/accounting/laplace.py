"""The loss of one number with discrete Laplace noise, with its exact curve."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen
from flint import arb

from privet.accounting.convert import Amount, Point, smallest
from privet.accounting.loss import Loss
from privet.core.checks import not_negative, number, positive, read_number, short
from privet.core.exact import ball, directed


@final
@frozen(kw_only=True, order=False)
class LaplaceLoss(Loss):
    """The loss between two discrete Laplace distributions, shifted by a distance.

    Args:
        distance: The shift, in steps of the grid; a fraction stands for the whole number above it.
        scale: The scale of the noise, in steps.

    Guarantee: epsilon = distance / scale, and delta(epsilon) exactly: the discrete curve lies *above* that of
        continuous Laplace noise (at epsilon = 0 and one step, tanh(1/(2 scale)) > 1 - e^(-1/(2 scale))).
    Proof: docs/accounting/laplace.md.

    >>> LaplaceLoss(distance=1, scale=2).epsilon()
    Fraction(1, 2)
    """

    distance: Fraction = field(converter=number, validator=not_negative, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)

    def pure(self) -> Point:
        """The distance in scales."""
        return Point(self.distance / self.scale, Fraction(0))

    def concentrated(self) -> Point:
        """Half the square of epsilon."""
        return Point((self.distance / self.scale) ** 2 / 2, Fraction(0))

    def delta(self, epsilon: Any) -> Fraction:
        """The exact hockey-stick divergence, rounded up."""
        fallback = super().delta(epsilon)  # checks epsilon, and is zero from distance / scale on
        return min(fallback, self._curve(read_number("LaplaceLoss.epsilon", epsilon)))

    def epsilon(self, delta: Any = 0) -> Amount:
        """Search the exact curve."""
        direct = super().epsilon(delta)
        allowed = read_number("LaplaceLoss.delta", delta)
        return direct if allowed in (0, 1) else smallest(self.delta, allowed, start=direct)

    def _curve(self, epsilon: Fraction) -> Fraction:
        """F(m) - e^epsilon F(m - d), where m is the last output at which the loss exceeds epsilon."""
        shift = math.ceil(self.distance)
        last = math.ceil((shift - self.scale * epsilon) / 2) - 1
        if last < 0:
            return Fraction(0)
        above, below = -(last + 1) / self.scale, epsilon - (shift - last) / self.scale

        def value(one_step: arb) -> arb:
            missed = (ball(above).exp() + ball(below).exp()) / (1 + one_step.exp())
            return 1 - missed

        return max(directed(value, -1 / self.scale, toward="up"), Fraction(0))
