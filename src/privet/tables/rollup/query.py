"""Roll-ups: the same aggregates of all rows, by the first key, by the first two, and so on; the values add up."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, final

from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.planning.budget import ApproximateBudget
from privet.core import Fact, count_text, percent_text
from privet.errors import InvalidError, MismatchError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import read_level
from privet.tables.columns import KeyCaps, text_table
from privet.tables.curator.allowance import Allowance, Amount
from privet.tables.curator.curator import Curator
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.progress import enter_phase, progress
from privet.tables.curator.totals_request import TableTotals
from privet.tables.files.written import QueryFile, Words, plan_source
from privet.tables.noise.least_epsilon import least_epsilon, named_targets, read_targets, times_too_wide
from privet.tables.noise.plan import LEVEL, describe_loss
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.queries.ask import ask
from privet.tables.queries.describe_nodes import describe_aggregates, describe_contribution
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.queries.not_covered import not_covered
from privet.tables.queries.two_stage import settled
from privet.tables.queries.without_aggregates import WithoutAggregates
from privet.tables.rollup.plan import Hierarchy, RollupPlan, add_rollup_noise, check_linear, plan_rollup
from privet.tables.rollup.release import LEVEL_COLUMN, RollupRelease


@final
@frozen(kw_only=True, eq=False)
class RollupRequest:
    """Noisy totals of every level of a hierarchy.

    Args:
        plan: The noise of every level.
        totals: The rows and the finest groups.
        notes: Lines for the reader of the release.
        delta: The delta at which a budget of epsilon and delta reads the loss.
        title: What is released, in one line, for the history of the session.
        words: Gives the query as plain data, by which a ledger knows it.
    """

    plan: RollupPlan
    totals: TableTotals
    notes: tuple[str, ...] = ()
    delta: Fraction | None = None
    title: str = ""
    words: Callable[[], Words] | None = None

    def read_back(self, text: str) -> RollupRelease:
        """Read a release of this request that was stored."""
        return RollupRelease.from_json(text)

    @property
    def tables(self) -> PrivateTables:
        """The tables that it was planned for."""
        return self.totals.tables

    def measure(self, tables: PrivateTables) -> Callable[[], RollupRelease]:
        """Write and rehearse the queries of the finest groups; return the function that reads and adds noise."""
        read, keys = self.totals.compile(tables, self.plan.statistics), self.totals.grouping.keys

        def release() -> RollupRelease:
            exact = read()
            enter_phase("charged, adding noise")
            return RollupRelease(
                keys=keys, plan=self.plan, numbers=add_rollup_noise(self.plan, exact), notes=self.notes
            )

        return release


@final
@frozen(kw_only=True, repr=False)
class RollupRows(WithoutAggregates):
    """Rows in public groups at every level of a hierarchy.

    Args:
        finest: The rows in groups by all keys, from the coarsest.
    """

    finest: GroupedRows = field()

    @finest.validator
    def _check(self, _: object, value: GroupedRows) -> None:
        if LEVEL_COLUMN in value.keys:
            raise InvalidError(f"rollup: the result has a column {LEVEL_COLUMN!r} of its own; rename the key.")

    def facts(self) -> tuple[Fact, ...]:
        """Say what the rows and the levels are."""
        return _facts_of_levels(self.finest)

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> "RollupQuery":
        """Aggregate every group of every level: ``agg(count(), total=sum("minutes"))``; counts, sums and histograms."""
        return RollupQuery(finest=settled("rollup", ask(self.finest, aggregates, named)))


@final
@frozen(kw_only=True, repr=False)
class RollupQuery(QueryFile):
    """Aggregates of every level of a hierarchy, ready to describe, plan and release.

    Args:
        finest: The same aggregates of the finest groups.
    """

    finest: AggregateQuery = field()

    @finest.validator
    def _check(self, _: object, value: AggregateQuery) -> None:
        check_linear(value.aggregates)
        if LEVEL_COLUMN in value.aggregates:
            raise InvalidError(
                f"rollup: the result has a column {LEVEL_COLUMN!r} of its own; name the aggregate differently."
            )

    def plan(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Mapping[str, Any] | None = None,
        level_weights: Sequence[Any] | None = None,
    ) -> RollupPlan:
        """Choose the noise; read no data and spend nothing.

        Args:
            epsilon: What all levels together may lose, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what they may lose in concentrated privacy.
            weights: The share of the loss of each aggregate, relative to the others.
            level_weights: The share of each level, from all rows to the finest groups; zero for a level that is not
                measured. By default, equal shares of the levels that are worth it.
        """
        allowance = self._curator.allow("rollup", epsilon=epsilon, delta=delta, rho=rho)
        more: Any = {"weights": weights, "level_weights": level_weights}
        source = plan_source(self, epsilon=epsilon, delta=delta, rho=rho, **more)
        return evolve(self._plan(allowance.budget, weights, level_weights), source=source, stated=allowance.budget)

    def facts(self) -> tuple[Fact, ...]:
        """Say what is computed at every level."""
        aggregates = ("aggregates", describe_aggregates(self.finest.aggregates))
        return (aggregates, *_facts_of_levels(self.finest.grouped))

    @property
    def title(self) -> str:
        """The roll-up in one line, for the history of a session."""
        return f"roll-up: {self.finest.title}"

    def words(self) -> Words:
        """The roll-up as plain data, in the words of a file."""
        return self.finest.grouped.words(self.finest.aggregates, "rollup")

    def check_plan(self, plan: RollupPlan) -> None:
        """Refuse the plan of another query: its loss would not be that of this release."""
        finest, groups = self.finest, self.finest.grouped.groups
        moved = plan.hierarchy.contributions(finest.contribution, self._by, finest.grouped.keys)
        sizes = [len(level) for level in plan.hierarchy.levels]
        facts = [(level.contribution, level.groups) for level in plan.levels]
        if plan.hierarchy.finest != groups or facts != list(zip(moved, sizes, strict=True)):
            raise MismatchError("the plan is for another roll-up; plan this one with query.plan(...).")
        for level in plan.levels:
            if level.planned or level is plan.levels[-1]:
                finest.check_plan(evolve(level, contribution=finest.contribution, groups=len(groups)))

    @property
    def _curator(self) -> Curator:
        return self.finest.grouped.query.curator

    def _plan(
        self, budget: Budget, weights: Mapping[str, Any] | None, level_weights: Sequence[Any] | None
    ) -> RollupPlan:
        with progress("planning the noise"):
            return plan_rollup(
                self.finest.aggregates,
                hierarchy=Hierarchy(finest=self.finest.grouped.groups),
                contribution=self.finest.contribution,
                budget=budget,
                weights=weights,
                level_weights=level_weights,
                by=self._by,
                keys=self.finest.grouped.keys,
            )

    @property
    def _by(self) -> tuple[KeyCaps, ...]:
        """The caps by column that hold."""
        grouped = self.finest.grouped
        return grouped.grouping.caps.by_of(grouped.keys) if grouped.query.id_columns else ()

    def loss(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Mapping[str, Any] | None = None,
        level_weights: Sequence[Any] | None = None,
    ) -> Loss:
        """Give the privacy loss of a release."""
        return self.plan(epsilon=epsilon, delta=delta, rho=rho, weights=weights, level_weights=level_weights).loss

    def describe(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Mapping[str, Any] | None = None,
        level_weights: Sequence[Any] | None = None,
    ) -> str:
        """Write down levels, caps, expected half-widths of each column, and noise; read no data and spend nothing.

        Args:
            epsilon: What all levels together may lose, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what they may lose in concentrated privacy.
            weights: The share of the loss of each aggregate, relative to the others.
            level_weights: The share of each level.
        """
        plan = self.plan(epsilon=epsilon, delta=delta, rho=rho, weights=weights, level_weights=level_weights)
        return self.describe_plan(plan)

    def describe_plan(self, plan: RollupPlan) -> str:
        """Write down levels, caps, and the noise of a plan of this roll-up."""
        keys, lines = self.finest.grouped.keys, [f"protected: {self._curator.tables.protected}"]
        table = [["level", "groups", "column", f"{percent_text(LEVEL)} half-width", "noise"]]
        for at, level in enumerate(plan.levels):
            by = f"{count_text(level.groups, 'group')} by {', '.join(keys[:at])}" if at else "all rows"
            most = level.contribution.rows(level.groups)
            counts = describe_contribution(int(most.l0), int(most.l1), int(most.linf))
            lines.append(f"level {at}, {by}: one unit counts at most: {counts}")
            table += [
                [f"{at}", by, name, plan.half_width(name, at, LEVEL).text, _describe_noise(plan, at, name)]
                for name, _ in level.aggregates
            ]
        notes = (*self._curator.advice(plan.stated), *self._curator.advisor.unit_lines)
        return "\n".join([*lines, "", text_table(table), "", describe_loss(plan.loss, plan.stated), *notes])

    def epsilon_for(
        self,
        half_widths: Mapping[str, Any] | None = None,
        /,
        *,
        level: Amount = LEVEL,
        delta: Amount = None,
        weights: Mapping[str, Any] | None = None,
        level_weights: Sequence[Any] | None = None,
        **named: Any,
    ) -> float:
        """Give the least epsilon with which intervals are narrow enough in every group of every level; read no data.

        Args:
            half_widths: Half-widths by the name of the column; or name them as arguments, ``epsilon_for(count=50)``.
            level: The level of the intervals.
            delta: The delta of the release, which allows Gaussian noise; none by default.
            weights: As for ``release``.
            level_weights: As for ``release``.
            named: Further half-widths.
        """
        targets, share = read_targets(self.finest.aggregates, named_targets(half_widths, named)), read_level(level)

        def excess(budget: ApproximateBudget) -> float:
            plan = self._plan(budget, weights, level_weights)
            return max(
                times_too_wide(targets, partial(plan.half_width, at=at, level=share)) for at in range(len(plan.levels))
            )

        return least_epsilon(excess, delta)

    def release(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Mapping[str, Any] | None = None,
        level_weights: Sequence[Any] | None = None,
        again: bool = False,
    ) -> RollupRelease:
        """Charge the budget of the session, read the data once, release every level, and make the levels agree.

        Args:
            epsilon: What all levels together may lose, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what they may lose in concentrated privacy.
            weights: The share of the loss of each aggregate, relative to the others.
            level_weights: The share of each level, from all rows to the finest groups; zero for a level that is not
                measured. By default, equal shares of the levels that are worth it.
            again: With a ledger, whether to charge for a fresh release where one is stored.
        """
        allowance = self._curator.allow("rollup", epsilon=epsilon, delta=delta, rho=rho)
        return self._release(self._plan(allowance.budget, weights, level_weights), allowance, again=again)

    def release_plan(self, plan: RollupPlan, allowance: Allowance, *, again: bool = False) -> RollupRelease:
        """Charge a plan of this roll-up, read the data once, and release every level with its noise."""
        self.check_plan(plan)
        return self._release(plan, allowance, again=again)

    def _release(self, plan: RollupPlan, allowance: Allowance, *, again: bool) -> RollupRelease:
        grouped = self.finest.grouped
        advice = self._curator.advice(allowance.budget)
        left_out = not_covered(grouped, self.finest.aggregates, measurable=False)
        request = RollupRequest(
            plan=plan,
            totals=grouped.totals,
            notes=(*grouped.notes, *advice, *left_out),
            delta=allowance.delta,
            title=self.title,
            words=lambda: grouped.exact_words(self.finest.aggregates),
        )
        return self._curator.release(request, again=again)


def _facts_of_levels(finest: GroupedRows) -> tuple[Fact, ...]:
    rows, groups, *others = finest.facts()
    levels = " > ".join(("all rows", *finest.keys))
    return (rows, ("levels", levels), ("finest groups", groups[1]), *others)


def _describe_noise(plan: RollupPlan, at: int, name: str) -> str:
    noise = plan.noises(plan.levels[-1].part(name))[at]
    return "not measured, but added up" if noise is None else f"measured with {noise.kind} noise"
