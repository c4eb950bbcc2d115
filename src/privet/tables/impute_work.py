"""The answer to a question about imputed rows: queries written before the charge, and what is done after it."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np
from attrs import field, frozen

from privet.core.exact import to_float_up
from privet.core.rows import Array, saturated
from privet.tables.aggregates.statistic import Statistic
from privet.tables.caps import Caps, cap
from privet.tables.impute_answers import Whole
from privet.tables.impute_plan import ImputedPlan
from privet.tables.impute_rows import LACKING, ROW, Imputed, Imputing, Places
from privet.tables.nodes.group_totals import Grouping, Reading
from privet.tables.noise_plan import add_noise
from privet.tables.relation import Relation, column
from privet.tables.release import released
from privet.tables.table_space import Table

if TYPE_CHECKING:
    from privet.tables.impute_question import ImputedQuestion

_LEVEL = Fraction(95, 100)
_Totals = dict[Statistic, Array]


@final
@frozen(kw_only=True, eq=False)
class Work:
    """All queries of a release, written before it is charged.

    Args:
        question: What is asked.
        imputing: The imputation.
        table: The completed rows behind all steps.
        members: The incomplete rows with those keys that do not depend on imputed values.
        grouping: The groups.
        reading: The queries of all totals.
        plain: Those of aggregates that do not depend on imputed values.
    """

    question: "ImputedQuestion" = field(repr=False)
    imputing: Imputing
    table: Table
    members: Relation
    grouping: Grouping
    reading: Reading
    plain: Reading

    @classmethod
    def of(cls, question: "ImputedQuestion", plan: ImputedPlan, names: Places) -> "Work":
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
            question=question,
            imputing=imputing,
            table=Table(relation=steps, engine=session.database.engine),
            members=known.select(ROW, *question.known_keys),
            grouping=grouping,
            reading=grouping.reading(steps, (), totals) if totals else [],
            plain=grouping.reading(steps, session.owner if by_owner else (), counted) if counted else [],
        )

    def run(self, plan: ImputedPlan) -> tuple[dict[str, Array], dict[str, tuple[Array, Array]]]:
        """Read, impute, and add noise; gives values and intervals. The loss must be charged before."""
        columns: dict[str, Array] = {}
        intervals: dict[str, tuple[Array, Array]] = {}
        exact, counts = self.exact()
        if plan.plain is not None:
            numbers = add_noise(plan.plain, self.grouping.read(self.table, self.plain))
            found = released(plan.plain, numbers, keys=self.grouping.keys, groups=self.grouping.groups)
            columns |= {name: found.values(name) for name in found.names}
            intervals |= found.interval()
        noisy, halves = _ordinary(plan, exact)
        for each in plan.imputed:
            release, steps = each.measurement, exact[each.total.statistic][:, 0].tolist()
            pairs = [(int(value), each.bound(*count)) for value, count in zip(steps, counts, strict=True)]
            noisy[each.total.statistic] = _units([release(pair) for pair in pairs], each.total.step)
        with np.errstate(all="ignore"):  # what numpy warns of depends on the values
            columns |= {name: answer.value(noisy) for name, answer in self.question.answers.items()}
        for name, answer in self.question.answers.items():
            if isinstance(answer, Whole) and answer.total in halves:
                half = halves[answer.total]
                intervals[name] = columns[name] - half, columns[name] + half
        return columns, intervals

    def exact(self) -> tuple[_Totals, list[tuple[int, int]]]:
        """Impute, and give all totals without noise, and for each group L1 and how many rows lacked a value."""
        imputed = self.imputing.run(self.table.engine)
        return self.grouping.read(self.table, self.reading), self._changes(imputed)

    def _changes(self, imputed: Imputed) -> list[tuple[int, int]]:
        """Count among the incomplete rows that may be in each group."""
        found = self.table.engine.execute(self.members)
        asked, keys = self.question.groups, self.question.known_keys
        rows: dict[tuple[Any, ...], list[int]] = {}
        for row, *group in zip(found[ROW], *(found[name] for name in keys), strict=True):
            rows.setdefault(tuple(group), []).append(row)
        places = [asked.keys.index(name) for name in keys]
        wanted = [tuple(group[at] for at in places) for group in asked.groups]
        counts = {key: imputed.changes(np.array(rows.get(key, []), dtype=np.int64)) for key in dict.fromkeys(wanted)}
        return [counts[key] for key in wanted]


def _ordinary(plan: ImputedPlan, exact: _Totals) -> tuple[_Totals, _Totals]:
    """Add noise to totals that do not depend on imputed values; gives them, and 95 % half-widths."""
    noisy: _Totals = {}
    halves: _Totals = {}
    if plan.sizes is not None:
        for part, numbers in zip(plan.sizes.planned, add_noise(plan.sizes, exact), strict=True):
            statistic, half = part.measured.statistics[0], part.noise.half_width(_LEVEL)
            noisy[statistic] = _units(numbers[:, 0].tolist(), part.measured.grid)
            halves[statistic] = np.full(len(numbers), to_float_up(half))
    return noisy, halves


def _units(steps: list[Any], grid: Fraction) -> Array:
    return np.array([saturated(Fraction(each) * grid) for each in steps], dtype=np.float64)
