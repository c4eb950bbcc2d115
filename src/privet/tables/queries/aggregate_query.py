"""Aggregate queries: aggregates of rows in public groups, ready to describe, plan and release."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, final

from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.planning.budget import ApproximateBudget
from privet.core import Fact
from privet.errors import InvalidError, MismatchError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import read_level
from privet.tables.curator.allowance import Allowance, Amount
from privet.tables.curator.curator import Curator
from privet.tables.curator.progress import progress
from privet.tables.curator.totals_request import TotalsRequest
from privet.tables.files.written import QueryFile, Words, plan_source
from privet.tables.noise.half_width import read_group_size
from privet.tables.noise.least_epsilon import least_epsilon, named_targets, read_targets, times_too_wide
from privet.tables.noise.plan import LEVEL, NoisePlan
from privet.tables.noise.planner import plan_equal_errors, plan_noise
from privet.tables.queries.bias import BiasShare, BiasStages, measures_of, read_bias, with_bias
from privet.tables.queries.describe_nodes import describe_aggregates, describe_contribution
from privet.tables.queries.grouped_rows import GroupedRows, check_outputs, count_once
from privet.tables.queries.not_covered import not_covered, stand_ins
from privet.tables.queries.own_numbers import plans_numbers_of
from privet.tables.releases.release import Release
from privet.tables.statistics import Contribution

Weights = Mapping[str, Any] | str | None


def _unchanging(value: Mapping[str, Aggregate]) -> Mapping[str, Aggregate]:
    return MappingProxyType(dict(value))


@final
@frozen(kw_only=True, repr=False)
class AggregateQuery(QueryFile):
    """Aggregates of rows in public groups.

    Args:
        grouped: The rows and their groups.
        aggregates: The aggregates, bound to columns, by name.
        contribution: How much one privacy unit adds at most.
        text: How the query was written, if not with these words, for the history of a session.
        notes: What its aggregates mean, where that may be understood in two ways; lines for the reader.
    """

    grouped: GroupedRows
    aggregates: Mapping[str, Aggregate] = field(converter=_unchanging)
    contribution: Contribution = field()
    text: str = field(default="", eq=False)
    notes: tuple[str, ...] = field(default=(), eq=False)

    @contribution.validator
    def _check(self, _: object, value: Contribution) -> None:
        if value != self.grouped.contribution:
            raise MismatchError("AggregateQuery.contribution belongs to another query: build it with query.agg(...).")

    def plan(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
    ) -> NoisePlan:
        """Choose the noise; read no data and spend nothing.

        Args:
            epsilon: What the release may lose, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what it may lose in concentrated privacy.
            weights: The share of the loss of each aggregate, relative to the others; or ``"equal errors"``.
            group_size: About how many rows a group has, as far as that is public; equal errors need it.
        """
        amounts = {"epsilon": epsilon, "delta": delta, "rho": rho}
        plan = self.plan_for("plan", amounts, weights, group_size)
        more: Any = {"weights": weights, "group_size": group_size}
        return evolve(plan, source=plan_source(self, **amounts, **more))

    def plan_for(
        self, where: str, amounts: Mapping[str, Amount], weights: Weights = None, group_size: Amount = None
    ) -> NoisePlan:
        """Choose the noise, and warn of a loss that is unusual.

        Args:
            where: The call, for messages.
            amounts: What the release may lose: ``epsilon``, ``delta``, ``rho``.
            weights: As for ``plan``.
            group_size: As for ``plan``.
        """
        allowance = self._allow(where, group_size, **amounts)
        return evolve(self.planned(allowance.budget, weights, group_size), stated=allowance.budget)

    def facts(self) -> tuple[Fact, ...]:
        """Say what is computed, of which rows and groups."""
        return (("aggregates", describe_aggregates(self.aggregates)), *self.grouped.facts())

    @property
    def title(self) -> str:
        """The query in one line, for the history of a session."""
        return self.text or self.grouped.title(self.aggregates)

    def words(self) -> Words:
        """The query as plain data, in the words of a file."""
        return self.grouped.words(self.aggregates)

    def describe(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
        typical: Mapping[str, Any] | None = None,
        bias: Amount = None,
        most_rows: int | None = None,
    ) -> str:
        """Write down groups, caps, expected half-widths of each column, and noise; read no data and spend nothing.

        Args:
            epsilon: What the release may lose, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what it may lose in concentrated privacy.
            weights: The share of the loss of each aggregate, or ``"equal errors"``.
            group_size: About how many rows a group has, as far as that is public, for expected half-widths.
            typical: By name, about how large a value is, as far as that is public, for its relative half-width.
            bias: The share of the loss that ``release`` pays to measure what caps and bounds leave out.
            most_rows: Up to how many rows of a person that is measured.
        """
        shown: Any = {"group_size": group_size, "typical": typical, "bias": read_bias("describe", bias, most_rows)}
        return self.describe_for({"epsilon": epsilon, "delta": delta, "rho": rho}, weights, **shown)

    def describe_for(
        self,
        amounts: Mapping[str, Amount],
        weights: Weights = None,
        *,
        group_size: Amount = None,
        typical: Mapping[str, Any] | None = None,
        bias: BiasShare | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> str:
        """Write down what ``describe`` does.

        Args:
            amounts: What the release may lose: ``epsilon``, ``delta``, ``rho``.
            weights: As for ``release``.
            group_size: As for ``describe``.
            typical: As for ``describe``.
            bias: The share of the loss for measuring what is left out.
            columns: The aggregate of each column that is shown, by its label; all aggregates by default.
        """
        shown: Any = {"group_size": group_size, "typical": typical, "columns": columns}
        if bias is None:
            return self.describe_plan(self.plan_for("describe", amounts, weights, group_size), **shown)
        allowance = self._allow("describe", group_size, **amounts)
        stages, requests = self._stages(allowance, bias)
        rest = stages.main.budget
        plan = evolve(self.planned(rest, weights, group_size), stated=rest)
        lines = [self._public_facts(measurable=False), "", plan.describe(**shown)]
        lines += stages.describe([each.title for each in requests], bias.most_rows)
        return "\n".join([*lines, *self.advice(allowance.budget, group_size)])

    def describe_plan(
        self,
        plan: NoisePlan,
        *,
        group_size: Amount = None,
        typical: Mapping[str, Any] | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> str:
        """Write down groups, caps, and what to expect of a plan of this query; the arguments are those of the plan."""
        notes = self.advice(plan.stated, group_size)
        expected = plan.describe(group_size, typical=typical, columns=columns)
        return "\n".join([self._public_facts(), "", expected, *notes])

    def _public_facts(self, *, measurable: bool = True) -> str:
        most = self.contribution
        lines = [
            describe_groups(self.grouped),
            *self.grouped.description,
            *self.grouped.description_of_lists,
            f"one unit counts at most: {describe_contribution(most.l0, most.l1, most.linf)}",
            *not_covered(self.grouped, self.aggregates, measurable=measurable),
        ]
        return "\n".join(lines)

    def advice(self, budget: Budget | None, group_size: Amount = None) -> tuple[str, ...]:
        """Say what is unusual about a loss and about the privacy unit, one line for each rule."""
        lines = self._curator.advice(budget, self._rows(group_size))
        return (*lines, *self._curator.advisor.unit_lines, *self.note_lines)

    @property
    def note_lines(self) -> tuple[str, ...]:
        """The notes as a description shows them."""
        return tuple(f"note: {note}" for note in self.notes)

    def epsilon_for(
        self,
        half_widths: Mapping[str, Any] | None = None,
        /,
        *,
        level: Amount = LEVEL,
        group_size: Amount = None,
        delta: Amount = None,
        weights: Weights = None,
        **named: Any,
    ) -> float:
        """Give the least epsilon with which the intervals of columns are narrow enough; read no data, spend nothing.

        The answer has three digits, rounded up. ``release(epsilon=answer)`` is planned to have these half-widths.

        Args:
            half_widths: Half-widths by the name of the column; or name them as arguments, ``epsilon_for(count=50)``.
            level: The level of the intervals.
            group_size: About how many rows a group has, as far as that is public; means and quantiles need it.
            delta: The delta of the release, which allows Gaussian noise; none by default.
            weights: As for ``release``.
            named: Further half-widths.
        """
        targets = read_targets(self.aggregates, named_targets(half_widths, named))
        share, rows = read_level(level), read_group_size("epsilon_for", group_size)

        def excess(budget: ApproximateBudget) -> float:
            plan = self.planned(budget, weights, group_size)
            return times_too_wide(targets, lambda name: plan.half_width(name, share, rows))

        return least_epsilon(excess, delta)

    @property
    def _curator(self) -> Curator:
        return self.grouped.query.curator

    def _allow(self, where: str, group_size: Amount, **amounts: Amount) -> Allowance:
        return self._curator.allow(where, rows=self._rows(group_size), **amounts)

    def _rows(self, group_size: Amount) -> Fraction | None:
        """Give about how many rows there are in all groups, as far as that is public."""
        rows = read_group_size("release", group_size)
        return None if rows is None else rows * len(self.grouped.groups)

    def loss(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
        bias: Amount = None,
        most_rows: int | None = None,
    ) -> Loss:
        """Give the privacy loss of a release."""
        share = read_bias("loss", bias, most_rows)
        if share is None:
            return self.plan(epsilon=epsilon, delta=delta, rho=rho, weights=weights, group_size=group_size).loss
        stages, requests = self._stages(self._allow("loss", group_size, epsilon=epsilon, delta=delta, rho=rho), share)
        total = self.planned(stages.main.budget, weights, group_size).loss
        for each in requests:
            total += each.plan.loss
        return total

    def _stages(self, allowance: Allowance, bias: BiasShare) -> tuple[BiasStages, list[TotalsRequest]]:
        """Divide a loss between the release and measurements of what is left out, and plan the latter."""
        measures = measures_of(self.grouped, self.aggregates, bias)
        stages = BiasStages(allowance=allowance, share=bias.share, parts=len(measures))
        return stages, [each.request(stages.part) for each in measures]

    def release(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
        bias: Amount = None,
        most_rows: int | None = None,
        again: bool = False,
    ) -> Release:
        """Charge the budget of the session, read the data once, and release every number with its noise.

        Args:
            epsilon: What the release may lose, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what it may lose in concentrated privacy.
            weights: The share of the loss of each aggregate, relative to the others; or ``"equal errors"``.
            group_size: About how many rows a group has, as far as that is public; equal errors need it.
            bias: The share of the loss that is paid to measure what caps and bounds leave out; nothing by default.
            most_rows: Up to how many rows of a person that is measured.
            again: With a ledger, whether to charge for a fresh release where one is stored.
        """
        allowance = self._allow("release", group_size, epsilon=epsilon, delta=delta, rho=rho)
        share = read_bias("release", bias, most_rows)
        if share is not None:
            return self.release_with_bias(allowance, share, weights, group_size, again=again)
        return self._curator.release(self.request(allowance, weights, group_size), again=again)

    def release_with_bias(
        self,
        allowance: Allowance,
        bias: BiasShare,
        weights: Weights = None,
        group_size: Amount = None,
        parts: int | None = None,
        *,
        again: bool = False,
    ) -> Release:
        """Release, and measure what caps and bounds leave out; nothing is read unless all of it fits the budget.

        Args:
            allowance: What all of it may lose.
            bias: The share of that for measuring.
            weights: The share of the rest of each aggregate.
            group_size: About how many rows a group has.
            parts: Among how many measurements the share is divided, if more than there are.
            again: As for ``release``.
        """
        measures = measures_of(self.grouped, self.aggregates, bias, needed=parts is None)
        stages = BiasStages(allowance=allowance, share=bias.share, parts=max(parts or 0, len(measures)))
        main = self._request(self.planned(stages.main.budget, weights, group_size), stages.main, measurable=False)
        others = [each.request(stages.part, main.words) for each in measures]
        planned = [(main.plan, stages.main), *((each.plan, stages.part) for each in others)]
        self._curator.check_room(allowance, planned, first=main, again=again)
        release, *limits = [self._curator.release(each, again=again) for each in (main, *others)]
        return with_bias(release, [each.read(part) for each, part in zip(measures, limits, strict=True)])

    def request(self, allowance: Allowance, weights: Weights = None, group_size: Amount = None) -> TotalsRequest:
        """Plan within an allowance, and give what a curator charges and measures."""
        return self._request(self.planned(allowance.budget, weights, group_size), allowance)

    def request_for(self, plan: NoisePlan, allowance: Allowance) -> TotalsRequest:
        """Give what a curator charges and measures, for a plan of this query."""
        self.check_plan(plan)
        return self._request(plan, allowance)

    def _request(self, plan: NoisePlan, allowance: Allowance, *, measurable: bool = True) -> TotalsRequest:
        grouped = self.grouped
        advice = (*stand_ins(self.aggregates), *grouped.query.curator.advice(allowance.budget))
        return TotalsRequest(
            plan=plan,
            totals=grouped.totals,
            notes=(*grouped.notes, *advice, *not_covered(grouped, self.aggregates, measurable=measurable), *self.notes),
            delta=allowance.delta,
            title=self.title,
            words=lambda: grouped.exact_words(self.aggregates),
        )

    def release_plan(self, plan: NoisePlan, allowance: Allowance, *, again: bool = False) -> Release:
        """Charge a plan of this query, read the data once, and release every number with the noise of the plan."""
        return self._curator.release(self.request_for(plan, allowance), again=again)

    def check_plan(self, plan: NoisePlan) -> None:
        """Refuse the plan of another query: its loss would not be that of this release.

        The numbers must be those of this query's own aggregates, alone or shared as a plan shares them.
        """
        same = (plan.contribution, plan.groups) == (self.contribution, len(self.grouped.groups))
        if not same or not plans_numbers_of(plan, self.aggregates):
            raise MismatchError("the plan is for another query; plan this one with query.plan(...).")

    def planned(self, budget: Budget, weights: Weights = None, group_size: Amount = None) -> NoisePlan:
        """Choose the noise within a budget."""
        facts: dict[str, Any] = {
            "contribution": self.contribution,
            "groups": len(self.grouped.groups),
            "budget": budget,
        }
        if not isinstance(weights, str):
            with progress("planning the noise"):
                return plan_noise(self.aggregates, weights=weights, **facts)
        if weights != "equal errors":
            raise InvalidError(f'release.weights must be numbers by name, or "equal errors", got {weights!r}.')
        if group_size is None:
            raise InvalidError("release: equal errors need group_size=..., about how many rows a group has.")
        with progress("planning the noise"):
            return plan_equal_errors(self.aggregates, rows=group_size, **facts)


def describe_groups(grouped: GroupedRows) -> str:
    """Write how many groups there are, and by which keys."""
    return f"groups: {grouped.described_groups}"


def aggregate(grouped: GroupedRows, aggregates: Mapping[str, Aggregate]) -> AggregateQuery:
    """Bind aggregates to the columns of grouped rows."""
    bound = {label: grouped.bind(label, item) for label, item in aggregates.items()}
    check_outputs(grouped.keys, bound)
    if all(item.measured().per == "persons" for item in bound.values()):
        grouped = count_once(grouped)
    return AggregateQuery(grouped=grouped, aggregates=bound, contribution=grouped.contribution)
