"""A SELECT about a completed table: what ``session.sql(text, impute={...})`` gives."""

from collections.abc import Mapping
from typing import Any, NoReturn, final

from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Fact
from privet.tables.curator.allowance import Allowance, Amount
from privet.tables.engines.grammar import Grammar
from privet.tables.files.impute_keys import write_impute
from privet.tables.files.query_keys import write_sql
from privet.tables.files.written import QueryFile, Words, plan_source
from privet.tables.impute.aggregate_query import ImputedAggregateQuery
from privet.tables.impute.plan import ImputedPlan
from privet.tables.impute.release import ImputedRelease
from privet.tables.nodes.from_table import FromTable
from privet.tables.nodes.impute_column import ImputeColumn
from privet.tables.sql.imputed_answer import SqlImputedRelease, without_intervals
from privet.tables.sql.keyed import agreed_limits, with_notes
from privet.tables.sql.post_processing import PostProcessing


@final
@frozen(kw_only=True, repr=False)
class SqlImputedQuery(QueryFile):
    """A SELECT about a completed table, ready to describe, plan and release. Made by ``session.sql(text, impute=...)``.

    Args:
        query: The aggregates of imputed rows.
        after: The post-processing of the release.
        options: The privacy loss that the OPTIONS allow.
        text: The statement.
        dialect: Whose SQL it is, if the caller said that.
        notes: Lines for the reader.

    Guarantee: that of ``ImputedAggregateQuery``; HAVING, ORDER BY and LIMIT see released values only.
    """

    query: ImputedAggregateQuery
    after: PostProcessing = field(converter=without_intervals)
    options: Mapping[str, Any]
    text: str
    dialect: Grammar | None = None
    notes: tuple[str, ...] = ()

    def facts(self) -> tuple[Fact, ...]:
        """Say what the statement is, and what it computes."""
        return (("SQL", self.text), *self.query.facts())

    def words(self) -> Words:
        """The statement as plain data, in the words of a file."""
        grouped = self.query.groups.grouped
        units = [link.unit for link in grouped.query.chain.links]
        node = next(unit for unit in units if isinstance(unit, ImputeColumn))
        words = write_sql(self.text, None, grouped.listed_groups, grouped.other, self.dialect)
        how = write_impute(node, {})
        if len(grouped.query.curator.codebooks) > 1 and isinstance(units[0], FromTable):
            how = {"table": units[0].name, **how}
        return {**words, "impute": how}

    def plan(
        self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None, interval: Amount = 0
    ) -> ImputedPlan:
        """Choose the noise; read no data and spend nothing.

        The arguments are those of ``ImputedAggregateQuery.plan``.
        """
        limits = agreed_limits(self.options, epsilon=epsilon, delta=delta, rho=rho)
        plan = self.query.plan(interval=interval, **limits)
        amounts: Any = {"epsilon": None, "delta": None, "rho": None, **limits}
        return evolve(plan, source=plan_source(self, interval=plan.interval or None, **amounts))

    def epsilon_for(self, half_widths: object = None, /, **named: object) -> NoReturn:
        """Refuse: the size of the noise of imputed numbers is private."""
        self.query.epsilon_for()

    def describe(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        interval: Amount = 0,
        group_size: Amount = None,
    ) -> str:
        """Write down what is imputed, what to expect of each aggregate, and its noise; read no data.

        The arguments are those of ``ImputedAggregateQuery.describe``.
        """
        limits = agreed_limits(self.options, epsilon=epsilon, delta=delta, rho=rho)
        return with_notes(self.query.describe(interval=interval, group_size=group_size, **limits), self.notes)

    def describe_plan(self, plan: ImputedPlan, *, group_size: Amount = None) -> str:
        """Write down what is imputed, and the noise of a plan of this query."""
        return with_notes(self.query.describe_plan(plan, group_size=group_size), self.notes)

    def loss(self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None, interval: Amount = 0) -> Loss:
        """Give the privacy loss of a release."""
        limits = agreed_limits(self.options, epsilon=epsilon, delta=delta, rho=rho)
        return self.query.loss(interval=interval, **limits)

    def release(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        interval: Amount = 0,
        again: bool = False,
    ) -> SqlImputedRelease:
        """Charge, read, impute, and release every number with its noise; then apply HAVING, ORDER BY and LIMIT.

        Args:
            epsilon: The budget; all of it is charged before a row is read.
            delta: The probability of a larger loss.
            rho: Refused.
            interval: The share of it that buys error bars of numbers that depend on imputed values.
            again: With a ledger, whether to charge for a fresh release where one is stored.
        """
        limits = agreed_limits(self.options, epsilon=epsilon, delta=delta, rho=rho)
        return self._made(self.query.release(interval=interval, again=again, **limits))

    def release_plan(self, plan: ImputedPlan, allowance: Allowance, *, again: bool = False) -> SqlImputedRelease:
        """Charge the budget of a plan of this query, and release; the noise is planned anew."""
        return self._made(self.query.release_plan(plan, allowance, again=again))

    def _made(self, release: ImputedRelease) -> SqlImputedRelease:
        noted = evolve(release, notes=(*release.notes, *self.notes)) if self.notes else release
        return SqlImputedRelease(release=noted, after=self.after, text=self.text)
