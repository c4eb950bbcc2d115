"""What every sampled loss shares: with probability 1 - rate, the step between the inputs is not in the sample."""

import math
from abc import abstractmethod
from fractions import Fraction

from privet.accounting.composition.composable import Curve
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.reduced import ReducedLoss
from privet.accounting.numerics import (
    Amount,
    Point,
    amplified,
    before_sampling,
    pure_rho,
    read_epsilon,
    read_probability,
)
from privet.accounting.pairs.pair import MixedPair, Pair
from privet.core import short
from privet.errors import InvalidError

LEAST_RATE = Fraction(1, 2**512)  # floats hold no rate that is much smaller


def a_share(instance: object, _: object, value: Fraction) -> None:
    """Refuse a rate that is no share of the data."""
    if not 0 < value <= 1:
        raise InvalidError(f"{type(instance).__name__}.rate must be above zero and at most one, got {short(value)}.")


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
        return Point(min(own.cost, pure_rho(Fraction(shrunk.cost))), own.delta)

    def renyi(self, order: object) -> Amount:
        """Keep the base's bound where the points do not answer better."""
        return min(self.base.renyi(order), Loss.renyi(self, order))

    def gaussian(self) -> Amount:
        """Keep the base's, or that of the amplified epsilon."""
        return min(self.base.gaussian(), Loss.gaussian(self))

    def delta(self, epsilon: object) -> Fraction:
        """Follow the base's curve; the epsilon inside is rounded down, where the curve is higher."""
        level = read_epsilon(epsilon)
        return min(self.rate * self.base.delta(before_sampling(level, self.rate)), Loss.delta(self, level))

    def epsilon(self, delta: object = 0) -> Amount:
        """Follow the base's curve backwards."""
        share = read_probability("delta", delta)
        inner = self.base.epsilon(min(share / self.rate, Fraction(1)))
        along = inner if inner == math.inf else amplified(Fraction(inner), self.rate)
        return min(along, Loss.epsilon(self, share))

    def curve(self, near: Fraction) -> Curve:
        """Follow the base's curve."""
        along = self.base.curve(before_sampling(near, self.rate))
        return lambda epsilon: min(self.rate * along(before_sampling(epsilon, self.rate)), Loss.delta(self, epsilon))

    def _attained(self) -> Pair | None:
        """Mix what the base attains with the law of a sample without the record."""
        inner = self.base._attained() if self.rate >= LEAST_RATE else None
        return None if inner is None else MixedPair(inner, self.rate)
