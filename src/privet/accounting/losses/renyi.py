"""Rényi differential privacy: a bound of the divergence at finitely many orders."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss, additive
from privet.accounting.numerics import Amount, Point, curve_delta, curve_epsilon, lower_hull, orders, read_pairs
from privet.core import few_items, read_number, require, require_type

Corner = tuple[Fraction, Fraction]

_NEAREST = Fraction(1, 2**60)
_SPARSE = Fraction(17, 16)  # orders further apart than the grid's own are filled in


def read_points(value: Any) -> tuple[Corner, ...]:
    """Read pairs (order, cost) and put them in order; the smaller of two costs at one order counts."""
    label, rule = "RenyiLoss.points", "pairs (order, cost), at least one"
    require_type(isinstance(value, list | tuple) and len(value) > 0, label, rule, value)
    best: dict[Fraction, Fraction] = {}
    for pair in read_pairs(label, rule, value):
        order, cost = (read_number(label, part) for part in pair)
        require(order > 1 and cost >= 0, label, "orders above one with costs of zero or more", (order, cost))
        require(_NEAREST <= order - 1 <= 1 / _NEAREST, label, "of orders between 1 + 2**-60 and 1 + 2**60", order)
        best[order] = min(cost, best.get(order, cost))
    return tuple(sorted(best.items()))


def _known(value: Any) -> Loss | None:
    require_type(value is None or isinstance(value, Loss), "RenyiLoss.known", "a loss or None", value)
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

    points: tuple[Corner, ...] = field(converter=read_points, repr=few_items)
    known: Loss | None = field(default=None, converter=_known)
    tight = False  # the pair of the other bound may break a divergence

    def pure(self) -> Point:
        """That of the other bound; nothing where a divergence is zero."""
        return self._point(self.known.pure() if self.known else None)

    def concentrated(self) -> Point:
        """That of the other bound; nothing where a divergence is zero."""
        return self._point(self.known.concentrated() if self.known else None)

    def _renyi(self, order: Fraction) -> Amount:
        """The lower hull of the stated points; infinite above the largest order."""
        return min(_between(self._hull(), order), self.known.renyi(order) if self.known else math.inf)

    def _renyi_point(self, order: Fraction) -> Point:
        """The divergence, or above the largest order what the other bound says outside an event."""
        cost = self._renyi(order)
        return Point(cost, Fraction(0)) if cost != math.inf or not self.known else self.known.renyi_point(order)

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The best order, certified."""
        bound = curve_delta(self._searched(), epsilon)
        return min(bound, self.known.delta(epsilon)) if self.known else bound

    def _epsilon(self, delta: Fraction) -> Amount:
        """The best order, certified."""
        bound = curve_epsilon(self._searched(), delta)
        return min(bound, self.known.epsilon(delta)) if self.known else bound

    def gaussian(self) -> Amount:
        """That of the other bound; nothing where a divergence is zero."""
        if self.pure().cost == 0:
            return Fraction(0)
        return self.known.gaussian() if self.known else math.inf

    def assumptions(self) -> tuple[str, ...]:
        """Those of the other bound."""
        return self.known.assumptions() if self.known else ()

    def _point(self, other: Point | None) -> Point:
        if any(cost == 0 for _, cost in self.points):
            return Point(Fraction(0), Fraction(0))  # equal distributions
        return Point(math.inf, Fraction(0)) if other is None else other

    def _hull(self) -> list[Corner]:
        """Give the lower convex hull of (order, (order - 1) cost), which starts at (1, 0)."""
        return lower_hull([(Fraction(1), Fraction(0)), *((order, (order - 1) * cost) for order, cost in self.points)])

    def _searched(self) -> tuple[Corner, ...]:
        """Give the stated orders, and those of the grid where the stated ones lie far apart."""
        hull = self._hull()
        corners: list[Corner] = []
        for (left, _), (right, _) in pairwise(hull):
            corners.append((right, Fraction(_between(hull, right))))
            if left > 1 and (right - 1) > (left - 1) * _SPARSE:
                corners.extend(
                    (order, Fraction(_between(hull, order)))
                    for order in [order for order in orders() if left < order < right]
                )
        return tuple(sorted(corners))


def _between(hull: list[Corner], order: Fraction) -> Amount:
    """Read the divergence of an order off the chord above it."""
    for (left, low), (right, high) in pairwise(hull):
        if order <= right:
            return (low + (high - low) / (right - left) * (order - left)) / (order - 1)
    return math.inf
