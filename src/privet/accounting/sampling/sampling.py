"""Amplification: a loss on a random sample, seen from the whole data."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss, Sampling, additive
from privet.accounting.losses.reduced import ReducedLoss
from privet.accounting.numerics import Amount, read_order
from privet.accounting.pairs.pair import MixedPair, Pair
from privet.accounting.sampling.sampled import LEAST_RATE, SampledLoss, a_share
from privet.core import expm1_up, log1p_up, log_up, number, readable, short

_FAR = 512  # beyond, e^epsilon is not written down


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
    rate: Fraction = field(converter=number, validator=[readable, a_share])

    def renyi(self, order: object) -> Amount:
        """What the base knows about mixtures, or the general bounds."""
        return min(Loss.renyi(self, order), self.base._sampled_renyi(self.rate, read_order(order)))

    def pair(self) -> Pair:
        """Mix the base's pair; a larger rate dominates a rate that floats cannot hold."""
        return MixedPair(self.base.pair(), max(self.rate, LEAST_RATE))

    @property
    def tight(self) -> bool:
        """Where the base's is."""
        return self.base.tight and self.rate >= LEAST_RATE

    @property
    def directed(self) -> bool:
        """Removing a record costs more than adding one."""
        return True

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
