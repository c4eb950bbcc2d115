"""The kind of noise that suits each set of numbers: one kind for all, or both kinds where that helps.

Floats decide accuracy only; scales are exact, and the chosen ones are certified. Proof: docs/tables/noise_plan.md.
"""

import math
from fractions import Fraction

from privet.accounting.losses.loss import Budget
from privet.tables.aggregates.noise import NoiseKind
from privet.tables.noise.fit import FittedNumbers, Sets, calibrated, calibrated_kind, split_epsilon
from privet.tables.noise.odds import better_kind, is_pure, log_deviation, noise_odds

_FEW_TERMS = 8  # so few pure losses compose to hardly less than their sum
_WORTH_MIXING = 2.0  # a ratio of variances
_NOTABLY = Fraction(9, 10)
_LARGEST_LOG = 600.0  # of a ratio of variances
_DIGITS = 5  # of the factor of mixed noise


def fit_mixed_noise(sets: Sets, budget: Budget) -> FittedNumbers:
    """Choose the kind and the scale of the noise of each set so that all of them together fit a budget.

    Args:
        sets: The numbers, with what one privacy unit adds to them and their weights.
        budget: What the release may lose.

    Guarantee: ``fit_mixed_noise(sets, budget).loss <= budget``.
    Proof: docs/tables/noise_plan.md.

    Raises:
        UnavailableError: Nothing fits the budget.
    """
    odds = noise_odds([(each.distance, each.weight) for each in sets], budget)
    if odds and not (min(odds) * _WORTH_MIXING <= 1 and max(odds) >= _WORTH_MIXING):
        return _one_kind(sets, budget, better_kind(odds), odds)
    gaussian, laplace = (_one_kind(sets, budget, kind, odds) for kind in ("gaussian", "laplace"))
    pairs = list(zip(laplace.noises, gaussian.noises, strict=True))
    ratios = [math.exp(min(2 * (log_deviation(a) - log_deviation(b)), _LARGEST_LOG)) for a, b in pairs]
    better = min((gaussian, laplace), key=lambda fit: fit.spread)
    if min(ratios) * _WORTH_MIXING > 1 or max(ratios) < _WORTH_MIXING:
        return better
    best = tuple(a if ratio < 1 else b for (a, b), ratio in zip(pairs, ratios, strict=True))
    mixed = calibrated(FittedNumbers(sets=sets, noises=best), budget, digits=_DIGITS)
    return min((mixed, better), key=lambda fit: fit.spread)


def _one_kind(sets: Sets, budget: Budget, kind: NoiseKind, odds: list[float]) -> FittedNumbers:
    exactly = split_epsilon(sets, budget) if kind == "laplace" else None
    if exactly is not None and not _composes(exactly, budget, odds):
        return exactly
    return calibrated_kind(sets, budget, kind)


def _composes(exactly: FittedNumbers, budget: Budget, odds: list[float]) -> bool:
    """Say whether pure losses compose to notably less than their sum at the delta of the budget."""
    terms = sum(each.distance.l0 for each in exactly.sets)
    if is_pure(budget) or terms <= _FEW_TERMS or (odds and max(odds) < _WORTH_MIXING):
        return False
    return exactly.scaled(_NOTABLY).loss <= budget
