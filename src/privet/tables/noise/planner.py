"""How much noise each number of a query gets: chosen from public facts, certified against the budget.

The plan reads no data. Scales are exact; the loss is that of the mechanisms that run, on the grids of the numbers.
"""

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, get_args

from privet.accounting.losses.loss import Budget
from privet.accounting.planning.budget import ApproximateBudget
from privet.accounting.planning.calibrate import calibrate
from privet.core.checks import read_number, read_whole, short
from privet.errors import InvalidError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.aggregates.shared import SharedColumn, share
from privet.tables.noise.odds import base_scale, is_laplace, is_pure, log_deviation, noise_odds, normal_factor
from privet.tables.noise.plan import Named, NoisePlan, NoisyNumbers
from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.numbers_spec import NumbersSpec

_FEW_TERMS = 8  # so few pure losses compose to hardly less than their sum
_WORTH_MIXING = 2.0
_NOTABLY = Fraction(9, 10)
_LARGEST = Fraction(10) ** 300  # what floats that only choose are cut at
_LARGEST_LOG = 600.0  # of a ratio of variances
_HARDLY = 0.03  # so little more variance, as a logarithm, is no loss


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
        UnavailableError: Nothing fits the budget.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> caps = Contribution(l0=3, l1=6, linf=2)
    >>> plan = plan_noise({"n": count()}, contribution=caps, groups=10, budget=budget(epsilon=1))
    >>> plan.planned[0].noise.scale
    Fraction(6, 1)
    """
    named = tuple(aggregates.items())
    for name, aggregate in named:
        if not isinstance(aggregate, Aggregate):
            raise WrongTypeError(f"plan_noise.aggregates[{name!r}] must be an aggregate such as count().")
    if not named:
        raise InvalidError("plan_noise.aggregates must hold one or more, e.g. count().")
    if not isinstance(budget, Budget):
        raise WrongTypeError("plan_noise.budget must be a budget such as pv.budget(epsilon=1).")
    count = read_whole("plan_noise.groups", groups)
    if count < 1:
        raise InvalidError(f"plan_noise.groups must be one or more, got {count}.")
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
    kind: NoiseKind = "laplace" if is_pure(budget) else "gaussian"
    expected_rows = read_number("equal_error_weights.rows", rows)
    found: dict[str, Fraction] = {}
    for name, aggregate in aggregates.items():
        scale = base_scale(kind, aggregate.measured().distance(contribution, groups), Fraction(1)) / 10**6
        relative = aggregate.expected(Noise(kind=kind, scale=scale, grid=scale / 10**6), expected_rows).relative
        sized = relative if kind == "laplace" else relative * relative
        found[name] = Fraction(f"{sized:.6g}") if 0 < sized < math.inf else Fraction(1)
    smallest = min(found.values())
    return {name: Fraction(f"{float(min(weight / smallest, _LARGEST)):.6g}") for name, weight in found.items()}


@lru_cache(maxsize=256)
def _together(named: Named, contribution: Contribution, groups: int, budget: Budget, _written: str) -> Named:
    """Let aggregates share numbers where that is best: with Laplace noise, with Gaussian noise, or not at all."""
    # as written: False and True are equal to 0 and 1, and another session may have counted those
    equal = (Fraction(1),) * len(named)
    if is_pure(budget):
        return share(named, equal, ("laplace",))
    alone = _variances(named, contribution, groups, budget)
    if not alone:
        return share(named, equal, ("laplace", "gaussian"))
    best, least = named, 0.0
    for kind in get_args(NoiseKind):
        tried = share(named, equal, (kind,))
        found = _variances(tried, contribution, groups, budget)
        gains = [after - before for after, before in zip(found, alone, strict=True)]
        if max(gains) < _HARDLY and math.fsum(gains) < least:
            best, least = tried, math.fsum(gains)
    return best


def _variances(named: Named, contribution: Contribution, groups: int, budget: Budget) -> list[float]:
    """Give the logarithm of the variance to expect of each aggregate, up to one term, from closed forms in floats."""
    measured = [item.measured() for _, item in named]
    sizes = Counter(measured)
    distances = {item: (item.distance(contribution, groups), Fraction(often)) for item, often in sizes.items()}
    odds = dict(zip(distances, noise_odds(list(distances.values()), budget), strict=False))
    if not odds:
        return []
    laplace = is_laplace(list(odds.values()))
    found = []
    for (_, item), numbers in zip(named, measured, strict=True):
        distance, weight = distances[numbers]
        weights = (item.weights if isinstance(item, SharedColumn) else None) or (Fraction(1),)
        normal = sum((each**2 for each in weights), Fraction(0)) * distance.l2_squared / weight * len(named)
        found.append(_log(normal) + (math.log(odds[numbers]) if laplace else 0.0))
    return found


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)  # also of what is no float


@lru_cache(maxsize=256)
def _planned(
    named: Named, contribution: Contribution, groups: int, budget: Budget, weights: tuple[Fraction, ...], _written: str
) -> NoisePlan:
    shares: dict[NumbersSpec, Fraction] = {}
    names: dict[NumbersSpec, tuple[str, ...]] = {}
    for (name, aggregate), weight in zip(named, weights, strict=True):
        measured = aggregate.measured()
        shares[measured] = shares.get(measured, Fraction(0)) + weight
        names[measured] = (*names.get(measured, ()), name)

    def plan(noises: list[Noise]) -> NoisePlan:
        parts = zip(shares, noises, strict=True)
        planned = tuple(NoisyNumbers(measured=item, noise=noise, names=names[item]) for item, noise in parts)
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
        if is_pure(budget) or terms <= _FEW_TERMS or (odds and max(odds) < _WORTH_MIXING):
            return False
        return scaled(kinds, bases, factor * _NOTABLY).loss <= budget

    def uniform(kind: NoiseKind) -> NoisePlan:
        bases = [base_scale(kind, distance, weight) for distance, weight in distances]
        kinds = [kind] * len(bases)
        total = sum((weight for _, weight in distances), Fraction(0))
        if kind == "laplace" and isinstance(budget, ApproximateBudget) and budget.epsilon > 0:
            factor = total / budget.epsilon
            exactly = scaled(kinds, bases, factor)
            if exactly.loss.pure().cost <= budget.epsilon and not composes(exactly, kinds, bases, factor):
                return exactly
        start = normal_factor(budget, total) if kind == "gaussian" else None
        return fitted(kinds, bases, start or max(total, Fraction(1)), 9 if is_pure(budget) else 6)

    odds = noise_odds(distances, budget)
    if odds and not (min(odds) * _WORTH_MIXING <= 1 and max(odds) >= _WORTH_MIXING):
        return uniform("laplace" if is_laplace(odds) else "gaussian")
    gaussian, laplace = uniform("gaussian"), uniform("laplace")
    pairs = zip(laplace.planned, gaussian.planned, strict=True)
    ratios = [math.exp(min(2 * (log_deviation(a.noise) - log_deviation(b.noise)), _LARGEST_LOG)) for a, b in pairs]
    better = min((gaussian, laplace), key=_spread)
    if min(ratios) * _WORTH_MIXING > 1 or max(ratios) < _WORTH_MIXING:
        return better
    best = [a if ratio < 1 else b for a, b, ratio in zip(laplace.planned, gaussian.planned, ratios, strict=True)]
    mixed = fitted([part.noise.kind for part in best], [part.noise.scale for part in best], Fraction(1), 5)
    return min((mixed, better), key=_spread)


def _spread(plan: NoisePlan) -> float:
    return math.fsum(log_deviation(part.noise) for part in plan.planned)


def _read_weights(named: Mapping[str, Aggregate], weights: Mapping[str, Any] | None) -> tuple[Fraction, ...]:
    if weights is None:
        return (Fraction(1),) * len(named)
    unknown = sorted(set(weights) - set(named))
    if unknown:
        raise InvalidError(f"plan_noise.weights names {unknown[0]!r}, which is no aggregate of the query.")
    found = {name: read_number(f"plan_noise.weights[{name!r}]", weights.get(name, 1)) for name in named}
    for name, weight in found.items():
        if weight <= 0:
            raise InvalidError(f"plan_noise.weights[{name!r}] must be above zero, got {short(weight)}.")
    return tuple(found.values())
