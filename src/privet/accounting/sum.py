"""Composition: the loss of several releases together."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, final

from attrs import frozen

from privet.accounting.convert import (
    Amount,
    Point,
    concentrated_delta,
    concentrated_epsilon,
)
from privet.accounting.loss import Loss, at_least_zero, probability


@final
@frozen(order=False)
class SumLoss(Loss):
    """The loss of several releases together: parts fixed in advance, queries possibly adaptive.

    Args:
        terms: Pairs (loss, how often).
    """

    terms: tuple[tuple[Loss, int], ...]

    @staticmethod
    def of(terms: tuple[tuple[Loss, int], ...]) -> Loss:
        """Merge equal parts; one part that occurs once stands for itself."""
        counts: dict[Loss, int] = {}
        for part, often in terms:
            counts[part] = counts.get(part, 0) + often
        kept = tuple((part, often) for part, often in counts.items() if often)
        return kept[0][0] if len(kept) == 1 and kept[0][1] == 1 else SumLoss(kept)

    def pure(self) -> Point:
        """Basic composition: both coordinates add up."""
        return Point.total((part.pure(), often) for part, often in self.terms)

    def concentrated(self) -> Point:
        """Concentrated composition: both coordinates add up."""
        return Point.total((part.concentrated(), often) for part, often in self.terms)

    def delta(self, epsilon: Any) -> Fraction:
        """Take the larger parts by plain addition and the rest together, split where it is best."""
        wanted = at_least_zero("epsilon", epsilon)
        best = super().delta(wanted)
        for spent, rest in self._splits():
            if spent <= wanted:
                best = min(best, concentrated_delta(rest, wanted - spent))
        return best

    def epsilon(self, delta: Any = 0) -> Amount:
        """Take the larger parts by plain addition and the rest together, split where it is best."""
        allowed = probability("delta", delta)
        best = super().epsilon(allowed)
        for spent, rest in self._splits():
            together = concentrated_epsilon(rest, allowed)
            if isinstance(together, Fraction):
                best = min(best, spent + together)
        return best

    def _splits(self) -> Iterator[tuple[Fraction, Point]]:
        """Give (epsilon of the larger parts, concentrated point of the rest with every delta), a few ways.

        Adding epsilon is better for a few large parts, adding rho for many small ones.
        """
        known = [(part, often, part.pure(), part.concentrated()) for part, often in self.terms]
        costs = sorted({Fraction(pure.cost) for _, _, pure, _ in known if pure.cost != math.inf}, reverse=True)
        for limit in costs[:: max(len(costs) // 8, 1)]:
            plain = [(pure, often) for _, often, pure, _ in known if limit <= pure.cost < math.inf]
            together = [(rho, often) for _, often, pure, rho in known if not limit <= pure.cost < math.inf]
            added, rest = Point.total(plain), Point.total(together)
            yield Fraction(added.cost), Point(rest.cost, min(rest.delta + added.delta, Fraction(1)))

    def renyi(self, order: Any) -> Amount:
        """Rényi divergences of one order add up."""
        return Point.total((Point(part.renyi(order), Fraction(0)), often) for part, often in self.terms).cost

    def parts(self) -> tuple[tuple[Loss, int], ...]:
        """The terms."""
        return self.terms
