"""The core of every plan: sets of numbers with weights, base scales of noise, one factor that fits the budget.

At the base scales the losses of the sets are in proportion to their weights. One factor multiplies all scales; it is
the smallest with which the sum of the losses fits the budget. Floats choose the kind of noise and where the search
begins; scales are exact, and the chosen ones are certified. Proof: docs/tables/noise_plan.md.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, Self, TypeVar, final

from attrs import frozen

from privet.accounting.losses.loss import Budget, Loss, SumLoss
from privet.accounting.planning.budget import ApproximateBudget
from privet.accounting.planning.calibrate import calibrate
from privet.core import Parts
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.noise.odds import base_scale, better_kind, is_pure, log_deviation, noise_odds, normal_factor
from privet.tables.noise.plan import Named, NoisyNumbers
from privet.tables.statistics import Contribution, NumbersSpec

_DIGITS = 6  # digits of a calibrated factor
_PURE_DIGITS = 9  # digits of a factor for a pure budget, whose losses are quick to compute
_FEW_TERMS = 8  # so few pure losses compose to hardly less than their sum
_WORTH_MIXING = 2.0  # a ratio of variances
_NOTABLY = Fraction(9, 10)
_LARGEST_LOG = 600.0  # of a ratio of variances
_MIXED_DIGITS = 5  # of the factor of mixed noise


class Scalable(Protocol):
    """Noise of which all scales can be multiplied by one factor."""

    @property
    def loss(self) -> Loss:
        """What releasing all numbers with this noise costs."""

    def scaled(self, factor: Fraction) -> Self:
        """Multiply every scale."""


Scaled = TypeVar("Scaled", bound=Scalable)


def fitting_factor(
    noise: Scalable, budget: Budget, *, start: Fraction = Fraction(1), digits: int = _DIGITS
) -> Fraction:
    """Find the smallest factor of all scales with which the loss fits a budget.

    Args:
        noise: The scales to begin with; only their ratios matter.
        budget: What the release may lose.
        start: The factor to try first.
        digits: How many significant digits the factor has.

    Raises:
        UnavailableError: No factor fits.
    """
    largest = calibrate(lambda factor: noise.scaled(factor).loss, budget=budget, digits=digits, start=start)
    return Fraction(largest.value)


def calibrated(noise: Scaled, budget: Budget, *, start: Fraction = Fraction(1), digits: int = _DIGITS) -> Scaled:
    """Multiply all scales by their ``fitting_factor``."""
    return noise.scaled(fitting_factor(noise, budget, start=start, digits=digits))


@final
@frozen(kw_only=True)
class WeightedNumbers:
    """One set of numbers that waits for its noise.

    Args:
        measured: The numbers.
        contribution: What one privacy unit adds at most to the groups of this set.
        groups: The public number of groups.
        weight: Its share of the budget, relative to the others.
        names: The aggregates that read the numbers.
    """

    measured: NumbersSpec
    contribution: Contribution
    groups: int
    weight: Fraction
    names: tuple[str, ...] = ()

    @property
    def distance(self) -> Parts:
        """Give the distance of the numbers of all groups between neighbours."""
        return self.measured.distance(self.contribution, self.groups)

    def base(self, kind: NoiseKind) -> Noise:
        """The noise whose cost is in proportion to the weight."""
        scale = base_scale(kind, self.distance, self.weight)
        return Noise(kind=kind, scale=scale, grid=self.measured.grid)


Sets = tuple[WeightedNumbers, ...]


def weigh_numbers(
    named: Named, weights: Mapping[str, Fraction], *, contribution: Contribution, groups: int
) -> tuple[WeightedNumbers, ...]:
    """Give the numbers that aggregates read: those that read the same numbers share them, and their weights add up.

    Args:
        named: Names and bound aggregates.
        weights: The weight of each name.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups.
    """
    readers: dict[NumbersSpec, list[str]] = {}
    for name, aggregate in named:
        readers.setdefault(aggregate.measured(), []).append(name)
    return tuple(
        WeightedNumbers(
            measured=measured,
            contribution=contribution,
            groups=groups,
            weight=sum((weights[name] for name in names), Fraction(0)),
            names=tuple(names),
        )
        for measured, names in readers.items()
    )


@final
@frozen(kw_only=True)
class FittedNumbers:
    """Sets of numbers with their noise.

    Args:
        sets: The numbers.
        noises: The noise of each set.

    Guarantee: ``loss`` bounds the release of all sets.
    """

    sets: Sets
    noises: tuple[Noise, ...]

    @property
    def parts(self) -> tuple[NoisyNumbers, ...]:
        """Each set with its noise."""
        pairs = zip(self.sets, self.noises, strict=True)
        return tuple(NoisyNumbers(measured=each.measured, noise=noise, names=each.names) for each, noise in pairs)

    @property
    def loss(self) -> Loss:
        """The sum of the losses of the mechanisms."""
        pairs = zip(self.sets, self.parts, strict=True)
        return SumLoss.of(tuple((part.loss(each.contribution, each.groups), 1) for each, part in pairs))

    def scaled(self, factor: Fraction) -> "FittedNumbers":
        """Multiply every scale."""
        scales = ((each.kind, each.scale * factor, each.grid) for each in self.noises)
        noises = tuple(Noise(kind=kind, scale=scale, grid=grid) for kind, scale, grid in scales)
        return FittedNumbers(sets=self.sets, noises=noises)

    @property
    def spread(self) -> float:
        """The sum of the logarithms of the deviations, to compare plans by."""
        return math.fsum(map(log_deviation, self.noises))


def base_noise(sets: Sets, kind: NoiseKind) -> FittedNumbers:
    """Give all sets noise of one kind at its base scales."""
    return FittedNumbers(sets=sets, noises=tuple(each.base(kind) for each in sets))


def total_weight(sets: Sets) -> Fraction:
    """Add up the weights."""
    return sum((each.weight for each in sets), Fraction(0))


def split_epsilon(sets: Sets, budget: Budget) -> FittedNumbers | None:
    """Split an epsilon by the weights, exactly: the losses of Laplace noise add up to it. None without an epsilon."""
    if not isinstance(budget, ApproximateBudget) or budget.epsilon <= 0:
        return None
    exactly = base_noise(sets, "laplace").scaled(total_weight(sets) / budget.epsilon)
    return exactly if exactly.loss.pure().cost <= budget.epsilon else None


def calibrated_kind(sets: Sets, budget: Budget, kind: NoiseKind) -> FittedNumbers:
    """Give all sets noise of one kind, with the smallest factor that fits."""
    total = total_weight(sets)
    start = (normal_factor(budget, total) if kind == "gaussian" else None) or max(total, Fraction(1))
    digits = _PURE_DIGITS if is_pure(budget) else _DIGITS
    return calibrated(base_noise(sets, kind), budget, start=start, digits=digits)


def _one_kind(sets: Sets, budget: Budget, kind: NoiseKind) -> FittedNumbers:
    exactly = split_epsilon(sets, budget) if kind == "laplace" else None
    return exactly if exactly is not None else calibrated_kind(sets, budget, kind)


@lru_cache(maxsize=256)
def fit_noise(sets: Sets, budget: Budget) -> FittedNumbers:
    """Choose the noise of each set, of one kind for all, so that all of them together fit a budget.

    Args:
        sets: The numbers, with what one privacy unit adds to them and their weights.
        budget: What the release may lose.

    Guarantee: ``fit_noise(sets, budget).loss <= budget``.
    Proof: docs/tables/noise_plan.md.

    Raises:
        UnavailableError: Nothing fits the budget.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> once = Contribution(l0=1, l1=1, linf=1)
    >>> numbers = WeightedNumbers(measured=count().measured(), contribution=once, groups=3, weight=Fraction(1))
    >>> fit_noise((numbers, numbers), budget(epsilon=1)).noises[0].scale
    Fraction(2, 1)
    """
    odds = noise_odds([(each.distance, each.weight) for each in sets], budget)
    if odds:
        return _one_kind(sets, budget, better_kind(odds))
    return min((_one_kind(sets, budget, "gaussian"), _one_kind(sets, budget, "laplace")), key=lambda fit: fit.spread)


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
        return _suited(sets, budget, better_kind(odds), odds)
    gaussian, laplace = (_suited(sets, budget, kind, odds) for kind in ("gaussian", "laplace"))
    pairs = list(zip(laplace.noises, gaussian.noises, strict=True))
    ratios = [math.exp(min(2 * (log_deviation(a) - log_deviation(b)), _LARGEST_LOG)) for a, b in pairs]
    better = min((gaussian, laplace), key=lambda fit: fit.spread)
    if min(ratios) * _WORTH_MIXING > 1 or max(ratios) < _WORTH_MIXING:
        return better
    best = tuple(a if ratio < 1 else b for (a, b), ratio in zip(pairs, ratios, strict=True))
    mixed = calibrated(FittedNumbers(sets=sets, noises=best), budget, digits=_MIXED_DIGITS)
    return min((mixed, better), key=lambda fit: fit.spread)


def _suited(sets: Sets, budget: Budget, kind: NoiseKind, odds: list[float]) -> FittedNumbers:
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
