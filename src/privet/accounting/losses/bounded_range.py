"""Bounded range: the privacy loss of every two outputs differs by at most eta."""

from fractions import Fraction
from typing import final

from attrs import field, frozen
from flint import arb

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Amount, Point, range_rho
from privet.accounting.pairs.pair import Pair, range_pair, response_pair
from privet.core import ball, directed, expm1_up, log1p_up, not_negative, number, short, sqrt_down

_LARGE = 512  # beyond, the curve is no better than that of the points


@final
@frozen(order=False, cache_hash=True)
class BoundedRangeLoss(Loss):
    """A loss whose range is known, as of the exponential mechanism.

    Args:
        cost: Eta, zero or more.

    Guarantee: epsilon = eta, rho below eta²/8 (Cesar and Rogers 2021, lemma 3.4), the smallest possible, and
        delta(epsilon) = (e^(eta/2) - e^(epsilon/2))² / (e^eta - 1) (Dong, Durfee and Rogers 2020).
    Proof: docs/accounting/losses/bounded_range.md.

    >>> round(float(BoundedRangeLoss(1).rho()), 6)
    0.123302
    """

    cost: Fraction = field(converter=number, validator=not_negative, repr=short)
    tight = False  # the pair is an upper bound

    def pure(self) -> Point:
        """Some output loses nothing, so none loses more than the range."""
        return Point(self.cost, Fraction(0))

    def concentrated(self) -> Point:
        """The largest mean loss, just below an eighth of the square."""
        return Point(range_rho(self.cost), Fraction(0))

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The largest that two losses eta apart allow, rounded up."""
        by_points = super()._delta(epsilon)  # zero from eta on
        if epsilon >= self.cost or self.cost > _LARGE:
            return by_points

        def value(x: arb) -> arb:
            # divided by e^eta: (1 - e^((epsilon - eta) / 2))² / (1 - e^-eta)
            return ((ball(epsilon) - x) / 2).expm1() ** 2 / -(-x).expm1()

        return min(by_points, directed(value, self.cost, toward="up"))

    def _epsilon(self, delta: Fraction) -> Amount:
        """The curve backwards: eta + 2 ln(1 - sqrt(delta (1 - e^-eta)))."""
        by_points = super()._epsilon(delta)
        if delta in (0, 1) or self.cost == 0 or self.cost > _LARGE:
            return by_points
        root = sqrt_down(delta * -expm1_up(-self.cost))
        return min(by_points, max(self.cost + 2 * log1p_up(-root), Fraction(0))) if root < 1 else Fraction(0)

    def pair(self) -> Pair:
        """The laws with that curve."""
        return range_pair(self.cost)

    def _attained(self) -> Pair:
        """Randomised response at half the range; the curve above is that of no two laws, but of the worst for each."""
        return response_pair(self.cost / 2, Fraction(0))
