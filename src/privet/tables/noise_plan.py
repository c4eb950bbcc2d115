"""How much noise each number of a query gets: chosen from public facts, certified against the budget.

The plan reads no data. Scales are exact; the loss is that of the mechanisms that run, on the grids of the numbers.
"""

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Any, final, get_args

import numpy as np
from attrs import evolve, field, frozen

from privet.accounting.budget import ApproximateBudget
from privet.accounting.calibrate import calibrate
from privet.accounting.loss import Budget, Loss
from privet.accounting.sum import SumLoss
from privet.core.checks import positive, read_number, read_whole, short, whole
from privet.core.exact import sqrt_up
from privet.core.metric import Parts
from privet.core.rows import Array
from privet.core.space import Space
from privet.errors import Invalid, WrongType
from privet.tables.aggregates.aggregate import Aggregate, Measured
from privet.tables.aggregates.contribution import Contribution
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.aggregates.shared import SharedColumn, share
from privet.tables.aggregates.statistic import Statistic

Named = tuple[tuple[str, Aggregate], ...]
Distances = list[tuple[Parts, Fraction]]
_FEW_TERMS = 8  # so few pure losses compose to hardly less than their sum
_BITS = 40  # of a base: scales may be anything, and short ones are quick to compute with
_NOTABLY = Fraction(9, 10)
_WORTH_MIXING = 2.0
_LARGE_EPSILON = 600
_LARGEST = Fraction(10) ** 300  # what floats that only choose are cut at
_NEVER = 1e-150
_HARDLY = 0.03  # so little more variance, as a logarithm, is no loss


@final
@frozen(kw_only=True)
class Planned:
    """One set of numbers with its noise.

    Args:
        measured: The numbers.
        noise: What is added to each.
        names: The aggregates that read them.
    """

    measured: Measured
    noise: Noise
    names: tuple[str, ...]

    def loss(self, contribution: Contribution, groups: int) -> Loss:
        """What releasing them in all groups costs."""
        distance = self.measured.distance(contribution, groups)
        return (self.space(groups) >> self.noise.mechanism).map(distance)

    def space(self, groups: int) -> Space:
        """The numbers of all groups on the grid on which noise is drawn."""
        return evolve(self.measured, grid=self.noise.fine).space(groups)


@final
@frozen(kw_only=True)
class NoisePlan:
    """What a query releases and with which noise.

    Args:
        aggregates: Names and bound aggregates, in the order of the result.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups.
        planned: Numbers with their noise; aggregates that read the same numbers share them.

    Guarantee: ``loss`` bounds the release of all numbers of all groups.
    Proof: docs/tables/noise_plan.md.
    """

    aggregates: Named
    contribution: Contribution
    groups: int = field(converter=whole, validator=positive)
    planned: tuple[Planned, ...]

    @property
    def loss(self) -> Loss:
        """The sum of the losses of the mechanisms."""
        return SumLoss.of(tuple((part.loss(self.contribution, self.groups), 1) for part in self.planned))

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """What the engine must count and add up, each once."""
        return tuple(dict.fromkeys(item for part in self.planned for item in part.measured.statistics))

    def part(self, name: str) -> int:
        """Give the position of the numbers that an aggregate reads."""
        return next(at for at, part in enumerate(self.planned) if name in part.names)

    def describe(self, rows: Any = None, level: Any = Fraction(95, 100)) -> str:
        """Write the plan as a table; with ``rows``, a guess of rows per group, the error to expect of each aggregate.

        Args:
            rows: How many rows a group has, as far as is publicly known.
            level: That of the half-widths.
        """
        heads = ["numbers", "noise", "scale", "deviation", f"{float(read_number('level', level)):.0%} half-width"]
        lines = [["for", *heads]]
        for part in self.planned:
            noise = part.noise
            shown = [_shown(noise.scale), f"{noise.deviation:.4g}", f"{float(noise.half_width(level)):.4g}"]
            lines.append([", ".join(part.names), f"{self.groups} x {part.measured.length}", noise.kind, *shown])
        told = [_table(lines)]
        if rows is not None:
            count = read_number("describe.rows", rows)
            expected = [["expected of", "standard error", "relative"]]
            for name, aggregate in self.aggregates:
                found = aggregate.expected(self.planned[self.part(name)].noise, count)
                expected.append([name, f"{found.error:.4g}", f"{found.relative:.2%}"])
            told.append(_table(expected))
        return "\n\n".join([*told, f"loss: {self.loss!r}"])


def plan_noise(
    aggregates: Mapping[str, Aggregate],
    *,
    contribution: Contribution,
    groups: int,
    budget: Budget,
    weights: Mapping[str, Any] | None = None,
) -> NoisePlan:
    """Choose the noise of each number so that all of them together fit a budget.

    Args:
        aggregates: What is asked, bound to columns, by name.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups, one or more.
        budget: What may be lost.
        weights: The share of the budget of each aggregate, in relation to the others; those that are not named count
            as one. ``equal_error_weights`` gives those that equalise relative errors. Without weights, counts, sums
            and means of one column share numbers where all of them gain by that.

    Raises:
        Unavailable: Nothing fits the budget.

    >>> from privet.accounting.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> caps = Contribution(l0=3, l1=6, linf=2)
    >>> plan = plan_noise({"n": count()}, contribution=caps, groups=10, budget=budget(epsilon=1))
    >>> plan.planned[0].noise.scale
    Fraction(6, 1)
    """
    named = tuple(aggregates.items())
    for name, aggregate in named:
        if not isinstance(aggregate, Aggregate):
            raise WrongType(f"plan_noise.aggregates[{name!r}] must be an aggregate such as count().")
    if not named:
        raise Invalid("plan_noise.aggregates must hold one or more, e.g. count().")
    if not isinstance(budget, Budget):
        raise WrongType("plan_noise.budget must be a budget such as pv.budget(epsilon=1).")
    count = read_whole("plan_noise.groups", groups)
    if count < 1:
        raise Invalid(f"plan_noise.groups must be one or more, got {count}.")
    if weights is None:
        named = _together(named, contribution, count, budget, repr(named))
    return _planned(named, contribution, count, budget, _read_weights(dict(named), weights), repr(named))


def equal_error_weights(
    aggregates: Mapping[str, Aggregate], *, contribution: Contribution, groups: int, budget: Budget, rows: Any
) -> dict[str, Fraction]:
    """Give the weights with which all aggregates have about the same relative error, from public facts.

    Args:
        aggregates: What is asked, bound to columns, by name.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups.
        budget: What may be lost: the error falls with the weight under pure privacy, with its root otherwise.
        rows: How many rows a group has, as far as is publicly known.
    """
    kind: NoiseKind = "laplace" if _is_pure(budget) else "gaussian"
    expected_rows = read_number("equal_error_weights.rows", rows)
    found: dict[str, Fraction] = {}
    for name, aggregate in aggregates.items():
        scale = _base(kind, aggregate.measured().distance(contribution, groups), Fraction(1)) / 10**6
        relative = aggregate.expected(Noise(kind=kind, scale=scale, grid=scale / 10**6), expected_rows).relative
        sized = relative if kind == "laplace" else relative**2
        found[name] = Fraction(f"{sized:.6g}") if 0 < sized < math.inf else Fraction(1)
    smallest = min(found.values())
    return {name: Fraction(f"{float(weight / smallest):.6g}") for name, weight in found.items()}


def add_noise(plan: NoisePlan, results: Mapping[Statistic, Any]) -> tuple[Array, ...]:
    """Release all numbers: one batch of exact noise for each planned set. The loss must be charged before.

    Args:
        plan: What was planned.
        results: Whole numbers for each of ``plan.statistics``: one for each group, or an array of groups by bins.

    Returns:
        For each planned set an array of groups by numbers, in steps of its grid.
    """
    released = []
    with np.errstate(all="ignore"):  # what numpy warns of depends on the values
        for part in plan.planned:
            exact = _finer(part.measured.exact(results, plan.groups), part.noise.bits)
            noisy = np.asarray(part.noise.mechanism.release(exact, part.space(plan.groups)))
            steps = noisy if noisy.dtype == np.int64 else noisy / float(part.noise.fine)
            released.append(part.noise.rounded(steps).reshape(plan.groups, part.measured.length))
    return tuple(released)


def _finer(exact: Array, bits: int) -> Array:
    """Write whole steps as finer ones, whatever their size."""
    if exact.dtype == np.int64 and int(np.abs(exact).max()) >= 2 ** (62 - bits):
        exact = exact.astype(object)
    return np.asarray(exact * (1 << bits))


@lru_cache(maxsize=256)
def _together(named: Named, contribution: Contribution, groups: int, budget: Budget, _written: str) -> Named:
    """Let aggregates share numbers where that is best: with Laplace noise, with Gaussian noise, or not at all."""
    # as written: False and True are equal to 0 and 1, and another session may have counted those
    equal = (Fraction(1),) * len(named)
    if _is_pure(budget):
        return share(named, equal, ("laplace",))
    alone = _variances(named, contribution, groups, budget)
    if not alone:
        return share(named, equal, ("laplace", "gaussian"))
    best, least = named, 0.0
    for kind in get_args(NoiseKind):
        tried = share(named, equal, (kind,))
        found = _variances(tried, contribution, groups, budget)
        gains = [math.log(after / before) for after, before in zip(found, alone, strict=True)]
        if max(gains) < _HARDLY and math.fsum(gains) < least:
            best, least = tried, math.fsum(gains)
    return best


def _variances(named: Named, contribution: Contribution, groups: int, budget: Budget) -> list[float]:
    """Give the variance to expect of each aggregate, as a multiple of one factor, from closed forms in floats."""
    sizes = Counter(item.measured() for _, item in named)
    distances = {item: (item.distance(contribution, groups), Fraction(often)) for item, often in sizes.items()}
    odds = _odds(list(distances.values()), budget)
    if not odds:
        return []
    laplace = _is_laplace(odds)
    found = []
    for _, item in named:
        at = list(distances).index(item.measured())
        distance, weight = distances[item.measured()]
        weights = (item.weights if isinstance(item, SharedColumn) else None) or (Fraction(1),)
        normal = sum((each**2 for each in weights), Fraction(0)) * distance.l2_squared / weight * len(named)
        found.append(float(min(normal, _LARGEST)) * (odds[at] if laplace else 1.0))
    return found


@lru_cache(maxsize=256)
def _planned(
    named: Named, contribution: Contribution, groups: int, budget: Budget, weights: tuple[Fraction, ...], _written: str
) -> NoisePlan:
    shares: dict[Measured, Fraction] = {}
    names: dict[Measured, tuple[str, ...]] = {}
    for (name, aggregate), weight in zip(named, weights, strict=True):
        measured = aggregate.measured()
        shares[measured] = shares.get(measured, Fraction(0)) + weight
        names[measured] = (*names.get(measured, ()), name)

    def plan(noises: list[Noise]) -> NoisePlan:
        parts = zip(shares, noises, strict=True)
        planned = tuple(Planned(measured=item, noise=noise, names=names[item]) for item, noise in parts)
        return NoisePlan(aggregates=named, contribution=contribution, groups=groups, planned=planned)

    distances = [(item.distance(contribution, groups), weight) for item, weight in shares.items()]
    grids = [item.grid for item in shares]

    def scaled(kinds: list[NoiseKind], bases: list[Fraction], factor: Fraction) -> NoisePlan:
        parts = zip(kinds, bases, grids, strict=True)
        return plan([Noise(kind=kind, scale=base * factor, grid=grid) for kind, base, grid in parts])

    def fitted(kinds: list[NoiseKind], bases: list[Fraction], start: Fraction, digits: int) -> NoisePlan:
        found = calibrate(lambda factor: scaled(kinds, bases, factor).loss, budget=budget, digits=digits, start=start)
        return scaled(kinds, bases, Fraction(found.value))

    def composes(exactly: NoisePlan, kinds: list[NoiseKind], bases: list[Fraction], factor: Fraction) -> bool:
        """Tell whether pure losses compose to notably less than their sum at the budget's delta."""
        terms = sum(part.measured.distance(contribution, groups).l0 for part in exactly.planned)
        if _is_pure(budget) or terms <= _FEW_TERMS or (odds and max(odds) < _WORTH_MIXING):
            return False
        return scaled(kinds, bases, factor * _NOTABLY).loss <= budget

    def uniform(kind: NoiseKind) -> NoisePlan:
        bases = [_base(kind, distance, weight) for distance, weight in distances]
        kinds = [kind] * len(bases)
        total = sum((weight for _, weight in distances), Fraction(0))
        if kind == "laplace" and isinstance(budget, ApproximateBudget) and budget.epsilon > 0:
            factor = total / budget.epsilon
            exactly = scaled(kinds, bases, factor)
            if exactly.loss.pure().cost <= budget.epsilon and not composes(exactly, kinds, bases, factor):
                return exactly
        start = _normal_factor(budget, total) if kind == "gaussian" else None
        return fitted(kinds, bases, start or max(total, Fraction(1)), 9 if _is_pure(budget) else 6)

    odds = _odds(distances, budget)
    if odds and not (min(odds) * _WORTH_MIXING <= 1 and max(odds) >= _WORTH_MIXING):
        return uniform("laplace" if _is_laplace(odds) else "gaussian")
    gaussian, laplace = uniform("gaussian"), uniform("laplace")
    ratios = [(_deviation(a) / _deviation(b)) ** 2 for a, b in zip(laplace.planned, gaussian.planned, strict=True)]
    better = min((gaussian, laplace), key=_spread)
    if min(ratios) * _WORTH_MIXING > 1 or max(ratios) < _WORTH_MIXING:
        return better
    best = [a if ratio < 1 else b for a, b, ratio in zip(laplace.planned, gaussian.planned, ratios, strict=True)]
    mixed = fitted([part.noise.kind for part in best], [part.noise.scale for part in best], Fraction(1), 5)
    return min((mixed, better), key=_spread)


def _is_pure(budget: Budget) -> bool:
    return isinstance(budget, ApproximateBudget) and budget.delta == 0


def _base(kind: NoiseKind, distance: Parts, weight: Fraction) -> Fraction:
    """Give scales whose costs are in proportion to the weights: epsilon is l1 / scale, rho is l2² / (2 scale²)."""
    if kind == "laplace":
        return distance.l1 / weight
    root = sqrt_up(distance.l2_squared / weight)
    unit = Fraction(2) ** (root.numerator.bit_length() - root.denominator.bit_length() - _BITS)
    return math.ceil(root / unit) * unit


def _odds(distances: Distances, budget: Budget) -> list[float]:
    """Give the variance of Laplace noise over that of Gaussian noise, for each number, from closed forms in floats.

    They only choose. Nothing is given where there is no closed form. Where the ratio is above one, composing the losses
    of Laplace noise leaves it so: many of them cost what Gaussian noise of half the variance does.
    """
    total = sum((weight for _, weight in distances), Fraction(0))
    if _is_pure(budget):
        return [_NEVER] * len(distances)
    factor = _normal_factor(budget, total)
    if factor is None or not isinstance(budget, ApproximateBudget):
        return []
    if budget.epsilon == 0:
        return [1 / _NEVER] * len(distances)
    plain = (total / budget.epsilon / factor) ** 2 * 2
    ratios = [plain * distance.l1**2 / (weight * distance.l2_squared) for distance, weight in distances]
    return [min(max(float(min(ratio, Fraction(10) ** 300)), _NEVER), 1 / _NEVER) for ratio in ratios]


def _is_laplace(odds: list[float]) -> bool:
    """Tell which kind of noise has the smaller product of variances."""
    return math.fsum(map(math.log, odds)) < 0


def _normal_factor(budget: Budget, total: Fraction) -> Fraction | None:
    """Give the factor of continuous Gaussian noise: at it the squares of all distances in deviations add up to mu²."""
    if not isinstance(budget, ApproximateBudget) or not 1e-14 < budget.delta < 0.5 or budget.epsilon > _LARGE_EPSILON:
        return None
    epsilon, delta, normal = float(budget.epsilon), float(budget.delta), NormalDist()
    low, high = 1e-9, 64.0
    for _ in range(60):
        mu = math.sqrt(low * high)
        left, right = (normal.cdf(-epsilon / mu + side * mu / 2) for side in (1, -1))
        low, high = (mu, high) if left - math.exp(epsilon) * right < delta else (low, mu)
    return Fraction(f"{math.sqrt(total) / low:.9g}")


def _deviation(part: Planned) -> float:
    return part.noise.deviation or float(part.noise.scale) or 1e-300


def _spread(plan: NoisePlan) -> float:
    return math.fsum(math.log(_deviation(part)) for part in plan.planned)


def _read_weights(named: Mapping[str, Aggregate], weights: Mapping[str, Any] | None) -> tuple[Fraction, ...]:
    if weights is None:
        return (Fraction(1),) * len(named)
    unknown = sorted(set(weights) - set(named))
    if unknown:
        raise Invalid(f"plan_noise.weights names {unknown[0]!r}, which is no aggregate of the query.")
    found = {name: read_number(f"plan_noise.weights[{name!r}]", weights.get(name, 1)) for name in named}
    for name, weight in found.items():
        if weight <= 0:
            raise Invalid(f"plan_noise.weights[{name!r}] must be above zero, got {short(weight)}.")
    return tuple(found.values())


def _shown(scale: Fraction) -> str:
    return str(scale) if scale.denominator == 1 else f"{float(scale):.6g}"


def _table(lines: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
