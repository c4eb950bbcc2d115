"""Shuffled answers of binary randomised response: how many of them are yes, whatever the others' true answers.

Shuffled bits tell nothing but their sum. With m of the n - 1 others at yes, that sum without the person is a binomial
of m tosses plus one of n - 1 - m; the worst m is not known in advance, so all of them are tried.
Proofs: docs/accounting/sampling/shuffling.md.
"""

from fractions import Fraction
from functools import lru_cache
from typing import final

import numpy as np
from attrs import frozen

from privet.accounting.numerics import UNIT, Floats
from privet.accounting.pairs.pair import AtomPair, Pair
from privet.core import exp_down, exp_up, to_float_down, to_float_up

MOST = 1024  # users; a table of all cases of more would be large
_ERROR = 2.0**-38  # of every probability: below ten roundings for each user
_TINY = 2.0**-900  # what underflow may have taken


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
        won, lost = self.exactly * (gain * (1 + _ERROR)), self.more * (loss * (1 - _ERROR))
        above = Fraction(float((won - lost).max()) * (1 + 4 * UNIT) + _TINY)
        gain, loss = to_float_down(truth - high * other), to_float_up(high - 1)
        won, lost = self.exactly * (max(gain, 0.0) * (1 - _ERROR)), self.more * (loss * (1 + _ERROR))
        below = Fraction(float((won - lost).max()) * (1 - 4 * UNIT)) - Fraction(_TINY)
        return max(below, Fraction(0)), min(max(above, Fraction(0)), Fraction(1))

    def pair(self, truth: Fraction) -> Pair:
        """Give the pair of sums where all the others' true answer is yes, which is nearly the worst."""
        true, other = float(truth), float(1 - truth)
        alone = self.exactly[-1]
        p = np.convolve(alone, [other, true])
        q = np.convolve(alone, [true, other])
        kept = (p > 1e-250) & (q > 1e-250)  # the rest is left out, as from below it may be
        left = float(p[~kept].sum() + q[~kept].sum()) + 2.0**-800
        losses = np.log(p[kept] / q[kept])
        order = np.argsort(losses)
        return AtomPair(losses[order], p[kept][order], 0.0, 0.0, _ERROR, 4 * _ERROR, beyond=left)


@lru_cache(maxsize=4)  # each holds up to sixteen megabytes
def responses(users: int, truth: Fraction) -> Responses:
    """Work out the sums of the others' answers, for up to ``MOST`` users.

    >>> below, above = responses(120, Fraction(3, 4)).delta(Fraction(3, 4), Fraction(1, 2))
    >>> f"{float(below):.6e} {float(above):.6e}"
    '7.936638e-07 7.936638e-07'
    """
    true, other = float(truth), float(1 - truth)
    tosses = [np.ones(1)]  # how many of so many people with yes say yes
    for _ in range(users - 1):
        tosses.append(np.convolve(tosses[-1], [other, true]))
    # of people with no, as many say yes as of people with yes say no
    exactly = np.stack([np.convolve(tosses[m], tosses[users - 1 - m][::-1]) for m in range(users)])
    beyond = np.cumsum(exactly[:, ::-1], axis=1)[:, ::-1]
    return Responses(exactly, np.concatenate([beyond[:, 1:], np.zeros((users, 1))], axis=1))
