"""Losses that are at most that of a base: every answer of the base holds for them too."""

from abc import abstractmethod
from fractions import Fraction

from privet.accounting.composition.composable import Curve
from privet.accounting.losses.loss import CurveLoss, Loss
from privet.accounting.numerics import Amount, Point


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

    def renyi(self, order: object) -> Amount:
        """That of the base."""
        return self.base.renyi(order)

    def gaussian(self) -> Amount:
        """That of the base."""
        return self.base.gaussian()

    def delta(self, epsilon: object) -> Fraction:
        """That of the base."""
        return self.base.delta(epsilon)

    def epsilon(self, delta: object = 0) -> Amount:
        """That of the base."""
        return self.base.epsilon(delta)

    def curve(self, near: Fraction) -> Curve:
        """That of the base."""
        return self.base.curve(near)

    def assumptions(self) -> tuple[str, ...]:
        """Those of the base."""
        return self.base.assumptions()
