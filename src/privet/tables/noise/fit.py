"""Fitting noise to sets of numbers that have distances and numbers of groups of their own, such as levels.

Floats choose the kind; scales are exact, and what is chosen is certified. Proof: docs/tables/noise_plan.md.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import final

from attrs import frozen

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.losses.sum import SumLoss
from privet.accounting.planning.budget import ApproximateBudget
from privet.accounting.planning.calibrate import calibrate
from privet.core.metric import Parts
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.noise.odds import base_scale, is_pure, log_deviation, noise_odds, normal_factor
from privet.tables.noise.plan import NoisyNumbers
from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.numbers_spec import NumbersSpec


@final
@frozen(kw_only=True)
class Noiseless:
    """One set of numbers that waits for its noise.

    Args:
        measured: The numbers.
        contribution: What one privacy unit adds at most to the groups of this set.
        groups: The public number of groups.
        weight: Its share of the budget, in relation to the others.
    """

    measured: NumbersSpec
    contribution: Contribution
    groups: int
    weight: Fraction

    @property
    def distance(self) -> Parts:
        """How far apart the numbers of all groups are between neighbours."""
        return self.measured.distance(self.contribution, self.groups)

    def loss(self, noise: Noise) -> Loss:
        """What releasing them with this noise costs."""
        return NoisyNumbers(measured=self.measured, noise=noise, names=()).loss(self.contribution, self.groups)


Sets = tuple[Noiseless, ...]
Noises = tuple[Noise, ...]


def total_loss(sets: Sets, noises: Noises) -> Loss:
    """What releasing all sets costs: the sum of the losses of their mechanisms."""
    return SumLoss.of(tuple((item.loss(noise), 1) for item, noise in zip(sets, noises, strict=True)))


@lru_cache(maxsize=256)
def fit_noise(sets: Sets, budget: Budget) -> Noises:
    """Choose the noise of each set, of one kind for all, so that all of them together fit a budget.

    Args:
        sets: The numbers, with what one privacy unit adds to them and their shares.
        budget: What may be lost.

    Guarantee: ``total_loss(sets, fit_noise(sets, budget)) <= budget``.
    Proof: docs/tables/noise_plan.md.

    Raises:
        UnavailableError: Nothing fits the budget.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> once = Contribution(l0=1, l1=1, linf=1)
    >>> numbers = Noiseless(measured=count().measured(), contribution=once, groups=3, weight=Fraction(1))
    >>> fit_noise((numbers, numbers), budget(epsilon=1))[0].scale
    Fraction(2, 1)
    """
    odds = noise_odds([(item.distance, item.weight) for item in sets], budget)
    if odds:
        return _uniform(sets, budget, _favoured(odds))
    return min((_uniform(sets, budget, "gaussian"), _uniform(sets, budget, "laplace")), key=_spread)


def likely_kind(distances: Sequence[Parts], budget: Budget) -> NoiseKind:
    """Tell which kind of noise several sets with equal shares will have; a guess where there is no closed form."""
    odds = noise_odds([(distance, Fraction(1)) for distance in distances], budget)
    return _favoured(odds) if odds else "gaussian"


def _favoured(odds: list[float]) -> NoiseKind:
    """Give the kind with the smaller product of variances."""
    return "laplace" if math.fsum(math.log(min(max(ratio, 1e-300), 1e300)) for ratio in odds) < 0 else "gaussian"


def _uniform(sets: Sets, budget: Budget, kind: NoiseKind) -> Noises:
    bases = [base_scale(kind, item.distance, item.weight) for item in sets]

    def scaled(factor: Fraction) -> Noises:
        parts = zip(sets, bases, strict=True)
        return tuple(Noise(kind=kind, scale=base * factor, grid=item.measured.grid) for item, base in parts)

    total = sum((item.weight for item in sets), Fraction(0))
    if kind == "laplace" and isinstance(budget, ApproximateBudget) and budget.epsilon > 0:
        exactly = scaled(total / budget.epsilon)
        if total_loss(sets, exactly) <= budget:
            return exactly
    start = (normal_factor(budget, total) if kind == "gaussian" else None) or max(total, Fraction(1))
    digits = 9 if is_pure(budget) else 6
    found = calibrate(lambda factor: total_loss(sets, scaled(factor)), budget=budget, digits=digits, start=start)
    return scaled(Fraction(found.value))


def _spread(noises: Noises) -> float:
    return math.fsum(map(log_deviation, noises))
