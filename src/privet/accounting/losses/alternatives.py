"""Losses that are known by others: one that bounds them, the worst of several, or the least."""

import math
from abc import abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, TypeVar, final

from attrs import field, frozen

from privet.accounting.composition.composable import Curve
from privet.accounting.losses.loss import CurveLoss, Loss, additive, merged_assumptions
from privet.accounting.numerics import Amount, Point
from privet.core import few_items, must_be

Number = TypeVar("Number", Fraction, Amount)


class ReducedLoss(CurveLoss):
    """A loss that is at most that of its base. A subclass overrides the answers that it knows to be smaller."""

    @property
    @abstractmethod
    def base(self) -> Loss:
        """The loss that bounds this one."""

    def pure(self) -> Point:
        """That of the base."""
        return self.base.pure()

    def concentrated(self) -> Point:
        """That of the base."""
        return self.base.concentrated()

    def _renyi(self, order: Fraction) -> Amount:
        """That of the base."""
        return self.base.renyi(order)

    def _renyi_point(self, order: Fraction) -> Point:
        """Its own divergence, or that of the base outside an event."""
        cost = self._renyi(order)
        return Point(cost, Fraction(0)) if cost != math.inf else self.base.renyi_point(order)

    def gaussian(self) -> Amount:
        """That of the base."""
        return self.base.gaussian()

    def _delta(self, epsilon: Fraction) -> Fraction:
        """That of the base."""
        return self.base.delta(epsilon)

    def _epsilon(self, delta: Fraction) -> Amount:
        """That of the base."""
        return self.base.epsilon(delta)

    def curve(self, near: Fraction) -> Curve:
        """That of the base."""
        return self.base.curve(near)

    def assumptions(self) -> tuple[str, ...]:
        """Those of the base."""
        return self.base.assumptions()


def _read(losses: Iterable[Any]) -> tuple[Loss, ...]:
    return tuple(additive(loss) for loss in losses)


@frozen(order=False)
class Alternatives(CurveLoss):
    """A loss known by several others: every answer is the same extreme of theirs."""

    losses: tuple[Loss, ...] = field(converter=_read, validator=must_be(bool, "one loss or more"), repr=few_items)
    by_curve = True  # only the extreme of the curves is known

    @classmethod
    def of(cls, losses: Iterable[Loss]) -> Loss:
        """Merge equal losses; one alone stands for itself."""
        different = tuple(dict.fromkeys(losses))
        return different[0] if len(different) == 1 else cls(different)

    @abstractmethod
    def _extreme(self, answers: Iterable[Number]) -> Number:
        """Choose one of their answers."""

    @abstractmethod
    def _point(self, points: list[Point]) -> Point:
        """Choose a point that may be added to others."""

    def pure(self) -> Point:
        """The extreme of their points."""
        return self._point([loss.pure() for loss in self.losses])

    def concentrated(self) -> Point:
        """The extreme of their points."""
        return self._point([loss.concentrated() for loss in self.losses])

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The extreme of their deltas."""
        return self._extreme(loss.delta(epsilon) for loss in self.losses)

    def _epsilon(self, delta: Fraction) -> Amount:
        """The extreme of their epsilons."""
        return self._extreme(loss.epsilon(delta) for loss in self.losses)

    def _renyi(self, order: Fraction) -> Amount:
        """The extreme of their divergences."""
        return self._extreme(loss.renyi(order) for loss in self.losses)

    def gaussian(self) -> Amount:
        """The extreme of their squares of mu."""
        return self._extreme(loss.gaussian() for loss in self.losses)

    def curve(self, near: Fraction) -> Curve:
        """The extreme of their curves."""
        curves = [loss.curve(near) for loss in self.losses]
        return lambda epsilon: self._extreme(curve(epsilon) for curve in curves)

    def assumptions(self) -> tuple[str, ...]:
        """Those of all, each once."""
        return merged_assumptions(self.losses)


@final
@frozen(order=False)
class WorstLoss(Alternatives):
    """The loss of one of several, nobody knows which: every answer is the largest.

    Args:
        losses: One or more.

    Guarantee: in every form the largest of the answers.
    Proof: docs/accounting/losses/alternatives.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> WorstLoss.of([PureLoss(1), PureLoss(2)]).epsilon()
    Fraction(2, 1)
    """

    def _extreme(self, answers: Iterable[Number]) -> Number:
        return max(answers)

    def _point(self, points: list[Point]) -> Point:
        """Take each coordinate at its largest; an infinite cost needs no event."""
        cost = max(point.cost for point in points)
        return Point(cost, Fraction(0) if cost == math.inf else max(point.delta for point in points))


@final
@frozen(order=False)
class LeastLoss(Alternatives):
    """A loss that several others bound: every answer is the smallest.

    Args:
        losses: One or more.

    Guarantee: in every form the smallest of the answers.
    Proof: docs/accounting/losses/alternatives.md.

    >>> from privet.accounting.losses.concentrated import ConcentratedLoss
    >>> from privet.accounting.losses.pure import PureLoss
    >>> loss = LeastLoss.of([PureLoss(2), ConcentratedLoss(0.1)])
    >>> loss.epsilon(), loss.rho()
    (Fraction(2, 1), Fraction(1, 10))
    """

    def _extreme(self, answers: Iterable[Number]) -> Number:
        return min(answers)

    def _point(self, points: list[Point]) -> Point:
        """Take the least cost among the points with the least delta."""
        return min(points, key=lambda point: (point.cost == math.inf, point.delta, point.cost))
