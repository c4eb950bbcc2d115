"""Questions: aggregates of public groups, ready to be described or released."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, final

from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Budget, Loss
from privet.errors import InvalidError, MismatchError, UnavailableError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns.unit import Rows
from privet.tables.nodes.group_totals import Grouping, check_statistic
from privet.tables.noise.equal_errors import plan_equal_errors
from privet.tables.noise.plan import NoisePlan
from privet.tables.noise.planner import plan_noise
from privet.tables.queries.budget_arguments import read_budget
from privet.tables.queries.describe_nodes import describe_caps, describe_kept_caps, describe_nodes
from privet.tables.queries.two_stage import TwoStageQuery, unsettled
from privet.tables.releases.release import Release
from privet.tables.statistics.contribution import Contribution

if TYPE_CHECKING:
    from privet.tables.queries.query import Query

_SUFFIXES = ("", "_error", "_low", "_high")  # as Release.to_dict names its columns
Weights = Mapping[str, Any] | str | None


@final
@frozen(kw_only=True, repr=False)
class GroupedQuery:
    """A query with public groups.

    Args:
        query: The rows.
        keys: The columns that make a group.
        groups: The groups, in the order of the result.
        other: The last of them, where it is that of all rows that have none of the others.
    """

    query: "Query"
    keys: tuple[str, ...]
    groups: tuple[tuple[Any, ...], ...]
    other: tuple[Any, ...] | None = None

    def __repr__(self) -> str:
        by = f", {len(self.groups)} groups by {', '.join(self.keys)}" if self.keys else ""
        return f"GroupedQuery({describe_nodes(self.query.chain)}{by})"

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> "AggregateQuery":
        """Ask several aggregates of each group: ``agg(count(), average=mean("duration"))``."""
        asked: dict[str, Aggregate] = {}
        for name, aggregate in [(None, item) for item in aggregates] + list(named.items()):
            if not isinstance(aggregate, Aggregate):
                raise WrongTypeError(f"agg takes aggregates such as pv.count(), got {type(aggregate).__name__}.")
            label = aggregate.name if name is None else name
            if label in asked or label in self.keys:
                raise InvalidError(f"agg: two columns of the result are called {label!r}; name one of them.")
            asked[label] = aggregate
        if not asked:
            raise InvalidError("agg takes at least one aggregate, such as pv.count().")
        later = unsettled(self, asked)
        if later is not None:
            return evolve(later.at_widest(), later=later)
        bound = {label: self._bound(label, aggregate) for label, aggregate in asked.items()}
        self._check_outputs(bound)
        return AggregateQuery(grouped=self, aggregates=bound, contribution=self.contribution)

    def _bound(self, label: str, aggregate: Aggregate) -> Aggregate:
        columns = self.query.columns
        bound = aggregate.bind(columns)
        for statistic in bound.measured().statistics:
            if self.other is not None and set(statistic.columns) & set(self.keys):
                raise InvalidError(f"agg: {label} reads a key, whose values the other group replaces; derive a copy.")
            check_statistic(f"agg: {label}", statistic, columns, owned=bool(self.query.session.owner))
        return bound

    @property
    def told_rows(self) -> tuple[str, ...]:
        """What is protected, and which rows are asked about."""
        asked = f"rows: {describe_nodes(self.query.chain)}"
        return (f"protected: {self.query.unit.protects}", asked, *self.query.session.told)

    @property
    def told(self) -> tuple[str, ...]:
        """What is protected, which rows are asked about, and how much of one person counts; all of it public."""
        if not self.query.session.owner:
            return self.told_rows
        kept = describe_kept_caps(self.query.chain, self.query.unit, self.query.caps) if not self.query.single else ()
        return (*self.told_rows, f"caps of a person: {describe_caps(self.query.effective_caps)}", *kept)

    @property
    def grouping(self) -> Grouping:
        """The groups, the caps, and what decides whose rows count."""
        return self.query.grouping(self.keys, self.groups, self.other)

    @property
    def contribution(self) -> Contribution:
        """What one privacy unit adds at most, from the unit, the steps of the query and the caps."""
        unit = self.query.unit
        if isinstance(unit, Rows):
            rows: Any = self.query.chain.map(unit.count)
            return Contribution(l0=rows, l1=rows, linf=rows)
        return self.grouping.contribution(owned=True)  # no step makes more of one person than one person

    def _check_outputs(self, asked: Mapping[str, Aggregate]) -> None:
        """Refuse columns of the result that would stand in each other's place."""
        taken = set(self.keys)
        for label, aggregate in asked.items():
            for output in aggregate.outputs:
                name = label if output == "" else f"{label}_{output}"
                columns = [f"{name}{suffix}" for suffix in _SUFFIXES]
                twice = next((each for each in columns if each in taken), None)
                if twice is not None:
                    raise InvalidError(f"agg: two columns of the result are called {twice!r}; name them differently.")
                taken.update(columns)


def _unchanging(value: Mapping[str, Aggregate]) -> Mapping[str, Aggregate]:
    return MappingProxyType(dict(value))


@final
@frozen(kw_only=True)
class AggregateQuery:
    """Aggregates of a query, ready to be described or released.

    Args:
        grouped: The rows and their groups.
        aggregates: What is asked, by name.
        contribution: What one privacy unit adds at most.
        later: What is estimated first, where caps or bounds are; all else is then only how it could turn out.
    """

    grouped: GroupedQuery
    aggregates: Mapping[str, Aggregate] = field(converter=_unchanging)
    contribution: Contribution = field()
    later: TwoStageQuery | None = None

    @contribution.validator
    def _check(self, _: Any, value: Contribution) -> None:
        if value != self.grouped.contribution:
            raise MismatchError("Question.contribution is that of another query: ask again with query.agg(...).")

    def check_settled(self, what: str) -> None:
        """Refuse a question whose caps or bounds are estimated first, where that is not done."""
        if self.later is not None:
            raise UnavailableError(f"{what}: caps and bounds must be known here; give numbers instead of auto().")

    def plan(
        self,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        weights: Weights = None,
        rows: Any = None,
    ) -> NoisePlan:
        """Choose the noise for what may be lost; reads no data and spends nothing.

        Args:
            epsilon: What may be lost, with or without ``delta``.
            delta: The probability with which more may be lost; by default none.
            rho: Or what may be lost in concentrated privacy.
            weights: The share of the loss of each aggregate, in relation to the others; or ``"equal errors"``.
            rows: How many rows a group has, as far as is publicly known; needed for equal errors.
        """
        if self.later is not None:
            raise UnavailableError(
                "the noise follows from caps and bounds that are estimated first: see describe(...)."
            )
        return self.planned(read_budget("plan", epsilon=epsilon, delta=delta, rho=rho), weights, rows)

    def describe(
        self, *, rows: Any = None, weights: Weights = None, typical: Mapping[str, Any] | None = None, **lost: Any
    ) -> str:
        """Write down columns, caps, noise and expected errors; reads no data and spends nothing.

        Args:
            rows: How many rows a group has, as far as is publicly known, for expected errors.
            weights: The share of each aggregate, or ``"equal errors"``.
            typical: By name, about how large a value is, as far as is publicly known, for its relative error.
            lost: ``epsilon`` and ``delta``, or ``rho``.
        """
        by = f"{len(self.grouped.groups)} by {', '.join(self.grouped.keys)}" if self.grouped.keys else "one, all rows"
        most = self.contribution
        told = [f"groups: {by}", *(self.grouped.told if self.later is None else self.grouped.told_rows)]
        if self.later is not None:
            return "\n".join([*told, *self.later.describe(read_budget("describe", **lost), weights, rows)])
        told += [
            f"one unit counts at most: {most.l0} groups, {most.l1} rows in all, {most.linf} rows in a group",
        ]
        return "\n".join([*told, "", self.plan(weights=weights, rows=rows, **lost).describe(rows, typical=typical)])

    def loss(self, **lost: Any) -> Loss:
        """Give what a release would cost."""
        if self.later is not None:
            weights, rows = lost.pop("weights", None), lost.pop("rows", None)
            return self.later.loss(read_budget("loss", **lost), weights, rows)
        return self.plan(**lost).loss

    def release(
        self,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        weights: Weights = None,
        rows: Any = None,
    ) -> Release:
        """Charge the budget of the session, read the data once, and release every number with its noise.

        Args:
            epsilon: What may be lost, with or without ``delta``.
            delta: The probability with which more may be lost; by default none.
            rho: Or what may be lost in concentrated privacy.
            weights: The share of the loss of each aggregate, in relation to the others; or ``"equal errors"``.
            rows: How many rows a group has, as far as is publicly known; needed for equal errors.
        """
        wanted = read_budget("release", epsilon=epsilon, delta=delta, rho=rho)
        if self.later is not None:
            return self.later.release(wanted, delta, weights, rows)
        plan = self.planned(wanted, weights, rows)
        return self.grouped.query.session.answer(self, plan, delta)

    def planned(self, wanted: Budget, weights: Weights, rows: Any) -> NoisePlan:
        """Choose the noise within a budget."""
        known: dict[str, Any] = {
            "contribution": self.contribution,
            "groups": len(self.grouped.groups),
            "budget": wanted,
        }
        if not isinstance(weights, str):
            return plan_noise(self.aggregates, weights=weights, **known)
        if weights != "equal errors":
            raise InvalidError(f'release.weights must be numbers by name, or "equal errors", got {weights!r}.')
        if rows is None:
            raise InvalidError(
                "release: equal errors need rows=..., about how many rows a group has, as far as is public."
            )
        return plan_equal_errors(self.aggregates, rows=rows, **known)
