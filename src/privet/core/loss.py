"""Privacy loss: an upper bound on how far apart the output distributions of close inputs can be.

A loss answers in every form. Each loss states two *points*, from which every other answer follows by a proved
conversion (docs/accounting/index.md); a loss with a sharper curve of its own overrides ``delta``.

- a pure point ``(cost, delta)``: (epsilon, delta)-differential privacy with epsilon = cost;
- a concentrated point ``(cost, delta)``: delta-approximate zero-concentrated privacy with rho = cost.

Sums keep their parts. Both points add up under adaptive composition of losses that were fixed in advance.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.core.checks import number, read_number, read_whole, readable, short
from privet.core.convert import (
    Amount,
    Point,
    amplified,
    before_sampling,
    concentrated_delta,
    concentrated_epsilon,
    pure_delta,
    pure_epsilon,
    smallest,
    walked,
)
from privet.errors import Invalid, WrongType


class Loss(ABC):
    """What a release costs. All answers are rounded toward more loss."""

    @abstractmethod
    def pure(self) -> Point:
        """The cheapest (epsilon, delta) point that may be added to others."""

    @abstractmethod
    def concentrated(self) -> Point:
        """The cheapest (rho, delta) point that may be added to others."""

    def delta(self, epsilon: Any) -> Fraction:
        """The smallest known delta such that (epsilon, delta) bounds this loss, for epsilon of zero or more."""
        wanted = _at_least_zero("epsilon", epsilon)
        return min(pure_delta(self.pure(), wanted), concentrated_delta(self.concentrated(), wanted))

    def epsilon(self, delta: Any = 0) -> Amount:
        """The smallest known epsilon such that (epsilon, delta) bounds this loss; infinite where there is none."""
        allowed = _probability("delta", delta)
        return min(pure_epsilon(self.pure(), allowed), concentrated_epsilon(self.concentrated(), allowed))

    def rho(self) -> Amount:
        """The smallest known rho of zero-concentrated privacy."""
        point = self.concentrated()
        return point.cost if point.delta == 0 else math.inf

    def renyi(self, order: Any) -> Amount:
        """The smallest known bound of the Rényi divergence of an order above one."""
        alpha = read_number("Loss.order", order)
        if alpha <= 1:
            raise Invalid(f"Loss.order must be above one, got {alpha}.")
        pure, rho = self.pure(), self.rho()
        return min(pure.cost if pure.delta == 0 else math.inf, rho if rho == math.inf else alpha * rho)

    def parts(self) -> "tuple[tuple[Loss, int], ...]":
        """The losses that this one is the sum of, with how often each occurs."""
        return ((self, 1),)

    def group(self, size: int) -> "Loss":
        """The loss when ``size`` such steps lie between the inputs, instead of one."""
        steps = read_whole("Loss.group", size)
        if steps < 0:
            raise Invalid(f"Loss.group must be zero or more, got {steps}.")
        if steps == 0:
            return SumLoss(())
        return self if steps == 1 else GroupLoss(self, steps)

    def amplify(self, sampling: "Poisson") -> "Loss":
        """The loss for the whole data when this loss is for a random sample of it.

        The loss must be that of one step of the relation that the sampling is stated for.
        """
        if not isinstance(sampling, Poisson):
            raise WrongType(f"Loss.amplify takes Poisson(rate), got {type(sampling).__name__}.")
        return self if sampling.rate == 1 else AmplifiedLoss(self, sampling.rate)

    def __add__(self, other: Any) -> "Loss":
        if isinstance(other, Loss):
            return SumLoss.of(self.parts() + other.parts())
        return NotImplemented

    def __radd__(self, other: Any) -> "Loss":
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __mul__(self, times: Any) -> "Loss":
        count = read_whole("Loss.times", times)
        if count < 0:
            raise Invalid(f"Loss.times must be zero or more, got {count}.")
        return SumLoss.of(tuple((part, often * count) for part, often in self.parts()))

    __rmul__ = __mul__

    def __le__(self, budget: "Budget") -> bool:
        if not isinstance(budget, Budget):
            raise WrongType(
                f"a loss is compared with a budget only, got {type(budget).__name__}: losses have no order."
            )
        return budget.covers(self)


class Budget(ABC):
    """What may be lost in all, in one form that is fixed in advance."""

    @abstractmethod
    def covers(self, loss: Loss) -> bool:
        """Tell whether a loss fits."""


@final
@frozen
class Poisson:
    """Each record is kept with the same probability, independently: add/remove neighbours.

    Args:
        rate: The probability, above zero and at most one.
    """

    rate: Fraction = field(converter=number, validator=readable, repr=short)

    @rate.validator
    def _check(self, _: Any, value: Fraction) -> None:
        if not 0 < value <= 1:
            raise Invalid(f"Poisson.rate must be above zero and at most one, got {value}.")


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
        wanted = _at_least_zero("epsilon", epsilon)
        best = super().delta(wanted)
        for spent, rest in self._splits():
            if spent <= wanted:
                best = min(best, concentrated_delta(rest, wanted - spent))
        return best

    def epsilon(self, delta: Any = 0) -> Amount:
        """Take the larger parts by plain addition and the rest together, split where it is best."""
        allowed = _probability("delta", delta)
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


@final
@frozen(order=False)
class GroupLoss(Loss):
    """A loss between inputs that are several steps apart.

    Args:
        base: The loss of one step.
        size: How many steps, two or more.
    """

    base: Loss
    size: int

    def pure(self) -> Point:
        """Epsilon times the size; delta as each step adds its own, inflated by those before it."""
        point = self.base.pure()
        if point.cost == math.inf:
            return point
        return Point(point.cost * self.size, walked(point.delta, Fraction(point.cost), self.size))

    def concentrated(self) -> Point:
        """Rho times the square of the size, where there is no delta."""
        point = self.base.concentrated()
        return Point(point.cost * self.size**2, Fraction(0)) if point.delta == 0 else Point(math.inf, Fraction(0))

    def delta(self, epsilon: Any) -> Fraction:
        """Walk the steps along the base's own curve, or answer from the points, whichever is smaller."""
        wanted = _at_least_zero("epsilon", epsilon)

        def at(total: Fraction) -> Fraction:
            per_step = total / self.size
            return walked(self.base.delta(per_step), per_step, self.size)

        # A smaller total may have a smaller delta, as each step inflates those before it, and bounds this one too.
        best, low, high = at(wanted), Fraction(0), wanted
        for _ in range(12):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            at_left, at_right = at(left), at(right)
            best = min(best, at_left, at_right)
            low, high = (low, right) if at_left <= at_right else (left, high)
        return min(best, super().delta(wanted))

    def epsilon(self, delta: Any = 0) -> Amount:
        """Search the curve for what the points do not answer better."""
        allowed = _probability("delta", delta)
        direct = super().epsilon(allowed)
        return direct if allowed == 0 else min(direct, smallest(self.delta, allowed, start=direct))


@final
@frozen(order=False)
class AmplifiedLoss(Loss):
    """A loss on a random sample, seen from the whole data.

    With probability 1 - rate the step between the inputs is not sampled, so the two output distributions are mixtures
    that share the part without it: delta'(ln(1 + rate (e^epsilon - 1))) = rate delta(epsilon).

    Args:
        base: The loss of one step on the sample.
        rate: The probability that a record is sampled.
    """

    base: Loss
    rate: Fraction

    def pure(self) -> Point:
        """Shrink both coordinates."""
        point = self.base.pure()
        if point.cost == math.inf:
            return point
        return Point(amplified(Fraction(point.cost), self.rate), point.delta * self.rate)

    def concentrated(self) -> Point:
        """Mixing with the same distribution never raises a divergence; sharper curves need the mechanism itself."""
        shrunk = self.pure()
        own = self.base.concentrated()
        if shrunk.cost == math.inf or shrunk.delta > own.delta:
            return own
        return Point(min(own.cost, Fraction(shrunk.cost) ** 2 / 2), own.delta)

    def delta(self, epsilon: Any) -> Fraction:
        """Follow the base's curve."""
        wanted = _at_least_zero("epsilon", epsilon)
        inner = before_sampling(wanted, self.rate)
        return min(self.rate * self.base.delta(inner), super().delta(wanted))

    def epsilon(self, delta: Any = 0) -> Amount:
        """Follow the base's curve backwards."""
        allowed = _probability("delta", delta)
        inner = self.base.epsilon(min(allowed / self.rate, Fraction(1)))
        along = inner if inner == math.inf else amplified(Fraction(inner), self.rate)
        return min(along, super().epsilon(allowed))


def _at_least_zero(name: str, value: Any) -> Fraction:
    amount = read_number(f"Loss.{name}", value)
    if amount < 0:
        raise Invalid(f"Loss.{name} must be zero or more, got {amount}.")
    return amount


def _probability(name: str, value: Any) -> Fraction:
    amount = read_number(f"Loss.{name}", value)
    if not 0 <= amount <= 1:
        raise Invalid(f"Loss.{name} must be between zero and one, got {amount}.")
    return amount
