"""How much noise each number of a query gets: chosen from public facts, certified to fit the budget.

The plan reads no data. Scales are exact; the loss is that of the mechanisms that run, on the grids of the numbers.
"""

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import get_args

from privet.accounting.losses.loss import Budget
from privet.core import read_whole
from privet.errors import InvalidError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import NoiseKind
from privet.tables.aggregates.shared import SharedColumn, share
from privet.tables.noise.fit import weigh_numbers
from privet.tables.noise.mixing import fit_mixed_noise
from privet.tables.noise.odds import better_kind, is_pure, noise_odds
from privet.tables.noise.plan import Named, NoisePlan
from privet.tables.noise.weights import Weights, read_weights
from privet.tables.statistics.contribution import Contribution

_HARDLY = 0.03  # so little more variance, as a logarithm, is accepted


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
        found = _log_variances(tried, contribution, groups, budget)
        gains = [after - before for after, before in zip(found, alone, strict=True)]
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
    found = []
    for (_, item), numbers in zip(named, measured, strict=True):
        distance, weight = distances[numbers]
        weights = (item.weights if isinstance(item, SharedColumn) else None) or (Fraction(1),)
        normal = sum((each**2 for each in weights), Fraction(0)) * distance.l2_squared / weight * len(named)
        found.append(_log(normal) + (math.log(odds[numbers]) if laplace else 0.0))
    return found


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)  # also of what is no float
