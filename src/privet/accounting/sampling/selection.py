"""The loss of the best of a secret number of candidates."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import final

from attrs import field, frozen

from privet.accounting.composition.composable import Curve
from privet.accounting.losses.concentrated import ConcentratedLoss
from privet.accounting.losses.loss import CurveLoss, Loss, additive
from privet.accounting.losses.pure import PureLoss
from privet.accounting.numerics import (
    Amount,
    Point,
    best_order,
    implied_rho,
    order_at,
    renyi_delta,
    renyi_epsilon,
)
from privet.accounting.sampling.repetitions import Repetitions
from privet.core import exp_up, log1p_up, log_down, log_up

_FEW = tuple(-2 + step / 8 for step in range(72))  # ln(order - 1), for tables
_HUGE = Fraction(10**290)  # beyond it, floats could not even choose
_NEAR_ONE = 1 + Fraction(1, 2**16)  # divergences grow with the order: one that is infinite here has no finite one


@final
@frozen(order=False)
class SelectionLoss(CurveLoss):
    """The loss of drawing a candidate a secret number of times and releasing the best.

    Args:
        base: The loss of one candidate, its score included.
        repetitions: The distribution of the number.

    Guarantee: at every Rényi order ``renyi(order) + excess + ln(E[K] + P(K = 0)) / (order - 1)`` (Papernot and Steinke
        2022, theorems 2 and 6, with the case of no repetition); for a pure base a finite epsilon, at most
        ``(2 + shape) epsilon`` for (truncated) negative binomial repetitions.
    Proof: docs/accounting/sampling/selection.md.

    >>> from privet.accounting.sampling.repetitions import GeometricRepetitions
    >>> loss = SelectionLoss(ConcentratedLoss(0.01), GeometricRepetitions(0.1))
    >>> round(float(loss.epsilon(1e-6)), 3)
    1.277
    """

    base: Loss = field(converter=additive)
    repetitions: Repetitions

    @staticmethod
    def of(base: Loss, repetitions: Repetitions) -> Loss:
        """The same, as a plain ``PureLoss`` where no Rényi order says more than epsilon does."""
        loss = SelectionLoss(base, repetitions)
        pure = loss.pure()
        asserted = bool(base.assumptions())  # which a plain epsilon would forget
        if not asserted and pure.delta == 0 and pure.cost != math.inf and loss._bound(_cheapest(loss)) >= pure.cost:
            return PureLoss(pure.cost)
        return loss

    def pure(self) -> Point:
        """If every draw is in the good part, the base is pure; one is not with probability at most E[K] delta."""
        point = self.base.pure()
        if point.cost == math.inf:
            return Point(math.inf, Fraction(0))
        return Point(
            self.repetitions.pure(Fraction(point.cost)), min(point.delta * self.repetitions.mean(), Fraction(1))
        )

    def concentrated(self) -> Point:
        """From epsilon, or from the theorem at high orders and monotonicity below them."""
        return _concentrated(self)

    def _renyi(self, order: Fraction) -> Amount:
        """The theorem at this order or, where the logarithm of the mean weighs too much, at a higher one."""
        known = super()._renyi(order)
        return known if _inside(self.base)[1] else min(known, self._bound(max(order, _cheapest(self))))

    def _bound(self, order: Fraction) -> Amount:
        """The theorem, given that every draw is in the good part."""
        inside, _ = _inside(self.base)
        one, more = inside.renyi(order), self.repetitions.excess(inside, order)
        if one == 0:
            return Fraction(0)
        if isinstance(one, float) or isinstance(more, float):
            return math.inf
        return one + more + self.repetitions.log_mean() / (order - 1)

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The best Rényi order, or the points."""
        known, slack = super()._delta(epsilon), self._slack()

        def power(order: Fraction) -> Amount:
            bound = self._bound(order)
            return bound if isinstance(bound, float) else _log_delta(order, bound) - (order - 1) * epsilon

        order = best_order(power)
        return min(known, slack + (1 - slack) * renyi_delta(order, self._bound(order), epsilon))

    def _epsilon(self, delta: Fraction) -> Amount:
        """The best Rényi order, or the points."""
        known, slack = super()._epsilon(delta), self._slack()
        if delta <= slack or delta == 1:
            return known
        share = (delta - slack) / (1 - slack)

        def at(order: Fraction) -> Amount:
            bound = self._bound(order)
            if isinstance(bound, float):
                return bound
            return bound + log_up(1 / (order * share)) / (order - 1) + log1p_up(-1 / order)

        order = best_order(at)
        return min(known, renyi_epsilon(order, self._bound(order), share))

    def curve(self, near: Fraction) -> Curve:
        """The best of a few dozen orders, tabulated once for all evaluations."""
        table, slack = _table(self), self._slack()

        def at(epsilon: Fraction) -> Fraction:
            known = Loss._delta(self, epsilon)
            if not table:
                return known
            at_most = min(epsilon, _HUGE)  # a smaller epsilon has a larger delta
            order, fixed = min(table, key=lambda row: float(row[1]) - float((row[0] - 1) * at_most))
            power = fixed - (order - 1) * at_most
            return min(known, slack + (1 - slack) * exp_up(power)) if power < 0 else known

        return at

    def assumptions(self) -> tuple[str, ...]:
        """Those of one candidate."""
        return self.base.assumptions()

    def _slack(self) -> Fraction:
        return min(_inside(self.base)[1] * self.repetitions.mean(), Fraction(1))


@lru_cache(maxsize=256)
def _inside(base: Loss) -> tuple[Loss, Fraction]:
    """Give a loss with Rényi answers, and the probability of the event that it leaves out."""
    if base.renyi(_NEAR_ONE) != math.inf:
        return base, Fraction(0)
    point = base.concentrated()
    return (base, Fraction(0)) if point.cost == math.inf else (ConcentratedLoss(point.cost), point.delta)


@lru_cache(maxsize=256)  # a search over orders asks for it again and again
def _concentrated(loss: SelectionLoss) -> Point:
    pure, (inside, slack) = loss.pure(), _inside(loss.base)
    rho, excess = inside.rho(), loss.repetitions.largest_excess(inside)
    points = [implied_rho(pure)] if pure.cost != math.inf else []
    if isinstance(rho, Fraction) and isinstance(excess, Fraction):
        points.append(Point(_rho(loss, rho, excess), min(slack * loss.repetitions.mean(), Fraction(1))))
    return min(points, key=lambda point: (point.delta, point.cost), default=Point(math.inf, Fraction(0)))


def _rho(loss: SelectionLoss, rho: Fraction, excess: Fraction) -> Fraction:
    if rho == 0:
        return rho
    log_mean = loss.repetitions.log_mean()

    def at(order: Fraction) -> Fraction:
        low = order * rho + excess + log_mean / (order - 1)  # the divergence at this order, and at all below
        high = rho + excess / order + log_mean / (order * (order - 1))  # over the order, at all above
        return max(low, high)

    return at(best_order(at))


def _log_delta(order: Fraction, divergence: Fraction) -> Fraction:
    """Give the logarithm of delta at epsilon zero that a divergence of an order implies, rounded up."""
    return (order - 1) * divergence + order * log1p_up(-1 / order) - log_down(order - 1)


@lru_cache(maxsize=64)
def _table(loss: SelectionLoss) -> tuple[tuple[Fraction, Fraction], ...]:
    """Give pairs (order, the logarithm of delta at epsilon zero)."""
    rows = ((order, loss._bound(order)) for order in map(order_at, _FEW))
    finite = ((order, bound) for order, bound in rows if isinstance(bound, Fraction) and bound < _HUGE)
    return tuple((order, _log_delta(order, bound)) for order, bound in finite)


@lru_cache(maxsize=256)
def _cheapest(loss: SelectionLoss) -> Fraction:
    """The order at which the theorem gives least: divergences grow with the order, so it serves all below."""
    return best_order(loss._bound)
