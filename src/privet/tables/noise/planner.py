"""How much noise each number of a query gets: chosen from public facts, certified to fit the budget.

The plan reads no data. Scales are exact; the loss is that of the mechanisms that run, on the grids of the numbers.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, get_args

from privet.accounting.losses.loss import Budget
from privet.accounting.planning.budget import ApproximateBudget, ConcentratedBudget
from privet.core import read_number, read_whole, short
from privet.errors import InvalidError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.aggregates.shared import SharedColumn, share
from privet.tables.noise.fit import calibrated, fit_mixed_noise, weigh_numbers
from privet.tables.noise.odds import base_scale, better_kind, is_pure, log_exact, noise_odds
from privet.tables.noise.plan import Named, NoisePlan
from privet.tables.statistics import Contribution

Weights = Mapping[str, object]
_HARDLY = 0.03  # so little more variance, as a logarithm, is accepted
_LARGEST = Fraction(10) ** 300  # floats that decide accuracy only are cut there


def read_weights(
    parameter: str, names: Iterable[str], weights: Weights | None, *, each: str = "aggregate of the query"
) -> dict[str, Fraction]:
    """Read the weight of every name; a name without a weight counts as one.

    Args:
        parameter: The parameter that holds the weights, for messages.
        names: What may have a weight, in order.
        weights: Numbers above zero by name; None for equal weights.
        each: What a name stands for, for messages.

    >>> read_weights("query.weights", ["n", "x"], {"x": 0.5})
    {'n': Fraction(1, 1), 'x': Fraction(1, 2)}
    """
    if weights is not None and not isinstance(weights, Mapping):
        raise WrongTypeError(f"{parameter} must be numbers by name, got {type(weights).__name__}.")
    known, given = tuple(names), dict(weights or {})
    unknown = sorted(set(given) - set(known), key=repr)
    if unknown:
        raise InvalidError(f"{parameter} names {unknown[0]!r}, which is no {each}.")
    shares = {name: read_number(f"{parameter}[{name!r}]", given.get(name, 1)) for name in known}
    for name, weight in shares.items():
        if weight <= 0:
            raise InvalidError(f"{parameter}[{name!r}] must be above zero, got {short(weight)}.")
    return shares


def plan_noise(
    aggregates: Mapping[str, Aggregate],
    *,
    contribution: Contribution,
    groups: int,
    budget: Budget,
    weights: Weights | None = None,
) -> NoisePlan:
    """Choose the noise of each number so that all of them together fit a budget.

    Args:
        aggregates: The bound aggregates by name.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups, one or more.
        budget: What the release may lose.
        weights: The share of the budget of each aggregate, relative to the others; one where none is given.
            ``equal_error_weights`` gives those that equalise relative errors. Without weights, counts, sums and means
            of one column share numbers where that helps all of them.

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
    read = None if weights is None else tuple(read_weights("plan_noise.weights", aggregates, weights).values())
    return _plan(named, contribution, count, budget, read, repr(named))


@lru_cache(maxsize=256)
def _plan(
    named: Named,
    contribution: Contribution,
    groups: int,
    budget: Budget,
    weights: tuple[Fraction, ...] | None,
    _written: str,  # False and True are equal to 0 and 1, and another session may have counted those
) -> NoisePlan:
    if weights is None:
        named, weights = _share_columns(named, contribution, groups, budget), (Fraction(1),) * len(named)
    by_name = {name: weight for (name, _), weight in zip(named, weights, strict=True)}
    sets = weigh_numbers(named, by_name, contribution=contribution, groups=groups)
    planned = fit_mixed_noise(sets, budget).parts
    return NoisePlan(aggregates=named, contribution=contribution, groups=groups, planned=planned)


def _share_columns(named: Named, contribution: Contribution, groups: int, budget: Budget) -> Named:
    """Let aggregates share numbers where that is best: with Laplace noise, with Gaussian noise, or not at all."""
    equal = (Fraction(1),) * len(named)
    if is_pure(budget):
        return share(named, equal, ("laplace",))
    alone = _log_variances(named, contribution, groups, budget)
    if not alone:
        return share(named, equal, ("laplace", "gaussian"))
    best, least = named, 0.0
    for kind in get_args(NoiseKind):
        tried = share(named, equal, (kind,))
        variances = _log_variances(tried, contribution, groups, budget)
        gains = [after - before for after, before in zip(variances, alone, strict=True)]
        if max(gains) < _HARDLY and math.fsum(gains) < least:
            best, least = tried, math.fsum(gains)
    return best


def _log_variances(named: Named, contribution: Contribution, groups: int, budget: Budget) -> list[float]:
    """Give the logarithm of the expected variance of each aggregate, up to one term, from closed forms in floats."""
    measured = [item.measured() for _, item in named]
    sizes = Counter(measured)
    distances = {item: (item.distance(contribution, groups), Fraction(often)) for item, often in sizes.items()}
    odds = dict(zip(distances, noise_odds(list(distances.values()), budget), strict=False))
    if not odds:
        return []
    laplace = better_kind(list(odds.values())) == "laplace"
    variances = []
    for (_, item), numbers in zip(named, measured, strict=True):
        distance, weight = distances[numbers]
        weights = (item.weights if isinstance(item, SharedColumn) else None) or (Fraction(1),)
        normal = sum((each**2 for each in weights), Fraction(0)) * distance.l2_squared / weight * len(named)
        variances.append(log_exact(normal) + (math.log(odds[numbers]) if laplace else 0.0))
    return variances


def equal_error_weights(
    aggregates: Mapping[str, Aggregate], *, contribution: Contribution, groups: int, budget: Budget, rows: Any
) -> dict[str, Fraction]:
    """Give the weights with which all aggregates have about the same relative error, from public facts.

    Args:
        aggregates: The bound aggregates by name.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups.
        budget: What the release may lose: the error falls with the weight under pure privacy, with its root otherwise.
        rows: How many rows a group has, as far as is publicly known.
    """
    kind: NoiseKind = "laplace" if is_pure(budget) else "gaussian"
    expected_rows = read_number("equal_error_weights.rows", rows)
    sizes: dict[str, Fraction] = {}
    for name, aggregate in aggregates.items():
        scale = base_scale(kind, aggregate.measured().distance(contribution, groups), Fraction(1)) / 10**6
        relative = aggregate.expected(Noise(kind=kind, scale=scale, grid=scale / 10**6), expected_rows).relative
        sized = relative if kind == "laplace" else relative * relative
        sizes[name] = Fraction(f"{sized:.6g}") if 0 < sized < math.inf else Fraction(1)
    smallest = min(sizes.values())
    return {name: Fraction(f"{float(min(weight / smallest, _LARGEST)):.6g}") for name, weight in sizes.items()}


def plan_equal_errors(
    aggregates: Mapping[str, Aggregate], *, contribution: Contribution, groups: int, budget: Budget, rows: Any
) -> NoisePlan:
    """Choose the noise so that expected relative errors are equal, and as small as the budget allows.

    Args:
        aggregates: The bound aggregates by name.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups.
        budget: What the release may lose.
        rows: How many rows a group has, as far as is publicly known.

    Guarantee: that of every plan: its loss fits the budget. Expected errors decide accuracy only.
    Proof: docs/tables/noise_plan.md.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> from privet.tables.aggregates.sum import sum
    >>> from privet.tables.columns.column import Column
    >>> aggregates = {"n": count(), "x": sum("x").bind({"x": Column(kind="integer", bounds=(0, 10))})}
    >>> once = Contribution(l0=1, l1=1, linf=1)
    >>> plan = plan_equal_errors(aggregates, contribution=once, groups=1, budget=budget(epsilon=1), rows=100)
    >>> [round(float(part.noise.scale), 1) for part in plan.planned]  # a sum of 100 rows is about 500
    [3.0, 15.0]
    """
    count = read_number("release.group_size", rows)
    if count <= 0:
        raise InvalidError(f"release.group_size must be above zero, got {short(count)}.")

    def plan(part: Budget) -> NoisePlan:
        weights = equal_error_weights(aggregates, contribution=contribution, groups=groups, budget=part, rows=count)
        return plan_noise(aggregates, contribution=contribution, groups=groups, budget=part, weights=weights)

    if not isinstance(budget, ApproximateBudget) or budget.delta == 0 or budget.epsilon == 0:
        return plan(budget)  # there is one kind of noise, and its error is known from the weight
    # of one kind of noise: errors fall with the weight in one way for Laplace noise, in another for Gaussian noise
    laplace = plan(ApproximateBudget(epsilon=budget.epsilon))
    gaussian = calibrated(plan(ConcentratedBudget(rho=budget.epsilon**2 / 100)), budget)
    return min((laplace, gaussian), key=lambda plan: _largest_error(plan, count))


def _largest_error(plan: NoisePlan, rows: Fraction) -> float:
    return max(each.expected(plan.planned[plan.part(name)].noise, rows).relative for name, each in plan.aggregates)
