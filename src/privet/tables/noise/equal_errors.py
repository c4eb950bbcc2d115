"""Plans in which all aggregates of a query have about the same relative error, from public facts."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attrs import evolve

from privet.accounting.losses.loss import Budget
from privet.accounting.planning.budget import ApproximateBudget, ConcentratedBudget
from privet.accounting.planning.calibrate import calibrate
from privet.core.checks import read_number, short
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.noise.plan import NoisePlan, NoisyNumbers
from privet.tables.noise.planner import equal_error_weights, plan_noise
from privet.tables.statistics.contribution import Contribution

_DIGITS = 6


def plan_equal_errors(
    aggregates: Mapping[str, Aggregate], *, contribution: Contribution, groups: int, budget: Budget, rows: Any
) -> NoisePlan:
    """Choose the noise so that the relative errors to expect are the same, and as small as the budget allows.

    Args:
        aggregates: What is asked, bound to columns, by name.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups.
        budget: What may be lost.
        rows: How many rows a group has, as far as is publicly known.

    Guarantee: that of every plan: its loss fits the budget. Errors choose, they decide nothing.
    Proof: docs/tables/noise_plan.md.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> from privet.tables.aggregates.sum import sum
    >>> from privet.tables.columns.column import Column
    >>> asked = {"n": count(), "x": sum("x").bind({"x": Column(kind="integer", bounds=(0, 10))})}
    >>> once = Contribution(l0=1, l1=1, linf=1)
    >>> plan = plan_equal_errors(asked, contribution=once, groups=1, budget=budget(epsilon=1), rows=100)
    >>> [round(float(part.noise.scale), 1) for part in plan.planned]  # a sum of 100 rows is about 500
    [3.0, 15.0]
    """
    count = read_number("release.group_size", rows)
    if count <= 0:
        raise InvalidError(f"release.group_size must be above zero, got {short(count)}.")

    def planned(wanted: Budget) -> NoisePlan:
        weights = equal_error_weights(aggregates, contribution=contribution, groups=groups, budget=wanted, rows=count)
        return plan_noise(aggregates, contribution=contribution, groups=groups, budget=wanted, weights=weights)

    if not isinstance(budget, ApproximateBudget) or budget.delta == 0 or budget.epsilon == 0:
        return planned(budget)  # there is one kind of noise, and its error is known from the weight
    # of one kind of noise: errors fall with the weight in one way for Laplace noise, in another for Gaussian noise
    laplace = planned(ApproximateBudget(epsilon=budget.epsilon))
    gaussian = _fitted(planned(ConcentratedBudget(rho=budget.epsilon**2 / 100)), budget)
    return min((laplace, gaussian), key=lambda plan: _largest_error(plan, count))


def _fitted(plan: NoisePlan, budget: Budget) -> NoisePlan:
    """Multiply all scales by the smallest factor with which the plan fits."""

    def scaled(factor: Fraction) -> NoisePlan:
        return evolve(plan, planned=tuple(_scaled(part, factor) for part in plan.planned))

    found = calibrate(lambda factor: scaled(factor).loss, budget=budget, digits=_DIGITS)
    return scaled(Fraction(found.value))


def _largest_error(plan: NoisePlan, rows: Fraction) -> float:
    return max(each.expected(plan.planned[plan.part(name)].noise, rows).relative for name, each in plan.aggregates)


def _scaled(part: NoisyNumbers, factor: Fraction) -> NoisyNumbers:
    return evolve(part, noise=evolve(part.noise, scale=part.noise.scale * factor))
