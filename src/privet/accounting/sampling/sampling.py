"""Amplification: a loss on a random sample, seen from the whole data."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss, Sampling, at_least_zero, base_of, pair_of_curve, probability
from privet.accounting.numerics.convert import Amount, Point, amplified, before_sampling
from privet.accounting.numerics.renyi_convert import pure_rho
from privet.accounting.pairs.pair import MixedPair, Pair
from privet.core.checks import number, read_number, readable, short
from privet.core.exact import expm1_up, log1p_up, log_up
from privet.errors import InvalidError

_LEAST = Fraction(1, 2**512)
_FAR = 512  # beyond, e^epsilon is not written down


def a_share(instance: object, _: Any, value: Fraction) -> None:
    """Refuse a rate that is no share of the data."""
    if not 0 < value <= 1:
        raise InvalidError(f"{type(instance).__name__}.rate must be above zero and at most one, got {short(value)}.")


@final
@frozen
class Poisson(Sampling):
    """Each record is kept with the same probability, independently: add/remove neighbours.

    Args:
        rate: The probability, above zero and at most one.
    """

    rate: Fraction = field(converter=number, validator=[readable, a_share], repr=short)

    def amplify(self, loss: Loss) -> Loss:
        """Mix with what happens where the record is not sampled."""
        return loss if self.rate == 1 else AmplifiedLoss(loss, self.rate)


@final
@frozen(order=False, cache_hash=True)
class AmplifiedLoss(Loss):
    """A loss on a random sample, seen from the whole data.

    With probability 1 - rate the step between the inputs is not sampled, so the two output distributions are mixtures
    that share the part without it: delta'(ln(1 + rate (e^epsilon - 1))) = rate delta(epsilon).

    Args:
        base: The loss of one step on the sample.
        rate: The probability that a record is sampled.

    Guarantee: the curve above where a record is removed; the mixture's own curve, never above it, where one is added.
    Proof: docs/accounting/sampling/sampling.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> round(float(AmplifiedLoss(PureLoss(1), Fraction(1, 100)).epsilon()), 4)
    0.017
    """

    base: Loss = field(converter=base_of)
    rate: Fraction = field(converter=number, validator=[readable, a_share])

    def pure(self) -> Point:
        """Shrink both coordinates."""
        point = self.base.pure()
        if point.cost == math.inf:
            return point
        return Point(amplified(Fraction(point.cost), self.rate), point.delta * self.rate)

    def concentrated(self) -> Point:
        """Mixing with the same distribution never raises a divergence; sharper curves need the mechanism itself."""
        shrunk = self.pure()
        own = self.base.concentrated()
        if shrunk.cost == math.inf or shrunk.delta > own.delta:
            return own
        return Point(min(own.cost, pure_rho(Fraction(shrunk.cost))), own.delta)

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """The rate times that of the base at the epsilon before sampling, where a record is removed."""
        if epsilon > _FAR:  # ln(1 + (e^epsilon - 1) / rate) is at most this
            return self.rate * self.base.least_delta(epsilon + log_up(1 / self.rate))
        return self.rate * self.base.least_delta(log1p_up(expm1_up(epsilon) / self.rate))

    def gaussian(self) -> Amount:
        """Keep the base's, since mixtures are no further apart, or that of the amplified epsilon."""
        return min(self.base.gaussian(), super().gaussian())

    def renyi(self, order: Any) -> Amount:
        """What the base knows about mixtures, or the general bounds."""
        general = super().renyi(order)
        return min(general, self.base.sampled_renyi(self.rate, read_number("Loss.order", order)))

    def delta(self, epsilon: Any) -> Fraction:
        """Follow the base's curve."""
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
        """Mix the base's pair; a larger rate dominates, and floats hold none that is much smaller."""
        return MixedPair(self.base.pair(), max(self.rate, _LEAST))

    @property
    def tight(self) -> bool:
        """Where the base's is."""
        return self.base.tight and self.rate >= _LEAST

    def attained(self) -> Pair | None:
        """Mix what the base attains."""
        inner = self.base.attained() if self.rate >= _LEAST else None
        return None if inner is None else MixedPair(inner, self.rate)

    @property
    def by_curve(self) -> bool:
        """The mixture is known even where the base's pair is made from a curve."""
        return False

    @property
    def directed(self) -> bool:
        """Removing a record costs more than adding one."""
        return True

    def assumptions(self) -> tuple[str, ...]:
        """Those of the base."""
        return self.base.assumptions()


@final
@frozen(order=False, cache_hash=True)
class UndirectedLoss(Loss):
    """A directed loss, read in both directions at once: its curve is the larger of the two, and symmetric.

    It is for steps of which it is not known whether they add a record or remove one.

    Args:
        base: The loss.

    Guarantee: every answer of the base; composed, the pair of its curve in both directions.
    Proof: docs/accounting/sampling/sampling.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> UndirectedLoss(PureLoss(1).amplify(Poisson(0.5))).directed
    False
    """

    base: Loss = field(converter=base_of)

    def pure(self) -> Point:
        """That of the base."""
        return self.base.pure()

    def concentrated(self) -> Point:
        """That of the base."""
        return self.base.concentrated()

    def renyi(self, order: Any) -> Amount:
        """That of the base."""
        return self.base.renyi(order)

    def delta(self, epsilon: Any) -> Fraction:
        """That of the base."""
        return self.base.delta(epsilon)

    def curve(self, near: Fraction) -> Callable[[Fraction], Fraction]:
        """That of the base."""
        return self.base.curve(near)

    def epsilon(self, delta: Any = 0) -> Amount:
        """That of the base."""
        return self.base.epsilon(delta)

    def pair(self) -> Pair:
        """Made from the curve."""
        return pair_of_curve(self)

    @property
    def by_curve(self) -> bool:
        """It has a pair of its own, made from the curve of one step: more is known than from points."""
        return False

    @property
    def tight(self) -> bool:
        """The pair is an upper bound."""
        return False

    def attained(self) -> Pair | None:
        """One of the directions."""
        return self.base.attained()

    def assumptions(self) -> tuple[str, ...]:
        """Those of the base."""
        return self.base.assumptions()
