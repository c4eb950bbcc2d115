"""Privacy loss: an upper bound on how far apart the output distributions of close inputs can be.

A loss answers in every form. Each loss states two *points*, from which every other answer follows by a proved
conversion (docs/accounting/index.md); a loss with a sharper curve of its own overrides ``delta``.

- a pure point ``(cost, delta)``: (epsilon, delta)-differential privacy with epsilon = cost;
- a concentrated point ``(cost, delta)``: delta-approximate zero-concentrated privacy with rho = cost.

Sums keep their parts. Both points add up under adaptive composition of losses that were fixed in advance.
"""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

from privet.accounting.convert import (
    Amount,
    Point,
    concentrated_delta,
    concentrated_epsilon,
    pure_delta,
    pure_epsilon,
)
from privet.core.checks import read_number, read_whole
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
        wanted = at_least_zero("epsilon", epsilon)
        return min(pure_delta(self.pure(), wanted), concentrated_delta(self.concentrated(), wanted))

    def epsilon(self, delta: Any = 0) -> Amount:
        """The smallest known epsilon such that (epsilon, delta) bounds this loss; infinite where there is none."""
        allowed = probability("delta", delta)
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
            return _sum(())
        return self if steps == 1 else _group(self, steps)

    def amplify(self, sampling: "Sampling") -> "Loss":
        """The loss for the whole data when this loss is for a random sample of it.

        The loss must be that of one step of the relation that the sampling is stated for.
        """
        if not isinstance(sampling, Sampling):
            raise WrongType(f"Loss.amplify takes a sampling such as Poisson(rate), got {type(sampling).__name__}.")
        return sampling.amplify(self)

    def __add__(self, other: Any) -> "Loss":
        if isinstance(other, Loss):
            return _sum(self.parts() + other.parts())
        return NotImplemented

    def __radd__(self, other: Any) -> "Loss":
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __mul__(self, times: Any) -> "Loss":
        count = read_whole("Loss.times", times)
        if count < 0:
            raise Invalid(f"Loss.times must be zero or more, got {count}.")
        return _sum(tuple((part, often * count) for part, often in self.parts()))

    __rmul__ = __mul__

    def __le__(self, budget: "Budget") -> bool:
        if not isinstance(budget, Budget):
            raise WrongType(
                f"a loss is compared with a budget only, got {type(budget).__name__}: losses have no order."
            )
        return budget.covers(self)


class Sampling(ABC):
    """A way to draw a sample, and what it does to a loss."""

    @abstractmethod
    def amplify(self, loss: Loss) -> Loss:
        """Give the loss for the whole data from that of one step on the sample."""


class Budget(ABC):
    """What may be lost in all, in one form that is fixed in advance."""

    @abstractmethod
    def covers(self, loss: Loss) -> bool:
        """Tell whether a loss fits."""


def at_least_zero(name: str, value: Any) -> Fraction:
    """Read an epsilon."""
    amount = read_number(f"Loss.{name}", value)
    if amount < 0:
        raise Invalid(f"Loss.{name} must be zero or more, got {amount}.")
    return amount


def probability(name: str, value: Any) -> Fraction:
    """Read a delta."""
    amount = read_number(f"Loss.{name}", value)
    if not 0 <= amount <= 1:
        raise Invalid(f"Loss.{name} must be between zero and one, got {amount}.")
    return amount


def _sum(terms: tuple[tuple[Loss, int], ...]) -> Loss:
    from privet.accounting.sum import SumLoss

    return SumLoss.of(terms)


def _group(loss: Loss, size: int) -> Loss:
    from privet.accounting.group import GroupLoss

    return GroupLoss(loss, size)
