"""The release of an imputed query: write its queries before the charge, and run them after it."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import Array, saturated, to_float_up
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.impute.answers import Answer, Ends
from privet.tables.impute.imputed_groups import ImputedGroups
from privet.tables.impute.plan import ImputedPlan, SmoothTotal
from privet.tables.impute.totals import Total
from privet.tables.nodes.group_totals import Grouping, TotalsQuery
from privet.tables.nodes.imputed_names import LACKING, ROW
from privet.tables.nodes.imputed_table import ImputedTable
from privet.tables.nodes.imputing import Imputed
from privet.tables.noise.plan import NoisyNumbers, add_noise
from privet.tables.relations.caps import Caps
from privet.tables.relations.table_space import Table
from privet.tables.releases.release import Release
from privet.tables.statistics import Statistic
from privet.tables.vocabulary import Relation, column

LEVEL = Fraction(95, 100)
_Exact = dict[Statistic, Array]


@final
@frozen(kw_only=True, eq=False)
class ImputedExecution:
    """All queries of a release, written before it is charged.

    Args:
        groups: The imputed rows and their groups.
        answers: The columns of the release that depend on imputed values, by name.
        table: The completed rows behind all nodes.
        members: The incomplete rows with those keys that do not depend on imputed values.
        grouping: The groups.
        totals: The queries of all totals.
        plain: The queries of aggregates that do not depend on imputed values.
    """

    groups: ImputedGroups = field(repr=False)
    answers: Mapping[str, Answer] = field(repr=False)
    table: ImputedTable
    members: Relation
    grouping: Grouping
    totals: TotalsQuery
    plain: TotalsQuery

    @classmethod
    def of(
        cls,
        tables: PrivateTables,
        groups: ImputedGroups,
        plan: ImputedPlan,
        answers: Mapping[str, Answer],
        totals: Sequence[Total],
    ) -> "ImputedExecution":
        """Write all queries, so that mistakes show before the charge.

        Args:
            tables: Where the rows are.
            groups: The imputed rows and their groups.
            plan: The noise.
            answers: The columns of the release that depend on imputed values.
            totals: The totals that those need.
        """
        query, most = groups.grouped.query, groups.rows_of_a_unit
        ids = query.id_columns
        table: ImputedTable = query.chain.run(tables.database)
        grouping = Grouping(
            keys=groups.keys,
            groups=groups.groups,
            null_groups=query.null_groups,
            caps=Caps(rows=most) if ids else Caps(),
            key=tables.key,
        )
        statistics = plan.plain.statistics if plan.plain is not None else ()
        by_person = any(each.kind in ("persons", "person_sum") for each in statistics)
        needed = [total.statistic for total in totals]
        return cls(
            groups=groups,
            answers=answers,
            table=table,
            members=table.known.filter(column(LACKING, "r")).select(ROW, *groups.known_keys),
            grouping=grouping,
            totals=grouping.compile(table.relation, (), needed) if needed else [],
            plain=grouping.compile(table.relation, ids if by_person else (), statistics) if statistics else [],
        )

    @property
    def relations(self) -> list[Relation]:
        """All queries behind the first."""
        imputing = self.table.imputing
        totals = [relation for _, relation in (*self.totals, *self.plain)]
        return [imputing.read, imputing.joined, self.members, *totals]

    @property
    def _table(self) -> Table:
        return Table(relation=self.table.relation, engine=self.table.engine)

    def run(self, plan: ImputedPlan) -> tuple[dict[str, Array], dict[str, tuple[Array, Array]]]:
        """Read, impute, and add noise; return values and intervals. The caller has charged the loss."""
        columns: dict[str, Array] = {}
        intervals: dict[str, tuple[Array, Array]] = {}
        exact, counts = self.exact()
        if plan.plain is not None:
            numbers = add_noise(plan.plain, self.grouping.read(self._table, self.plain))
            grouping = self.grouping
            plain = Release(keys=grouping.keys, groups=grouping.groups, plan=plan.plain, numbers=numbers)
            columns |= {name: plain.values(name) for name in plain.names}
            intervals |= plain.interval()
        totals = _ordinary(plan, exact)
        for each in plan.imputed:
            steps = exact[each.total.statistic][:, 0].tolist()
            pairs = [(int(value), each.bound(*count)) for value, count in zip(steps, counts, strict=True)]
            totals[each.total.statistic] = _imputed(each, pairs)
        noisy = {statistic: total.values for statistic, total in totals.items()}
        with np.errstate(all="ignore"):  # whether numpy warns depends on the values
            for name, answer in self.answers.items():
                columns[name] = answer.value(noisy)
                parts = {each: totals[each].ends for each in answer.statistics}
                level = 1 - (1 - LEVEL) / len(parts)  # so that all of them hold together
                ends = {each: at_level(level) for each, at_level in parts.items() if at_level is not None}
                if len(ends) == len(parts):
                    intervals[name] = answer.interval(ends)
        return columns, intervals

    def exact(self) -> tuple[_Exact, list[tuple[int, int]]]:
        """Impute; return all totals without noise, and for each group L1 and how many of its rows lacked a value."""
        imputed = self.table.imputing.run(self.table.engine)
        return self.grouping.read(self._table, self.totals), self._changes(imputed)

    def _changes(self, imputed: Imputed) -> list[tuple[int, int]]:
        """Give L1 and the number of incomplete rows, counting the rows that may be in each group."""
        columns = self.table.engine.execute(self.members)
        groups, known = self.groups, self.groups.known_keys
        rows: dict[tuple[Any, ...], list[int]] = {}
        for row, *group in zip(columns[ROW], *(columns[name] for name in known), strict=True):
            rows.setdefault(tuple(group), []).append(row)
        places = [groups.keys.index(name) for name in known]
        keys = [tuple(group[at] for at in places) for group in groups.groups]
        counts = {key: imputed.changes(np.array(rows.get(key, []), dtype=np.int64)) for key in dict.fromkeys(keys)}
        return [counts[key] for key in keys]


@final
@frozen(kw_only=True, eq=False)
class Noisy:
    """A total with noise, in the units of the data.

    Args:
        values: One for each group.
        ends: Computes the ends of intervals of a level; None if there are no intervals.
    """

    values: Array
    ends: Callable[[Fraction], Ends] | None


def _ordinary(plan: ImputedPlan, exact: _Exact) -> dict[Statistic, Noisy]:
    """Add noise to totals that do not depend on imputed values."""
    if plan.sizes is None:
        return {}
    noisy = zip(plan.sizes.planned, add_noise(plan.sizes, exact), strict=True)
    return {part.measured.statistics[0]: _with_public_noise(part, numbers) for part, numbers in noisy}


def _with_public_noise(part: NoisyNumbers, numbers: Array) -> Noisy:
    values = _units(numbers[:, 0].tolist(), part.measured.grid)

    def ends(level: Fraction) -> Ends:
        half = to_float_up(part.noise.half_width(level)) + np.spacing(np.abs(values))
        return values - half, values + half

    return Noisy(values=values, ends=ends)


def _imputed(planned: SmoothTotal, pairs: list[tuple[int, Fraction]]) -> Noisy:
    """Release a total that depends on imputed values: for each group one release, of grid steps and their bound S."""
    release, bound = planned.measurement, planned.bound_release
    released, step = [release(pair) for pair in pairs], planned.total.step
    values = _units(released, step)
    if bound is None:
        return Noisy(values=values, ends=None)
    bounds = [bound(pair) for pair in pairs]

    def ends(level: Fraction) -> Ends:
        both = [each.interval(value, planned.noise, level=level) for each, value in zip(bounds, released, strict=True)]
        low, high = (np.array([each[at] for each in both]) * float(step) for at in (0, 1))
        return np.nextafter(low, -np.inf), np.nextafter(high, np.inf)

    return Noisy(values=values, ends=ends)


def _units(steps: list[Any], grid: Fraction) -> Array:
    return np.array([saturated(Fraction(each) * grid) for each in steps], dtype=np.float64)
