"""The loss of comparisons with one noisy threshold, sharper than its epsilon alone."""

import math
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Any, final

import numpy as np
from attrs import field, frozen
from flint import arb

from privet.accounting.composition.terms import pair_of_curve
from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.loss import CurveLoss, Loss
from privet.accounting.numerics import UNIT, Amount, Point, pure_rho
from privet.accounting.pairs.pair import LARGEST, AtomPair, Pair
from privet.core import ball, directed, exp_down, number, positive, precision, require_type, short, whole

_MOST = 1024  # answers above, and threshold costs in those of a comparison, up to which the curve is summed
_BLOCKS = 48  # losses of the sum; what lies between is split onto them
_LISTED = 2**16  # losses of a pair for bounds from below
_BITS = 160  # of their probabilities before they become floats


@final
@frozen(kw_only=True, order=False, cache_hash=True)
class SparseVectorLoss(CurveLoss):
    """The loss of comparing answers with a noisy threshold until a number of them were above.

    Args:
        threshold: The loss of the threshold's noise.
        cost: The epsilon of the noise of one comparison, above zero.
        count: How many answers may be above.

    Guarantee: epsilon = that of the threshold + count cost. The curve is that of the threshold's noise composed with
        ``count`` geometric laws: how often randomised response with this epsilon says no before it says yes.
        rho = that of the threshold + count cost (1 - e^-cost).
    Proof: docs/accounting/losses/sparse_vector.md.

    >>> noise = LaplaceLoss(distance=1, scale=4, step=1)
    >>> loss = SparseVectorLoss(threshold=noise, cost=Fraction(1, 20), count=5)
    >>> loss.epsilon(), round(float(loss.delta(0)), 3)
    (Fraction(1, 2), 0.128)
    """

    threshold: LaplaceLoss = field()
    cost: Fraction = field(converter=number, validator=positive, repr=short)
    count: int = field(converter=whole, validator=positive)

    @threshold.validator
    def _check(self, _: object, value: Any) -> None:
        require_type(isinstance(value, LaplaceLoss), "SparseVectorLoss.threshold", "a LaplaceLoss", value)

    def pure(self) -> Point:
        """Once for the threshold, and once for each answer above."""
        return Point(Fraction(self.threshold.pure().cost) + self.count * self.cost, Fraction(0))

    def concentrated(self) -> Point:
        """The sum of both, or what epsilon implies."""
        each = directed(lambda x: x * -(-x).expm1(), self.cost, toward="up")
        added = Fraction(self.threshold.concentrated().cost) + self.count * each
        return Point(min(added, pure_rho(Fraction(self.pure().cost))), Fraction(0))

    def _renyi(self, order: Fraction) -> Amount:
        """The sum of both divergences, or what epsilon implies."""

        def value(x: arb) -> arb:
            return (ball(order) * x - (1 + x.exp() - (ball(1 - order) * x).exp()).log()) / ball(order - 1)

        both = self.threshold.renyi(order) + self.count * directed(value, self.cost, toward="up")
        return min(Loss._renyi(self, order), both)

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The threshold's curve, averaged over how much the comparisons lose; rounded up."""
        by_points = Loss._delta(self, epsilon)
        if by_points == 0 or not self._summed():
            return by_points
        total = Fraction(0)
        for loss, weight in self._weights:
            height = self._height(epsilon - loss)
            if height == 0:  # what follows loses less
                break
            total += weight * height
        return min(by_points, total)

    _epsilon = Loss._search_curve

    def pair(self) -> Pair:
        """That of the curve, which holds in both directions."""
        return pair_of_curve(self) if self._summed() else Loss.pair(self)

    def _attained(self) -> Pair | None:
        """The threshold's noise and as many randomised responses as answers may be above: what the proof allows."""
        return _attained(self) if self._summed() else None

    def _summed(self) -> bool:
        threshold = Fraction(self.threshold.pure().cost)
        return self.count <= _MOST and threshold <= _MOST * self.cost and self.pure().cost <= LARGEST

    def _height(self, epsilon: Fraction) -> Fraction:
        """Read the threshold's curve, also at an epsilon below zero."""
        if epsilon >= 0:
            return self.threshold.delta(epsilon)
        return 1 - exp_down(epsilon) * (1 - self.threshold.delta(-epsilon))

    @cached_property
    def _weights(self) -> list[tuple[Fraction, Fraction]]:
        """Give the privacy losses of the comparisons, falling, and how likely each is; of many losses, only a few.

        With m answers below, ``count`` above and E = e^cost, the loss is (count - m) cost with probability
        C(count + m - 1, m) E^count / (1 + E)^(count + m). What lies between two of the few is split onto both.
        """
        # with more answers below, the comparisons gain more than the threshold loses
        last = self.count + math.ceil(Fraction(self.threshold.pure().cost) / self.cost)
        size = -(-(last + 1) // _BLOCKS)
        kept = range(0, last + size, size)
        weights = [directed(partial(self._weight, at=at, size=size), self.cost, toward="up") for at in kept]
        return [((self.count - at) * self.cost, weight) for at, weight in zip(kept, weights, strict=True)]

    def _weight(self, cost: arb, at: int, size: int) -> arb:
        """Add up the shares of all numbers of answers below that are nearer than ``size``."""
        no, total = 1 / (1 + cost.exp()), arb(0)
        for below in range(max(at - size + 1, 0), at + size):
            sign = -1 if below >= at else 1  # whether this is the upper or the lower of the two losses around it
            share = (sign * (size - abs(below - at)) * cost).expm1() / (sign * size * cost).expm1()
            total += math.comb(self.count + below - 1, below) * no ** (self.count + below) * share
        return total * (self.count * cost).exp()


@lru_cache(maxsize=32)
def _attained(loss: SparseVectorLoss) -> Pair | None:
    noise = loss.threshold._attained().atoms()
    if noise is None or len(noise.losses) * (loss.count + 1) > _LISTED:
        return None
    yes, count = range(loss.count + 1), loss.count
    with precision(_BITS):
        once = ball(loss.cost)
        masses = [float((math.comb(count, k) * (k * once).exp() / (1 + once.exp()) ** count).mid()) for k in yes]
    losses = np.array([float((2 * k - count) * loss.cost) for k in yes])
    all_losses, all_masses = np.add.outer(noise.losses, losses).ravel(), np.outer(noise.masses, masses).ravel()
    order = np.argsort(all_losses)
    return AtomPair(
        losses=all_losses[order],
        masses=all_masses[order],
        only_p=0.0,
        only_q=0.0,
        error=noise.error + 2.0**-45,
        slip=noise.slip + 4 * UNIT * float(np.abs(all_losses).max()),
        beyond=noise.beyond,
        blur=noise.blur,
    )


def comparisons_loss(threshold: LaplaceLoss, cost: Fraction, count: int) -> Loss:
    """Give the loss of comparisons, or of nothing where the answers do not move."""
    return SparseVectorLoss(threshold=threshold, cost=cost, count=count) if cost else threshold
