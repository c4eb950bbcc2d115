"""Questions about imputed rows: planned from public facts, charged, and only then answered."""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np
from attrs import evolve, frozen

from privet.accounting.loss import Loss
from privet.core.exact import to_float_up
from privet.core.rows import Array, saturated
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import CountRows
from privet.tables.aggregates.mean import MeanColumn
from privet.tables.aggregates.standard_deviation import StandardDeviationColumn
from privet.tables.aggregates.statistic import Statistic
from privet.tables.aggregates.variance import VarianceColumn
from privet.tables.caps import Caps, cap
from privet.tables.engines.held import passing
from privet.tables.impute_answers import Answer, Whole, answer_to
from privet.tables.impute_plan import ImputedPlan, Shares
from privet.tables.impute_release import ImputedRelease
from privet.tables.impute_rows import LACKING, ROW, Imputed, Imputing, Places
from privet.tables.impute_totals import Total
from privet.tables.nodes.group_totals import Grouping, Reading, check_statistic
from privet.tables.noise_plan import add_noise
from privet.tables.question import GroupedQuery
from privet.tables.relation import Relation, column
from privet.tables.release import released
from privet.tables.table_space import Table
from privet.tables.unit import Rows

if TYPE_CHECKING:
    from privet.tables.impute_query import ImputedGroups

_LEVEL = Fraction(95, 100)
_NO_BARS = (
    "the size of the noise of numbers that depend on imputed values is private: they have no error bars unless those "
    "are paid for"
)


@final
@frozen(kw_only=True)
class ImputedQuestion:
    """Aggregates of imputed rows, ready to be described or released.

    Args:
        groups: The rows and their groups.
        plain: Aggregates that do not depend on imputed values: answered as in any other query.
        answers: All others, as functions of totals.
        totals: The totals that those need.
        names: All of them, in the order of the result.
    """

    groups: "ImputedGroups"
    plain: Mapping[str, Aggregate]
    answers: Mapping[str, Answer]
    totals: tuple[Total, ...]
    names: tuple[str, ...]

    @property
    def rows(self) -> int:
        """How many rows of the table one privacy unit has at most."""
        query = self.groups.query.query
        if isinstance(query.unit, Rows):
            rows: Any = query.chain.map(query.unit.count)
            return int(rows)
        return GroupedQuery(query=query, keys=(), groups=((),)).contribution.l1

    def plan(self, *, epsilon: Any) -> ImputedPlan:
        """Choose the noise for what may be lost; reads no data and spends nothing.

        Args:
            epsilon: What may be lost.
        """
        return Shares(
            plain=self.plain,
            totals=self.totals,
            groups=len(self.groups.groups),
            together=self.groups.together,
            rows=self.rows,
            guess=self.groups.query.imputation.guess,
        ).plan(epsilon)

    def loss(self, *, epsilon: Any) -> Loss:
        """Give what a release would cost."""
        return self.plan(epsilon=epsilon).loss

    def describe(self, *, epsilon: Any) -> str:
        """Write down what is imputed, every number, its noise and what to expect of it; reads no data.

        Args:
            epsilon: What may be lost.
        """
        query, imputation = self.groups.query, self.groups.query.imputation
        groups = f"{len(self.groups.groups)} by {', '.join(self.groups.keys)}" if self.groups.keys else "one, all rows"
        near = [f"{each.name} ({each.kind}, weight {each.weight})" for each in imputation.features]
        near += [f"{each.name} (the same)" for each in imputation.strata]
        return "\n".join(
            [
                f"groups: {groups}",
                f"protected: {query.query.unit.protects}",
                f"one unit has at most {self.rows} rows",
                f"imputed: {imputation.name} by {imputation.scheme!r}, near by {', '.join(near)}",
                self.plan(epsilon=epsilon).describe(imputation.guess),
            ]
        )

    def release(self, *, epsilon: Any) -> ImputedRelease:
        """Charge the budget of the session, read the data, impute, and release every number with its noise.

        Args:
            epsilon: What may be lost; all of it is charged before a row is read.
        """
        plan = self.plan(epsilon=epsilon)
        session = self.groups.query.query.session
        engine = session.database.engine
        with passing(engine, "labelled", "imputed", "completed") as names:
            work = Work.of(self, plan, Places(labelled=names[0], imputed=names[1], completed=names[2]))
            session._filter.charge(plan.loss)
            columns, intervals = work.run(self, plan)
        notes = session._notes(GroupedQuery(query=self.groups.query.query, keys=(), groups=((),)))
        return ImputedRelease(
            keys=self.groups.keys,
            groups=self.groups.groups,
            columns={name: columns[name] for name in self.names},
            intervals=intervals,
            epsilon=Fraction(plan.loss.epsilon()),
            notes=(*notes, *((_NO_BARS,) if plan.imputed else ())),
        )

    @property
    def known_keys(self) -> tuple[str, ...]:
        """The keys that do not depend on imputed values."""
        return tuple(name for name in self.groups.keys if name not in self.groups.query.tainted)


@final
@frozen(kw_only=True, eq=False)
class Work:
    """All queries of a release, written before it is charged.

    Args:
        imputing: The imputation.
        table: The completed rows behind all steps.
        members: The incomplete rows with those keys that do not depend on imputed values.
        grouping: The groups.
        reading: The queries of all totals.
        plain: Those of aggregates that do not depend on imputed values.
    """

    imputing: Imputing
    table: Table
    members: Relation
    grouping: Grouping
    reading: Reading
    plain: Reading

    @classmethod
    def of(cls, question: ImputedQuestion, plan: ImputedPlan, names: Places) -> "Work":
        """Write them; what is wrong with them shows now."""
        groups = question.groups
        query = groups.query
        base, session = query.query, query.query.session
        rows = base.relation
        if session.owner:
            kept = base.grouping((), ((),)).caps
            used = list(rows.columns)
            rows = cap(rows, kept, person=session.owner, groups=(), used=used, key=session.key).select(*used)
        unique = session.owner if session.owner and question.rows == 1 else None
        imputing = Imputing(imputation=query.imputation, base=rows, names=names, whose=unique or None, key=session.key)
        steps = query.applied(imputing.completed)
        known = query.applied(imputing.completed, known=True).filter(column(LACKING, "r"))
        caps = Caps(rows=question.rows) if session.owner else Caps()
        grouping = Grouping(keys=groups.keys, groups=groups.groups, missing=query.missing, caps=caps, key=session.key)
        counted = plan.plain.statistics if plan.plain is not None else ()
        by_owner = any(each.kind in ("persons", "owner_sum") for each in counted)
        totals = [total.statistic for total in question.totals]
        return cls(
            imputing=imputing,
            table=Table(relation=steps, engine=session.database.engine),
            members=known.select(ROW, *question.known_keys),
            grouping=grouping,
            reading=grouping.reading(steps, (), totals) if totals else [],
            plain=grouping.reading(steps, session.owner if by_owner else (), counted) if counted else [],
        )

    def run(
        self, question: ImputedQuestion, plan: ImputedPlan
    ) -> tuple[dict[str, Array], dict[str, tuple[Array, Array]]]:
        """Read, impute, and add noise. The loss must be charged before."""
        imputed = self.imputing.run(self.table.engine)
        columns: dict[str, Array] = {}
        intervals: dict[str, tuple[Array, Array]] = {}
        if plan.plain is not None:
            numbers = add_noise(plan.plain, self.grouping.read(self.table, self.plain))
            found = released(plan.plain, numbers, keys=self.grouping.keys, groups=self.grouping.groups)
            columns |= {name: found.values(name) for name in found.names}
            intervals |= found.interval()
        if plan.imputed or plan.sizes is not None:
            totals, halves = self._totals(question, plan, imputed)
            with np.errstate(all="ignore"):  # what numpy warns of depends on the values
                columns |= {name: answer.value(totals) for name, answer in question.answers.items()}
            for name, answer in question.answers.items():
                if isinstance(answer, Whole) and answer.total in halves:
                    half = halves[answer.total]
                    intervals[name] = columns[name] - half, columns[name] + half
        return columns, intervals

    def _totals(
        self, question: ImputedQuestion, plan: ImputedPlan, imputed: Imputed
    ) -> tuple[dict[Statistic, Array], dict[Statistic, Array]]:
        """Give all totals with noise, in the units of the data, and half-widths of those that have public ones."""
        exact = self.grouping.read(self.table, self.reading)
        noisy: dict[Statistic, Array] = {}
        halves: dict[Statistic, Array] = {}
        if plan.sizes is not None:
            for part, numbers in zip(plan.sizes.planned, add_noise(plan.sizes, exact), strict=True):
                noisy[part.measured.statistics[0]] = _units(numbers[:, 0].tolist(), part.measured.grid)
                half = to_float_up(part.noise.half_width(_LEVEL))
                halves[part.measured.statistics[0]] = np.full(len(numbers), half)
        counts = self._changes(question, imputed) if plan.imputed else []
        for each in plan.imputed:
            released = each.measurement
            steps = [
                released((int(value), each.bound(*count)))
                for value, count in zip(exact[each.total.statistic][:, 0].tolist(), counts, strict=True)
            ]
            noisy[each.total.statistic] = _units(steps, each.total.step)
        return noisy, halves

    def _changes(self, question: ImputedQuestion, imputed: Imputed) -> list[tuple[int, int]]:
        """For each group L1 and the number of incomplete rows, counted among those that may be in it."""
        found = self.table.engine.execute(self.members)
        keys = question.known_keys
        groups = [tuple(found[name][at] for name in keys) for at in range(len(found))]
        rows: dict[tuple[Any, ...], list[int]] = {}
        for row, group in zip(found[ROW], groups, strict=True):
            rows.setdefault(group, []).append(row)
        places = [question.groups.keys.index(name) for name in keys]
        wanted = [tuple(group[at] for at in places) for group in question.groups.groups]
        counts = {key: imputed.changes(np.array(rows.get(key, []), dtype=np.int64)) for key in dict.fromkeys(wanted)}
        return [counts[key] for key in wanted]


def _units(steps: list[Any], grid: Fraction) -> Array:
    return np.array([saturated(Fraction(each) * grid) for each in steps], dtype=np.float64)


def ask(groups: "ImputedGroups", asked: Mapping[str, Aggregate]) -> ImputedQuestion:
    """Settle how aggregates are answered: those that depend on imputed values from totals, others as ever."""
    query = groups.query
    dependence = query.dependence(groups.keys)
    owned = bool(query.query.session.owner)
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
    for label, aggregate in list(plain.items()):
        counted = aggregate.measured().statistics
        if isinstance(aggregate, CountRows) and any(counted[0] in answer.statistics for answer in answers.values()):
            answers[label] = answer_to(label, plain.pop(label), query.columns)  # a size that is released anyway
    needed = dict.fromkeys(each for answer in answers.values() for each in answer.statistics)
    for each in needed:
        check_statistic("agg", each, query.columns, owned=owned)
    totals = tuple(dependence.total(each) for each in needed)
    question = ImputedQuestion(groups=groups, plain=plain, answers=answers, totals=totals, names=tuple(bound))
    _ = question.rows  # what is not bounded is refused now
    return question


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
            return evolve(aggregate, steps=spread.steps)
    return aggregate
