"""Simple random sampling: a fixed number of records without replacement, seen from the whole data."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss, Sampling, at_least_zero, base_of, pair_of_curve, probability
from privet.accounting.numerics.convert import Amount, Point, amplified, before_sampling
from privet.accounting.numerics.renyi_convert import pure_rho
from privet.accounting.pairs.pair import MixedPair, Pair
from privet.accounting.sampling.sampling import a_share
from privet.core.checks import number, readable, short

_LEAST = Fraction(1, 2**512)  # floats hold no rate that is much smaller


@final
@frozen
class SimpleSampling(Sampling):
    """So many of N records are drawn without replacement: replace-one neighbours, N public.

    Args:
        rate: The share that is drawn, above zero and at most one.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> round(float(PureLoss(1).amplify(SimpleSampling(rate=0.1)).epsilon()), 4)
    0.1586
    """

    rate: Fraction = field(converter=number, validator=[readable, a_share], repr=short)

    def amplify(self, loss: Loss) -> Loss:
        """Take the loss of one replacement in the sample to that of one replacement in the whole."""
        return loss if self.rate == 1 else SimpleSampledLoss(loss, self.rate)


@final
@frozen(order=False)
class SimpleSampledLoss(Loss):
    """The loss of one replaced record in the whole, where a simple random sample of it is released from.

    Args:
        base: The loss of one replacement in the sample, in both directions.
        rate: The share that is drawn.

    Guarantee: delta'(ln(1 + rate (e^epsilon - 1))) = rate delta(epsilon) for epsilon of zero or more.
    Proof: docs/accounting/sampling/simple_sampling.md.

    >>> from privet.accounting.losses.approximate import ApproximateLoss
    >>> ApproximateLoss(1, 1e-6).amplify(SimpleSampling(rate=0.5)).pure().delta
    Fraction(1, 2000000)
    """

    base: Loss = field(converter=base_of)
    rate: Fraction = field(converter=number, validator=[readable, a_share], repr=short)

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

    def renyi(self, order: Any) -> Amount:
        """Keep the base's bound where the points do not answer better."""
        return min(self.base.renyi(order), super().renyi(order))

    def gaussian(self) -> Amount:
        """Keep the base's, or that of the amplified epsilon."""
        return min(self.base.gaussian(), super().gaussian())

    def delta(self, epsilon: Any) -> Fraction:
        """Follow the base's curve; the epsilon inside is rounded down, where the curve is higher."""
        wanted = at_least_zero("epsilon", epsilon)
        inner = before_sampling(wanted, self.rate)
        return min(self.rate * self.base.delta(inner), super().delta(wanted))

    def curve(self, near: Fraction) -> Callable[[Fraction], Fraction]:
        """Follow the base's curve."""
        along = self.base.curve(before_sampling(near, self.rate))
        return lambda epsilon: min(self.rate * along(before_sampling(epsilon, self.rate)), Loss.delta(self, epsilon))

    def epsilon(self, delta: Any = 0) -> Amount:
        """Follow the base's curve backwards."""
        allowed = probability("delta", delta)
        inner = self.base.epsilon(min(allowed / self.rate, Fraction(1)))
        along = inner if inner == math.inf else amplified(Fraction(inner), self.rate)
        return min(along, super().epsilon(allowed))

    def pair(self) -> Pair:
        """That of the curve, reflected: replacing is the same in both directions."""
        return pair_of_curve(self)

    @property
    def tight(self) -> bool:
        """The pair is an upper bound."""
        return False

    def attained(self) -> Pair | None:
        """Mix what the base attains with the law of a sample without the record, whose curve is this one."""
        inner = self.base.attained() if self.rate >= _LEAST else None
        return None if inner is None else MixedPair(inner, self.rate)

    @property
    def by_curve(self) -> bool:
        """The curve is all there is to know."""
        return False

    def assumptions(self) -> tuple[str, ...]:
        """Those of the base."""
        return self.base.assumptions()
