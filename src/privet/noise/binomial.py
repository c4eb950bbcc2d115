"""Binomial counts: how many of n independent coins show True."""

from fractions import Fraction
from typing import overload

import numpy as np
from attrs import frozen
from flint import arb
from numpy.typing import NDArray

from privet.core.exact import ball, precision
from privet.errors import InvalidError
from privet.noise.drawing import (
    GUARD,
    SMALL,
    Entropy,
    LazyUniform,
    count,
    current,
    gather,
    invert,
    near,
    one_or_many,
    outward,
    ratio_bounds,
    table_of,
)
from privet.noise.drawing import probability as read

_TABLE = 1 << 12  # up to this many trials, the draws of a batch share a table
_MAX_TOSSES = 1 << 24  # up to this many trials, every coin is tossed
_MOST = 1 << 53  # up to this many trials, the incomplete beta function converges at little above the target precision


@overload
def binomial(trials: int, probability: object, size: None = None, *, entropy: Entropy | None = None) -> int: ...
@overload
def binomial(trials: int, probability: object, size: int, *, entropy: Entropy | None = None) -> NDArray[np.int64]: ...
def binomial(
    trials: int, probability: object, size: int | None = None, *, entropy: Entropy | None = None
) -> int | NDArray[np.int64]:
    """Draw the number of successes in independent trials, exactly.

    Args:
        trials: How many coins, at most 2^53.
        probability: The probability of each, between 0 and 1.
        size: How many counts to draw; None for one Python int.
        entropy: The source of randomness; by default the stream of the operating system.

    Proof: docs/noise/binomial.md.

    >>> binomial(10, 1)
    10
    """
    trials = count("binomial.trials", trials)
    if trials > _MOST:
        raise InvalidError(f"binomial.trials must be at most 2^53, got {trials}.")
    p = read("binomial.probability", probability)
    source = entropy or current()
    rows = None if size is None else count("binomial.size", size)
    if rows is not None and rows >= SMALL and trials <= _TABLE and 0 < p < 1:
        shared = table_of(BinomialLaw(trials, p))
        return gather(rows, lambda n: shared.draw(n, source))
    return one_or_many("binomial.size", rows, lambda: _draw_one(trials, p, source), np.int64)


def _draw_one(trials: int, p: Fraction, entropy: Entropy) -> int:
    if p in (0, 1):
        return trials * int(p)
    if trials <= _MAX_TOSSES:
        return _toss_coins(trials, p, entropy)
    # The series of the incomplete beta function converges fast on the side of the rarer outcome.
    return _draw_by_inversion(trials, p, entropy) if 2 * p <= 1 else trials - _draw_by_inversion(trials, 1 - p, entropy)


def _toss_coins(trials: int, p: Fraction, entropy: Entropy) -> int:
    """Compare one uniform per trial with p, bit by bit; count only how many trials equal p so far."""
    successes, equal, rest = 0, trials, p.numerator
    while equal and rest:
        digit, rest = divmod(2 * rest, p.denominator)
        ones = _ones(equal, entropy)
        if digit:  # p has a one here: a uniform with a zero is below p
            successes += equal - ones
            equal = ones
        else:  # p has a zero here: a uniform with a one is above p
            equal -= ones
    return successes


def _ones(n: int, entropy: Entropy) -> int:
    """Count the ones among n random bits."""
    whole, rest = divmod(n, 8)
    # Each byte has at most 8 ones; add them up in 64 bits.
    total = int(np.bitwise_count(entropy.words(whole, np.uint8)).sum(dtype=np.int64)) if whole else 0
    return total + (entropy.bits(rest).bit_count() if rest else 0)


@frozen
class BinomialLaw:
    """The distribution of the count for few trials and 0 < p < 1, in the form that a table needs."""

    last: int
    p: Fraction

    def ratio(self, k: int) -> tuple[int, int]:
        """Return ``P(X = k + 1) / P(X = k)``."""
        odds = self.p.numerator, self.p.denominator - self.p.numerator
        return (self.last - k) * odds[0], (k + 1) * odds[1]

    def bounds(self, k: int, bits: int) -> tuple[int, int]:
        """Bracket ``P(X <= k)``."""
        return ratio_bounds(self, k, bits)


@frozen
class ManyTrials:
    """The same distribution by the incomplete beta function, for up to 2^53 trials and p <= 1/2."""

    trials: int
    p: Fraction

    def bounds(self, k: int, bits: int) -> tuple[int, int]:
        """Bracket ``P(X <= k) = 1 - I_p(k + 1, trials - k)``."""
        if k >= self.trials:
            return 1 << bits, 1 << bits
        work = bits + GUARD + self.trials.bit_length()
        while True:
            with precision(work):
                value = ball(self.p).beta_lower(k + 1, self.trials - k, regularized=True)
                lo, hi = outward(1 - value, bits)
            # The function may need a higher internal precision. More random bits would not help against a wide ball.
            if hi - lo <= 2:
                return lo, hi
            work *= 2


def _draw_by_inversion(trials: int, p: Fraction, entropy: Entropy) -> int:
    uniform = LazyUniform(entropy)
    with precision(96):
        z = arb(2).sqrt() * (2 * uniform.enclosure() - 1).mid().erfinv()
        spread = (trials * ball(p) * ball(1 - p)).sqrt()
        guess = trials * ball(p) + z * spread + (z * z - 1) * ball(1 - 2 * p) / 6  # Cornish and Fisher
    return invert(ManyTrials(trials, p), uniform, min(near(guess), trials))
