"""The Rényi divergence of Gaussian noise on a Poisson sample."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb

from privet.core import ball, directed, read_number, require

_TERMS = 4096  # beyond this order the sum is not worth its terms, and sampling hardly helps


def sampled_gaussian_renyi(rate: object, squared_distance_over_variance: Any, order: object) -> Fraction:
    """Bound the Rényi divergence between Gaussian noise on a Poisson sample with and without one record, both ways.

    With N(0, 1) against (1 - q) N(0, 1) + q N(d, 1) and s = d², order a:
    (a - 1) D_a = ln sum_k binomial(a, k) (1 - q)^(a - k) q^k e^((k² - k) s / 2) at whole orders, and at most the chord
    between them elsewhere. Discrete Gaussian noise has the same divergences at whole orders and shifts of whole steps.

    Args:
        rate: The probability q that a record is sampled, between zero and one.
        squared_distance_over_variance: The square of the shift (Euclidean for vectors) over the variance of the noise.
        order: The order, above one.

    Proof: docs/accounting/numerics/sampled_gaussian.md.

    >>> round(float(sampled_gaussian_renyi(0.01, 1, 2)), 9)
    0.000171813
    """
    q = read_number("sampled_gaussian_renyi.rate", rate)
    spread = read_number("sampled_gaussian_renyi.squared_distance_over_variance", squared_distance_over_variance)
    alpha = read_number("sampled_gaussian_renyi.order", order)
    require(0 <= q <= 1, "sampled_gaussian_renyi.rate", "between zero and one", q)
    require(spread >= 0, "sampled_gaussian_renyi.squared_distance_over_variance", "zero or more", spread)
    require(alpha > 1, "sampled_gaussian_renyi.order", "above one", alpha)
    below = math.floor(alpha)
    whole = alpha * spread / 2  # without the sampling
    if q in (0, 1) or spread == 0 or below >= _TERMS:
        return Fraction(0) if q == 0 else whole
    low = _log_moment(q, spread, below)
    chord = low if alpha == below else low + (alpha - below) * (_log_moment(q, spread, below + 1) - low)
    return min(chord / (alpha - 1), whole)


@lru_cache(maxsize=4096)
def _log_moment(rate: Fraction, spread: Fraction, order: int) -> Fraction:
    """The logarithm of the moment at a whole order, rounded up: (order - 1) times the divergence."""
    if order == 1:
        return Fraction(0)

    def value(s: arb) -> arb:
        odds, step = ball(rate / (1 - rate)), s.exp()
        # each term is positive, as those of k = 0 and 1 vanish against the one that the weights add up to
        weight = ball(1 - rate) ** order * odds * order
        growth, power, moment = arb(1), arb(1), arb(0)
        for k in range(2, order + 1):
            weight = weight * odds * (order - k + 1) / k
            power *= step  # e^((k - 1) s)
            growth *= power  # e^((k² - k) s / 2)
            moment += weight * (growth - 1)
        return moment.log1p()

    return directed(value, spread, toward="up")
