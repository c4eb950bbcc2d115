"""Two-stage queries: caps or bounds are estimated first, each for a share of what the release may lose."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NoReturn, cast, final

from attrs import evolve, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.planning.budget import AdditiveBudget, ApproximateBudget, ConcentratedBudget
from privet.core import Fact, count_text, short
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns import CapOrBounds, Rows, find_column
from privet.tables.curator.allowance import Allowance, Amount, part_of, rest_of
from privet.tables.curator.curator import Curator
from privet.tables.curator.request import CostliestPlan, Plan
from privet.tables.curator.totals_request import TotalsRequest
from privet.tables.files.written import QueryFile, Words
from privet.tables.noise.plan import NoisePlan
from privet.tables.queries.aggregate_query import AggregateQuery, Weights, aggregate, describe_groups
from privet.tables.queries.auto_bounds import autos_of, with_bounds
from privet.tables.queries.bias import BiasShare, BiasStages, Measure, measures_of, narrowed_columns, read_bias
from privet.tables.queries.describe_nodes import describe_aggregates
from privet.tables.queries.estimates import (
    BoundsSearch,
    CapSearch,
    Search,
    aim_of,
    bars_for,
    bounds_search,
    cap_search,
    full,
    narrowest_of,
    widest_of,
)
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.queries.not_covered import with_estimated_cap
from privet.tables.queries.own_caps import CAP_NAMES, CapName
from privet.tables.queries.row_query import RowQuery
from privet.tables.relations.caps import Caps
from privet.tables.releases.release import Estimated, Release

_MOST_ROWS = 2**62
_RATIO = 4  # the largest value over the mean, and the largest person over theirs, where nothing is known


@final
@frozen(kw_only=True, repr=False)
class TwoStageQuery(QueryFile):
    """Aggregates whose caps or bounds are estimated before the release.

    Args:
        grouped: The rows and their groups, with the caps that are known and those that are estimated.
        aggregates: The aggregates, not yet bound, by name.
        searches: The estimates, in order.
    """

    grouped: GroupedRows
    aggregates: Mapping[str, Aggregate]
    searches: tuple[Search, ...]

    def facts(self) -> tuple[Fact, ...]:
        """Say what is computed, of which rows and groups, and what is estimated first."""
        aggregates = ("aggregates", describe_aggregates(self.aggregates))
        return (aggregates, ("estimated first", ", ".join(each.name for each in self.searches)), *self.grouped.facts())

    def words(self) -> Words:
        """The query as plain data, in the words of a file."""
        return self.grouped.words(self.aggregates)

    def at_widest(self) -> AggregateQuery:
        """The query with caps of one and the widest bounds that an estimate may give."""
        return self._settle({search: widest_of(search) for search in self.searches})

    def at_narrowest(self) -> AggregateQuery:
        """The query with caps of one and the narrowest bounds that an estimate may give."""
        return self._settle({search: narrowest_of(search) for search in self.searches})

    def plan(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
    ) -> NoisePlan:
        """Refuse: the noise follows from caps and bounds that are estimated first."""
        raise UnavailableError("the noise follows from caps and bounds that are estimated first: see describe(...).")

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
        """Write down how each estimate is made and what it costs; read no data and spend nothing.

        Args:
            epsilon: What estimates and release may lose together, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or what they may lose in concentrated privacy.
            weights: The share of the loss of each aggregate, or ``"equal errors"``.
            group_size: About how many rows a group has, as far as that is public, for expected half-widths.
            typical: By name, about how large a value is, as far as that is public, for its relative half-width.
            bias: As for ``release``.
            most_rows: As for ``release``.
        """
        share = read_bias("describe", bias, most_rows)
        budget = self._curator.allow("describe", epsilon=epsilon, delta=delta, rho=rho).budget
        rows = (*self.grouped.description_of_rows, *self.grouped.description_of_lists)
        lines = [describe_groups(self.grouped), *rows, "estimated first, in this order:"]
        for search, plan in self._plans(budget):
            noise, (far, near) = plan.planned[0].noise, bars_for(search, plan)
            cost = _describe(part_of(budget, search.auto.share))
            lines.append(
                f"  {search.name}: {cost}, {search.counts}; {noise.kind} noise of scale {float(noise.scale):.4g}; "
                f"a bin counts as full from {far} on, and from {near} on beside a full bin; {aim_of(search)}"
            )
        rest = self._rest(budget)
        lines.append(f"left for the query: {_describe(rest)}")
        lines.append("the least noise that is possible, with estimated caps of 1 and the widest bounds:")
        measured: list[str] = []
        if share is not None:
            titles = [each.title for each in self._measures(share)]
            stages = BiasStages(allowance=Allowance(budget=rest), share=share.share, parts=self._parts(share))
            rest, measured = stages.main.budget, stages.describe(titles, share.most_rows)[:1]
        plan = evolve(self.at_widest().planned(rest, weights, group_size), stated=rest)
        notes = (*self._curator.advice(budget), *self._curator.advisor.unit_lines)
        capped = any(isinstance(search, CapSearch) for search in self.searches)
        grows = ("noise grows in proportion to an estimated cap",) if capped else ()
        total = f"together with the estimates: {_describe(budget)}"
        return "\n".join([*lines, "", plan.describe(group_size, typical=typical), *grows, *measured, total, *notes])

    def epsilon_for(self, half_widths: object = None, /, **named: object) -> NoReturn:
        """Refuse: the noise follows from caps and bounds that are estimated first."""
        raise UnavailableError(
            "epsilon_for: caps or bounds are estimated from the data first, and the noise follows from them. Give "
            "numbers in place of auto(), or compare describe(epsilon=...) for some epsilons."
        )

    @property
    def _curator(self) -> Curator:
        return self.grouped.query.curator

    def loss(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
    ) -> Loss:
        """Give the privacy loss of estimates and release, up to the rounding of calibrated noise."""
        budget = self._curator.allow("loss", epsilon=epsilon, delta=delta, rho=rho).budget
        total = self.at_widest().planned(self._rest(budget), weights, group_size).loss
        for _, plan in self._plans(budget):
            total += plan.loss
        return total

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
        """Estimate caps and bounds, then release; each stage is charged before it reads.

        Nothing is read unless all stages together fit the budget of the session.

        Args:
            epsilon: What estimates and release may lose together, with or without ``delta``.
            delta: The probability of a larger loss; none by default. Beside ``rho``, the stages share it.
            rho: Or what they may lose in concentrated privacy.
            weights: The share of the loss of each aggregate, relative to the others; or ``"equal errors"``.
            group_size: About how many rows a group has, as far as that is public; equal errors need it.
            bias: The share of what is left after the estimates that is paid to measure what caps and bounds leave out.
            most_rows: Up to how many rows of a person that is measured; more where the estimated cap is above it.
            again: With a ledger, whether to charge for fresh estimates and a fresh release.
        """
        allowance = self._curator.allow("release", epsilon=epsilon, delta=delta, rho=rho)
        share = read_bias("release", bias, most_rows)
        parts = 0 if share is None else self._parts(share)
        plans, rest = self._plans(allowance.budget), self._rest(allowance.budget)
        last: Plan = self.at_widest().planned(rest, weights, group_size)
        if isinstance(rest, ConcentratedBudget) and allowance.delta is not None:  # every stage is read at its share
            allowance = evolve(allowance, delta=allowance.delta / (len(plans) + 1))
            last = CostliestPlan(rest.loss())  # what the last stage costs depends on caps that are not known yet
        later, final_stages = evolve(allowance, budget=rest), [(last, allowance)]
        if share is not None:
            final_stages = BiasStages(allowance=later, share=share.share, parts=parts).costliest
        free = Allowance(budget=rest, delta=allowance.delta if isinstance(rest, ConcentratedBudget) else None)
        if plans:
            planned, first = [(plan, free) for _, plan in plans], self._estimate_request(*plans[0], free, {})
            self._curator.check_room(allowance, [*planned, *final_stages], first=first, again=again)
        values, estimates = self._estimate(plans, rest, free, again=again)
        final = self._settle(values)
        if share is None:
            release = final.release_plan(final.planned(rest, weights, group_size), allowance, again=again)
        else:
            wide = share.beyond(final.contribution.l1)
            release = final.release_with_bias(later, wide, weights, group_size, parts, again=again)
        notes = with_estimated_cap(release.notes) if self._searches_rows else release.notes
        return evolve(release, estimates=tuple(estimates), notes=(*notes, *(each.line for each in estimates)))

    @property
    def _searches_rows(self) -> bool:
        return any(isinstance(search, CapSearch) and search.cap == "rows" for search in self.searches)

    def _estimate(
        self, plans: list[tuple[Search, NoisePlan]], rest: AdditiveBudget, free: Allowance, *, again: bool
    ) -> tuple[dict[Search, CapOrBounds], list[Estimated]]:
        """Release the noisy counts of each estimate, in order, and choose caps and bounds by them."""
        curator = self.grouped.query.curator
        values: dict[Search, CapOrBounds] = {}
        estimates: list[Estimated] = []
        usual: Fraction | None = None
        for search, plan in plans:
            histogram = curator.release(self._estimate_request(search, plan, free, values), again=again)
            counts = full([int(count) for count in histogram.numbers[0][0]], bars_for(search, plan))
            values[search] = search.choose(counts, self._spared(search, rest, values, usual))
            if isinstance(search, CapSearch) and search.cap == "rows":
                usual = search.usual(counts, cast("int", values[search]))
            estimates.append(Estimated(name=search.name, value=values[search], histogram=histogram))
        return values, estimates

    def _estimate_request(
        self, search: Search, plan: NoisePlan, free: Allowance, values: Mapping[Search, CapOrBounds]
    ) -> TotalsRequest:
        """Give what a curator charges and measures for one estimate; earlier estimates change the rows."""
        request = search.query(self.grouped, self._caps(values)).request_for(plan, free)
        known = [[each.name, str(value)] for each, value in values.items()]
        title = f"estimate of the {search.name}, for {self.grouped.title(self.aggregates)}"
        words = {"estimate": search.name, "known": known, "of": self.grouped.exact_words(self.aggregates)}
        return evolve(request, title=title, words=lambda: words)

    def _measures(self, share: BiasShare) -> list[Measure]:
        """List what may be measured once caps and bounds are known."""
        query = self.at_narrowest()
        return measures_of(query.grouped, query.aggregates, share.beyond(query.contribution.l1))

    def _parts(self, share: BiasShare) -> int:
        """Count all that may be measured once caps and bounds are known; narrow bounds leave most to measure.

        Two estimates of one column may come out equal or not, so each counts by itself.
        """
        query = self.at_narrowest()
        different: set[object] = {each.column for each in self._measures(share) if each.column is None}
        for label, item in query.aggregates.items():
            autos = tuple(autos_of(self.aggregates[label]))
            for each in narrowed_columns(query.grouped, {label: item}):
                estimated = [pair for pair in autos if pair[0] == each.column]
                different.update(estimated or [(each.column, each.lower, each.upper)])
        return len(different)

    def _plans(self, budget: AdditiveBudget) -> list[tuple[Search, NoisePlan]]:
        """Plan every estimate; earlier estimates change the rows that are counted, not the noise."""
        known = self._caps({})
        return [
            (search, search.query(self.grouped, known).planned(part_of(budget, search.auto.share)))
            for search in self.searches
        ]

    def _rest(self, budget: AdditiveBudget) -> AdditiveBudget:
        spent = sum((search.auto.share for search in self.searches), Fraction(0))
        return rest_of(budget, spent)  # estimates use no delta

    def _spared(
        self, search: Search, rest: AdditiveBudget, values: Mapping[Search, CapOrBounds], usual: Fraction | None
    ) -> int:
        """Give how many persons may lie beyond the choice of least error (docs/tables/auto.md).

        Args:
            search: What is estimated.
            rest: What is left for the query.
            values: The estimates so far.
            usual: How many rows a person has under the cap, if that is known.
        """
        numbers = len(self.grouped.groups) * len(self.aggregates)
        if isinstance(rest, ConcentratedBudget):
            noise = numbers / math.sqrt(2 * rest.rho * len(self.aggregates))
        else:
            noise = float(numbers / Fraction(rest.point().cost))
        if isinstance(search, CapSearch):
            return math.floor(noise * (_RATIO if self._adds_up() else 1))
        query = evolve(self.grouped.query, caps=self._caps(values), auto_caps=())
        most = evolve(self.grouped, query=query).contribution.l1
        if isinstance(query.unit, Rows):
            return math.floor(noise * most)
        return math.floor(noise * (float(most / usual) if usual else min(most, _RATIO)))

    def _adds_up(self) -> bool:
        parts = [aggregate.measured() for aggregate in self.at_widest().aggregates.values()]
        return any(each.kind == "sum" for part in parts for each in part.statistics)

    def _caps(self, values: Mapping[Search, CapOrBounds]) -> Caps:
        """Give the caps that are known so far, estimated or given."""
        known = _known(self.grouped.query)
        searched = {search.cap for search in self.searches if isinstance(search, CapSearch)}
        single = {name: 1 for name, _ in self.grouped.query.auto_caps if name not in searched}
        caps = {search.cap: value for search, value in values.items() if isinstance(search, CapSearch)}
        return evolve(known, **cast("dict[str, Any]", {**single, **caps}))

    def _settle(self, values: Mapping[Search, CapOrBounds]) -> AggregateQuery:
        """Put numbers in the place of ``Auto``."""
        query = evolve(self.grouped.query, caps=self._caps(values), auto_caps=())
        bounds = {
            (search.column, search.auto): value for search, value in values.items() if isinstance(search, BoundsSearch)
        }
        settled = {name: with_bounds(item, cast("Any", bounds)) for name, item in self.aggregates.items()}
        return aggregate(evolve(self.grouped, query=query), settled)


def two_stage_query(grouped: GroupedRows, aggregates: Mapping[str, Aggregate]) -> TwoStageQuery | None:
    """Collect the caps and bounds that must be estimated, and refuse those that cannot; None where all are known.

    Args:
        grouped: The rows and their groups.
        aggregates: The aggregates, not yet bound, by name.
    """
    query = grouped.query
    columns = query.columns
    searches: dict[Search, None] = {}
    for name, auto in sorted(query.auto_caps, key=lambda item: CAP_NAMES.index(item[0])):
        search = cap_search(name, auto, _most(grouped, name))
        if len(search.cuts) > 2:  # one candidate needs no estimate
            searches[search] = None
    for label, item in aggregates.items():
        for column, auto in autos_of(item):
            known = find_column(f"agg: {label}", column, columns)
            searches[bounds_search(f"agg: {label}", column, known, auto)] = None
    if not searches and not query.auto_caps:
        return None
    shares = sum((search.auto.share for search in searches), Fraction(0))
    if shares >= 1:
        raise InvalidError(
            f"agg: {count_text(len(searches), 'estimate')} would take {short(shares)} of the budget and leave nothing "
            "for the query; give smaller shares: auto(share=...)."
        )
    staged = TwoStageQuery(grouped=grouped, aggregates=aggregates, searches=tuple(searches))
    staged.at_narrowest()  # mistakes that no estimate could repair show now
    return staged


def settled(where: str, query: object) -> AggregateQuery:
    """Refuse anything that is not an aggregate query, and queries whose caps or bounds are estimated first.

    Args:
        where: The caller, for messages.
        query: What was given.
    """
    if isinstance(query, TwoStageQuery):
        raise UnavailableError(f"{where}: caps and bounds must be known here; give numbers instead of auto().")
    if not isinstance(query, AggregateQuery):
        kind = type(query).__name__
        raise WrongTypeError(f"{where} must be an aggregate query, such as query.agg(...), got {kind}.")
    return query


def _known(query: RowQuery) -> Caps:
    """Give the caps that hold whatever the estimates are: those of query and codebook that are not estimated."""
    caps = evolve(query, auto_caps=()).grouping((), ((),)).caps
    unknown: dict[str, Any] = dict.fromkeys(name for name, _ in query.auto_caps)
    return evolve(caps, **unknown)


def _most(grouped: GroupedRows, name: CapName) -> int:
    """Give the largest cap that could matter, from public facts."""
    caps, groups = _known(grouped.query), len(grouped.groups)
    if grouped.query.one_row_each:
        return 1
    rows = _MOST_ROWS if caps.rows is None else caps.rows
    if name == "groups":
        return min(groups, rows)
    if name == "rows_per_group":
        return rows
    return _MOST_ROWS if caps.rows_per_group is None else caps.rows_per_group * min(groups, caps.groups or groups)


def _describe(part: AdditiveBudget) -> str:
    if isinstance(part, ApproximateBudget):
        return f"epsilon {short(part.epsilon)}" + (f", delta {short(part.delta)}" if part.delta else "")
    return f"rho {short(part.point().cost)}"
