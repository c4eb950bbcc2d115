"""Plans of several queries whose losses together fit one budget.

Each query is planned for its share. One factor then multiplies the scales of all of them, since losses that are
composed together cost less than the sum of their shares. Proof: docs/tables/batch.md.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import final

from attrs import evolve, field, frozen

from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.loss import Budget, Loss, SumLoss
from privet.accounting.numerics import log
from privet.accounting.planning.budget import AdditiveBudget, ApproximateBudget, ConcentratedBudget
from privet.accounting.planning.calibrate import calibrate
from privet.core import Fact
from privet.errors import InvalidError, UnavailableError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise
from privet.tables.files.written import NoiseWords, PlanFile, Words
from privet.tables.noise.fit import fitting_factor
from privet.tables.noise.plan import NoisePlan
from privet.tables.noise.planner import Weights, plan_noise, read_weights
from privet.tables.statistics import Contribution

_FEW_TERMS = 8  # so few pure losses compose to hardly less than their sum
_MANY_ROWS = Fraction(10**6)  # rows in a group, where plans are compared
_FARTHEST = 10**12  # between the smallest and the largest weight


@final
@frozen(kw_only=True)
class BatchMember:
    """What the plan of a batch needs to know of one query.

    Args:
        aggregates: The bound aggregates by name.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups.
    """

    aggregates: Mapping[str, Aggregate]
    contribution: Contribution
    groups: int


def _unchanging(plans: Mapping[str, NoisePlan]) -> Mapping[str, NoisePlan]:
    return MappingProxyType(dict(plans))  # the plan that is charged is the plan that is released


@final
@frozen(kw_only=True, repr=False)
class BatchPlan(PlanFile):
    """The noise of several queries, planned together.

    Args:
        plans: By the name of the query.
        source: The batch and its budget as plain data, for files; None where no batch made the plan.
        stated: What the release may lose, as an analyst stated it; None where nobody did.

    Guarantee: ``loss`` bounds the release of all of them.
    Proof: docs/tables/batch.md.
    """

    plans: Mapping[str, NoisePlan] = field(converter=_unchanging)
    source: Words | None = field(default=None, eq=False, repr=False)
    stated: AdditiveBudget | None = field(default=None, eq=False, repr=False)

    def facts(self) -> tuple[Fact, ...]:
        """Say which noise each query gets, and what all of them cost together."""
        noise = ((name, "; ".join(part.describe() for part in plan.planned)) for name, plan in self.plans.items())
        return (("privacy loss of all", self.loss.describe()), *noise)

    def noise_words(self) -> list[NoiseWords]:
        """Give the noise of all queries as plain data."""
        return [words for name, plan in self.plans.items() for words in plan.noise_words(query=name)]

    def with_noise(self, noise: Iterator[NoiseWords]) -> "BatchPlan":
        """Take the noise of all queries from a file."""
        return evolve(self, plans={name: plan.with_noise(noise) for name, plan in self.plans.items()})

    @property
    def loss(self) -> Loss:
        """The loss of everything together, composed as one sequence that is fixed in advance."""
        return SumLoss.of(tuple(term for plan in self.plans.values() for term in _terms(plan.loss)))

    def scaled(self, factor: Fraction) -> "BatchPlan":
        """Multiply every scale."""
        return BatchPlan(plans={name: plan.scaled(factor) for name, plan in self.plans.items()})

    @property
    def spread(self) -> float:
        """The sum of the logarithms of the expected errors of all aggregates, to compare plans by."""
        return math.fsum(
            _log_error(aggregate, plan.planned[plan.part(name)].noise)
            for plan in self.plans.values()
            for name, aggregate in plan.aggregates
        )


def plan_batch(members: Mapping[str, BatchMember], *, budget: Budget, weights: Weights | None = None) -> BatchPlan:
    """Choose the noise of all queries of a batch so that everything together fits a budget.

    Args:
        members: The queries by name.
        budget: What all queries together may lose.
        weights: The share of each query, relative to the others; equal by default.

    Raises:
        UnavailableError: Nothing fits the budget.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> one = BatchMember(
    ...     aggregates={"n": count()}, contribution=Contribution(l0=1, l1=1, linf=1), groups=3
    ... )
    >>> plan = plan_batch({"a": one, "b": one}, budget=budget(epsilon=1), weights={"b": 3})
    >>> [each.planned[0].noise.scale for each in plan.plans.values()]
    [Fraction(4, 1), Fraction(4, 3)]
    """
    numbers = sum(len(member.aggregates) for member in members.values())
    planned = [_plan_members(members, split) for split in _splits(budget, _shares(members, weights), numbers)]
    return min((_fitted(plan, budget) for plan in planned), key=lambda plan: plan.spread)


def _plan_members(members: Mapping[str, BatchMember], budgets: Mapping[str, Budget]) -> BatchPlan:
    plans = {
        name: plan_noise(each.aggregates, contribution=each.contribution, groups=each.groups, budget=budgets[name])
        for name, each in members.items()
    }
    return BatchPlan(plans=plans)


def _shares(members: Mapping[str, BatchMember], weights: Weights | None) -> dict[str, Fraction]:
    read = read_weights("batch.weights", members, weights, each="query of the batch")
    if max(read.values()) > _FARTHEST * min(read.values()):
        raise InvalidError(f"batch.weights must lie within a factor of {_FARTHEST} of each other.")
    total = sum(read.values(), Fraction(0))
    return {name: weight / total for name, weight in read.items()}


def _splits(budget: Budget, shares: Mapping[str, Fraction], numbers: int) -> list[dict[str, Budget]]:
    """Give starting points: the budget in parts, or the same parts of a concentrated budget, or both."""
    if isinstance(budget, ConcentratedBudget):
        return [{name: ConcentratedBudget(rho=budget.rho * share) for name, share in shares.items()}]
    if not isinstance(budget, ApproximateBudget):
        raise UnavailableError("batch is planned for budgets of epsilon and delta, or of rho.")
    whole: dict[str, Budget] = {
        name: ApproximateBudget(epsilon=budget.epsilon * share, delta=budget.delta * share)
        for name, share in shares.items()
    }
    if budget.delta == 0:
        return [whole]
    sigma = calibrate(lambda scale: GaussianLoss(distance=1, scale=scale), budget=budget, digits=3).value
    # the rho of one Gaussian release; any positive number would do, since one factor multiplies all scales later
    rho = Fraction(1, 2) / Fraction(sigma) ** 2
    normal: dict[str, Budget] = {name: ConcentratedBudget(rho=rho * share) for name, share in shares.items()}
    # for k numbers of distance one Laplace noise has the variance 2 k^2 / epsilon^2, Gaussian noise k sigma^2
    return [normal] if numbers > budget.epsilon**2 * Fraction(sigma) ** 2 else [whole, normal]


def _fitted(plan: BatchPlan, budget: Budget) -> BatchPlan:
    """Multiply all scales by the smallest factor with which everything together fits."""
    if not isinstance(budget, ApproximateBudget) or budget.delta == 0:
        return plan  # parts of such a budget add up to it
    if len(plan.loss.parts()) <= _FEW_TERMS and plan.loss.pure().cost <= budget.epsilon:
        return plan  # and parts of an epsilon compose to hardly less than their sum
    factor = fitting_factor(plan, budget)
    return plan.scaled(factor) if factor < 1 or not plan.loss <= budget else plan


def _log_error(aggregate: Aggregate, noise: Noise) -> float:
    """Give the logarithm of the expected error; of the scale where a float cannot hold the error."""
    try:
        error = aggregate.expected(noise, _MANY_ROWS).error
    except OverflowError:
        error = math.inf
    return math.log(error) if 0 < error < math.inf else log(noise.scale)


def _terms(loss: Loss) -> list[tuple[Loss, int]]:
    """Flatten sums of sums: a sum composes the distributions of its own parts only."""
    if not isinstance(loss, SumLoss):
        return [(loss, 1)]
    return [(inner, often * times) for part, often in loss.terms for inner, times in _terms(part)]
