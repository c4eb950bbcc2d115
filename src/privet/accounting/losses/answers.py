"""The answers of a loss: what it says in each form of privacy.

Each loss states two *points*, from which every other answer follows by a proved conversion (docs/accounting/index.md).
A loss with a sharper curve of its own overrides ``delta``.

- A pure point ``(cost, delta)`` is (epsilon, delta)-differential privacy with epsilon = cost.
- A concentrated point ``(cost, delta)`` is delta-approximate zero-concentrated privacy with rho = cost.
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.accounting.composition.composable import Composable, Curve
from privet.accounting.composition.loss_text import describe_points
from privet.accounting.composition.outcomes import Outcomes
from privet.accounting.composition.routes import Route, Routes
from privet.accounting.composition.terms import distribution_of, lower_delta, lower_epsilon, pair_of_curve
from privet.accounting.numerics import (
    USUAL_DELTA,
    Amount,
    Point,
    concentrated_delta,
    concentrated_epsilon,
    curve_epsilon,
    implied_rho,
    orders,
    pure_delta,
    pure_epsilon,
    pure_gaussian,
    pure_renyi,
    read_epsilon,
    read_order,
    read_probability,
    smallest,
)
from privet.accounting.pairs.distribution import Distribution
from privet.accounting.pairs.pair import Pair, response_pair
from privet.accounting.plots.explanation import HALF, Explanation
from privet.accounting.plots.plot import plot
from privet.core import exp_down, exp_up, facts_html, read_number, sqrt_up
from privet.errors import UnavailableError, WrongTypeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Answers(Composable):
    """What a loss answers. Every answer is rounded toward more loss.

    ``delta``, ``epsilon`` and ``renyi`` read their argument; a subclass with better answers overrides ``_delta``,
    ``_epsilon`` and ``_renyi``, which get exact numbers.
    """

    def concentrated(self) -> Point:
        """The rho that the pure point implies, outside the same event."""
        return implied_rho(self.pure())

    def delta(self, epsilon: object) -> Fraction:
        """The smallest known delta such that (epsilon, delta) bounds this loss, for epsilon of zero or more."""
        return self._delta(read_epsilon(epsilon))

    def epsilon(self, delta: object = 0) -> Amount:
        """The smallest known epsilon such that (epsilon, delta) bounds this loss; infinite where there is none."""
        return self._epsilon(read_probability("delta", delta))

    def rho(self) -> Amount:
        """The smallest known rho of zero-concentrated privacy."""
        point = self.concentrated()
        return point.cost if point.delta == 0 else math.inf

    def renyi(self, order: object) -> Amount:
        """The smallest known bound of the Rényi divergence of an order above one."""
        return self._renyi(read_order(order))

    def renyi_point(self, order: object) -> Point:
        """The smallest known bound of the Rényi divergence of an order above one, outside an event; deltas add up."""
        return self._renyi_point(read_order(order))

    def _delta(self, epsilon: Fraction) -> Fraction:
        """What the points say."""
        return min(pure_delta(self.pure(), epsilon), concentrated_delta(self.concentrated(), epsilon))

    def _epsilon(self, delta: Fraction) -> Amount:
        """What the points say."""
        return min(pure_epsilon(self.pure(), delta), concentrated_epsilon(self.concentrated(), delta))

    def _renyi(self, order: Fraction) -> Amount:
        """What the points say."""
        pure, rho = self.pure(), self.rho()
        bounded = isinstance(pure.cost, Fraction) and pure.delta == 0
        known = pure_renyi(Fraction(pure.cost), order) if bounded else math.inf
        return min(known, rho if rho == math.inf else order * rho)

    def _renyi_point(self, order: Fraction) -> Point:
        """The divergence where it is finite; otherwise what the points say outside their events."""
        cost = self._renyi(order)
        if cost != math.inf:
            return Point(cost, Fraction(0))
        pure, concentrated = self.pure(), self.concentrated()
        if isinstance(pure.cost, Fraction) and concentrated == implied_rho(pure):  # one event for all orders
            return Point(pure_renyi(pure.cost, order), pure.delta)
        return Point(order * concentrated.cost, concentrated.delta) if concentrated.cost != math.inf else concentrated

    def gaussian(self) -> Amount:
        """The smallest known mu², where the loss is no larger than that of two normal laws mu deviations apart."""
        point = self.pure()
        return pure_gaussian(Fraction(point.cost)) if point.cost != math.inf and point.delta == 0 else math.inf

    def mu(self) -> Amount:
        """The smallest known mu of Gaussian privacy."""
        squared = self.gaussian()
        return sqrt_up(squared) if isinstance(squared, Fraction) else squared

    def beta(self, alpha: object) -> Fraction:
        """The trade-off curve: the least error of the second kind of any test with this error of the first kind.

        A test tries to decide which of two neighbours is in the data. If it is wrong about one with probability
        ``alpha``, it is wrong about the other with this probability or more. Rounded down.
        """
        first = read_probability("alpha", alpha)
        point = self.pure()
        best, low, high, height = Fraction(0), Fraction(0), Fraction(64), Fraction(0)
        for _ in range(4):  # every epsilon gives a valid bound; finer and finer grids search for the best
            curve = self.curve(max(best, Fraction(1, 16)))
            grid = [low + (high - low) * index / 32 for index in range(33)] + [best]
            if point.cost < 600:
                grid.append(Fraction(point.cost))
            values = {epsilon: _second_error(curve(epsilon), epsilon, first) for epsilon in grid}
            best = max(values, key=lambda epsilon: values[epsilon])
            height = max(height, values[best])
            low, high = max(best - (high - low) / 32, Fraction(0)), best + (high - low) / 32
        return max(height, *(_second_error(self.delta(epsilon), epsilon, first) for epsilon in (Fraction(0), best)))

    def at(self, outcome: Any) -> Amount:
        """The privacy loss at one outcome: the logarithm of how much likelier it is for the data than for a neighbour.

        The neighbour is as far from the data as this loss allows. Losses of a particular noise know it; the value is
        rounded up, and may be negative or infinite.

        Args:
            outcome: For noise, the release minus the exact answer of the data, where the neighbour has the larger
                answer. For randomised response 0, 1 or 2: the data's own answer, the neighbour's, or another one.
                For a sum, a list with one outcome for each release, in the order of ``parts()``.
        """
        raise self._no_outcomes()

    def pair(self) -> Pair:
        """Two laws that are at least as far apart as the releases of any two neighbours.

        Where the loss is ``directed`` the first law is that of the larger data; otherwise both orders are covered.
        """
        point = self.pure()
        return pair_of_curve(self) if point.cost == math.inf else response_pair(Fraction(point.cost), point.delta)

    @property
    def by_curve(self) -> bool:
        """Tell whether the pair says no more than the points do: a sum first adds up such parts."""
        return self.pure().cost == math.inf

    @property
    def directed(self) -> bool:
        """Tell whether adding a record and removing one cost different losses."""
        return False

    @property
    def tight(self) -> bool:
        """Tell whether neighbours may have the pair itself, as far as this loss says."""
        return not self.by_curve

    def curve(self, near: Fraction) -> Curve:
        """Give a function with upper bounds of delta, sharpest near an epsilon, for many evaluations."""
        return self.delta

    def interval(self, *, delta: object = None, epsilon: object = None) -> tuple[Fraction, Amount]:
        """Give a lower and an upper bound of epsilon at a delta, or of delta at an epsilon.

        The upper bound is what counts. The lower one, of the worst inputs that this loss allows, shows how much of it
        is slack.
        """
        if (delta is None) == (epsilon is None):
            raise WrongTypeError("Loss.interval takes delta=... or epsilon=..., one of them.")
        if delta is not None:
            share = read_probability("delta", delta)
            return lower_epsilon(self, share), self.epsilon(share)
        level = read_epsilon(epsilon)
        return self._lower_delta(level), self.delta(level)

    def explain(self, *, delta: object = None, prior: object = HALF) -> Explanation:
        """Say in plain words what this loss means for one person.

        Args:
            delta: Where to read epsilon; by default the delta of the loss itself, or one in a million without one.
            prior: How likely somebody thinks it is, before the release, that a person is in the data.
        """
        point = self.pure()
        own = point.delta if point.cost != math.inf else USUAL_DELTA
        share = own if delta is None else read_probability("delta", delta)
        return Explanation(epsilon=self.epsilon(share), delta=share, prior=prior, assumptions=self.assumptions())

    def routes(self, delta: object = Fraction(1, 10**6)) -> Routes:
        """Say which bounds are known at a delta, which one is used, and why."""
        share = read_probability("delta", delta)
        routes = self._routes(share)
        if 0 < share < 1 and not any(route.name == "Rényi" for route in routes):
            curve = [(order, self.renyi(order)) for order in orders() if order <= 64][::12]
            routes.append(
                Route("Rényi", curve_epsilon(curve, share), "divergences of an order add up (a few orders tried)")
            )
        return Routes(
            share,
            *self.interval(delta=share),
            tuple(sorted(routes, key=lambda route: route.epsilon)),
            self.assumptions(),
        )

    def distribution(self, step: Any = Fraction(1, 1000), tail: object = Fraction(1, 10**12)) -> Distribution:
        """Give the loss distribution on a grid, every mass rounded up; what is in the tail counts as infinite."""
        return distribution_of(self, read_number("Loss.step", step), read_probability("tail", tail))

    def plot(self, kind: str = "profile", **options: Any) -> "Axes":
        """Draw the ``profile``, ``tradeoff`` curve, ``distribution`` or ``outcomes``; needs ``privet[plot]``."""
        return plot(self, kind, **options)

    def describe(self) -> str:
        """Write the loss in words, such as ``epsilon = 1``; it is computed in a moment, and may be a coarser bound."""
        return describe_points(self)

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        assumed = tuple(("assumed", line) for line in self.assumptions())
        return facts_html(type(self).__name__, (("privacy loss", self.describe()), *assumed))

    def assumptions(self) -> tuple[str, ...]:
        """What was asserted rather than proved, such as that the data are a sample; to be printed in reports."""
        return ()

    def _attained(self) -> Pair | None:
        """Give a pair that neighbours may have, as far as this loss says, for bounds from below; or None."""
        return self.pair() if self.tight else None

    def _outcomes(self) -> Outcomes:
        """Give the outcomes that are worth drawing."""
        raise self._no_outcomes()

    def _no_outcomes(self) -> UnavailableError:
        return UnavailableError(
            f"{type(self).__name__} bounds the loss of many mechanisms, so an outcome has no loss of its own. Use the "
            "loss of a particular noise, such as LaplaceLoss, GaussianLoss or RandomizedResponseLoss."
        )

    def _least_delta(self, epsilon: Fraction) -> Fraction:
        """Give a lower bound of delta in closed form, for tails too far out for floats; zero where there is none."""
        return Fraction(0)

    def _lower_delta(self, epsilon: Fraction) -> Fraction:
        """Give the best lower bound of delta."""
        return lower_delta(self, epsilon)

    def _sampled_renyi(self, rate: Fraction, order: Fraction) -> Amount:
        """The smallest known Rényi divergence where a record is sampled with this probability."""
        return self.renyi(order)

    def _search_curve(self, delta: Fraction) -> Amount:
        """Search ``delta`` for an epsilon, down from the one that the points give."""
        direct = Answers._epsilon(self, delta)
        return direct if delta in (0, 1) or direct == 0 else smallest(self.delta, delta, start=direct)

    def _routes(self, delta: Fraction) -> list[Route]:
        """Give the ways in which epsilon at a delta can be bounded."""
        pure, concentrated = self.pure(), self.concentrated()
        return [
            Route("own curve", self.epsilon(delta), "the loss's own bound of delta, backwards"),
            Route("pure point", pure_epsilon(pure, delta), "randomised response is the worst (Kairouz et al. 2015)"),
            Route("concentrated", concentrated_epsilon(concentrated, delta), "Canonne, Kamath and Steinke 2020"),
        ]


def _second_error(delta: Fraction, epsilon: Fraction, first: Fraction) -> Fraction:
    """Give the least error of the second kind that (epsilon, delta) allows at an error of the first kind."""
    free = 1 - delta
    return max(free - exp_up(epsilon) * first, exp_down(-epsilon) * (free - first), Fraction(0))
