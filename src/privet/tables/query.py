"""Queries: what is asked of a table, built without looking at it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

from attrs import evolve, frozen
from sqlglot import exp

from privet.accounting.budget import budget as make_budget
from privet.accounting.loss import Budget, Loss
from privet.errors import Invalid, Mismatch, WrongType
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.contribution import Contribution
from privet.tables.aggregates.statistic import Statistic
from privet.tables.caps import Caps
from privet.tables.codebook_values import check_text
from privet.tables.column import LARGEST, SMALLEST, Column
from privet.tables.counting import keys_of
from privet.tables.expressions.parse import parse
from privet.tables.expressions.term import Term
from privet.tables.noise_plan import NoisePlan, plan_noise
from privet.tables.reading import literal
from privet.tables.relation import Relation, column
from privet.tables.release import Release
from privet.tables.unit import PrivacyUnit, Rows

if TYPE_CHECKING:
    from privet.tables.session import Session

_MOST_GROUPS = 2**20
_RESERVED = "privet "
_SUFFIXES = ("", "_error", "_low", "_high")  # as Release.to_dict names its columns


@final
@frozen(kw_only=True)
class Query:
    """Rows of a table, filtered and derived; nothing is read until an aggregate of it is released.

    Args:
        session: Where it will be answered.
        relation: The rows so far.
        caps: How many rows of a person count, where the codebook does not say or the query says otherwise.
        missing: Columns whose nulls are a group of their own.
    """

    session: "Session"
    relation: Relation
    caps: Caps
    missing: frozenset[str] = frozenset()

    def filter(self, condition: str | Term) -> "Query":
        """Keep the rows of which a condition is true, such as ``"duration > 0 and ward in ('a', 'b')"``."""
        parsed = parse(condition, self.relation.columns)
        if parsed.column.kind != "boolean":
            raise Mismatch(f"filter takes a condition, got {parsed.column.kind}: {condition}.")
        return evolve(self, relation=self.relation.filter(parsed.sql()))

    def derive(self, /, **expressions: str | Term) -> "Query":
        """Add columns, each computed from the others of its row: ``derive(hours="minutes / 60")``."""
        relation = self.relation
        for name, text in expressions.items():
            self._keep_owner(name, "derive")
            parsed = parse(text, relation.columns)
            relation = relation.with_column(name, parsed.sql(), parsed.column)
        return evolve(self, relation=relation, missing=self.missing - set(expressions))

    def select(self, *names: str) -> "Query":
        """Keep these columns only, and the one that tells persons apart."""
        owner = [name for name in self.session.owner if name not in names]
        return evolve(self, relation=self.relation.select(*names, *owner))

    def rename(self, /, **names: str) -> "Query":
        """Give columns new names: ``rename(new="old")``."""
        for name in (*names, *names.values()):
            self._keep_owner(name, "rename")
        renamed = {old: new for new, old in names.items()}
        missing = frozenset(renamed.get(name, name) for name in self.missing)
        return evolve(self, relation=self.relation.rename(renamed), missing=missing)

    def join_public(self, source: Any, columns: Mapping[str, Any], *, on: str | Sequence[str]) -> "Query":
        """Add the columns of a public table to each row that has a partner there; other rows are left out.

        Args:
            source: Public data, in memory: a list of dictionaries, an Arrow table, a pandas or polars frame.
            columns: What they are: ``pv.column(...)`` by name, those of ``on`` included.
            on: The columns to match, integer, text or boolean; together they must be different in every public row,
                so that one row of the table stays one row.
        """
        names = (on,) if isinstance(on, str) else tuple(on)
        for name in columns:
            self._keep_owner(name, "join_public")
        return evolve(self, relation=self.relation.join(self.session.public(source, columns, names), on=names))

    def cap(self, *, rows: int | None = None, groups: int | None = None, rows_per_group: int | None = None) -> "Query":
        """Say how many rows of a person count in this query."""
        return evolve(self, caps=Caps(rows=rows, groups=groups, rows_per_group=rows_per_group))

    def group_by(self, *keys: str, among: Sequence[Any] | None = None) -> "GroupedQuery":
        """Answer for each group. The groups are public: the categories of the keys, or those that are listed.

        Args:
            keys: Columns, each with categories, unless groups are listed.
            among: The groups to answer for, in this order: values, or tuples of values where there are several keys.
                Other rows are left out.
        """
        self._check_keys("group_by", keys)
        groups = self._listed(keys, among) if among is not None else self._categories(keys)
        return GroupedQuery(query=self, keys=tuple(keys), groups=tuple(groups))

    def private_keys(self, *keys: str, epsilon: Any, delta: Any) -> tuple[tuple[Any, ...], ...]:
        """Release the groups that enough persons (or rows) have, in sorted order, for ``group_by(..., among=...)``.

        Which keys occur is private: a key shows where the number of its persons, with noise, reaches a threshold.

        Args:
            keys: The columns that make a group; null is no key.
            epsilon: What may be lost.
            delta: The probability with which a key may show that one person alone has.
        """
        self._check_keys("private_keys", keys)
        return self.session.answer_keys(self, keys, epsilon, delta)

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> "Question":
        """Ask aggregates of all rows together."""
        return GroupedQuery(query=self, keys=(), groups=((),)).agg(*aggregates, **named)

    def contribution(self, *, grouped: bool) -> Contribution:
        """What one privacy unit adds at most, from the unit and the caps."""
        unit: PrivacyUnit = self.session.codebook.unit
        if isinstance(unit, Rows):
            return Contribution(l0=unit.count, l1=unit.count, linf=unit.count)
        caps = self.session.caps_of(self.caps)
        if not grouped:  # all rows are one group
            caps = evolve(caps, groups=1)
        l0, l1, linf = caps.distances
        if l0 is None or l1 is None or linf is None:
            raise Invalid(
                "how much one person may count is not bounded: give rows=..., or groups=... and rows_per_group=..., in "
                "the codebook's unit or with .cap(...)."
            )
        return Contribution(l0=l0, l1=l1, linf=linf)

    def _check_keys(self, what: str, keys: Sequence[str]) -> None:
        if not keys or len(set(keys)) != len(keys):
            raise Invalid(f"{what} takes different columns, at least one.")
        for name in keys:
            if name.lower().startswith(_RESERVED):
                raise Invalid(f"{what}: names that begin with {_RESERVED!r} are used inside queries; rename {name!r}.")
            if self.relation[name].kind not in ("integer", "text", "boolean"):
                raise Mismatch(f"{what} takes integer, text and boolean columns; {name!r} is none: derive one.")

    def _keep_owner(self, name: str, what: str) -> None:
        if name in self.session.owner:
            raise Invalid(f"{what}: {name!r} tells whose rows are protected and must stay as it is.")

    def _categories(self, keys: Sequence[str]) -> list[tuple[Any, ...]]:
        count = 1
        for name in keys:
            categories = self.relation[name].categories
            if categories is None:
                raise Invalid(
                    f"group_by: the groups of {name!r} are not known. Put its categories in the codebook, or list the "
                    "groups with among=[...]."
                )
            count *= len(categories)
            if count > _MOST_GROUPS:
                raise Invalid(
                    f"group_by: there are more than {_MOST_GROUPS} groups; list those of interest with among=[...]."
                )
        return keys_of(self.relation.columns, keys, self.missing)

    def _listed(self, keys: Sequence[str], among: Sequence[Any]) -> list[tuple[Any, ...]]:
        groups = [item if isinstance(item, tuple) else (item,) for item in among]
        if not groups or len(groups) > _MOST_GROUPS:
            raise Invalid(f"group_by.among must list between one and {_MOST_GROUPS} groups.")
        if len(set(groups)) != len(groups):
            raise Invalid("group_by.among must list different groups.")
        for group in groups:
            if len(group) != len(keys):
                raise Invalid(f"group_by.among must give {len(keys)} values for each group, one for each key.")
            for name, value in zip(keys, group, strict=True):
                wanted = {"integer": int, "text": str, "boolean": bool}[self.relation[name].kind]
                if type(value) is not wanted:
                    raise WrongType(
                        f"group_by.among: {name!r} is {self.relation[name].kind}, got {type(value).__name__}."
                    )
                _check_value(value)
        return groups


@final
@frozen(kw_only=True)
class GroupedQuery:
    """A query with public groups.

    Args:
        query: The rows.
        keys: The columns that make a group.
        groups: The groups, in the order of the result.
    """

    query: Query
    keys: tuple[str, ...]
    groups: tuple[tuple[Any, ...], ...]

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> "Question":
        """Ask several aggregates of each group: ``agg(count(), average=mean("duration"))``."""
        asked: dict[str, Aggregate] = {}
        for name, aggregate in [(None, item) for item in aggregates] + list(named.items()):
            if not isinstance(aggregate, Aggregate):
                raise WrongType(f"agg takes aggregates such as pv.count(), got {type(aggregate).__name__}.")
            label = aggregate.name if name is None else name
            if label in asked or label in self.keys:
                raise Invalid(f"agg: two columns of the result are called {label!r}; name one of them.")
            asked[label] = aggregate.bind(self.query.relation.columns)
            for statistic in asked[label].measured().statistics:
                self._check_statistic(label, statistic)
        if not asked:
            raise Invalid("agg takes at least one aggregate, such as pv.count().")
        self._check_outputs(asked)
        return Question(grouped=self, aggregates=asked, contribution=self._contribution())

    def _check_statistic(self, label: str, statistic: Statistic) -> None:
        """Refuse what an engine could not count, from public facts: it would fail only where there are rows."""
        if statistic.kind == "persons" and not self.query.session.owner:
            raise Invalid(f"agg: {label} counts persons, but the unit is rows; use unit=Persons(id=...).")
        for name in _columns_of(statistic):
            self.query.relation[name]
        for each in (*statistic.of, *statistic.given):
            if min(each.low, each.low - each.origin) < SMALLEST or max(each.high, each.high - each.origin) > LARGEST:
                raise Invalid(
                    f"agg: the bounds of {each.column!r} in {label!r} must be 64-bit integers less than 2^63 steps "
                    "apart; give narrower bounds."
                )

    def _check_outputs(self, asked: Mapping[str, Aggregate]) -> None:
        """Refuse columns of the result that would stand in each other's place."""
        taken = set(self.keys)
        for label, aggregate in asked.items():
            for output in aggregate.outputs:
                name = label if output == "" else f"{label}_{output}"
                columns = [f"{name}{suffix}" for suffix in _SUFFIXES]
                twice = next((each for each in columns if each in taken), None)
                if twice is not None:
                    raise Invalid(f"agg: two columns of the result are called {twice!r}; name them differently.")
                taken.update(columns)

    @property
    def all_categories(self) -> bool:
        """Tell whether the groups are all combinations of categories, so that a row without one has a null key."""
        columns = self.query.relation.columns
        if any(columns[name].categories is None for name in self.keys):
            return False
        return set(self.groups) == set(keys_of(columns, self.keys, self.query.missing))

    def _contribution(self) -> Contribution:
        return self.query.contribution(grouped=bool(self.keys))


@final
@frozen(kw_only=True)
class Question:
    """Aggregates of a query, ready to be described or released.

    Args:
        grouped: The rows and their groups.
        aggregates: What is asked, by name.
        contribution: What one privacy unit adds at most.
    """

    grouped: GroupedQuery
    aggregates: Mapping[str, Aggregate]
    contribution: Contribution

    def plan(
        self, *, epsilon: Any = None, delta: Any = None, rho: Any = None, weights: Mapping[str, Any] | None = None
    ) -> NoisePlan:
        """Choose the noise for what may be lost; reads no data and spends nothing."""
        return self._plan(make_budget(epsilon=epsilon, delta=delta, rho=rho), weights)

    def describe(self, *, rows: Any = None, weights: Mapping[str, Any] | None = None, **lost: Any) -> str:
        """Write down columns, caps, noise and expected errors; reads no data and spends nothing.

        Args:
            rows: How many rows a group has, as far as is publicly known, for expected errors.
            weights: The share of each aggregate.
            lost: ``epsilon`` and ``delta``, or ``rho``.
        """
        session = self.grouped.query.session
        by = f"{len(self.grouped.groups)} by {', '.join(self.grouped.keys)}" if self.grouped.keys else "one, all rows"
        most = self.contribution
        told = [
            f"groups: {by}",
            f"protected: {session.codebook.unit.protects}",
            f"one unit counts at most: {most.l0} groups, {most.l1} rows in all, {most.linf} rows in a group",
        ]
        return "\n".join([*told, "", self.plan(weights=weights, **lost).describe(rows)])

    def loss(self, **lost: Any) -> Loss:
        """Give what a release would cost."""
        return self.plan(**lost).loss

    def release(
        self, *, epsilon: Any = None, delta: Any = None, rho: Any = None, weights: Mapping[str, Any] | None = None
    ) -> Release:
        """Charge the budget of the session, read the data once, and release every number with its noise.

        Args:
            epsilon: What may be lost, with or without ``delta``.
            delta: The probability with which more may be lost; by default none.
            rho: Or what may be lost in concentrated privacy.
            weights: The share of the loss of each aggregate, in relation to the others.
        """
        wanted = make_budget(epsilon=epsilon, delta=delta, rho=rho)
        plan = self._plan(wanted, weights)
        return self.grouped.query.session.answer(self, plan, delta)

    def _plan(self, wanted: Budget, weights: Mapping[str, Any] | None) -> NoisePlan:
        return plan_noise(
            self.aggregates,
            contribution=self.contribution,
            groups=len(self.grouped.groups),
            budget=wanted,
            weights=weights,
        )


def among_groups(
    relation: Relation, keys: Sequence[str], groups: Sequence[tuple[Any, ...]], missing: frozenset[str]
) -> Relation:
    """Keep the rows of the groups that are answered for."""
    if not keys:
        return relation
    known = all(relation[name].categories is not None for name in keys)
    if known and set(groups) == set(keys_of(relation.columns, keys, missing)):
        gone = [exp.Is(this=column(name, "r"), expression=exp.null()) for name in keys if name not in missing]
        return relation.filter(exp.Not(this=exp.Paren(this=exp.or_(*gone)))) if gone else relation
    if len(keys) == 1:
        values = [literal(relation[keys[0]], group[0]) for group in groups]
        return relation.filter(exp.In(this=column(keys[0], "r"), expressions=values))
    tuples = [
        exp.Tuple(expressions=[literal(relation[k], v) for k, v in zip(keys, group, strict=True)]) for group in groups
    ]
    return relation.filter(exp.In(this=exp.Tuple(expressions=[column(name, "r") for name in keys]), expressions=tuples))


def used_columns(aggregates: Mapping[str, Aggregate], columns: Mapping[str, Column]) -> tuple[str, ...]:
    """Give the columns that aggregates read."""
    names: dict[str, None] = {}
    for aggregate in aggregates.values():
        for statistic in aggregate.measured().statistics:
            names |= dict.fromkeys(_columns_of(statistic))
    return tuple(name for name in columns if name in names)


def _columns_of(statistic: Statistic) -> list[str]:
    named = [] if statistic.column is None else [statistic.column]
    return [*named, *(each.column for each in (*statistic.of, *statistic.given))]


def _check_value(value: Any) -> None:
    """Refuse a listed value that no column can hold, and no query can be written with."""
    if isinstance(value, str):
        check_text("group_by.among", value)
    elif not SMALLEST <= value <= LARGEST:
        raise Invalid("group_by.among must list 64-bit integers, got a larger one.")
