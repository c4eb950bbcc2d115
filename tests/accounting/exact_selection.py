"""The best of K draws from a small distribution, enumerated exactly."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from flint import arb

from privet.core.exact import ball

Generating = Callable[[arb], arb]


def negative_binomial(shape: Fraction, success: Fraction) -> Generating:
    """E[x^K] for a truncated negative binomial K."""

    def at(x: arb) -> arb:
        rest = (1 - ball(1 - success) * x).log()
        if shape == 0:
            return rest / ball(success).log()
        return (-ball(shape) * rest).expm1() / (-ball(shape) * ball(success).log()).expm1()

    return at


def poisson(mean: Fraction) -> Generating:
    """E[x^K] for a Poisson K."""
    return lambda x: (ball(mean) * (x - 1)).exp()


def best_of(masses: list[Fraction], generating: Generating) -> list[arb]:
    """The masses of the best, where outcomes are listed from the worst to the best; behind them that of none."""
    sums = [sum(masses[:at], Fraction(0)) for at in range(len(masses) + 1)]
    known = [generating(ball(total)) for total in sums]
    found = [high - low for low, high in pairwise(known)]
    return [*found, known[0]]
