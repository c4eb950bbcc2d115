"""Privacy loss: an upper bound on how far apart the output distributions of close inputs can be.

A loss answers in every form. Each loss states two *points*, from which every other answer follows by a proved
conversion (docs/accounting/index.md); a loss with a sharper curve of its own overrides ``delta``.

- a pure point ``(cost, delta)``: (epsilon, delta)-differential privacy with epsilon = cost;
- a concentrated point ``(cost, delta)``: delta-approximate zero-concentrated privacy with rho = cost.

Sums keep their parts. Both points add up under adaptive composition of losses that were fixed in advance. Where a loss
knows more, its dominating pair says so: pairs are composed by Fourier transform (docs/accounting/losses/sum.md).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.accounting.numerics.convert import (
    Amount,
    Point,
    concentrated_delta,
    concentrated_epsilon,
    pure_delta,
    pure_epsilon,
    pure_gaussian,
)
from privet.accounting.numerics.renyi_convert import pure_renyi
from privet.accounting.pairs.pair import Pair, response_pair
from privet.core.checks import read_number, read_whole
from privet.core.exact import exp_down, exp_up, sqrt_up
from privet.errors import InvalidError, WrongTypeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from privet.accounting.losses.explain import Explanation, Route
    from privet.accounting.pairs.distribution import Distribution


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
            raise InvalidError(f"Loss.order must be above one, got {alpha}.")
        pure, rho = self.pure(), self.rho()
        bounded = isinstance(pure.cost, Fraction) and pure.delta == 0
        known = pure_renyi(Fraction(pure.cost), alpha) if bounded else math.inf
        return min(known, rho if rho == math.inf else alpha * rho)

    def gaussian(self) -> Amount:
        """The smallest known mu², where the loss is no larger than that of two normal laws mu deviations apart."""
        point = self.pure()
        return pure_gaussian(Fraction(point.cost)) if point.cost != math.inf and point.delta == 0 else math.inf

    def mu(self) -> Amount:
        """The smallest known mu of Gaussian privacy."""
        squared = self.gaussian()
        return sqrt_up(squared) if isinstance(squared, Fraction) else squared

    def beta(self, alpha: Any) -> Fraction:
        """The trade-off curve: the least error of the second kind of any test with this error of the first kind.

        Whoever tries to tell neighbours apart and is wrong about one with probability ``alpha`` is wrong about the
        other with this probability or more. Rounded down.
        """
        first = probability("alpha", alpha)
        point = self.pure()
        best, low, high, found = Fraction(0), Fraction(0), Fraction(64), Fraction(0)
        for _ in range(4):  # every epsilon gives a valid bound; finer and finer grids look for the best
            curve = self.curve(max(best, Fraction(1, 16)))
            grid = [low + (high - low) * step / 32 for step in range(33)] + [best]
            if point.cost < 600:
                grid.append(Fraction(point.cost))
            values = {epsilon: tested(curve(epsilon), epsilon, first) for epsilon in grid}
            best = max(values, key=lambda epsilon: values[epsilon])
            found = max(found, values[best])
            low, high = max(best - (high - low) / 32, Fraction(0)), best + (high - low) / 32
        return max(found, *(tested(self.delta(epsilon), epsilon, first) for epsilon in (Fraction(0), best)))

    def pair(self) -> Pair:
        """Two laws that are at least as far apart as the releases of any two neighbours.

        Where the loss is ``directed`` the first law is that of the larger data; otherwise both orders are covered.
        """
        point = self.pure()
        if point.cost == math.inf:
            return pair_of_curve(self)
        return response_pair(Fraction(point.cost), point.delta)

    @property
    def by_curve(self) -> bool:
        """Tell whether no pair is known but one made from the curve: such parts of a sum are added up first."""
        return self.pure().cost == math.inf

    @property
    def directed(self) -> bool:
        """Tell whether adding a record and removing one differ."""
        return False

    def undirected(self) -> "Loss":
        """Give a loss that holds in both directions, wherever a record may be added for another that is removed."""
        return _undirected(self) if self.directed else self

    @property
    def tight(self) -> bool:
        """Tell whether neighbours may have the pair itself, as far as this loss says."""
        return not self.by_curve

    def attained(self) -> Pair | None:
        """Give a pair that neighbours may have, as far as this loss says, for bounds from below; or None."""
        return self.pair() if self.tight else None

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Give a lower bound of delta in closed form, for tails too far out for floats; zero where there is none."""
        return Fraction(0)

    def curve(self, near: Fraction) -> Callable[[Fraction], Fraction]:
        """Give a function with upper bounds of delta, sharpest near an epsilon, for many questions."""
        return self.delta

    def interval(self, *, delta: Any = None, epsilon: Any = None) -> tuple[Fraction, Amount]:
        """Give a lower and an upper bound of epsilon at a delta, or of delta at an epsilon.

        The upper bound is what counts. The lower one, of the worst inputs that this loss allows, shows how much of it
        is slack.
        """
        if (delta is None) == (epsilon is None):
            raise WrongTypeError("Loss.interval takes delta=... or epsilon=..., one of them.")
        if delta is not None:
            allowed = probability("delta", delta)
            return _lower_epsilon(self, allowed), self.epsilon(allowed)
        wanted = at_least_zero("epsilon", epsilon)
        return _lower_delta(self, wanted), self.delta(wanted)

    def routes(self, delta: Fraction) -> "list[Route]":
        """Give the ways in which epsilon at a delta can be found."""
        return _routes(self, delta)

    def explain(self, delta: Any = Fraction(1, 10**6)) -> "Explanation":
        """Say which bounds are known at a delta, which one is used, and why."""
        return _explanation(self, probability("delta", delta))

    def distribution(self, step: Any = Fraction(1, 1000), tail: Any = Fraction(1, 10**12)) -> "Distribution":
        """Give the loss distribution on a grid, every mass rounded up; what is in the tail counts as infinite."""
        return _distribution(self, read_number("Loss.step", step), probability("tail", tail))

    def plot(self, kind: str = "profile", **options: Any) -> "Axes":
        """Draw the privacy profile, the ``tradeoff`` curve or the ``distribution``; needs ``privet[plot]``."""
        return _plot(self, kind, options)

    def added(self) -> "Loss":
        """The loss to use where other releases from the same data count as well."""
        return self

    def steps(self) -> int:
        """How many steps between neighbours this loss walks; one unless it is that of a group."""
        return 1

    def single(self) -> "Loss":
        """The loss of one of those steps."""
        return self

    def assumptions(self) -> tuple[str, ...]:
        """What was asserted rather than proved, such as that the data are a sample; to be printed in reports."""
        return ()

    def sampled_renyi(self, rate: Fraction, order: Fraction) -> Amount:
        """The smallest known Rényi divergence where a record is sampled with this probability."""
        return self.renyi(order)

    def parts(self) -> "tuple[tuple[Loss, int], ...]":
        """The losses that this one is the sum of, with how often each occurs."""
        return ((self, 1),)

    def group(self, size: int) -> "Loss":
        """The loss when ``size`` such steps lie between the inputs, instead of one."""
        steps = read_whole("Loss.group", size)
        if steps < 0:
            raise InvalidError(f"Loss.group must be zero or more, got {steps}.")
        if steps == 0:
            return _sum(())
        return self if steps == 1 else _group(self, steps)

    def amplify(self, sampling: "Sampling") -> "Loss":
        """The loss for the whole data when this loss is for a random sample of it.

        The loss must be that of one step of the relation that the sampling is stated for.
        """
        if not isinstance(sampling, Sampling):
            raise WrongTypeError(f"Loss.amplify takes a sampling such as Poisson(rate), got {type(sampling).__name__}.")
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
            raise InvalidError(f"Loss.times must be zero or more, got {count}.")
        return _sum(tuple((part, often * count) for part, often in self.parts()))

    __rmul__ = __mul__

    def __le__(self, budget: "Budget") -> bool:
        if not isinstance(budget, Budget):
            raise WrongTypeError(
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


def base_of(loss: Any) -> Loss:
    """Give what another loss may be made of: that one may stand in a sum, so it must not build on what holds alone."""
    if not isinstance(loss, Loss):
        raise WrongTypeError(f"a loss is made of losses such as PureLoss(1), got {type(loss).__name__}.")
    return loss.added()


def bases_of(losses: Iterable[Any]) -> tuple[Loss, ...]:
    """The same for each of several."""
    return tuple(base_of(loss) for loss in losses)


def tested(delta: Fraction, epsilon: Fraction, first: Fraction) -> Fraction:
    """Give the least error of the second kind that (epsilon, delta) allows at an error of the first kind."""
    free = 1 - delta
    return max(free - exp_up(epsilon) * first, exp_down(-epsilon) * (free - first), Fraction(0))


def at_least_zero(name: str, value: Any) -> Fraction:
    """Read an epsilon."""
    amount = read_number(f"Loss.{name}", value)
    if amount < 0:
        raise InvalidError(f"Loss.{name} must be zero or more, got {amount}.")
    return amount


def probability(name: str, value: Any) -> Fraction:
    """Read a delta."""
    amount = read_number(f"Loss.{name}", value)
    if not 0 <= amount <= 1:
        raise InvalidError(f"Loss.{name} must be between zero and one, got {amount}.")
    return amount


# What follows lives in modules that build on this one.


def _sum(terms: tuple[tuple[Loss, int], ...]) -> Loss:
    from privet.accounting.losses.sum import SumLoss

    return SumLoss.of(terms)


def _group(loss: Loss, size: int) -> Loss:
    from privet.accounting.losses.group import GroupLoss

    return GroupLoss(loss, size)


def _undirected(loss: Loss) -> Loss:
    from privet.accounting.sampling.sampling import UndirectedLoss

    return UndirectedLoss(loss)


def pair_of_curve(loss: Loss) -> Pair:
    """Give the pair that is made from a loss's curve."""
    from privet.accounting.losses.curve_pair import cached_pair

    return cached_pair(loss)


def _lower_epsilon(loss: Loss, delta: Fraction) -> Fraction:
    from privet.accounting.composition.terms import lower_epsilon

    return lower_epsilon(loss, delta)


def _lower_delta(loss: Loss, epsilon: Fraction) -> Fraction:
    from privet.accounting.composition.terms import lower_delta

    return lower_delta(loss, epsilon)


def _routes(loss: Loss, delta: Fraction) -> "list[Route]":
    from privet.accounting.losses.explain import single_routes

    return single_routes(loss, delta)


def _explanation(loss: Loss, delta: Fraction) -> "Explanation":
    from privet.accounting.losses.explain import explanation

    return explanation(loss, delta)


def _distribution(loss: Loss, step: Fraction, tail: Fraction) -> "Distribution":
    from privet.accounting.composition.terms import distribution_of

    return distribution_of(loss, step, tail)


def _plot(loss: Loss, kind: str, options: dict[str, Any]) -> "Axes":
    from privet.accounting.planning.plot import plot

    return plot(loss, kind, **options)
