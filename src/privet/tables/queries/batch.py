"""Batches: queries that are planned together and charged as one, at the tight total of their losses."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, final

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
from privet.tables.curator.allowance import Allowance, Amount, read_allowance
from privet.tables.curator.curator import Curator
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.totals_request import TotalsRequest
from privet.tables.noise.describe_loss import describe_loss
from privet.tables.noise.plan import NoisePlan
from privet.tables.noise.planner import plan_noise
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.queries.two_stage import TwoStageQuery, settled
from privet.tables.releases.json_text import check, check_format, read_json, reading
from privet.tables.releases.release import Release
from privet.tables.releases.table_release import LEVEL, Level

FORMAT = "batch/1"
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
    """The releases of a batch, by name.

    Args:
        releases: One for each query.
    """

    releases: Mapping[str, Release] = field(converter=_unchanging)

    @property
    def loss(self) -> Loss:
        """The privacy loss of all of them together: less than the sum of the parts."""
        return BatchPlan(plans={name: release.plan for name, release in self.releases.items()}).loss

    def __getitem__(self, name: str) -> Release:
        return self.releases[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.releases)

    def __len__(self) -> int:
        return len(self.releases)

    def to_dict(self, level: Level = LEVEL) -> dict[str, dict[str, list[Any]]]:
        """The columns of every release, by its name."""
        return {name: release.to_dict(level) for name, release in self.releases.items()}

    def to_json(self) -> str:
        """Write everything, so that ``from_json`` gives an equal batch."""
        releases = {name: release.encode() for name, release in self.releases.items()}
        return json.dumps({"format": FORMAT, "releases": releases}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "BatchRelease":
        """Read what ``to_json`` wrote."""
        found = read_json("BatchRelease", text)
        check_format("BatchRelease.from_json", FORMAT, found)
        with reading("BatchRelease"):
            check(isinstance(found["releases"], dict) and set(found) == {"format", "releases"})
            return cls(releases={name: Release.decode(each) for name, each in found["releases"].items()})

    def __repr__(self) -> str:
        return f"BatchRelease({', '.join(self.releases)})"

    def __str__(self) -> str:
        return "\n\n".join(f"{name}\n{one}" for name, one in self.releases.items())


@final
@frozen(kw_only=True, eq=False)
class BatchRequest:
    """Several queries that are charged as one.

    Args:
        plan: The noise of all of them.
        requests: What is measured for each, by name.
        delta: The delta at which a budget of epsilon and delta reads the loss.
    """

    plan: BatchPlan
    requests: Mapping[str, TotalsRequest]
    delta: Fraction | None = None

    def measure(self, tables: PrivateTables) -> Callable[[], BatchRelease]:
        """Write and rehearse all queries; return the function that reads them one by one."""
        reads = {name: request.measure(tables) for name, request in self.requests.items()}
        return lambda: BatchRelease(releases={name: read() for name, read in reads.items()})


def settled_queries(queries: Mapping[str, AggregateQuery | TwoStageQuery]) -> dict[str, AggregateQuery]:
    """Refuse queries whose caps or bounds are estimated first, and whatever is no query."""
    return {name: settled(f"batch: {name}", query) for name, query in queries.items()}


@final
@frozen(kw_only=True, repr=False)
class Batch:
    """Aggregate queries that are planned together and charged as one. Made by ``session.batch``.

    Args:
        curator: Who holds the tables and the budget.
        queries: By name.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> from privet.tables.codebook.codebook import Codebook
    >>> from privet.tables.codebook.column import column
    >>> from privet.tables.columns.unit import Rows
    >>> import privet as pv
    >>> book = Codebook(columns={"age": column("integer", bounds=(0, 9))}, unit=Rows())
    >>> session = pv.Session([{"age": n % 10} for n in range(50)], book, budget(epsilon=1, delta=1e-6))
    >>> queries = {f"to_{n}": session.query().filter(f"age <= {n}").agg(count()) for n in range(9)}
    >>> releases = session.batch(**queries).release(epsilon=1, delta=1e-6)
    >>> len(releases), session.remaining.epsilon < 0.001
    (9, True)
    """

    curator: Curator
    queries: Mapping[str, AggregateQuery] = field(converter=_unchanging)

    def __attrs_post_init__(self) -> None:
        if not self.queries:
            raise InvalidError("batch takes at least one query by name, such as batch(ages=query.agg(pv.count())).")
        for name, query in self.queries.items():
            if query.grouped.query.curator is not self.curator:
                raise InvalidError(f"batch: {name} belongs to another session, with a budget of its own.")

    def plan(
        self,
        *,
        epsilon: Amount = None,
        delta: Amount = None,
        rho: Amount = None,
        weights: Mapping[str, Any] | None = None,
    ) -> BatchPlan:
        """Choose the noise of all queries for what they may lose together; read no data and spend nothing.

        Args:
            epsilon: What the releases may lose together, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what they may lose in concentrated privacy.
            weights: The share of the loss of each query, relative to the others; equal by default.
        """
        return self._plan(read_allowance("batch", epsilon=epsilon, delta=delta, rho=rho).budget, weights)

    def describe(
        self,
        *,
        epsilon: Amount = None,
        delta: Amount = None,
        rho: Amount = None,
        weights: Mapping[str, Any] | None = None,
        group_size: Amount = None,
    ) -> str:
        """Write down the plan of each query and their privacy loss together.

        Args:
            epsilon: What the releases may lose together, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what they may lose in concentrated privacy.
            weights: The share of the loss of each query, relative to the others.
            group_size: About how many rows a group has, as far as that is public, for expected errors.
        """
        plan = self.plan(epsilon=epsilon, delta=delta, rho=rho, weights=weights)
        parts = [f"{name}\n{one.describe(group_size)}" for name, one in plan.plans.items()]
        return "\n\n".join([*parts, f"together: {describe_loss(plan.loss).removeprefix('loss: ')}"])

    def release(
        self,
        *,
        epsilon: Amount = None,
        delta: Amount = None,
        rho: Amount = None,
        weights: Mapping[str, Any] | None = None,
    ) -> BatchRelease:
        """Charge the tight total once, then read and release every query.

        Args:
            epsilon: What the releases may lose together, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what they may lose in concentrated privacy.
            weights: The share of the loss of each query, relative to the others; equal by default.
        """
        allowance = read_allowance("batch", epsilon=epsilon, delta=delta, rho=rho)
        return self.curator.release(self.request_for(self._plan(allowance.budget, weights), allowance))

    def request_for(self, plan: BatchPlan, allowance: Allowance) -> BatchRequest:
        """Give what a curator charges and measures, for a plan of this batch."""
        if set(plan.plans) != set(self.queries):
            raise MismatchError("batch: the plan is for other queries; plan this batch.")
        requests = {name: query.request_for(plan.plans[name], allowance) for name, query in self.queries.items()}
        return BatchRequest(plan=plan, requests=requests, delta=allowance.delta)

    def __repr__(self) -> str:
        return f"Batch({', '.join(self.queries)})"

    def _plan(self, wanted: Budget, weights: Mapping[str, Any] | None) -> BatchPlan:
        shares = _shares(self.queries, weights)
        numbers = sum(len(query.aggregates) for query in self.queries.values())
        planned = [self._shared(budget) for budget in _splits(wanted, shares, numbers)]
        fitted = [_fitted(plan, wanted) for plan in planned]
        return min(fitted, key=lambda plan: plan.spread)

    def _shared(self, budgets: Mapping[str, Budget]) -> BatchPlan:
        plans = {}
        for name, query in self.queries.items():
            groups = len(query.grouped.groups)
            contribution = query.contribution
            plans[name] = plan_noise(query.aggregates, contribution=contribution, groups=groups, budget=budgets[name])
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


def _shares(queries: Mapping[str, AggregateQuery], weights: Mapping[str, Any] | None) -> dict[str, Fraction]:
    if weights is not None and not isinstance(weights, Mapping):
        raise WrongTypeError(f"batch.weights must be numbers by the name of a query, got {_kind(weights)}.")
    given = dict(weights or {})
    unknown = sorted(set(given) - set(queries))
    if unknown:
        raise InvalidError(f"batch.weights names {unknown[0]!r}, which is no query of the batch.")
    read = {name: read_number(f"batch.weights[{name!r}]", given.get(name, 1)) for name in queries}
    for name, weight in read.items():
        if weight <= 0:
            raise InvalidError(f"batch.weights[{name!r}] must be above zero, got {short(weight)}.")
    if max(read.values()) > _FARTHEST * min(read.values()):
        raise InvalidError(f"batch.weights must lie within a factor of {_FARTHEST} of each other.")
    total = sum(read.values(), Fraction(0))
    return {name: weight / total for name, weight in read.items()}


def _kind(value: Any) -> str:
    return type(value).__name__
