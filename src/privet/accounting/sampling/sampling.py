"""Amplification: a loss on a random sample, seen from the whole data."""

import math
from abc import abstractmethod
from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.accounting.composition.composable import Curve
from privet.accounting.losses.alternatives import ReducedLoss
from privet.accounting.losses.loss import Loss, Sampling, additive
from privet.accounting.numerics import Amount, Point, amplified, before_sampling, implied_rho, share
from privet.accounting.pairs.pair import MixedPair, Pair
from privet.core import expm1_up, log1p_up, log_up, number, short

LEAST_RATE = Fraction(1, 2**512)  # floats hold no rate that is much smaller
_FAR = 512  # beyond, e^epsilon is not written down


@final
@frozen
class Poisson(Sampling):
    """Each record is kept with the same probability, independently: add/remove neighbours.

    Args:
        rate: The probability, above zero and at most one.
    """

    rate: Fraction = field(converter=number, validator=share, repr=short)

    def amplify(self, loss: Loss) -> Loss:
        """Mix with what happens where the record is not sampled."""
        return loss if self.rate == 1 else AmplifiedLoss(loss, self.rate)


class SampledLoss(ReducedLoss):
    """A loss on a random sample, seen from the whole data.

    The two output distributions are mixtures that share the part without the step, so
    delta'(ln(1 + rate (e^epsilon - 1))) = rate delta(epsilon) for epsilon of zero or more.
    """

    @property
    @abstractmethod
    def rate(self) -> Fraction:
        """The probability that a record is sampled."""

    def pure(self) -> Point:
        """Shrink both coordinates."""
        point = self.base.pure()
        if point.cost == math.inf:
            return point
        return Point(amplified(Fraction(point.cost), self.rate), point.delta * self.rate)

    def concentrated(self) -> Point:
        """Keep the base's own, since mixtures are no further apart; or what the amplified epsilon implies."""
        shrunk, own = self.pure(), self.base.concentrated()
        if shrunk.cost == math.inf or shrunk.delta > own.delta:
            return own
        return Point(min(own.cost, implied_rho(shrunk).cost), own.delta)

    def _renyi(self, order: Fraction) -> Amount:
        """Keep the base's bound where the points do not answer better."""
        return min(self.base.renyi(order), Loss._renyi(self, order))

    def gaussian(self) -> Amount:
        """Keep the base's, or that of the amplified epsilon."""
        return min(self.base.gaussian(), Loss.gaussian(self))

    def _delta(self, epsilon: Fraction) -> Fraction:
        """Follow the base's curve; the epsilon inside is rounded down, where the curve is higher."""
        return min(self.rate * self.base.delta(before_sampling(epsilon, self.rate)), Loss._delta(self, epsilon))

    def _epsilon(self, delta: Fraction) -> Amount:
        """Follow the base's curve backwards."""
        inner = self.base.epsilon(min(delta / self.rate, Fraction(1)))
        along = inner if inner == math.inf else amplified(Fraction(inner), self.rate)
        return min(along, Loss._epsilon(self, delta))

    def curve(self, near: Fraction) -> Curve:
        """Follow the base's curve."""
        along = self.base.curve(before_sampling(near, self.rate))
        return lambda epsilon: min(self.rate * along(before_sampling(epsilon, self.rate)), Loss._delta(self, epsilon))

    def _attained(self) -> Pair | None:
        """Mix what the base attains with the law of a sample without the record."""
        inner = self.base._attained() if self.rate >= LEAST_RATE else None
        return None if inner is None else MixedPair(inner, self.rate)


@final
@frozen(order=False, cache_hash=True)
class AmplifiedLoss(SampledLoss):
    """A loss on a random sample, seen from the whole data.

    Args:
        base: The loss of one step on the sample.
        rate: The probability that a record is sampled.

    Guarantee: delta'(ln(1 + rate (e^epsilon - 1))) = rate delta(epsilon) where a record is removed; the mixture's own
        curve, never above it, where one is added.
    Proof: docs/accounting/sampling/sampling.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> round(float(AmplifiedLoss(PureLoss(1), Fraction(1, 100)).epsilon()), 4)
    0.017
    """

    base: Loss = field(converter=additive)
    rate: Fraction = field(converter=number, validator=share, repr=short)
    directed = True  # removing a record costs more than adding one

    def _renyi(self, order: Fraction) -> Amount:
        """What the base knows about mixtures, or the general bounds."""
        return min(Loss._renyi(self, order), self.base._sampled_renyi(self.rate, order))

    def pair(self) -> Pair:
        """Mix the base's pair; a larger rate dominates a rate that floats cannot hold."""
        return MixedPair(self.base.pair(), max(self.rate, LEAST_RATE))

    @property
    def tight(self) -> bool:
        """Where the base's is."""
        return self.base.tight and self.rate >= LEAST_RATE

    def undirected(self) -> Loss:
        """Take the larger of the two curves in both directions."""
        return UndirectedLoss(self)

    def _least_delta(self, epsilon: Fraction) -> Fraction:
        """The rate times that of the base at the epsilon before sampling, where a record is removed."""
        if epsilon > _FAR:  # ln(1 + (e^epsilon - 1) / rate) is at most this
            return self.rate * self.base._least_delta(epsilon + log_up(1 / self.rate))
        return self.rate * self.base._least_delta(log1p_up(expm1_up(epsilon) / self.rate))


@final
@frozen(order=False, cache_hash=True)
class UndirectedLoss(ReducedLoss):
    """A directed loss, read in both directions at once: its curve is the larger of the two, and symmetric.

    Use it where a step may add a record or remove one.

    Args:
        base: The loss.

    Guarantee: every answer of the base; composed, the pair of its curve in both directions.
    Proof: docs/accounting/sampling/sampling.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> UndirectedLoss(PureLoss(1).amplify(Poisson(0.5))).directed
    False
    """

    base: Loss = field(converter=additive)

    def _attained(self) -> Pair | None:
        """That of one direction."""
        return self.base._attained()
