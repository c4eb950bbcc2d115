"""Aggregate queries of imputed rows: plan from public facts, charge, and only then measure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, final

from attrs import evolve, frozen

from privet.accounting.losses.loss import Loss
from privet.errors import InvalidError, MismatchError
from privet.imputation.smooth_calibration import Guess
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import CountRows
from privet.tables.aggregates.mean import MeanColumn
from privet.tables.aggregates.standard_deviation import StandardDeviationColumn
from privet.tables.aggregates.variance import VarianceColumn
from privet.tables.curator.allowance import Amount
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.engines.engine import dropping
from privet.tables.impute.answers import Answer, answer_to
from privet.tables.impute.execution import ImputedExecution
from privet.tables.impute.imputed_rows import ImputedGroups, ImputedRows
from privet.tables.impute.plan import ImputedPlan, ImputedPlanner
from privet.tables.impute.release import ImputedRelease
from privet.tables.impute.rows import TemporaryTables
from privet.tables.impute.totals import Total
from privet.tables.nodes.group_totals import check_statistic
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.statistics import Statistic

_NO_BARS = (
    "the size of the noise of numbers that depend on imputed values is private: they have no error bars unless those "
    "are paid for"
)


@final
@frozen(kw_only=True)
class ImputedAggregateQuery:
    """Aggregates of imputed rows, ready to describe, plan and release.

    Args:
        groups: The rows and their groups.
        plain: Aggregates that do not depend on imputed values, released as in any other query.
        answers: All other aggregates, as functions of totals.
        totals: The totals that those need.
        names: The columns of the result, in order.
    """

    groups: ImputedGroups
    plain: Mapping[str, Aggregate]
    answers: Mapping[str, Answer]
    totals: tuple[Total, ...]
    names: tuple[str, ...]

    def plan(
        self, *, epsilon: Amount = None, delta: Amount = None, rho: Amount = None, interval: Amount = 0
    ) -> ImputedPlan:
        """Choose the noise for a budget; read no data and spend nothing.

        Args:
            epsilon: The budget.
            delta: Refused, as is ``rho``: the noise of imputed numbers is planned for pure privacy.
            rho: Refused.
            interval: The share of it that buys error bars of numbers that depend on imputed values.
        """
        if epsilon is None or delta is not None or rho is not None:
            raise InvalidError("imputed queries take epsilon=... alone: their noise is planned for pure privacy.")
        return ImputedPlanner(
            plain=self.plain,
            totals=self.totals,
            groups=len(self.groups.groups),
            together=self.groups.together,
            rows=self.groups.rows_of_a_unit,
            guess=self.guess,
        ).plan(epsilon, interval)

    @property
    def guess(self) -> Guess:
        """The public guess of the incomplete rows of one group: they are spread evenly over groups."""
        places = [at for at, name in enumerate(self.groups.keys) if name in self.groups.known_keys]
        parts = len({tuple(group[at] for at in places) for group in self.groups.groups})
        whole = self.groups.query.imputation.guess
        return evolve(whole, incomplete=max(whole.incomplete // parts, 1))

    def loss(self, *, epsilon: Amount = None, delta: Amount = None, rho: Amount = None, interval: Amount = 0) -> Loss:
        """Give the privacy loss of a release."""
        return self.plan(epsilon=epsilon, delta=delta, rho=rho, interval=interval).loss

    def describe(
        self, *, epsilon: Amount = None, delta: Amount = None, rho: Amount = None, interval: Amount = 0
    ) -> str:
        """Write down what is imputed, every number, its noise and its expected error; read no data.

        Args:
            epsilon: The budget.
            delta: Refused, as is ``rho``.
            rho: Refused.
            interval: The share of it that buys error bars.
        """
        query, imputation = self.groups.query, self.groups.query.imputation
        groups = f"{len(self.groups.groups)} by {', '.join(self.groups.keys)}" if self.groups.keys else "one, all rows"
        near = [f"{each.name} ({each.kind}, weight {each.weight})" for each in imputation.features]
        near += [f"{each.name} (the same)" for each in imputation.strata]
        return "\n".join(
            [
                f"groups: {groups}",
                f"protected: {query.query.unit.protects}",
                f"one unit has at most {self.groups.rows_of_a_unit} rows",
                f"imputed: {imputation.name} by {imputation.scheme!r}, near by {', '.join(near)}",
                self.plan(epsilon=epsilon, delta=delta, rho=rho, interval=interval).describe(self.guess),
                *self._hint(),
            ]
        )

    def _hint(self) -> list[str]:
        outside = [name for name in self.groups.known_keys if name not in self.groups.query.settled]
        if not outside or not any(total.donee for total in self.totals):
            return []
        return [f"donors within {', '.join(outside)}, impute(..., within=...), would cost less: once for such groups"]

    def release(
        self, *, epsilon: Amount = None, delta: Amount = None, rho: Amount = None, interval: Amount = 0
    ) -> ImputedRelease:
        """Charge the budget of the session, read the data, impute, and release every number with its noise.

        Args:
            epsilon: The budget; all of it is charged before a row is read.
            delta: Refused, as is ``rho``.
            rho: Refused.
            interval: The share of it that buys error bars of numbers that depend on imputed values.
        """
        plan = self.plan(epsilon=epsilon, delta=delta, rho=rho, interval=interval)
        return self.groups.query.query.curator.release(ImputedRequest(plan=plan, query=self))


@final
@frozen(kw_only=True, eq=False)
class ImputedRequest:
    """A release of imputed rows.

    Args:
        plan: The noise.
        query: The aggregates and the rows.
    """

    plan: ImputedPlan
    query: ImputedAggregateQuery

    @property
    def tables(self) -> PrivateTables:
        """The tables that it was planned for."""
        return self.query.groups.query.query.curator.tables

    @property
    def delta(self) -> None:
        """The loss is pure: it has a point of its own."""
        return

    def measure(self, tables: PrivateTables) -> Callable[[], ImputedRelease]:
        """Write all queries, rehearse the first, and return the function that imputes, reads and adds noise."""
        query, engine = self.query, tables.database.engine
        names = TemporaryTables.fresh()
        work = ImputedExecution.of(tables, query.groups, self.plan, query.answers, query.totals, names)
        if (self.plan.rows, self.plan.groups) != (query.groups.rows_of_a_unit, len(query.groups.groups)):
            raise MismatchError("impute: the plan is for another query; plan this one with query.plan(...).")
        tables.rehearse(query.groups.query.query.chain.output, [work.imputing.labelled])
        tables.check_writable(work.relations)  # these read tables that are held later, and cannot run on empty ones

        def read() -> ImputedRelease:
            with dropping(engine, names.names):
                columns, intervals = work.run(self.plan)
            return self._release(columns, intervals)

        return read

    def _release(self, columns: Mapping[str, Any], intervals: Mapping[str, Any]) -> ImputedRelease:
        groups = self.query.groups
        notes = GroupedRows(query=groups.query.query).notes
        return ImputedRelease(
            keys=groups.keys,
            groups=groups.groups,
            columns={name: columns[name] for name in self.query.names},
            intervals=intervals,
            epsilon=Fraction(self.plan.loss.epsilon()),
            notes=(*notes, *((_NO_BARS,) if any(each.paid is None for each in self.plan.imputed) else ())),
        )


def ask_imputed(groups: ImputedGroups, aggregates: Mapping[str, Aggregate]) -> ImputedAggregateQuery:
    """Decide how each aggregate is answered: from totals if it depends on imputed values, else as in any query."""
    query = groups.query
    dependence = query.dependence(groups.keys)
    bound = {label: aggregate.bind(query.columns) for label, aggregate in aggregates.items()}
    plain: dict[str, Aggregate] = {}
    answers: dict[str, Answer] = {}
    for label, aggregate in bound.items():
        statistics = _check_statistics(f"agg: {label}", aggregate.measured().statistics, query)
        names = {name for each in statistics for name in each.columns}
        if dependence.entered or not query.tainted.isdisjoint(names):
            answers[label] = answer_to(label, _share_grid(aggregate, bound.values()), query.columns)
        else:
            plain[label] = aggregate
    outputs = _check_outputs(groups, bound)
    _check_numeric(plain)
    answers |= _take_sizes(plain, answers, query)
    needed = dict.fromkeys(each for answer in answers.values() for each in answer.statistics)
    totals = tuple(dependence.total(each) for each in _check_statistics("agg", tuple(needed), query))
    _ = groups.rows_of_a_unit  # rows without a bound are refused now
    return ImputedAggregateQuery(groups=groups, plain=plain, answers=answers, totals=totals, names=outputs)


def _check_statistics(label: str, statistics: tuple[Statistic, ...], query: ImputedRows) -> tuple[Statistic, ...]:
    """Refuse statistics that the engine cannot compute for the columns of the rows."""
    for each in statistics:
        check_statistic(label, each, query.columns, has_ids=bool(query.query.id_columns))
    return statistics


def _check_outputs(groups: ImputedGroups, aggregates: Mapping[str, Aggregate]) -> tuple[str, ...]:
    """Name the columns of the result, and refuse two of one name."""
    names = [_output(label, each) for label, aggregate in aggregates.items() for each in aggregate.outputs]
    columns = Counter([*groups.keys, *(f"{name}{suffix}" for name in names for suffix in ("", "_low", "_high"))])
    name, times = columns.most_common(1)[0]
    if times > 1:
        raise InvalidError(f"agg: two columns of the result are called {name!r}; name them differently.")
    return tuple(names)


def _check_numeric(aggregates: Mapping[str, Aggregate]) -> None:
    for label, aggregate in aggregates.items():
        if not aggregate.numeric:
            raise InvalidError(f"agg: {label} has values that are no numbers; use it in a query without impute.")


def _take_sizes(plain: dict[str, Aggregate], answers: Mapping[str, Answer], query: ImputedRows) -> dict[str, Answer]:
    """Move counts out of ``plain`` if an answer needs the same total, so that it is released only once."""
    totals = {each for answer in answers.values() for each in answer.statistics}
    counts = [label for label, aggregate in plain.items() if isinstance(aggregate, CountRows)]
    shared = [label for label in counts if plain[label].measured().statistics[0] in totals]
    return {label: answer_to(label, plain.pop(label), query.columns) for label in shared}


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
