"""Rényi differential privacy: a bound of the divergence at finitely many orders."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss, additive
from privet.accounting.numerics import Amount, Point, curve_delta, curve_epsilon, orders, read_epsilon, read_probability
from privet.accounting.pairs.pair import Pair
from privet.core import read_number, short
from privet.errors import InvalidError, WrongTypeError

Corner = tuple[Fraction, Fraction]

_NEAREST = Fraction(1, 2**60)
_SPARSE = Fraction(17, 16)  # orders further apart than the grid's own are filled in


def _points(value: Any) -> tuple[Corner, ...]:
    """Read pairs (order, cost) and put them in order; the smaller of two costs at one order counts."""
    if not isinstance(value, tuple | list) or not value:
        raise WrongTypeError(f"RenyiLoss.points must be pairs (order, cost), at least one, got {type(value).__name__}.")
    best: dict[Fraction, Fraction] = {}
    for pair in value:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise WrongTypeError(f"RenyiLoss.points must be pairs (order, cost), got {type(pair).__name__} in it.")
        order, cost = (read_number("RenyiLoss.points", part) for part in pair)
        if order <= 1 or cost < 0:
            raise InvalidError(
                "RenyiLoss.points must have orders above one and costs of zero or more, "
                f"got order={short(order)}, cost={short(cost)}."
            )
        if not _NEAREST <= order - 1 <= 1 / _NEAREST:
            raise InvalidError(
                "RenyiLoss.points must have orders between 1 + 2**-60 and 1 + 2**60: others tell nothing."
            )
        best[order] = min(cost, best.get(order, cost))
    return tuple(sorted(best.items()))


def _known(value: Any) -> Loss | None:
    if not (value is None or isinstance(value, Loss)):
        raise WrongTypeError(f"RenyiLoss.known must be a loss or None, got {type(value).__name__}.")
    return None if value is None else additive(value)


@final
@frozen(order=False)
class RenyiLoss(Loss):
    """A loss of which the Rényi divergence is known at some orders.

    Args:
        points: Pairs (order, cost): the divergence of that order is at most the cost, in both directions.
        known: Another bound of the same loss, if there is one. Finitely many orders alone say nothing about the orders
            above them, so without it there is no rho and no epsilon at delta = 0.

    Guarantee: (epsilon, delta) by the best bound that one order allows (Asoodeh et al. 2021), never above Balle et al.
        2020, theorem 21; orders between the stated ones by convexity.
    Proof: docs/accounting/losses/renyi.md.

    >>> loss = RenyiLoss(((2, 1), (8, 4)))
    >>> loss.renyi(8), loss.renyi(5), loss.renyi(9)
    (Fraction(4, 1), Fraction(29, 8), inf)
    """

    points: tuple[Corner, ...] = field(converter=_points, repr=short)
    known: Loss | None = field(default=None, converter=_known)

    def pure(self) -> Point:
        """That of the other bound; nothing where a divergence is zero."""
        return self._point(self.known.pure() if self.known else None)

    def concentrated(self) -> Point:
        """That of the other bound; nothing where a divergence is zero."""
        return self._point(self.known.concentrated() if self.known else None)

    def renyi(self, order: object) -> Amount:
        """The lower hull of what is stated; infinite above the largest order."""
        alpha = read_number("Loss.order", order)
        if alpha <= 1:
            raise InvalidError(f"Loss.order must be above one, got {alpha}.")
        other = self.known.renyi(alpha) if self.known else math.inf
        return min(_between(self._hull(), alpha), other)

    def delta(self, epsilon: object) -> Fraction:
        """The best order, certified."""
        level = read_epsilon(epsilon)
        bound = curve_delta(self._searched(), level)
        return min(bound, self.known.delta(level)) if self.known else bound

    def epsilon(self, delta: object = 0) -> Amount:
        """The best order, certified."""
        share = read_probability("delta", delta)
        bound = curve_epsilon(self._searched(), share)
        return min(bound, self.known.epsilon(share)) if self.known else bound

    def gaussian(self) -> Amount:
        """That of the other bound; nothing where a divergence is zero."""
        if self.pure().cost == 0:
            return Fraction(0)
        return self.known.gaussian() if self.known else math.inf

    @property
    def tight(self) -> bool:
        """The pair of the other bound ignores the divergences."""
        return False

    def _attained(self) -> Pair | None:
        """Unknown: a pair that attains one of the bounds may break another."""
        return None

    def assumptions(self) -> tuple[str, ...]:
        """Those of the other bound."""
        return self.known.assumptions() if self.known else ()

    def _point(self, other: Point | None) -> Point:
        if any(cost == 0 for _, cost in self.points):
            return Point(Fraction(0), Fraction(0))  # equal distributions
        return Point(math.inf, Fraction(0)) if other is None else other

    def _hull(self) -> list[Corner]:
        """Give the lower convex hull of (order, (order - 1) cost), which starts at (1, 0)."""
        hull: list[Corner] = [(Fraction(1), Fraction(0))]
        for order, cost in self.points:
            point = (order, (order - 1) * cost)
            while len(hull) > 1 and _slope(hull[-2], hull[-1]) >= _slope(hull[-1], point):
                hull.pop()
            hull.append(point)
        return hull

    def _searched(self) -> tuple[Corner, ...]:
        """Give the stated orders, and those of the grid where the stated ones lie far apart."""
        hull = self._hull()
        filled: list[Corner] = []
        for (left, _), (right, _) in pairwise(hull):
            filled.append((right, Fraction(_between(hull, right))))
            if left > 1 and (right - 1) > (left - 1) * _SPARSE:
                inside = [order for order in orders() if left < order < right]
                filled.extend((order, Fraction(_between(hull, order))) for order in inside)
        return tuple(sorted(filled))


def _slope(left: Corner, right: Corner) -> Fraction:
    return (right[1] - left[1]) / (right[0] - left[0])


def _between(hull: list[Corner], order: Fraction) -> Amount:
    """Read the divergence of an order off the chord above it."""
    for left, right in pairwise(hull):
        if order <= right[0]:
            return (left[1] + _slope(left, right) * (order - left[0])) / (order - 1)
    return math.inf
