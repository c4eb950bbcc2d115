"""Shuffling: reports that are private by themselves, made anonymous.

Shuffled answers of binary randomised response reveal nothing but their sum. With m of the n - 1 others at yes, that sum
without the person is a binomial of m tosses plus one of n - 1 - m; the worst m is not known in advance, so all of them
are tried. Proofs: docs/accounting/sampling/shuffling.md.
"""

import math
from fractions import Fraction
from functools import lru_cache, partial
from typing import final

import numpy as np
from attrs import field, frozen

from privet.accounting.composition.composable import Curve
from privet.accounting.losses.alternatives import ReducedLoss
from privet.accounting.losses.loss import Loss, Sampling, additive
from privet.accounting.losses.randomized_response import RandomizedResponseLoss
from privet.accounting.numerics import UNIT, Amount, Floats, bisect, clone_delta, regula_falsi
from privet.accounting.pairs.pair import AtomPair, Pair
from privet.core import exp_down, exp_up, positive, short, to_float_down, to_float_up, whole
from privet.errors import UnavailableError

_LEAST, _LARGEST = Fraction(1, 2**60), 64  # below, a report reveals nothing; above, nobody has clones
MOST = 1024  # users of binary randomised response; a table of all cases of more would be large
_ERROR = 2.0**-38  # of every probability of their sums: below ten roundings for each user
_TINY = 2.0**-900  # what underflow may have taken
_MOST = 2**27  # more users count as this many, which is valid: fewer clones reveal more


@final
@frozen(eq=False)
class Responses:
    """The sums of the others' answers.

    Args:
        exactly: Row m, column t: the probability that t of the others say yes, where m of them would.
        more: That more than t say yes.
    """

    exactly: Floats
    more: Floats

    def delta(self, truth: Fraction, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """Enclose the largest hockey-stick divergence over all answers of the others: (below, above).

        It is the largest (truth - e^epsilon (1 - truth)) P(sum = t) - (e^epsilon - 1) P(sum > t).
        """
        other, low, high = 1 - truth, exp_down(epsilon), exp_up(epsilon)
        gain, loss = to_float_up(truth - low * other), to_float_down(low - 1)
        if gain <= 0:
            return Fraction(0), Fraction(0)
        gains, costs = self.exactly * (gain * (1 + _ERROR)), self.more * (loss * (1 - _ERROR))
        above = Fraction(float((gains - costs).max()) * (1 + 4 * UNIT) + _TINY)
        gain, loss = to_float_down(truth - high * other), to_float_up(high - 1)
        gains, costs = self.exactly * (max(gain, 0.0) * (1 - _ERROR)), self.more * (loss * (1 + _ERROR))
        below = Fraction(float((gains - costs).max()) * (1 - 4 * UNIT)) - Fraction(_TINY)
        return max(below, Fraction(0)), min(max(above, Fraction(0)), Fraction(1))

    def pair(self, truth: Fraction) -> Pair:
        """Give the pair of sums where all the others' true answer is yes, which is nearly the worst."""
        true, other = float(truth), float(1 - truth)
        alone = self.exactly[-1]
        p = np.convolve(alone, [other, true])
        q = np.convolve(alone, [true, other])
        kept = (p > 1e-250) & (q > 1e-250)  # the rest is left out, as from below it may be
        losses = np.log(p[kept] / q[kept])
        order = np.argsort(losses)
        return AtomPair(
            losses=losses[order],
            masses=p[kept][order],
            only_p=0.0,
            only_q=0.0,
            error=_ERROR,
            slip=4 * _ERROR,
            beyond=float(p[~kept].sum() + q[~kept].sum()) + 2.0**-800,
        )


@lru_cache(maxsize=4)  # each holds up to sixteen megabytes
def responses(users: int, truth: Fraction) -> Responses:
    """Work out the sums of the others' answers, for up to ``MOST`` users.

    >>> below, above = responses(120, Fraction(3, 4)).delta(Fraction(3, 4), Fraction(1, 2))
    >>> f"{float(below):.6e} {float(above):.6e}"
    '7.936638e-07 7.936638e-07'
    """
    true, other = float(truth), float(1 - truth)
    tosses = [np.ones(1)]  # by the number of people whose answer is yes: how many of them say yes
    for _ in range(users - 1):
        tosses.append(np.convolve(tosses[-1], [other, true]))
    # of people with no, as many say yes as of people with yes say no
    exactly = np.stack([np.convolve(tosses[m], tosses[users - 1 - m][::-1]) for m in range(users)])
    beyond = np.cumsum(exactly[:, ::-1], axis=1)[:, ::-1]
    return Responses(exactly, np.concatenate([beyond[:, 1:], np.zeros((users, 1))], axis=1))


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
        shuffled = ShuffledLoss(loss, self.users)  # checks the loss, even of one user
        return loss if self.users == 1 or loss.pure().cost == 0 else shuffled


@final
@frozen(order=False)
class ShuffledLoss(ReducedLoss):
    """The loss of one replaced value, where the private reports of many people are shuffled.

    Args:
        base: The loss of one report between any two values, with a finite epsilon and no delta.
        users: How many reports are shuffled.

    Guarantee: delta(epsilon) of the clone pair, evaluated in directed arithmetic; for binary randomised response and up
        to 1,024 users the exact one, for all answers of the others. Epsilon of one report at delta = 0.
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

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The divergence of the clone pair, rounded up."""
        local, own = Fraction(self.base.pure().cost), self.base.delta(epsilon)
        if own == 0 or epsilon >= local or not _LEAST <= local <= _LARGEST:
            return own
        users, truth = min(self.users, _MOST), self._truth()
        if truth is None:
            return min(own, clone_delta(users, local, epsilon)[1])
        counted = responses(min(users, MOST), truth).delta(truth, epsilon)[1]  # fewer users tell more
        return min(own, counted if users <= MOST else min(counted, clone_delta(users, local, epsilon, 2)[1]))

    def _truth(self) -> Fraction | None:
        """Give the probability of a true answer where reports are those of binary randomised response; or None."""
        base = self.base
        return base.truth if isinstance(base, RandomizedResponseLoss) and base.truth + base.other == 1 else None

    def _epsilon(self, delta: Fraction) -> Amount:
        """Search the curve; every epsilon that is returned was certified."""
        own = self.base.epsilon(delta)
        if delta == 0 or own in (0, math.inf):
            return own
        near = _guess(float(min(self.base.pure().cost, _LARGEST)), min(self.users, _MOST), max(float(delta), 1e-300))
        excess, left, right = partial(_excess, self.delta, delta), Fraction(0), Fraction(own)
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
