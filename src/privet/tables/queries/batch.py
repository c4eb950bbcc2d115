"""Batches: queries that are planned together and charged as one, at the tight total of their losses."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, final

from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Budget
from privet.accounting.planning.budget import ApproximateBudget
from privet.core import Fact, count_text, cut_text
from privet.errors import InvalidError, MismatchError
from privet.tables.aggregates.noise import read_level
from privet.tables.curator.allowance import Allowance, Amount
from privet.tables.curator.curator import Curator
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.progress import progress
from privet.tables.curator.totals_request import TotalsRequest
from privet.tables.files.written import QueryFile, Unwritable, Words, plan_source
from privet.tables.noise.batch_plan import BatchMember, BatchPlan, plan_batch
from privet.tables.noise.half_width import read_group_size
from privet.tables.noise.least_epsilon import (
    least_epsilon,
    named_targets,
    read_targets,
    read_targets_by_query,
    times_too_wide,
)
from privet.tables.noise.plan import LEVEL, describe_loss
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.queries.two_stage import settled
from privet.tables.releases.batch_release import BatchRelease

_LONGEST = 300  # characters of the names in one line
_NO_WORDS = Unwritable("one of the queries has no words.")


def _unchanging(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(value))  # the queries that are planned, charged and released are the same


@final
@frozen(kw_only=True, eq=False)
class BatchRequest:
    """Several queries that are charged as one.

    Args:
        tables: The tables that they were planned for.
        plan: The noise of all of them.
        requests: What is measured for each, by name.
        delta: The delta at which a budget of epsilon and delta reads the loss.
    """

    tables: PrivateTables
    plan: BatchPlan
    requests: Mapping[str, TotalsRequest]
    delta: Fraction | None = None

    def words(self) -> Words:
        """Everything that decides the releases, by which a ledger knows them."""
        return {name: _NO_WORDS if each.words is None else each.words() for name, each in self.requests.items()}

    @property
    def title(self) -> str:
        """All queries in one line, for the history of a session."""
        queries = "; ".join(f"{name}: {request.title}" for name, request in self.requests.items())
        return f"batch of {count_text(len(self.requests), 'query', 'queries')}: {queries}"

    def measure(self, tables: PrivateTables) -> Callable[[], BatchRelease]:
        """Write and rehearse all queries; return the function that reads them one by one."""
        if any(request.tables is not tables for request in self.requests.values()):
            raise MismatchError("batch: a query belongs to another session, with a budget of its own.")
        reads = {name: request.measure(tables) for name, request in self.requests.items()}
        return lambda: BatchRelease(releases={name: read() for name, read in reads.items()})

    def read_back(self, text: str) -> BatchRelease:
        """Read a release of this request that was stored."""
        return BatchRelease.from_json(text)


class InBatch(ABC):
    """A query that is written otherwise, such as a statement of SQL, and can stand in a batch."""

    __slots__ = ()

    @abstractmethod
    def in_batch(self, where: str) -> AggregateQuery:
        """Give the aggregate query, or refuse what a batch would not do.

        Args:
            where: The place in the batch, for messages.
        """


def settled_queries(queries: Mapping[str, object]) -> dict[str, AggregateQuery]:
    """Refuse queries whose caps or bounds are estimated first, and anything that is not a query."""
    return {name: _settled(f"batch: {name}", query) for name, query in queries.items()}


def _settled(where: str, query: object) -> AggregateQuery:
    return query.in_batch(where) if isinstance(query, InBatch) else settled(where, query)


@final
@frozen(kw_only=True, repr=False)
class Batch(QueryFile):
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
        epsilon: Amount = None,
        *,
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
        allowance = self.curator.allow("batch", epsilon=epsilon, delta=delta, rho=rho)
        source = plan_source(self, epsilon=epsilon, delta=delta, rho=rho, weights=weights)
        return evolve(self._plan(allowance.budget, weights), source=source, stated=allowance.budget)

    def words(self) -> Words:
        """The batch as plain data, in the words of a file."""
        return {"batch": {name: query.words() for name, query in self.queries.items()}}

    def describe(
        self,
        epsilon: Amount = None,
        *,
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
            group_size: About how many rows a group has, as far as that is public, for expected half-widths.
        """
        plan = self.plan(epsilon=epsilon, delta=delta, rho=rho, weights=weights)
        return self.describe_plan(plan, group_size=group_size)

    def describe_plan(self, plan: BatchPlan, *, group_size: Amount = None) -> str:
        """Write down a plan of this batch, and the privacy loss of all queries together."""
        parts = [
            "\n".join([name, one.describe(group_size), *self.queries[name].note_lines])
            for name, one in plan.plans.items()
        ]
        together = f"together: {describe_loss(plan.loss, plan.stated).removeprefix('loss: ')}"
        notes = (*self.curator.advice(plan.stated), *self.curator.advisor.unit_lines)
        return "\n\n".join([*parts, "\n".join([together, *notes])])

    def epsilon_for(
        self,
        half_widths: Mapping[str, Mapping[str, Any]] | None = None,
        /,
        *,
        level: Amount = LEVEL,
        group_size: Amount = None,
        delta: Amount = None,
        weights: Mapping[str, Any] | None = None,
        **named: Mapping[str, Any],
    ) -> float:
        """Give the least epsilon of all queries together with which intervals are narrow enough; read no data.

        Args:
            half_widths: By the name of the query, half-widths by the name of the column; or as arguments:
                ``epsilon_for(ages={"count": 50})``.
            level: The level of the intervals.
            group_size: About how many rows a group has, as far as that is public; means and quantiles need it.
            delta: The delta of the release, which allows Gaussian noise; none by default.
            weights: As for ``release``.
            named: Further half-widths.
        """
        targets = {
            name: read_targets(self.queries[name].aggregates, each, where=f"epsilon_for.{name}")
            for name, each in read_targets_by_query(self.queries, named_targets(half_widths, named)).items()
        }
        share, rows = read_level(level), read_group_size("epsilon_for", group_size)

        def excess(budget: ApproximateBudget) -> float:
            plans = self._plan(budget, weights).plans
            return max(
                times_too_wide(each, partial(plans[name].half_width, level=share, rows=rows), where="epsilon_for")
                for name, each in targets.items()
            )

        return least_epsilon(excess, delta)

    def release(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Mapping[str, Any] | None = None,
        again: bool = False,
    ) -> BatchRelease:
        """Charge the tight total once, then read and release every query.

        Args:
            epsilon: What the releases may lose together, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what they may lose in concentrated privacy.
            weights: The share of the loss of each query, relative to the others; equal by default.
            again: With a ledger, whether to charge for a fresh release where one is stored.
        """
        allowance = self.curator.allow("batch", epsilon=epsilon, delta=delta, rho=rho)
        return self.release_plan(self._plan(allowance.budget, weights), allowance, again=again)

    def release_plan(self, plan: BatchPlan, allowance: Allowance, *, again: bool = False) -> BatchRelease:
        """Charge a plan of this batch once, then read and release every query with its noise."""
        return self.curator.release(self.request_for(plan, allowance), again=again)

    def request_for(self, plan: BatchPlan, allowance: Allowance) -> BatchRequest:
        """Give what a curator charges and measures, for a plan of this batch."""
        if set(plan.plans) != set(self.queries):
            raise MismatchError("batch: the plan is for other queries; plan this batch.")
        requests = {name: query.request_for(plan.plans[name], allowance) for name, query in self.queries.items()}
        return BatchRequest(tables=self.curator.tables, plan=plan, requests=requests, delta=allowance.delta)

    def facts(self) -> tuple[Fact, ...]:
        """Say what each query computes."""
        return tuple((name, query.title) for name, query in self.queries.items())

    def __repr__(self) -> str:
        return f"Batch({cut_text(', '.join(self.queries), _LONGEST)})"

    def _plan(self, budget: Budget, weights: Mapping[str, Any] | None) -> BatchPlan:
        members = {
            name: BatchMember(
                aggregates=query.aggregates, contribution=query.contribution, groups=len(query.grouped.groups)
            )
            for name, query in self.queries.items()
        }
        with progress("planning the noise"):
            return plan_batch(members, budget=budget, weights=weights)
