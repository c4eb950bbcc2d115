"""Composition: the loss of several releases together."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.explain import Route
from privet.accounting.losses.loss import Loss, at_least_zero, pair_of_curve, probability
from privet.accounting.numerics.convert import (
    Amount,
    Point,
    concentrated_delta,
    concentrated_epsilon,
    pure_delta,
    pure_epsilon,
)
from privet.accounting.numerics.renyi_convert import curve_delta, curve_epsilon, orders
from privet.accounting.pairs.pair import Pair
from privet.core.checks import read_whole
from privet.errors import InvalidError, WrongTypeError

_EVERY = 6  # of the usual orders, so many are skipped between two that are tried in a sum


@final
@frozen(order=False)
class SumLoss(Loss):
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

    terms: tuple[tuple[Loss, int], ...] = field()

    @terms.validator
    def _check(self, _: Any, terms: Any) -> None:
        if _plainly_right(terms):
            return
        for term in terms if isinstance(terms, tuple) else (terms,):
            if not (isinstance(term, tuple) and len(term) == 2 and isinstance(term[0], Loss)):
                raise WrongTypeError("SumLoss.terms must be a tuple of pairs (loss, how often); add losses with +.")
            if read_whole("SumLoss.terms", term[1]) < 0:
                raise InvalidError(f"SumLoss.terms must count zero times or more, got {term[1]}.")

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

    def renyi(self, order: Any) -> Amount:
        """Rényi divergences of one order add up."""
        return Point.total((Point(part.renyi(order), Fraction(0)), often) for part, often in self.terms).cost

    def delta(self, epsilon: Any) -> Fraction:
        """The smallest of what the ways give."""
        wanted = at_least_zero("epsilon", epsilon)
        return self.curve(wanted)(wanted)

    def curve(self, near: Fraction) -> Callable[[Fraction], Fraction]:
        """Compose once, sharply near an epsilon."""
        grouped = self._regrouped()
        sharp: Callable[[Fraction], Fraction] | None = None
        if grouped is not self:
            sharp = grouped.curve(near)
        elif self._worth_composing():
            sharp = _composed_curve(self, near)

        def bound(epsilon: Fraction) -> Fraction:
            best = self._simple_delta(epsilon)
            return best if sharp is None or best == 0 else min(best, sharp(epsilon))

        return bound

    def epsilon(self, delta: Any = 0) -> Amount:
        """The smallest of what the ways give."""
        return min((route.epsilon for route in self.routes(probability("delta", delta))), default=Fraction(0))

    def routes(self, delta: Fraction) -> list[Route]:
        """Plain addition, concentrated, a split of both, Rényi, and composed distributions."""
        if not self.terms:
            return [Route("nothing", Fraction(0), "nothing was released")]
        found = [
            Route("addition", pure_epsilon(self.pure(), delta), "basic composition (Dwork and Roth 2014, 3.16)"),
            Route("concentrated", concentrated_epsilon(self.concentrated(), delta), "rho adds up (Bun, Steinke 2016)"),
        ]
        if delta == 0:
            return found[:1]
        if not self._tight():
            split = [
                spent + together
                for spent, rest in self._splits()
                if isinstance(together := concentrated_epsilon(rest, delta), Fraction)
            ]
            found.append(Route("split", min(split, default=math.inf), "large parts added, small ones concentrated"))
        if self._needs_orders():
            found.append(Route("Rényi", curve_epsilon(self._orders(), delta), "divergences of an order add up"))
        grouped = self._regrouped()
        if grouped is not self:
            found.append(Route("group of the sum", grouped.epsilon(delta), "steps are walked once for all parts"))
        elif self._worth_composing():
            found.append(Route("distributions", _composed_epsilon(self, delta), "dominating pairs compose (Zhu 2022)"))
        return found

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """That of one part: whoever sees all of them sees it."""
        return max((part.least_delta(epsilon) for part, _ in self.terms), default=Fraction(0))

    def parts(self) -> tuple[tuple[Loss, int], ...]:
        """The terms."""
        return self.terms

    @property
    def directed(self) -> bool:
        """Tell whether any part is."""
        return any(part.directed for part, _ in self.terms)

    @property
    def by_curve(self) -> bool:
        """A sum has no pair of its own: where sums are added, their parts are."""
        return True

    def pair(self) -> Pair:
        """That of the composed curve."""
        return pair_of_curve(self)

    def undirected(self) -> Loss:
        """Take every part in both directions: one part may see a record added where another sees one removed."""
        return SumLoss.of(tuple((part.undirected(), often) for part, often in self.terms))

    def assumptions(self) -> tuple[str, ...]:
        """Those of the parts, each once."""
        return tuple(dict.fromkeys(line for part, _ in self.terms for line in part.assumptions()))

    def _simple_delta(self, wanted: Fraction) -> Fraction:
        best = min(pure_delta(self.pure(), wanted), concentrated_delta(self.concentrated(), wanted))
        for spent, rest in () if self._tight() else self._splits():
            if spent <= wanted:
                best = min(best, concentrated_delta(rest, wanted - spent))
        return min(best, curve_delta(self._orders(), wanted)) if self._needs_orders() else best

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

    def _tight(self) -> bool:
        """Tell whether composed distributions leave nothing to gain."""
        return all(part.tight for part, _ in self.terms)

    def _worth_composing(self) -> bool:
        return any(not part.by_curve for part, _ in self.terms)

    def _needs_orders(self) -> bool:
        """Tell whether a part says more about Rényi divergences than about anything else."""
        return any(part.by_curve and part.concentrated().cost == math.inf for part, _ in self.terms)

    def _orders(self) -> list[tuple[Fraction, Amount]]:
        return [(order, self.renyi(order)) for order in orders()[::_EVERY]]

    def _regrouped(self) -> Loss:
        """Put groups of steps around the sum of what one step costs."""
        groups = [(part, often) for part, often in self.terms if part.steps() > 1]
        if sum(often for _, often in groups) <= 1:
            return self  # one group is the group of itself
        single = SumLoss.of(tuple((part.single(), often) for part, often in groups))
        together = single.group(max(part.steps() for part, _ in groups))
        return SumLoss.of(((together, 1), *((part, often) for part, often in self.terms if part.steps() == 1)))


def _plainly_right(terms: Any) -> bool:
    """Tell tuples of (loss, how often) without a loop: sums of many parts are built part by part."""
    if type(terms) is not tuple or set(map(type, terms)) != {tuple} or set(map(len, terms)) != {2}:
        return False
    parts, counts = zip(*terms, strict=True)
    if set(map(type, counts)) != {int} or min(counts) < 0:
        return False
    return all(issubclass(kind, Loss) for kind in set(map(type, parts)))


def _composed_epsilon(loss: Loss, delta: Fraction) -> Amount:
    from privet.accounting.composition.terms import composed_epsilon

    return composed_epsilon(loss, delta)


def _composed_curve(loss: Loss, near: Fraction) -> Callable[[Fraction], Fraction] | None:
    from privet.accounting.composition.terms import composed_curve

    return composed_curve(loss, near)
