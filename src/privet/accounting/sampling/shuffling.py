"""Shuffling: reports that are private by themselves, made anonymous."""

import math
from fractions import Fraction
from functools import partial
from typing import final

from attrs import field, frozen

from privet.accounting.composition.composable import Curve
from privet.accounting.losses.loss import Loss, Sampling, additive
from privet.accounting.losses.randomized_response import RandomizedResponseLoss
from privet.accounting.losses.reduced import ReducedLoss
from privet.accounting.numerics import Amount, bisect, clone_delta, read_epsilon, read_probability, regula_falsi
from privet.accounting.pairs.binary_responses import MOST, responses
from privet.accounting.pairs.pair import Pair
from privet.core import positive, short, whole
from privet.errors import UnavailableError

_LEAST, _LARGEST = Fraction(1, 2**60), 64  # below, a report reveals nothing; above, nobody has clones
_MOST = 2**27  # more users are counted as so many: fewer clones tell more


@final
@frozen(kw_only=True)
class Shuffling(Sampling):
    """Every person sends one report by the same local mechanism, and only the unordered collection is released.

    Args:
        users: A public lower bound of the number of shuffled reports; who sends one does not depend on the data.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> round(float(PureLoss(1).amplify(Shuffling(users=10_000)).epsilon(1e-6)), 3)
    0.053
    """

    users: int = field(converter=whole, validator=positive)

    def amplify(self, loss: Loss) -> Loss:
        """Take the loss of one report between any two values to that of one replaced value among the users."""
        shuffled = ShuffledLoss(loss, self.users)
        return loss if self.users == 1 or loss.pure().cost == 0 else shuffled


@final
@frozen(order=False)
class ShuffledLoss(ReducedLoss):
    """The loss of one replaced value, where the private reports of many people are shuffled.

    Args:
        base: The loss of one report between any two values, with a finite epsilon and no delta.
        users: How many reports are shuffled.

    Guarantee: delta(epsilon) of the clone pair, evaluated in directed arithmetic; for binary randomised response and up
        to 1,024 users the exact one, whatever the others' answers. Epsilon of one report at delta = 0.
    Proof: docs/accounting/sampling/shuffling.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> loss = PureLoss(2).amplify(Shuffling(users=1000))
    >>> loss.epsilon(), round(float(loss.epsilon(1e-6)), 3)
    (Fraction(2, 1), 0.545)
    """

    base: Loss = field(converter=additive)
    users: int = field(converter=whole, validator=positive, repr=short)

    @base.validator
    def _check(self, _: object, base: Loss) -> None:
        point = base.pure()
        if point.cost == math.inf or point.delta > 0:
            raise UnavailableError(
                "Shuffling.amplify needs reports with a finite epsilon and no delta, such as those of "
                "RandomizedResponse: what the others send must cover every report that a person can send."
            )

    def _attained(self) -> Pair | None:
        """For binary randomised response, the sums where all others agree; else unknown: clones only bound."""
        truth = self._truth()
        return None if truth is None or self.users > MOST else responses(self.users, truth).pair(truth)

    def curve(self, near: Fraction) -> Curve:
        """The divergence of the clone pair."""
        return self.delta

    def delta(self, epsilon: object) -> Fraction:
        """The divergence of the clone pair, rounded up."""
        level = read_epsilon(epsilon)
        local = Fraction(self.base.pure().cost)
        own = self.base.delta(level)
        if own == 0 or level >= local or not _LEAST <= local <= _LARGEST:
            return own
        users = min(self.users, _MOST)
        truth = self._truth()
        if truth is None:
            return min(own, clone_delta(users, local, level)[1])
        counted = responses(min(users, MOST), truth).delta(truth, level)[1]  # fewer users tell more
        return min(own, counted if users <= MOST else min(counted, clone_delta(users, local, level, 2)[1]))

    def _truth(self) -> Fraction | None:
        """Give the probability of a true answer where reports are those of binary randomised response; or None."""
        base = self.base
        return base.truth if isinstance(base, RandomizedResponseLoss) and base.truth + base.other == 1 else None

    def epsilon(self, delta: object = 0) -> Amount:
        """Search the curve; what is found was certified."""
        share = read_probability("delta", delta)
        own = self.base.epsilon(share)
        if share == 0 or own in (0, math.inf):
            return own
        near = _guess(float(min(self.base.pure().cost, _LARGEST)), min(self.users, _MOST), max(float(share), 1e-300))
        excess, left, right = partial(_excess, self.delta, share), Fraction(0), Fraction(own)
        above = excess(left)
        if above < 0:
            return left
        guesses = [Fraction(near) * 127 / 128, Fraction(near) * 129 / 128]
        return regula_falsi(excess, (left, above), (right, excess(right)), bits=26, guesses=guesses)[1]


def _excess(curve: Curve, delta: Fraction, epsilon: Fraction) -> float:
    """The logarithm of how far the curve is above delta, not zero."""
    value = curve(epsilon)
    apart = (math.log(value) if value > 0 else -1000.0) - math.log(delta)
    return min(apart, -1e-12) if value <= delta else max(apart, 1e-12)


def _guess(local: float, users: int, delta: float) -> float:
    """Find where the curve of two normal distributions as far apart as the clone pair is about delta."""
    apart = 2 * math.tanh(local / 2) / math.sqrt(1 + (users - 1) * math.exp(-local))

    def normal(z: float) -> float:
        return math.erfc(-z / math.sqrt(2)) / 2

    def curve(epsilon: float) -> float:
        return normal(apart / 2 - epsilon / apart) - math.exp(epsilon) * normal(-apart / 2 - epsilon / apart)

    return bisect(lambda epsilon: curve(epsilon) > delta, 0.0, local, 40)[1]
