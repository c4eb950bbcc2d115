"""Batches: several questions that are planned together and charged as one, at the tight total of their losses."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, final

from attrs import evolve, field, frozen

from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.loss import Budget, Loss, SumLoss
from privet.accounting.numerics.boundary import log
from privet.accounting.planning.budget import ApproximateBudget, ConcentratedBudget
from privet.accounting.planning.calibrate import calibrate
from privet.core.checks import read_number, short
from privet.errors import InvalidError, MismatchError, UnavailableError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise
from privet.tables.noise.describe_loss import describe_loss
from privet.tables.noise.plan import NoisePlan
from privet.tables.noise.planner import plan_noise
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.queries.budget_arguments import read_budget
from privet.tables.releases.release import Release

if TYPE_CHECKING:
    from privet.tables.session.session import Session

_DIGITS = 6
_FEW_TERMS = 8  # so few pure losses compose to hardly less than their sum
_MANY_ROWS = Fraction(10**6)  # in a group, where plans are compared
_FARTHEST = 10**12  # between the smallest and the largest weight


def _unchanging(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(value))  # what is planned, charged and answered is the same


@final
@frozen(kw_only=True)
class BatchPlan:
    """The noise of several questions, planned together.

    Args:
        plans: By the name of the question.

    Guarantee: ``loss`` bounds the release of all of them.
    Proof: docs/tables/batch.md.
    """

    plans: Mapping[str, NoisePlan] = field(converter=_unchanging)

    @property
    def loss(self) -> Loss:
        """The loss of everything together, composed as one sequence that is fixed in advance."""
        return SumLoss.of(tuple(term for plan in self.plans.values() for term in _terms(plan.loss)))

    def scaled(self, factor: Fraction) -> "BatchPlan":
        """Multiply every scale."""
        return BatchPlan(plans={name: _scaled(plan, factor) for name, plan in self.plans.items()})

    @property
    def spread(self) -> float:
        """The sum of the logarithms of the errors to expect of all aggregates, to compare plans by."""
        plans = self.plans.values()
        asked = [(each, plan.planned[plan.part(name)].noise) for plan in plans for name, each in plan.aggregates]
        return math.fsum(_log_error(aggregate, noise) for aggregate, noise in asked)


@final
@frozen(kw_only=True, repr=False)
class BatchRelease(Mapping[str, Release]):
    """What the questions of a batch gave, by name.

    Args:
        releases: One for each question.
        loss: What all of them together cost: less than the sum of the parts.
    """

    releases: Mapping[str, Release] = field(converter=_unchanging)
    loss: Loss

    def __getitem__(self, name: str) -> Release:
        return self.releases[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.releases)

    def __len__(self) -> int:
        return len(self.releases)

    def __repr__(self) -> str:
        return f"BatchRelease({', '.join(self.releases)})"

    def __str__(self) -> str:
        return "\n\n".join(f"{name}\n{one}" for name, one in self.releases.items())


@final
@frozen(kw_only=True, repr=False)
class Batch:
    """Questions to be released together. Made by ``session.batch``.

    Args:
        session: Where they will be answered.
        questions: By name.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> from privet.tables.codebook.codebook import Codebook
    >>> from privet.tables.codebook.column import column
    >>> from privet.tables.session.session import Session
    >>> from privet.tables.columns.unit import Rows
    >>> book = Codebook(columns={"age": column("integer", bounds=(0, 9))}, unit=Rows())
    >>> session = Session([{"age": n % 10} for n in range(50)], book, budget(epsilon=1, delta=1e-6))
    >>> asked = {f"to_{n}": session.query().filter(f"age <= {n}").agg(count()) for n in range(9)}
    >>> found = session.batch(**asked).release(epsilon=1, delta=1e-6)
    >>> len(found), session.remaining.epsilon < 0.001
    (9, True)
    """

    session: "Session"
    questions: Mapping[str, AggregateQuery] = field(converter=_unchanging)

    def __attrs_post_init__(self) -> None:
        if not self.questions:
            raise InvalidError("batch takes at least one question by name, such as batch(ages=query.agg(pv.count())).")
        for name, question in self.questions.items():
            if not isinstance(question, AggregateQuery):
                raise WrongTypeError(
                    f"batch: {name} must be a question, such as query.agg(...), got {_kind(question)}."
                )
            question.check_settled(f"batch: {name}")
            if question.grouped.query.session is not self.session:
                raise InvalidError(f"batch: {name} belongs to another session, with a budget of its own.")

    def plan(
        self, *, epsilon: Any = None, delta: Any = None, rho: Any = None, weights: Mapping[str, Any] | None = None
    ) -> BatchPlan:
        """Choose the noise of all questions for what may be lost in all; reads no data and spends nothing.

        Args:
            epsilon: What may be lost, with or without ``delta``.
            delta: The probability with which more may be lost; by default none.
            rho: Or what may be lost in concentrated privacy.
            weights: The share of the loss of each question, in relation to the others; equal by default.
        """
        return self._plan(read_budget("batch", epsilon=epsilon, delta=delta, rho=rho), weights)

    def describe(self, *, rows: Any = None, weights: Mapping[str, Any] | None = None, **lost: Any) -> str:
        """Write down the plan of each question and what they cost together."""
        plan = self.plan(weights=weights, **lost)
        told = [f"{name}\n{one.describe(rows)}" for name, one in plan.plans.items()]
        return "\n\n".join([*told, f"together: {describe_loss(plan.loss).removeprefix('loss: ')}"])

    def release(
        self, *, epsilon: Any = None, delta: Any = None, rho: Any = None, weights: Mapping[str, Any] | None = None
    ) -> BatchRelease:
        """Charge the tight total once, then read and release every question."""
        plan = self.plan(epsilon=epsilon, delta=delta, rho=rho, weights=weights)
        return self.session.answer_batch(self, plan, delta)

    def check(self, plan: BatchPlan) -> None:
        """Refuse a plan of other questions: its loss would not be that of the answers."""
        for name, question in self.questions.items():
            one = plan.plans.get(name)
            if one is None or (one.contribution, one.groups) != (question.contribution, len(question.grouped.groups)):
                raise MismatchError(f"batch: the plan of {name!r} is for another question; plan this batch.")

    def __repr__(self) -> str:
        return f"Batch({', '.join(self.questions)})"

    def _plan(self, wanted: Budget, weights: Mapping[str, Any] | None) -> BatchPlan:
        shares = _shares(self.questions, weights)
        numbers = sum(len(question.aggregates) for question in self.questions.values())
        planned = [self._shared(budget) for budget in _splits(wanted, shares, numbers)]
        fitted = [_fitted(plan, wanted) for plan in planned]
        return min(fitted, key=lambda plan: plan.spread)

    def _shared(self, budgets: Mapping[str, Budget]) -> BatchPlan:
        plans = {}
        for name, question in self.questions.items():
            groups = len(question.grouped.groups)
            contribution = question.contribution
            plans[name] = plan_noise(
                question.aggregates, contribution=contribution, groups=groups, budget=budgets[name]
            )
        return BatchPlan(plans=plans)


def _splits(wanted: Budget, shares: Mapping[str, Fraction], numbers: int) -> list[dict[str, Budget]]:
    """Give starting points: the budget in parts, or the same parts of a concentrated budget, or both."""
    if isinstance(wanted, ConcentratedBudget):
        return [{name: ConcentratedBudget(rho=wanted.rho * share) for name, share in shares.items()}]
    if not isinstance(wanted, ApproximateBudget):
        raise UnavailableError("batch is planned for budgets of epsilon and delta, or of rho.")
    whole: dict[str, Budget] = {
        name: ApproximateBudget(epsilon=wanted.epsilon * share, delta=wanted.delta * share)
        for name, share in shares.items()
    }
    if wanted.delta == 0:
        return [whole]
    sigma = calibrate(lambda scale: GaussianLoss(distance=1, scale=scale), budget=wanted, digits=3).value
    # what Gaussian noise for all of it has; any positive number would do, since one factor multiplies all scales later
    rho = Fraction(1, 2) / Fraction(sigma) ** 2
    normal: dict[str, Budget] = {name: ConcentratedBudget(rho=rho * share) for name, share in shares.items()}
    # for k numbers of distance one Laplace noise has the variance 2 k^2 / epsilon^2, Gaussian noise k sigma^2
    return [normal] if numbers > wanted.epsilon**2 * Fraction(sigma) ** 2 else [whole, normal]


def _fitted(plan: BatchPlan, wanted: Budget) -> BatchPlan:
    """Multiply all scales by the smallest factor with which everything together fits."""
    if not isinstance(wanted, ApproximateBudget) or wanted.delta == 0:
        return plan  # parts of such a budget add up to it
    if len(plan.loss.parts()) <= _FEW_TERMS and plan.loss.pure().cost <= wanted.epsilon:
        return plan  # and so do those of an epsilon, to hardly more than what they compose to
    found = calibrate(lambda factor: plan.scaled(Fraction(factor)).loss, budget=wanted, digits=_DIGITS, start=1)
    fitting = plan.scaled(Fraction(found.value))
    return fitting if found.value < 1 or not plan.loss <= wanted else plan


def _log_error(aggregate: Aggregate, noise: Noise) -> float:
    """Give the logarithm of the error to expect; the scale stands for what has no room in a float."""
    try:
        error = aggregate.expected(noise, _MANY_ROWS).error
    except OverflowError:
        error = math.inf
    return math.log(error) if 0 < error < math.inf else log(noise.scale)


def _terms(loss: Loss) -> list[tuple[Loss, int]]:
    """Take sums of sums apart: distributions of losses are composed, those of sums in a sum are not."""
    if not isinstance(loss, SumLoss):
        return [(loss, 1)]
    return [(inner, often * times) for part, often in loss.terms for inner, times in _terms(part)]


def _scaled(plan: NoisePlan, factor: Fraction) -> NoisePlan:
    parts = (evolve(part, noise=evolve(part.noise, scale=part.noise.scale * factor)) for part in plan.planned)
    return evolve(plan, planned=tuple(parts))


def _shares(questions: Mapping[str, AggregateQuery], weights: Mapping[str, Any] | None) -> dict[str, Fraction]:
    if weights is not None and not isinstance(weights, Mapping):
        raise WrongTypeError(f"batch.weights must be numbers by the name of a question, got {_kind(weights)}.")
    given = dict(weights or {})
    unknown = sorted(set(given) - set(questions))
    if unknown:
        raise InvalidError(f"batch.weights names {unknown[0]!r}, which is no question of the batch.")
    read = {name: read_number(f"batch.weights[{name!r}]", given.get(name, 1)) for name in questions}
    for name, weight in read.items():
        if weight <= 0:
            raise InvalidError(f"batch.weights[{name!r}] must be above zero, got {short(weight)}.")
    if max(read.values()) > _FARTHEST * min(read.values()):
        raise InvalidError(f"batch.weights must lie within a factor of {_FARTHEST} of each other.")
    total = sum(read.values(), Fraction(0))
    return {name: weight / total for name, weight in read.items()}


def _kind(value: Any) -> str:
    return type(value).__name__
