"""Privacy loss: an upper bound on how far apart the output distributions of close inputs can be.

A loss answers in every form, and losses combine: ``+`` and ``*`` compose them, ``group`` takes several steps between
the inputs, ``amplify`` reads a loss on a sample from the whole data. Sums and groups are losses again, so they are
defined here, with the base; how they are computed is in ``privet.accounting.composition``.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.composition.composable import Curve
from privet.accounting.composition.routes import Route
from privet.accounting.composition.sums import added_delta, added_routes, walked_curve, walked_epsilon
from privet.accounting.composition.terms import composed_curve, composed_epsilon, pair_of_curve
from privet.accounting.losses.answers import Answers
from privet.accounting.numerics import Amount, Point, pure_rho, walked
from privet.accounting.pairs.pair import Pair
from privet.core import count_text, few_items, positive, read_count, require_type, whole
from privet.errors import InvalidError, UnavailableError, WrongTypeError


class Loss(Answers):
    """What a release costs.

    A subclass defines ``pure`` and ``concentrated`` and overrides what it knows better. What each method promises:
    docs/accounting/losses/loss.md.
    """

    def parts(self) -> "tuple[tuple[Loss, int], ...]":
        """The losses that this one is the sum of, with how often each occurs."""
        return ((self, 1),)

    @property
    def group_size(self) -> int:
        """How many steps lie between the inputs; one unless this is the loss of a group."""
        return 1

    def group(self, size: int) -> "Loss":
        """The loss when ``size`` such steps lie between the inputs, instead of one."""
        count = read_count("Loss.group", size)
        if count == 0:
            return SumLoss(())
        return self if count == 1 else GroupLoss(self._single(), self.group_size * count)

    def amplify(self, sampling: "Sampling") -> "Loss":
        """The loss for the whole data when this loss is for a random sample of it.

        The loss must be that of one step of the relation that the sampling is stated for.
        """
        require_type(
            isinstance(sampling, Sampling), "Loss.amplify", "called with a sampling such as Poisson(0.1)", sampling
        )
        return sampling.amplify(self)

    def undirected(self) -> "Loss":
        """Give a loss that holds in both directions: either input may be the larger one."""
        if self.directed:
            raise UnavailableError(
                f"{type(self).__name__} is directed: adding and removing a record cost different losses. Define its "
                "undirected(), for example as UndirectedLoss(self)."
            )
        return self

    def __add__(self, other: Any) -> "Loss":
        return SumLoss.of(self.parts() + other.parts()) if isinstance(other, Loss) else NotImplemented

    def __radd__(self, other: Any) -> "Loss":
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __mul__(self, times: Any) -> "Loss":
        count = read_count("Loss.times", times)
        return SumLoss.of(tuple((part, often * count) for part, often in self.parts()))

    __rmul__ = __mul__

    def __le__(self, budget: "Budget") -> bool:
        if not isinstance(budget, Budget):
            raise WrongTypeError(
                f"a loss is compared with a budget only, got {type(budget).__name__}: losses have no order."
            )
        return budget.covers(self)

    def _single(self) -> "Loss":
        """The loss of one of the steps of a group."""
        return self

    def _additive(self) -> "Loss":
        """The loss to use where other releases from the same data count as well."""
        return self

    def _unpaired(self) -> "Loss | None":
        rest = tuple((part, times) for part, times in self.parts() if part.by_curve)
        return SumLoss.of(rest) if rest else None


class Sampling(ABC):
    """A way to draw a sample, and what it does to a loss."""

    @abstractmethod
    def amplify(self, loss: Loss) -> Loss:
        """Give the loss for the whole data from that of one step on the sample."""


class Budget(ABC):
    """How much loss is allowed in all, in one form that is fixed in advance."""

    @abstractmethod
    def covers(self, loss: Loss) -> bool:
        """Tell whether a loss fits."""


class CurveLoss(Loss):
    """A loss that is known by a curve of its own: its pair is made from the curve and is an upper bound."""

    def pair(self) -> Pair:
        """Make the pair from the curve."""
        return pair_of_curve(self)

    @property
    def by_curve(self) -> bool:
        """The curve is sharper than the points, so its pair is worth composing."""
        return False

    @property
    def tight(self) -> bool:
        """The pair lies a little above the curve."""
        return False


def additive(loss: Any) -> Loss:
    """Give the loss to use in a sum or as the base of another loss, where other releases count as well.

    A loss that holds only alone, such as one amplified by an asserted sample, gives what holds among others.
    """
    if not isinstance(loss, Loss):
        raise WrongTypeError(f"a loss is made of losses such as PureLoss(1), got {type(loss).__name__}.")
    return loss._additive()


@final
@frozen(order=False)
class SumLoss(CurveLoss):
    """The loss of several releases together: parts fixed in advance, queries possibly adaptive.

    Args:
        terms: Pairs (loss, how often).

    Guarantee: the smallest of what plain addition, concentrated and Rényi composition and the composition of loss
        distributions give; each holds by itself.
    Proof: docs/accounting/losses/sum.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> (PureLoss(0.1) * 10).epsilon()
    Fraction(1, 1)
    """

    terms: tuple[tuple[Loss, int], ...] = field(repr=few_items)
    by_curve = True  # a sum has no pair of its own: where sums are added, their parts are

    @terms.validator
    def _check(self, _: object, terms: Any) -> None:
        if _valid_terms(terms):
            return
        for term in terms if isinstance(terms, tuple) else (terms,):
            if not (isinstance(term, tuple) and len(term) == 2 and isinstance(term[0], Loss)):
                raise WrongTypeError("SumLoss.terms must be a tuple of pairs (loss, how often); add losses with +.")
            read_count("a count in SumLoss.terms", term[1])

    @staticmethod
    def of(terms: tuple[tuple[Loss, int], ...]) -> Loss:
        """Merge equal parts; one part that occurs once stands for itself."""
        counts = dict(terms)
        if len(counts) < len(terms):  # a sum of many parts is built part by part: most are not equal
            counts = {}
            for part, often in terms:
                counts[part] = counts.get(part, 0) + often
        kept = tuple(counts.items())
        if 0 in counts.values():
            kept = tuple((part, often) for part, often in kept if often)
        return kept[0][0] if len(kept) == 1 and kept[0][1] == 1 else SumLoss(kept)

    def pure(self) -> Point:
        """Basic composition: both coordinates add up."""
        return Point.total((part.pure(), often) for part, often in self.terms)

    def concentrated(self) -> Point:
        """Concentrated composition: both coordinates add up."""
        return Point.total((part.concentrated(), often) for part, often in self.terms)

    def gaussian(self) -> Amount:
        """Gaussian composition: squares add up."""
        return Point.total((Point(part.gaussian(), Fraction(0)), often) for part, often in self.terms).cost

    def _renyi(self, order: Fraction) -> Amount:
        """Rényi divergences of one order add up."""
        return Point.total((Point(part.renyi(order), Fraction(0)), often) for part, often in self.terms).cost

    def _renyi_point(self, order: Fraction) -> Point:
        """Rényi divergences of one order add up, and so do the events outside which they hold."""
        return Point.total((part.renyi_point(order), often) for part, often in self.terms)

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The smallest delta of any way to compose."""
        return self.curve(epsilon)(epsilon)

    def curve(self, near: Fraction) -> Curve:
        """Compose once, sharply near an epsilon."""
        grouped = self._regrouped()
        sharp = composed_curve(self, near) if grouped is None else grouped.curve(near)

        def bound(epsilon: Fraction) -> Fraction:
            best = added_delta(self, epsilon)
            return best if sharp is None or best == 0 else min(best, sharp(epsilon))

        return bound

    def _epsilon(self, delta: Fraction) -> Amount:
        """The smallest epsilon of any way to compose."""
        return min(route.epsilon for route in self._routes(delta))

    def at(self, outcome: Any) -> Amount:
        """The losses of independent releases add up, outcome by outcome."""
        releases = [part for part, often in self.terms for _ in range(often)]
        rule = f"a list of {count_text(len(releases), 'outcome')}, one for each release"
        require_type(isinstance(outcome, list | tuple) and len(outcome) == len(releases), "SumLoss.at", rule, outcome)
        losses = [part.at(each) for part, each in zip(releases, outcome, strict=True)]
        if math.inf in losses and -math.inf in losses:
            raise InvalidError("SumLoss.at: neither input can give these outcomes together.")
        return sum(losses, Fraction(0))

    def parts(self) -> tuple[tuple[Loss, int], ...]:
        """The terms."""
        return self.terms

    @property
    def directed(self) -> bool:
        """Tell whether any part is."""
        return any(part.directed for part, _ in self.terms)

    def undirected(self) -> Loss:
        """Take every part in both directions: one part may see a record added where another sees one removed."""
        return SumLoss.of(tuple((part.undirected(), often) for part, often in self.terms))

    def assumptions(self) -> tuple[str, ...]:
        """Those of the parts, each once."""
        return merged_assumptions(part for part, _ in self.terms)

    def _routes(self, delta: Fraction) -> list[Route]:
        if not self.terms:
            return [Route("nothing", Fraction(0), "nothing was released")]
        routes = added_routes(self, delta)
        if delta == 0:
            return routes
        grouped = self._regrouped()
        if grouped is not None:
            routes.append(Route("group of the sum", grouped.epsilon(delta), "steps are walked once for all parts"))
        elif any(not part.by_curve for part, _ in self.terms):
            routes.append(Route("distributions", composed_epsilon(self, delta), "dominating pairs compose (Zhu 2022)"))
        return routes

    def _least_delta(self, epsilon: Fraction) -> Fraction:
        """That of one part: whoever sees all of them sees it."""
        return max((part._least_delta(epsilon) for part, _ in self.terms), default=Fraction(0))

    def _regrouped(self) -> Loss | None:
        """Put one group around the sum of what one step costs, where several parts are groups."""
        groups = [(part, often) for part, often in self.terms if part.group_size > 1]
        if sum(often for _, often in groups) <= 1:
            return None  # one group is the group of itself
        steps = max(part.group_size for part, _ in groups)
        together = SumLoss.of(tuple((part._single(), often) for part, often in groups)).group(steps)
        return SumLoss.of(((together, 1), *((part, often) for part, often in self.terms if part.group_size == 1)))


@final
@frozen(order=False)
class GroupLoss(CurveLoss):
    """A loss between inputs that are several steps apart.

    Args:
        base: The loss of one step.
        size: How many steps, two or more.

    Guarantee: epsilon times the size, rho times its square; delta walked along the base's own curve.
    Proof: docs/accounting/losses/group.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> PureLoss(1).group(3).epsilon()
    Fraction(3, 1)
    """

    base: Loss = field(converter=additive)
    size: int = field(converter=whole, validator=positive)
    by_curve = True  # a group has no pair of its own

    def pure(self) -> Point:
        """Epsilon times the size; each step adds its delta, inflated by the steps before it."""
        point = self.base.pure()
        if point.cost == math.inf:
            return point
        return Point(point.cost * self.size, walked(point.delta, Fraction(point.cost), self.size))

    def concentrated(self) -> Point:
        """Rho times the square of the size, or what epsilon times the size implies, where there is no delta."""
        point, pure = self.base.concentrated(), self.base.pure()
        steps = point.cost * self.size**2 if point.delta == 0 else math.inf
        bounded = pure_rho(pure.cost * self.size) if isinstance(pure.cost, Fraction) and pure.delta == 0 else math.inf
        return Point(min(steps, bounded), Fraction(0))

    def gaussian(self) -> Amount:
        """Mu times the size."""
        squared = self.base.gaussian()
        return squared if squared == math.inf else squared * self.size**2

    def _delta(self, epsilon: Fraction) -> Fraction:
        """Walk the steps along the base's own curve, or answer from the points, whichever is smaller."""
        return self.curve(epsilon)(epsilon)

    def curve(self, near: Fraction) -> Curve:
        """Read the base's curve once, sharply near an epsilon."""
        along = walked_curve(self.base.curve(near / self.size), self.size)
        return lambda epsilon: min(along(epsilon), Loss._delta(self, epsilon))

    def _epsilon(self, delta: Fraction) -> Amount:
        """Find the epsilon of one step whose delta, walked, is the one allowed."""
        direct = Loss._epsilon(self, delta)
        if delta in (0, 1):
            return direct
        return walked_epsilon(self.base.epsilon, self.size, delta, direct=direct, curve=self.delta)

    @property
    def group_size(self) -> int:
        """The size."""
        return self.size

    def undirected(self) -> Loss:
        """Take the steps in both directions: in a sum, steps of several groups are put together."""
        return GroupLoss(self.base.undirected(), self.size)

    def assumptions(self) -> tuple[str, ...]:
        """Those of one step."""
        return self.base.assumptions()

    def _single(self) -> Loss:
        return self.base


def merged_assumptions(losses: Iterable[Loss]) -> tuple[str, ...]:
    """Give the assumptions of several losses, each once."""
    return tuple(dict.fromkeys(line for loss in losses for line in loss.assumptions()))


def _valid_terms(terms: Any) -> bool:
    """Check tuples of (loss, how often) without a loop: sums of many parts are built part by part."""
    if type(terms) is not tuple or set(map(type, terms)) != {tuple} or set(map(len, terms)) != {2}:
        return False
    parts, counts = zip(*terms, strict=True)
    if set(map(type, counts)) != {int} or min(counts) < 0:
        return False
    return all(issubclass(kind, Loss) for kind in set(map(type, parts)))
