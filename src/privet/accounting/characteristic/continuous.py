"""Terms of continuous noise, by the characteristic function of their privacy loss.

Proofs: docs/accounting/characteristic/forms.md.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import final

import numpy as np
from attrs import field, frozen
from flint import acb, arb

from privet.accounting.characteristic.term import Atoms, CharacteristicTerm, PreparedTerm, magnitude, rotations, turns
from privet.accounting.numerics import Amount, Floats, Point, range_rho
from privet.core import ball, not_negative, number, positive, short


@final
@frozen(order=False)
class GaussianTerm(CharacteristicTerm):
    """Gaussian noise of standard deviation one on a number that moves by mu.

    Args:
        mu: The shift in standard deviations, zero or more.

    >>> GaussianTerm(2).concentrated().cost
    Fraction(2, 1)
    """

    mu: Fraction = field(converter=number, validator=not_negative, repr=short)

    def moment(self, s: acb) -> acb:
        """exp(mu² s (s + 1) / 2)."""
        return (ball(self.mu**2 / 2) * s * (s + 1)).exp()

    def top(self) -> Amount:
        """Infinite, unless nothing moves."""
        return math.inf if self.mu else Fraction(0)

    def rest(self, theta: arb, height: arb) -> arb:
        """exp(mu² (theta (theta + 1) - t²) / 2), which falls with t."""
        return (ball(self.mu**2 / 2) * (theta * (theta + 1) - height**2)).exp()

    def concentrated(self) -> Point:
        """Half the square of mu."""
        return Point(self.mu**2 / 2, Fraction(0))


@final
@frozen(order=False)
class LaplaceTerm(PreparedTerm):
    """Continuous Laplace noise.

    Args:
        cost: The shift in scales, zero or more.

    >>> LaplaceTerm(0.5).pure().cost
    Fraction(1, 2)
    """

    cost: Fraction = field(converter=number, validator=not_negative, repr=short)

    def top(self) -> Amount:
        """The shift in scales."""
        return self.cost

    def atoms(self) -> Atoms:
        """The outputs beyond one centre, and those beyond the other."""
        cost = ball(self.cost)
        return (arb(0.5), cost), ((-cost).exp() / 2, -cost)

    def rest(self, theta: arb, height: arb) -> arb:
        """|e^(s cost) - e^(-(s + 1) cost)| / |4 s + 2|, with the sum of both magnitudes above."""
        cost, middle = ball(self.cost), 2 * theta + 1
        return ((theta * cost).exp() + (-(theta + 1) * cost).exp()) / (2 * (middle**2 + 4 * height**2).sqrt())

    def prepared(self) -> Callable[[acb], acb]:
        """With x = e^(s cost) and w = 1 / (2 s + 1): x (1 + w) / 2 + (e^-cost / x) (1 - w) / 2."""
        cost = ball(self.cost)
        other = (-cost).exp()

        def moment(s: acb) -> acb:
            first = (s * cost).exp()
            second = other / first
            return (first + second + (first - second) / (2 * s + 1)) * 0.5

        return moment

    def at_nodes(self, theta: arb, step: arb) -> Callable[[int], acb]:
        """Both exponentials turn at the same speed, in opposite directions."""
        cost, middle = ball(self.cost), 2 * theta + 1
        ahead, back = (theta * cost).exp() * 0.5, (-(theta + 1) * cost).exp() * 0.5
        turn = turns(step * cost)

        def moment(k: int) -> acb:
            turned = turn(k)
            first, second = ahead * turned, back * turned.conjugate()
            return first + second + (first - second) / acb(middle, 2 * step * k)

        return moment

    def magnitudes(self, theta: arb, step: arb, start: int, stop: int) -> Floats | None:
        """The same in floats: both exponentials turn at the same speed, in opposite directions."""
        cost, whole = ball(self.cost), self.moment(acb(theta)).real
        first = float((theta * cost).exp() / whole / 2)
        second = float((-(theta + 1) * cost).exp() / whole / 2)
        turn = rotations(step * cost, start, stop)
        real, imaginary = float(2 * theta + 1), float(2 * step) * np.arange(start, stop)
        size = real * real + imaginary * imaginary
        share = real / size - 1j * (imaginary / size)
        return magnitude(first * turn * (1 + share) + second * turn.conj() * (1 - share))


@final
@frozen(order=False)
class BoundedRangeTerm(PreparedTerm):
    """The worst curve of bounded range, as of the exponential mechanism.

    Args:
        eta: The range, above zero.

    >>> round(float(BoundedRangeTerm(1).concentrated().cost), 6)
    0.123302
    """

    eta: Fraction = field(converter=number, validator=positive, repr=short)

    def top(self) -> Amount:
        """The range."""
        return self.eta

    def rest(self, theta: arb, height: arb) -> arb:
        """The same with |sinh| at most cosh of the real part."""
        middle, eta = theta + arb(0.5), ball(self.eta)
        return (middle * eta).cosh() / (2 * (middle**2 + height**2).sqrt() * (eta / 2).sinh())

    def concentrated(self) -> Point:
        """The largest mean loss."""
        return Point(range_rho(self.eta), Fraction(0))

    def prepared(self) -> Callable[[acb], acb]:
        """sinh((s + 1/2) eta) / (2 (s + 1/2) sinh(eta / 2))."""
        eta = ball(self.eta)
        scale = 2 * (eta / 2).sinh()

        def moment(s: acb) -> acb:
            middle = s + 0.5
            return (middle * eta).sinh() / (middle * scale)

        return moment
