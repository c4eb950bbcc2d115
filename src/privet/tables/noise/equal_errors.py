"""Plans in which all aggregates of a query have about the same relative error, from public facts."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privet.accounting.losses.loss import Budget
from privet.accounting.planning.budget import ApproximateBudget, ConcentratedBudget
from privet.core import read_number, short
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.noise.fit import calibrated
from privet.tables.noise.odds import base_scale, is_pure
from privet.tables.noise.plan import NoisePlan
from privet.tables.noise.planner import plan_noise
from privet.tables.statistics.contribution import Contribution

_LARGEST = Fraction(10) ** 300  # floats that decide accuracy only are cut there


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
    found: dict[str, Fraction] = {}
    for name, aggregate in aggregates.items():
        scale = base_scale(kind, aggregate.measured().distance(contribution, groups), Fraction(1)) / 10**6
        relative = aggregate.expected(Noise(kind=kind, scale=scale, grid=scale / 10**6), expected_rows).relative
        sized = relative if kind == "laplace" else relative * relative
        found[name] = Fraction(f"{sized:.6g}") if 0 < sized < math.inf else Fraction(1)
    smallest = min(found.values())
    return {name: Fraction(f"{float(min(weight / smallest, _LARGEST)):.6g}") for name, weight in found.items()}


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
