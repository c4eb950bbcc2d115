"""Aggregates in groups that the release finds first: private keys and aggregates in one call."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.planning.budget import ApproximateBudget
from privet.core import Fact, Familiar, count_text, short
from privet.errors import InvalidError, UnavailableError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.curator.allowance import Allowance, Amount
from privet.tables.curator.request import CostliestPlan, Plan
from privet.tables.files.aggregate_keys import write_aggregates
from privet.tables.files.key_words import write_private
from privet.tables.files.query_keys import write_groups
from privet.tables.files.written import QueryFile, Words
from privet.tables.keys.key_query import KeyQuery
from privet.tables.keys.key_release import Key, KeyRelease
from privet.tables.keys.private import PrivateKeys
from privet.tables.keys.private_keys import KeyPlan, describe_needed
from privet.tables.noise.plan import NoisePlan
from privet.tables.queries.aggregate_query import AggregateQuery, Weights, aggregate
from privet.tables.queries.describe_nodes import describe_aggregates
from privet.tables.queries.grouped_rows import GroupedRows, check_keys, check_persons, name_aggregates
from privet.tables.queries.row_query import RowQuery
from privet.tables.queries.two_stage import two_stage_query
from privet.tables.queries.without_aggregates import WithoutAggregates
from privet.tables.releases.release import Release
from privet.tables.statistics import MOST_GROUPS, is_key, read_other

_PLACEHOLDERS = {"integer": 0, "text": "", "boolean": False}


@final
@frozen(kw_only=True, repr=False)
class KeyedRows(Familiar, WithoutAggregates):
    """Rows in groups that are not known yet. Made by ``query.group_by(..., keys=pv.private(...))``.

    Args:
        query: The rows.
        keys: The columns that make a group.
        private: How the groups are found.
        other: The key of one more group, of all rows that have none of the keys; None for none.
    """

    _hints_of = "groups"

    query: RowQuery
    keys: tuple[str, ...]
    private: PrivateKeys
    other: tuple[Any, ...] | None = None

    def facts(self) -> tuple[Fact, ...]:
        """Say what the rows are, and by which keys they are grouped."""
        rows, _, *others = self.query.facts()
        return (rows, ("groups", f"private, by {', '.join(self.keys)}"), *others)

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> "KeyedQuery":
        """Aggregate each group that is found: ``agg(count(), average=mean("duration"))``."""
        labelled = name_aggregates(self.keys, aggregates, named)
        query = KeyedQuery(rows=self, aggregates=labelled)
        query.with_groups((query.placeholder,))  # mistakes show now
        return query


def keyed_rows(query: RowQuery, keys: tuple[str, ...], private: PrivateKeys, other: object = ()) -> KeyedRows:
    """Put rows into groups that the release finds.

    Args:
        query: The rows.
        keys: The columns that make a group.
        private: How the groups are found.
        other: The key of one more group that holds all other rows; an empty tuple for none.
    """
    if query.auto_caps:
        raise InvalidError("group_by: keys=pv.private(...) needs caps that are numbers; give cap(...) no auto().")
    check_keys(query, "group_by", keys)
    check_persons(query, "group_by", keys)
    label = None if other == () else read_other(query.columns, keys, (), other, id_columns=query.id_columns)
    return KeyedRows(query=query, keys=keys, private=private, other=label)


@final
@frozen(kw_only=True, repr=False)
class KeyedQuery(QueryFile):
    """Aggregates in groups that are found first. Made by ``query.group_by(..., keys=pv.private(...)).agg(...)``.

    Args:
        rows: The rows, and how their groups are found.
        aggregates: The aggregates, not yet bound, by name.

    Guarantee: the loss of the keys and that of the aggregates. Proof: docs/tables/private_keys.md.
    """

    rows: KeyedRows
    aggregates: Mapping[str, Aggregate]

    def facts(self) -> tuple[Fact, ...]:
        """Say what is computed, of which rows, and how their groups are found."""
        return (("aggregates", describe_aggregates(self.aggregates)), *self.rows.facts())

    def words(self) -> Words:
        """The query as plain data, in the words of a file."""
        rows = self.rows
        groups = {**write_groups("group_by", rows.keys, (), rows.other), "keys": write_private(rows.private)}
        return {**rows.query.words(), **groups, "aggregates": write_aggregates(self.aggregates)}

    @property
    def placeholder(self) -> Key:
        """A group that stands for one that is not known yet."""
        return tuple(_PLACEHOLDERS[self.rows.query.columns[name].kind] for name in self.rows.keys)

    def with_groups(self, groups: tuple[Key, ...]) -> AggregateQuery:
        """Give the query of these groups, and of the other one where there is one."""
        rows = self.rows
        every = groups if rows.other is None else (*groups, rows.other)
        grouped = GroupedRows(query=rows.query, keys=rows.keys, groups=every, other=rows.other, listed=True)
        if two_stage_query(grouped, self.aggregates) is not None:
            raise InvalidError("group_by: keys=pv.private(...) needs bounds that are numbers; give pairs, no auto().")
        return aggregate(grouped, self.aggregates)

    def plan(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
    ) -> NoisePlan:
        """Refuse: how many groups there are is not known yet."""
        raise UnavailableError("the groups are not known before the keys are released: see describe(epsilon=...).")

    def describe(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
        typical: Mapping[str, Any] | None = None,
    ) -> str:
        """Write down how the groups are found, what that costs, and the noise in each of them; read no data.

        Args:
            epsilon: What keys and aggregates may lose together.
            delta: The probability of a larger loss, that of the keys included; by default that of the keys alone.
            rho: Refused: a threshold needs a delta.
            weights: The share of the loss of each aggregate, or ``"equal errors"``.
            group_size: About how many rows a group has, as far as that is public, for expected errors.
            typical: By name, about how large a value is, as far as that is public, for its relative error.
        """
        stages = self._stages("describe", epsilon, delta, rho)
        most = self._many_groups
        plan = most.planned(stages.rest, weights, group_size)
        of_keys = self._keys.describe_plan(stages.keys).splitlines()
        lines = [
            f"groups: by {', '.join(self.rows.keys)}; which there are is released first",
            *(line for line in of_keys if not line.startswith("loss: ")),  # notes of the unit may stand behind it
            f"cost of the keys: epsilon {short(stages.cost)}, delta {short(self.rows.private.delta)}",
            f"left for the aggregates: {_written(stages.rest)}",
            f"noise in each group{_many(len(most.grouped.groups))}:",
        ]
        return "\n".join([*lines, "", plan.describe(group_size, typical=typical)])

    def loss(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
    ) -> Loss:
        """Give the privacy loss of keys and aggregates, whichever groups there are."""
        stages = self._stages("loss", epsilon, delta, rho)
        return stages.keys.loss + stages.rest.loss()

    def release(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
        again: bool = False,
    ) -> Release:
        """Release the keys that enough persons have, then the aggregates of their groups.

        Each stage is charged before it reads. Nothing is read unless both fit the budget of the session. If no key
        reaches its threshold, the release has no groups (or the other one alone).

        Args:
            epsilon: What keys and aggregates may lose together.
            delta: The probability of a larger loss, that of the keys included; by default that of the keys alone.
            rho: Refused: a threshold needs a delta.
            weights: The share of the loss of each aggregate, relative to the others; or ``"equal errors"``.
            group_size: About how many rows a group has, as far as that is public; equal errors need it.
            again: With a ledger, whether to charge for fresh keys and a fresh release.
        """
        stages = self._stages("release", epsilon, delta, rho)
        plans = [
            query.planned(stages.rest, weights, group_size)  # mistakes show now, whichever groups there will be
            for query in (self.with_groups((self.placeholder,)), self._many_groups)
        ]
        rest = Allowance(budget=stages.rest, delta=stages.rest.delta or None)
        first = Allowance(budget=stages.rest, delta=stages.keys.delta)
        curator = self.rows.query.curator
        planned: list[tuple[Plan, Allowance]] = [(stages.keys, first), (CostliestPlan(stages.rest.loss()), rest)]
        curator.check_room(stages.whole, planned, first=self._keys.request_for(stages.keys), again=again)
        keys = self._keys.release_plan(stages.keys, again=again)
        groups = _usable(keys, self.rows.other)
        if groups or self.rows.other is not None:
            query = self.with_groups(groups)
            plan = query.planned(stages.rest, weights, group_size)
            made = curator.release(query.request_for(plan, rest), again=again)
        else:
            made = _nothing(self.rows.keys, plans[0], keys)
        line = f"groups: {count_text(len(groups), 'private key')}, at a cost of epsilon {short(stages.cost)} and delta "
        lines = [f"{line}{short(self.rows.private.delta)}"]
        if not groups:
            lines.append(
                f"no group was found: {describe_needed(keys.rounds[-1])}. A smaller cap, such as cap(groups=1), or a "
                "larger epsilon lowers this"
            )
        notes: Any = {"key_rounds": keys.rounds, "notes": (*made.notes, *lines)}
        return evolve(made, **notes)

    @property
    def _many_groups(self) -> AggregateQuery:
        """The query of so many groups that more of them need no more noise."""
        top = self.rows.private.top or MOST_GROUPS
        unknown = evolve(self.with_groups((self.placeholder,)).grouped, groups=())
        most = min(unknown.contribution.l0, MOST_GROUPS, top)
        return self.with_groups((self.placeholder,) * most)

    @property
    def _keys(self) -> KeyQuery:
        rows, how = self.rows, self.rows.private
        return KeyQuery(
            query=rows.query, keys=rows.keys, method=how.method, noise=how.noise, rounds=how.rounds, top=how.top
        )

    def _stages(self, where: str, epsilon: Amount, delta: Amount, rho: Amount) -> "_Stages":
        """Divide what the release may lose between the keys and the aggregates."""
        if rho is not None or epsilon is None:
            raise InvalidError(
                f"{where}: private keys take epsilon=..., with or without delta=..., and no rho: a threshold needs a "
                "delta."
            )
        how = self.rows.private
        whole = self.rows.query.curator.allow(where, epsilon=epsilon, delta=how.delta if delta is None else delta)
        if not isinstance(whole.budget, ApproximateBudget) or whole.budget.delta < how.delta:
            raise InvalidError(
                f"{where}.delta must be at least that of the keys, {short(how.delta)}, got {short(whole.delta or 0)}; "
                "give a larger one, or pv.private a smaller one."
            )
        cost = whole.budget.epsilon * how.share
        rest = ApproximateBudget(epsilon=whole.budget.epsilon - cost, delta=whole.budget.delta - how.delta)
        keys = self._keys.plan(epsilon=cost, delta=how.delta)
        return _Stages(whole=whole, cost=cost, keys=keys, rest=rest)


@final
@frozen(kw_only=True)
class _Stages:
    """What both stages may lose, what the keys cost, how they are released, and what is left for the aggregates."""

    whole: Allowance
    cost: Fraction
    keys: KeyPlan
    rest: ApproximateBudget


def _many(groups: int) -> str:
    return "" if groups == 1 else f", where there are {count_text(groups, 'group')} or more"


def _usable(keys: KeyRelease, other: Key | None) -> tuple[Key, ...]:
    """Leave out keys that cannot be groups; it is post-processing, and total: nothing is refused after the keys.

    These are keys that no query can contain, the name of the other group, and those beyond the largest number of
    groups. Their rows are in the other group, where there is one.
    """
    return tuple(key for key in keys if key != other and all(map(is_key, key)))[:MOST_GROUPS]


def _nothing(keys: tuple[str, ...], plan: NoisePlan, released: KeyRelease) -> Release:
    """Give the release without groups: nothing is read and nothing more is charged."""
    numbers = tuple(np.zeros((0, part.measured.length), dtype=np.int64) for part in plan.planned)
    return Release(
        keys=keys,
        groups=(),
        plan=evolve(plan, groups=0),
        numbers=numbers,
        notes=released.notes,
        key_rounds=released.rounds,
    )


def _written(budget: ApproximateBudget) -> str:
    return f"epsilon {short(budget.epsilon)}" + (f", delta {short(budget.delta)}" if budget.delta else "")
