"""Losses that are known by several others: the worst of them, or the least."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss, at_least_zero, bases_of, pair_of_curve, probability
from privet.accounting.numerics.convert import Amount, Point
from privet.accounting.pairs.pair import Pair
from privet.errors import InvalidError

if TYPE_CHECKING:
    from attrs import Attribute


def _some(instance: object, attribute: "Attribute[Any]", value: tuple[Loss, ...]) -> None:
    if not value:
        raise InvalidError(f"{type(instance).__name__}.{attribute.name} must hold one loss or more, got none.")


@final
@frozen(order=False)
class WorstLoss(Loss):
    """The loss of one of several, nobody knows which: every answer is the largest.

    Args:
        options: The losses, one or more.

    Guarantee: in every form the largest of the answers.
    Proof: docs/accounting/losses/alternatives.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> WorstLoss.of([PureLoss(1), PureLoss(2)]).epsilon()
    Fraction(2, 1)
    """

    options: tuple[Loss, ...] = field(converter=bases_of, validator=_some)

    @staticmethod
    def of(options: Iterable[Loss]) -> Loss:
        """Merge equal losses; one alone stands for itself."""
        different = tuple(dict.fromkeys(options))
        return different[0] if len(different) == 1 else WorstLoss(different)

    def pure(self) -> Point:
        """The largest epsilon outside the likeliest event."""
        return _worst(option.pure() for option in self.options)

    def concentrated(self) -> Point:
        """The largest rho outside the likeliest event."""
        return _worst(option.concentrated() for option in self.options)

    def delta(self, epsilon: Any) -> Fraction:
        """The largest."""
        wanted = at_least_zero("epsilon", epsilon)
        return max(option.delta(wanted) for option in self.options)

    def epsilon(self, delta: Any = 0) -> Amount:
        """The largest."""
        allowed = probability("delta", delta)
        return max(option.epsilon(allowed) for option in self.options)

    def renyi(self, order: Any) -> Amount:
        """The largest."""
        return max(option.renyi(order) for option in self.options)

    def gaussian(self) -> Amount:
        """The largest."""
        return max(option.gaussian() for option in self.options)

    def curve(self, near: Fraction) -> Callable[[Fraction], Fraction]:
        """The largest of their curves."""
        curves = [option.curve(near) for option in self.options]
        return lambda epsilon: max(curve(epsilon) for curve in curves)

    @property
    def by_curve(self) -> bool:
        """Only the largest curve is known."""
        return True

    def pair(self) -> Pair:
        """That of the curve."""
        return pair_of_curve(self)

    def assumptions(self) -> tuple[str, ...]:
        """Those of all, each once."""
        return tuple(dict.fromkeys(line for option in self.options for line in option.assumptions()))


@final
@frozen(order=False)
class LeastLoss(Loss):
    """A loss that several others bound: every answer is the smallest.

    Args:
        bounds: The losses, one or more.

    Guarantee: in every form the smallest of the answers.
    Proof: docs/accounting/losses/alternatives.md.

    >>> from privet.accounting.losses.concentrated import ConcentratedLoss
    >>> from privet.accounting.losses.pure import PureLoss
    >>> loss = LeastLoss.of([PureLoss(2), ConcentratedLoss(0.1)])
    >>> loss.epsilon(), loss.rho()
    (Fraction(2, 1), Fraction(1, 10))
    """

    bounds: tuple[Loss, ...] = field(converter=bases_of, validator=_some)

    @staticmethod
    def of(bounds: Iterable[Loss]) -> Loss:
        """Merge equal losses; one alone stands for itself."""
        different = tuple(dict.fromkeys(bounds))
        return different[0] if len(different) == 1 else LeastLoss(different)

    def pure(self) -> Point:
        """The least epsilon of those with the least delta."""
        return _least(bound.pure() for bound in self.bounds)

    def concentrated(self) -> Point:
        """The least rho of those with the least delta."""
        return _least(bound.concentrated() for bound in self.bounds)

    def delta(self, epsilon: Any) -> Fraction:
        """The smallest."""
        wanted = at_least_zero("epsilon", epsilon)
        return min(bound.delta(wanted) for bound in self.bounds)

    def epsilon(self, delta: Any = 0) -> Amount:
        """The smallest."""
        allowed = probability("delta", delta)
        return min(bound.epsilon(allowed) for bound in self.bounds)

    def renyi(self, order: Any) -> Amount:
        """The smallest."""
        return min(bound.renyi(order) for bound in self.bounds)

    def gaussian(self) -> Amount:
        """The smallest."""
        return min(bound.gaussian() for bound in self.bounds)

    def curve(self, near: Fraction) -> Callable[[Fraction], Fraction]:
        """The smallest of their curves."""
        curves = [bound.curve(near) for bound in self.bounds]
        return lambda epsilon: min(curve(epsilon) for curve in curves)

    @property
    def by_curve(self) -> bool:
        """Only the smallest curve is known."""
        return True

    def pair(self) -> Pair:
        """That of the curve."""
        return pair_of_curve(self)

    def assumptions(self) -> tuple[str, ...]:
        """Those of all, each once."""
        return tuple(dict.fromkeys(line for bound in self.bounds for line in bound.assumptions()))


def _worst(points: Iterable[Point]) -> Point:
    """Take each coordinate at its largest; an infinite cost needs no event."""
    seen = list(points)
    cost = max(point.cost for point in seen)
    return Point(cost, Fraction(0) if cost == math.inf else max(point.delta for point in seen))


def _least(points: Iterable[Point]) -> Point:
    return min(points, key=lambda point: (point.cost == math.inf, point.delta, point.cost))
