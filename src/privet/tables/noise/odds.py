"""Which kind of noise is better for a budget, and how scales relate: floats that decide accuracy only, exact bases."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

from privet.accounting.losses.loss import Budget
from privet.accounting.planning.budget import ApproximateBudget
from privet.core import Parts, sqrt_up
from privet.tables.aggregates.noise import Noise, NoiseKind

Distances = Sequence[tuple[Parts, Fraction]]  # with their weights
_BITS = 40  # of a base: scales may be anything, and short ones are quick to compute with
_LARGE_EPSILON = 600
_NEVER = 1e-150


def is_pure(budget: Budget) -> bool:
    """Say whether a budget has no delta."""
    return isinstance(budget, ApproximateBudget) and budget.delta == 0


def base_scale(kind: NoiseKind, distance: Parts, weight: Fraction) -> Fraction:
    """Give scales whose costs are in proportion to the weights: epsilon is l1 / scale, rho is l2² / (2 scale²)."""
    if kind == "laplace":
        return distance.l1 / weight
    root = sqrt_up(distance.l2_squared / weight)
    unit = Fraction(2) ** (root.numerator.bit_length() - root.denominator.bit_length() - _BITS)
    return math.ceil(root / unit) * unit


def noise_odds(distances: Distances, budget: Budget) -> list[float]:
    """Give the variance of Laplace noise over that of Gaussian noise, for each number, from closed forms in floats.

    They decide accuracy only. The list is empty where there is no closed form. A ratio above one stays above one if the
    losses of Laplace noise are composed: many of them cost as much as Gaussian noise of half the variance.
    """
    total = sum((weight for _, weight in distances), Fraction(0))
    if is_pure(budget):
        return [_NEVER] * len(distances)
    factor = normal_factor(budget, total)
    if factor is None or not isinstance(budget, ApproximateBudget):
        return []
    if budget.epsilon == 0:
        return [1 / _NEVER] * len(distances)
    plain = (total / budget.epsilon / factor) ** 2 * 2
    ratios = [plain * distance.l1**2 / (weight * distance.l2_squared) for distance, weight in distances]
    return [min(max(float(min(ratio, Fraction(10) ** 300)), _NEVER), 1 / _NEVER) for ratio in ratios]


def better_kind(odds: Sequence[float]) -> NoiseKind:
    """Give the kind of noise with the smaller product of variances.

    >>> better_kind([0.5, 1.5])
    'laplace'
    """
    return "laplace" if math.fsum(map(math.log, odds)) < 0 else "gaussian"


def likely_kind(distances: Sequence[Parts], budget: Budget) -> NoiseKind:
    """Say which kind of noise several sets with equal shares will have; a guess where there is no closed form."""
    odds = noise_odds([(distance, Fraction(1)) for distance in distances], budget)
    return better_kind(odds) if odds else "gaussian"


def log_deviation(noise: Noise) -> float:
    """Give the logarithm of the deviation; of the scale where a float holds neither."""
    deviation = noise.deviation
    return math.log(deviation) if 0 < deviation < math.inf else log_exact(noise.scale)


def log_exact(value: Fraction) -> float:
    """Give the logarithm of a fraction that may be no float."""
    return math.log(value.numerator) - math.log(value.denominator)


def normal_factor(budget: Budget, total: Fraction) -> Fraction | None:
    """Give the factor of continuous Gaussian noise: at it the squares of all distances in deviations add up to mu²."""
    if not isinstance(budget, ApproximateBudget) or not 1e-14 < budget.delta < 0.5 or budget.epsilon > _LARGE_EPSILON:
        return None
    return Fraction(f"{math.sqrt(total) / _normal_mu(float(budget.epsilon), float(budget.delta)):.9g}")


@lru_cache(maxsize=256)
def _normal_mu(epsilon: float, delta: float) -> float:
    """Give the distance of two normal laws, in deviations, that costs epsilon and delta."""
    normal = NormalDist()
    low, high = 1e-9, 64.0
    for _ in range(60):
        mu = math.sqrt(low * high)
        left, right = (normal.cdf(-epsilon / mu + side * mu / 2) for side in (1, -1))
        low, high = (mu, high) if left - math.exp(epsilon) * right < delta else (low, mu)
    return low
