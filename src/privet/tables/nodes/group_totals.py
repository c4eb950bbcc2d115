"""Exact numbers of each group: the last node of a query, where the engine reads."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.chains.transformation import Transformation
from privet.core import Array, Distance, Parts, Space, whole
from privet.errors import InvalidError, MismatchError
from privet.tables.columns import LARGEST, SMALLEST, Columns, find_column
from privet.tables.relations.caps import Caps, cap
from privet.tables.relations.table_space import Table, table_of
from privet.tables.statistics import (
    MANY,
    Contribution,
    NumbersSpec,
    Statistic,
    all_groups,
    collected,
    counted,
    gathered,
    in_groups,
    person_totals,
    read_other,
    spread,
    with_other,
)
from privet.tables.vocabulary import Relation, column

Groups = tuple[tuple[Any, ...], ...]
TotalsQuery = list[tuple[tuple[Statistic, ...], Relation]]
_KEYS = ("integer", "text", "boolean")


def check_statistic(label: str, statistic: Statistic, columns: Columns, *, has_ids: bool) -> None:
    """Refuse statistics that an engine cannot count, from public facts: it would fail only where there are rows."""
    if statistic.kind in ("persons", "person_sum") and not has_ids:
        raise InvalidError(f"{label} counts persons, but the unit is rows; use unit=Persons(id=...).")
    for name in statistic.columns:
        find_column(label, name, columns)
    for each in (*statistic.of, *statistic.given):
        if min(each.low, each.low - each.origin) < SMALLEST or max(each.high, each.high - each.origin) > LARGEST:
            raise InvalidError(
                f"{label}: the bounds of {each.column!r} must be 64-bit integers less than 2^63 steps apart; give "
                "narrower bounds."
            )


@final
@frozen(kw_only=True)
class Grouping:
    """Public groups, and how much one privacy unit counts in them.

    Args:
        keys: The columns that make a group.
        groups: The groups, in the order of the result.
        null_groups: Keys whose null is a group of its own.
        caps: How many rows of a person count; they must bound groups, rows and rows in a group.
        key: A secret number of 63 bits that decides which rows those are.
        other: The last of the groups, where it is that of all rows that have none of the others.
    """

    keys: tuple[str, ...] = ()
    groups: Groups = ((),)
    null_groups: frozenset[str] = frozenset()
    caps: Caps = field(factory=Caps)
    key: int = field(default=0, converter=whole, repr=False)
    other: tuple[Any, ...] | None = None

    def check(self, columns: Columns) -> None:
        """Refuse keys that are not columns, and groups that do not fit the keys."""
        for name in self.keys:
            kind = find_column("Grouping.keys", name, columns).kind
            if kind not in _KEYS:
                raise MismatchError(f"Grouping.keys are {', '.join(_KEYS)} columns; {name!r} is {kind}.")
        for name in (name for each in self.caps.by_of(self.keys) for name in each.columns):
            find_column("Grouping.caps.by", name, columns)
        if len(set(self.groups)) != len(self.groups) or not self.groups:
            raise InvalidError("Grouping.groups must be different, at least one.")
        listed = self.groups if self.other is None else self.groups[:-1]
        if self.other is not None:
            read_other(columns, self.keys, listed, self.other, id_columns=())
        for group in listed:
            known = zip(self.keys, group, strict=False)
            if len(group) != len(self.keys) or any(
                value is None and name not in self.null_groups for name, value in known
            ):
                raise InvalidError("Grouping.groups must have a value of each key; null only where it is a category.")

    @property
    def sizes(self) -> dict[str, int | None]:
        """How many values each key has in the groups; None where groups are not known, or stand for others."""
        if not self.groups or len(set(self.groups)) < len(self.groups):
            return dict.fromkeys(self.keys)
        return {name: len(set(values)) for name, values in zip(self.keys, zip(*self.groups, strict=True), strict=True)}

    def contribution(self, *, has_ids: bool) -> Contribution:
        """What one privacy unit adds at most."""
        if not has_ids:
            return Contribution(l0=1, l1=1, linf=1)
        caps = self.caps if self.keys else evolve(self.caps, groups=1)  # all rows are one group
        l0, l1, linf = caps.within(self.sizes if caps.by else dict.fromkeys(self.keys))
        if l0 is None or l1 is None or linf is None:
            raise InvalidError(
                "how much one person may count is not bounded: give rows=..., or groups=... and rows_per_group=..., in "
                "the codebook's unit or with .cap(...)."
            )
        return Contribution(l0=l0, l1=l1, linf=linf)

    def rows(self, relation: Relation, id_columns: Sequence[str], statistics: Sequence[Statistic]) -> Relation:
        """Write which rows count: those of the groups, and as many of each person as the caps allow."""
        if not id_columns and self.other is None and self._all_categories(relation):
            return relation  # rows without a group are left out when the groups are put in order
        kept = self.rows_in_groups(relation, id_columns)
        if not id_columns:
            return kept
        used = [name for name in kept.columns if name in {each for item in statistics for each in item.columns}]
        return cap(kept, self.caps, person=id_columns, groups=self.keys, used=used, key=self.key)

    def compile(self, relation: Relation, id_columns: Sequence[str], statistics: Sequence[Statistic]) -> TotalsQuery:
        """Write the queries, from public facts: one for all statistics of one number, one for each of many."""
        by_person = [statistic for statistic in statistics if statistic.kind == "person_sum"]
        statistics = [statistic for statistic in statistics if statistic.kind != "person_sum"]
        rows = self.rows(relation, id_columns, statistics)
        single = tuple(statistic for statistic in statistics if statistic.kind not in MANY)
        many = [statistic for statistic in statistics if statistic.kind in MANY]
        first = [(single, counted(rows, self.keys, single, id_columns[0] if id_columns else None))] if single else []
        totals = [((statistic,), self._totals(relation, id_columns, statistic)) for statistic in by_person]
        return [*first, *(((statistic,), spread(rows, self.keys, statistic)) for statistic in many), *totals]

    def _totals(self, relation: Relation, id_columns: Sequence[str], statistic: Statistic) -> Relation:
        most = self.contribution(has_ids=True).l0
        return person_totals(
            self.rows_in_groups(relation, id_columns), self.keys, statistic, id_columns, most, self.key
        )

    def read(self, table: Table, totals: TotalsQuery) -> dict[Statistic, Array]:
        """Run the queries; zeros where a group has no rows."""
        exact: dict[Statistic, Array] = {}
        for statistics, query in totals:
            rows = table.engine.execute(query)
            if statistics[0].kind in MANY:
                exact[statistics[0]] = gathered(rows, self.keys, self.groups, statistics[0])
            else:
                exact |= collected(rows, self.keys, self.groups, statistics)
        return exact

    def _all_categories(self, relation: Relation) -> bool:
        """Say whether the groups are all combinations of categories, so that a row without one has a null key."""
        known = all_groups(relation.columns, self.keys, self.null_groups)
        return known is not None and set(self.groups) == set(known)

    def rows_in_groups(self, relation: Relation, id_columns: Sequence[str]) -> Relation:
        """Keep the rows of the groups that are released."""
        keys = self.keys
        if not keys:
            return relation
        if self.other is not None:
            return with_other(relation, keys, self.groups[:-1], self.other, id_columns=id_columns)[0]
        if self._all_categories(relation):
            gone = [
                exp.Is(this=column(name, "r"), expression=exp.null()) for name in keys if name not in self.null_groups
            ]
            return relation.filter(exp.Not(this=exp.Paren(this=exp.or_(*gone)))) if gone else relation
        return relation.filter(in_groups(relation, keys, self.groups))


@final
@frozen(kw_only=True)
class GroupTotals(Transformation):
    """Count and add up in public groups; rows of persons are capped first.

    Args:
        grouping: The groups and the caps.
        measured: The numbers of each group.

    Guarantee: ``map(d_in)`` is ``d_in`` times the distance by which one capped person, or one row, moves all numbers.
    Proof: docs/tables/nodes/group_totals.md.

    >>> from privet.tables.aggregates.count import count
    >>> from privet.tables.columns.column import Column
    >>> from privet.tables.relations.table_space import UnitDistance, TableDomain
    >>> space = Space(TableDomain(columns={"id": Column(kind="integer")}), UnitDistance(("id",)))
    >>> (space >> GroupTotals(grouping=Grouping(caps=Caps(rows=3)), measured=count().measured())).map(2).l1
    Fraction(6, 1)
    """

    grouping: Grouping
    measured: NumbersSpec

    def output(self, space: Space) -> Space:
        """The numbers of all groups, one after the other."""
        columns, id_columns = table_of(self, space)
        self.grouping.check(columns)
        self.grouping.contribution(has_ids=bool(id_columns))
        for statistic in self.measured.statistics:
            check_statistic("GroupTotals", statistic, columns, has_ids=bool(id_columns))
        return self.measured.space(len(self.grouping.groups))

    def apply(self, value: Table, space: Space) -> Array:
        """Read the table."""
        _, id_columns = table_of(self, space)
        totals = self.grouping.compile(value.relation, id_columns, self.measured.statistics)
        return self.measured.exact(self.grouping.read(value, totals), len(self.grouping.groups))

    def stability(self, d_in: Any, space: Space) -> Distance:
        """The caps bound what one person adds, and change no rows of others."""
        _, id_columns = table_of(self, space)
        groups = len(self.grouping.groups)
        one = self.measured.distance(self.grouping.contribution(has_ids=bool(id_columns)), groups)
        times = Fraction(int(d_in))
        return Parts(
            l0=min(int(d_in) * one.l0, groups * self.measured.length),
            l1=times * one.l1,
            l2_squared=times**2 * one.l2_squared,
            linf=times * one.linf,
        )
