"""Aggregate queries of imputed rows: planned from public facts, charged, and only then measured."""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, final

from attrs import evolve, frozen

from privet.accounting.losses.loss import Loss
from privet.errors import InvalidError
from privet.imputation.smooth_calibration import Guess
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import CountRows
from privet.tables.aggregates.mean import MeanColumn
from privet.tables.aggregates.standard_deviation import StandardDeviationColumn
from privet.tables.aggregates.variance import VarianceColumn
from privet.tables.curator.allowance import Amount
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.engines.held import dropping
from privet.tables.impute.answers import Answer, answer_to
from privet.tables.impute.execution import ImputedExecution
from privet.tables.impute.imputed_rows import ImputedGroups
from privet.tables.impute.plan import ImputedPlan, ImputedPlanner
from privet.tables.impute.release import ImputedRelease
from privet.tables.impute.rows import TemporaryTables
from privet.tables.impute.totals import Total
from privet.tables.nodes.group_totals import check_statistic
from privet.tables.queries.grouped_rows import GroupedRows

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
        plain: Aggregates that do not depend on imputed values: answered as in any other query.
        answers: All others, as functions of totals.
        totals: The totals that those need.
        names: All of them, in the order of the result.
    """

    groups: ImputedGroups
    plain: Mapping[str, Aggregate]
    answers: Mapping[str, Answer]
    totals: tuple[Total, ...]
    names: tuple[str, ...]

    def plan(self, *, epsilon: Amount, interval: Amount = 0) -> ImputedPlan:
        """Choose the noise for what may be lost; reads no data and spends nothing.

        Args:
            epsilon: What may be lost.
            interval: The share of it that buys error bars of numbers that depend on imputed values.
        """
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
        """What is publicly thought of the incomplete rows of one group: that they are spread evenly over groups."""
        places = [at for at, name in enumerate(self.groups.keys) if name in self.groups.known_keys]
        parts = len({tuple(group[at] for at in places) for group in self.groups.groups})
        whole = self.groups.query.imputation.guess
        return evolve(whole, incomplete=max(whole.incomplete // parts, 1))

    def loss(self, *, epsilon: Amount, interval: Amount = 0) -> Loss:
        """Give what a release would cost."""
        return self.plan(epsilon=epsilon, interval=interval).loss

    def describe(self, *, epsilon: Amount, interval: Amount = 0) -> str:
        """Write down what is imputed, every number, its noise and what to expect of it; reads no data.

        Args:
            epsilon: What may be lost.
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
                self.plan(epsilon=epsilon, interval=interval).describe(self.guess),
                *self._hint(),
            ]
        )

    def _hint(self) -> list[str]:
        outside = [name for name in self.groups.known_keys if name not in self.groups.query.settled]
        if not outside or not any(total.donee for total in self.totals):
            return []
        return [f"donors within {', '.join(outside)}, impute(..., within=...), would cost less: once for such groups"]

    def release(self, *, epsilon: Amount, interval: Amount = 0) -> ImputedRelease:
        """Charge the budget of the session, read the data, impute, and release every number with its noise.

        Args:
            epsilon: What may be lost; all of it is charged before a row is read.
            interval: The share of it that buys error bars of numbers that depend on imputed values.
        """
        plan = self.plan(epsilon=epsilon, interval=interval)
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
    def delta(self) -> None:
        """The loss is pure: it has a point of its own."""
        return

    def measure(self, tables: PrivateTables) -> Callable[[], ImputedRelease]:
        """Write all queries and rehearse the first; return the function that imputes, reads and adds noise."""
        query, engine = self.query, tables.database.engine
        names = TemporaryTables.fresh()
        work = ImputedExecution.of(tables, query.groups, self.plan, query.answers, query.totals, names)
        tables.rehearse(query.groups.query.query.chain.output, [work.imputing.labelled])

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


def ask_imputed(groups: ImputedGroups, asked: Mapping[str, Aggregate]) -> ImputedAggregateQuery:
    """Settle how aggregates are answered: those that depend on imputed values from totals, others as ever."""
    query = groups.query
    dependence = query.dependence(groups.keys)
    owned = bool(query.query.id_columns)
    bound = {label: aggregate.bind(query.columns) for label, aggregate in asked.items()}
    plain: dict[str, Aggregate] = {}
    answers: dict[str, Answer] = {}
    for label, aggregate in bound.items():
        statistics = aggregate.measured().statistics
        read = {name for each in statistics for name in each.columns}
        for each in statistics:
            check_statistic(f"agg: {label}", each, query.columns, owned=owned)
        if dependence.entered or not query.tainted.isdisjoint(read):
            answers[label] = answer_to(label, _coarser(aggregate, bound.values()), query.columns)
        else:
            plain[label] = aggregate
    names = [_output(label, each) for label, aggregate in bound.items() for each in aggregate.outputs]
    taken = Counter([*groups.keys, *(f"{name}{suffix}" for name in names for suffix in ("", "_low", "_high"))])
    if taken.most_common(1)[0][1] > 1:
        twice = taken.most_common(1)[0][0]
        raise InvalidError(f"agg: two columns of the result are called {twice!r}; name them differently.")
    for label, aggregate in list(plain.items()):
        if not aggregate.numeric:
            raise InvalidError(f"agg: {label} has values that are no numbers; ask for it in a query without impute.")
        counted = aggregate.measured().statistics
        if isinstance(aggregate, CountRows) and any(counted[0] in answer.statistics for answer in answers.values()):
            answers[label] = answer_to(label, plain.pop(label), query.columns)  # a size that is released anyway
    needed = dict.fromkeys(each for answer in answers.values() for each in answer.statistics)
    for each in needed:
        check_statistic("agg", each, query.columns, owned=owned)
    totals = tuple(dependence.total(each) for each in needed)
    question = ImputedAggregateQuery(groups=groups, plain=plain, answers=answers, totals=totals, names=tuple(names))
    _ = groups.rows_of_a_unit  # rows without a bound are refused now
    return question


def _output(label: str, output: Any) -> str:
    return label if output == "" else f"{label}_{output}"


def _coarser(aggregate: Aggregate, others: Any) -> Aggregate:
    """Let a mean read the steps of a variance of the same column, so that both need one sum."""
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
