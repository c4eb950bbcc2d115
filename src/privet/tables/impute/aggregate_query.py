"""Aggregate queries of imputed rows: plan from public facts, charge, and only then measure."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, NoReturn, final

from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Fact, count_text
from privet.errors import InvalidError, UnavailableError
from privet.imputation.smooth_calibration import Guess
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import CountRows
from privet.tables.aggregates.mean import MeanColumn
from privet.tables.aggregates.standard_deviation import StandardDeviationColumn
from privet.tables.aggregates.variance import VarianceColumn
from privet.tables.columns import Columns, text_table
from privet.tables.curator.allowance import Allowance, Amount
from privet.tables.curator.curator import Curator
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.progress import progress
from privet.tables.engines.engine import dropping
from privet.tables.files.written import QueryFile, Words, plan_source
from privet.tables.impute.answers import Answer, answer_to
from privet.tables.impute.execution import ImputedExecution
from privet.tables.impute.expected import expected_lines
from privet.tables.impute.imputed_groups import ImputedGroups
from privet.tables.impute.plan import ImputedPlan, ImputedPlanner
from privet.tables.impute.release import ImputedRelease
from privet.tables.impute.totals import Total, total_of
from privet.tables.nodes.group_totals import check_statistic
from privet.tables.noise.half_width import read_group_size
from privet.tables.queries.aggregate_query import describe_groups
from privet.tables.queries.describe_nodes import describe_aggregates
from privet.tables.queries.grouped_rows import GroupedRows, check_outputs, name_aggregates
from privet.tables.queries.not_covered import not_covered

_NO_BARS = (
    "the size of the noise of numbers that depend on imputed values is private: they have no error bars unless those "
    "are paid for"
)


@final
@frozen(kw_only=True, repr=False)
class ImputedAggregateQuery(QueryFile):
    """Aggregates of imputed rows, ready to describe, plan and release.

    Args:
        groups: The rows and their groups.
        aggregates: The aggregates, bound to columns, by name.
        text: How the query was written, if not with these words, for the history of a session.
    """

    groups: ImputedGroups
    aggregates: Mapping[str, Aggregate]
    text: str = field(default="", eq=False)
    _parts: "tuple[dict[str, Aggregate], dict[str, Answer]]" = field(init=False, eq=False, repr=False)

    @_parts.default
    def _divide(self) -> "tuple[dict[str, Aggregate], dict[str, Answer]]":
        return _plain_and_answers(self.groups, self.aggregates)

    @property
    def plain(self) -> Mapping[str, Aggregate]:
        """Aggregates that do not depend on imputed values, released as in any other query."""
        return self._parts[0]

    @property
    def answers(self) -> Mapping[str, Answer]:
        """All other aggregates, as functions of totals."""
        return self._parts[1]

    @property
    def totals(self) -> tuple[Total, ...]:
        """The totals that the answers need, with how far one row moves each: both follow from the query alone."""
        query, facts = self.groups.grouped.query, self.groups.facts
        needed = dict.fromkeys(each for answer in self.answers.values() for each in answer.statistics)
        for statistic in needed:
            check_statistic("agg", statistic, query.columns, has_ids=bool(query.id_columns))
        return tuple(total_of(each, query.columns, facts) for each in needed)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the result, in order."""
        return tuple(_output(label, each) for label, item in self.aggregates.items() for each in item.outputs)

    def plan(
        self, *, epsilon: Amount = None, delta: Amount = None, rho: Amount = None, interval: Amount = 0
    ) -> ImputedPlan:
        """Choose the noise for a budget; read no data and spend nothing.

        Args:
            epsilon: The budget.
            delta: The probability of a larger loss; with many numbers it buys a larger share of epsilon for each.
            rho: Refused: the noise of imputed numbers is planned for epsilon.
            interval: The share of it that buys error bars of numbers that depend on imputed values.
        """
        return self._plan("plan", epsilon, delta, rho, interval)

    def _plan(self, where: str, epsilon: Amount, delta: Amount, rho: Amount, interval: Amount) -> ImputedPlan:
        _check_budget(epsilon, rho)
        allowance = self._curator.allow(where, epsilon=epsilon, delta=delta)
        planner = ImputedPlanner(
            plain=self.plain,
            totals=self.totals,
            groups=len(self.groups.groups),
            together=self.groups.together,
            rows=self.groups.rows_of_a_unit,
            guess=self.guess,
        )
        with progress("planning the noise"):
            plan = planner.plan(allowance.budget.point().cost, interval, allowance.delta or 0)
        source = plan_source(self, epsilon=epsilon, delta=delta, rho=None, interval=plan.interval or None)
        return evolve(plan, source=source, stated=allowance.budget)

    def epsilon_for(self, half_widths: object = None, /, **named: object) -> NoReturn:
        """Refuse: the size of the noise of imputed numbers is private."""
        raise UnavailableError(
            "epsilon_for: the noise of numbers that depend on imputed values has a private size. Compare "
            "describe(epsilon=..., group_size=...) for some epsilons, which expects it from the guess."
        )

    @property
    def _curator(self) -> Curator:
        return self.groups.grouped.query.curator

    def facts(self) -> tuple[Fact, ...]:
        """Say what is computed, of which rows and groups."""
        return (("aggregates", describe_aggregates(self.aggregates)), *self.groups.grouped.facts())

    def words(self) -> Words:
        """The query as plain data, in the words of a file."""
        return self.groups.grouped.words(self.aggregates)

    @property
    def guess(self) -> Guess:
        """The public guess of the incomplete rows of one group: they are spread evenly over groups."""
        places = [at for at, name in enumerate(self.groups.keys) if name in self.groups.known_keys]
        parts = len({tuple(group[at] for at in places) for group in self.groups.groups})
        whole = self.groups.imputation.guess
        return evolve(whole, incomplete=max(whole.incomplete // parts, 1))

    def loss(self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None, interval: Amount = 0) -> Loss:
        """Give the privacy loss of a release."""
        return self.plan(epsilon=epsilon, delta=delta, rho=rho, interval=interval).loss

    def describe(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        interval: Amount = 0,
        group_size: Amount = None,
    ) -> str:
        """Write down what is imputed, what to expect of each column, and the noise of each number; read no data.

        Args:
            epsilon: The budget.
            delta: The probability of a larger loss.
            rho: Refused.
            interval: The share of it that buys error bars.
            group_size: About how many rows a group has, as far as that is public, for expected half-widths.
        """
        return self.describe_plan(self._plan("describe", epsilon, delta, rho, interval), group_size=group_size)

    def describe_plan(self, plan: ImputedPlan, *, group_size: Amount = None) -> str:
        """Write down what is imputed, what to expect of each column, and the noise of a plan of this query."""
        imputation, grouped = self.groups.imputation, self.groups.grouped
        near = [f"{each.name} ({each.kind}, weight {each.weight})" for each in imputation.features]
        near += [f"{each.name} (the same)" for each in imputation.strata]
        rows = read_group_size("describe", group_size)
        return "\n".join(
            [
                describe_groups(grouped),
                *grouped.description_of_rows,
                f"one unit has at most {count_text(self.groups.rows_of_a_unit, 'row')}",
                f"imputed: {imputation.name} by {imputation.scheme!r}, near by {', '.join(near)}",
                "",
                text_table(expected_lines(self.aggregates, plan, self.answers, rows)),
                "",
                plan.describe(self.guess),
                *self._hint(),
                *self._curator.advice(plan.stated),
                *self._curator.advisor.unit_lines,
            ]
        )

    def release_plan(self, plan: ImputedPlan, allowance: Allowance, *, again: bool = False) -> ImputedRelease:
        """Charge the budget of a plan of this query, read the data, impute, and release; the noise is planned anew."""
        cost = Fraction(allowance.budget.point().cost)
        return self.release(epsilon=cost, delta=allowance.delta, interval=plan.interval, again=again)

    def _hint(self) -> list[str]:
        outside = [name for name in self.groups.known_keys if name not in self.groups.facts.strata]
        if not outside or not any(total.donee for total in self.totals):
            return []
        return [f"donors within {', '.join(outside)}, impute(..., within=...), would cost less: once for such groups"]

    def release(
        self,
        *,
        epsilon: Amount = None,
        delta: Amount = None,
        rho: Amount = None,
        interval: Amount = 0,
        again: bool = False,
    ) -> ImputedRelease:
        """Charge the budget of the session, read the data, impute, and release every number with its noise.

        Args:
            epsilon: The budget; all of it is charged before a row is read.
            delta: The probability of a larger loss; with many numbers it buys a larger share of epsilon for each.
            rho: Refused.
            interval: The share of it that buys error bars of numbers that depend on imputed values.
            again: With a ledger, whether to charge for a fresh release where one is stored.
        """
        plan = self._plan("release", epsilon, delta, rho, interval)
        request = ImputedRequest(query=self, epsilon=epsilon, delta=plan.delta or None, interval=plan.interval)
        return self._curator.release(request, again=again)


@final
@frozen(kw_only=True, eq=False)
class ImputedRequest:
    """A release of imputed rows; it makes its own plan, so that no other query's plan is ever charged.

    Args:
        query: The aggregates and the rows.
        epsilon: The budget.
        delta: The delta at which a budget of epsilon and delta reads the loss; None where the loss is pure.
        interval: The share of epsilon that buys error bars.
    """

    query: ImputedAggregateQuery
    epsilon: Amount
    delta: Fraction | None = None
    interval: Amount = 0
    plan: ImputedPlan = field(init=False)

    @plan.default
    def _plan(self) -> ImputedPlan:
        return self.query.plan(epsilon=self.epsilon, delta=self.delta, interval=self.interval)

    @property
    def tables(self) -> PrivateTables:
        """The tables that it was planned for."""
        return self.query.groups.grouped.query.curator.tables

    @property
    def title(self) -> str:
        """The query in one line, for the history of a session."""
        return self.query.text or self.query.groups.grouped.title(self.query.aggregates)

    def words(self) -> Words:
        """Everything that decides the release, by which a ledger knows it."""
        query, budget = self.query, self.plan.stated
        return {"interval": self.plan.interval, "budget": budget, **query.groups.grouped.exact_words(query.aggregates)}

    def read_back(self, text: str) -> ImputedRelease:
        """Read a release of this request that was stored."""
        return ImputedRelease.from_json(text)

    def measure(self, tables: PrivateTables) -> Callable[[], ImputedRelease]:
        """Write all queries, rehearse the first, and return the function that imputes, reads and adds noise."""
        query, engine = self.query, tables.database.engine
        engine.check_holding("the imputed rows")
        work = ImputedExecution.of(tables, query.groups, self.plan, query.answers, query.totals)
        imputing = work.table.imputing
        tables.rehearse(query.groups.space, [imputing.labelled])
        tables.check_writable(work.relations)  # these read tables that are held later, and cannot run on empty ones

        def read() -> ImputedRelease:
            with dropping(engine, imputing.names.names):
                columns, intervals = work.run(self.plan)
            return self._release(columns, intervals)

        return read

    def _release(self, columns: Mapping[str, Any], intervals: Mapping[str, Any]) -> ImputedRelease:
        grouped = self.query.groups.grouped
        bars = (_NO_BARS,) if any(each.paid is None for each in self.plan.imputed) else ()
        left_out = not_covered(grouped, self.query.aggregates, measurable=False)
        return ImputedRelease(
            keys=grouped.keys,
            groups=grouped.groups,
            columns={name: columns[name] for name in self.query.names},
            intervals=intervals,
            epsilon=Fraction(self.plan.loss.epsilon(self.plan.delta)),
            delta=self.plan.delta,
            notes=(*grouped.notes, *grouped.query.curator.advice(self.plan.stated), *bars, *left_out),
        )


def _check_budget(epsilon: Amount, rho: Amount) -> None:
    if epsilon is None or rho is not None:
        raise InvalidError(
            "imputed queries take epsilon=..., with or without delta=...: their noise is planned for epsilon."
        )


def ask_imputed(
    grouped: GroupedRows,
    aggregates: Iterable[object] = (),
    named: Mapping[str, object] | None = None,
    *,
    text: str = "",
) -> ImputedAggregateQuery:
    """Decide how each aggregate is answered: from totals if it depends on imputed values, else as in any query.

    Args:
        grouped: The imputed rows and their groups.
        aggregates: Aggregates under their own names.
        named: Aggregates by name.
        text: How the query was written, if not with these words.
    """
    groups = ImputedGroups(grouped=grouped)
    labelled = name_aggregates(grouped.keys, aggregates, named or {})
    bound = {label: grouped.bind(label, aggregate) for label, aggregate in labelled.items()}
    check_outputs(grouped.keys, bound)
    query = ImputedAggregateQuery(groups=groups, aggregates=bound, text=text)
    _ = query.totals  # statistics that the engine cannot compute are refused now
    return query


def _plain_and_answers(
    groups: ImputedGroups, aggregates: Mapping[str, Aggregate]
) -> tuple[dict[str, Aggregate], dict[str, Answer]]:
    """Divide the aggregates into those that do not depend on imputed values, and answers from totals."""
    facts, columns = groups.facts, groups.grouped.query.columns
    plain: dict[str, Aggregate] = {}
    answers: dict[str, Answer] = {}
    for label, aggregate in aggregates.items():
        names = {name for each in aggregate.measured().statistics for name in each.columns}
        if facts.rows or facts.reads(names):
            answers[label] = answer_to(label, _share_grid(aggregate, aggregates.values()), columns)
        elif not aggregate.numeric:
            raise InvalidError(f"agg: {label} has values that are no numbers; use it in a query without impute.")
        else:
            plain[label] = aggregate
    answers |= _take_sizes(plain, answers, columns)
    return plain, answers


def _take_sizes(plain: dict[str, Aggregate], answers: Mapping[str, Answer], columns: Columns) -> dict[str, Answer]:
    """Move counts out of ``plain`` if an answer needs the same total, so that it is released only once."""
    totals = {each for answer in answers.values() for each in answer.statistics}
    counts = [label for label, aggregate in plain.items() if isinstance(aggregate, CountRows)]
    shared = [label for label in counts if plain[label].measured().statistics[0] in totals]
    return {label: answer_to(label, plain.pop(label), columns) for label in shared}


def _output(label: str, output: object) -> str:
    return label if output == "" else f"{label}_{output}"


def _share_grid(aggregate: Aggregate, others: Iterable[Aggregate]) -> Aggregate:
    """Let a mean use the grid of a variance of the same column, so that both need one sum."""
    if not isinstance(aggregate, MeanColumn):
        return aggregate
    for other in others:
        spread = other.of if isinstance(other, StandardDeviationColumn) else other
        if isinstance(spread, VarianceColumn) and (spread.column, spread.bounds) == (
            aggregate.column,
            aggregate.bounds,
        ):
            return evolve(aggregate, on_grid=spread.on_grid)
    return aggregate
