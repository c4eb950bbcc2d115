"""Roll-ups: the same questions of all rows, by the first key, by the first two, and so on; the answers add up."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.core.rows import Array
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.noise.describe_loss import describe_loss
from privet.tables.queries.budget_arguments import read_budget
from privet.tables.rollup.plan import Hierarchy, RollupPlan, add_rollup_noise, check_linear, plan_rollup, readout
from privet.tables.rollup.release import LEVEL, RollupRelease
from privet.tables.statistics.statistic import Statistic

if TYPE_CHECKING:
    from privet.tables.queries.aggregate_query import AggregateQuery, GroupedQuery


@final
@frozen(kw_only=True)
class RollupRows:
    """A query with public groups at every level of a hierarchy.

    Args:
        finest: The query by all keys, from the coarsest, with its public groups.
    """

    finest: "GroupedQuery" = field()

    @finest.validator
    def _check(self, _: Any, value: "GroupedQuery") -> None:
        if LEVEL in value.keys:
            raise InvalidError(f"rollup: the result has a column {LEVEL!r} of its own; rename the key.")

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> "RollupQuery":
        """Ask counts, sums and histograms of every group of every level: ``agg(count(), total=sum("minutes"))``."""
        question = self.finest.agg(*aggregates, **named)
        return RollupQuery(finest=question)


@final
@frozen(kw_only=True)
class RollupQuery:
    """Aggregates of every level of a hierarchy, ready to be described or released.

    Args:
        finest: The same aggregates of the finest groups.
    """

    finest: "AggregateQuery" = field()

    @finest.validator
    def _check(self, _: Any, value: "AggregateQuery") -> None:
        value.check_settled("rollup")
        check_linear(value.aggregates)
        if LEVEL in value.aggregates:
            raise InvalidError(f"rollup: the result has a column {LEVEL!r} of its own; name the aggregate differently.")

    def plan(
        self,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        weights: Mapping[str, Any] | None = None,
        level_weights: Sequence[Any] | None = None,
    ) -> RollupPlan:
        """Choose the noise for what may be lost; reads no data and spends nothing."""
        return plan_rollup(
            self.finest.aggregates,
            hierarchy=Hierarchy(finest=self.finest.grouped.groups),
            contribution=self.finest.contribution,
            budget=read_budget("rollup", epsilon=epsilon, delta=delta, rho=rho),
            weights=weights,
            level_weights=level_weights,
        )

    def loss(self, **lost: Any) -> Loss:
        """Give what a release would cost."""
        return self.plan(**lost).loss

    def describe(self, **lost: Any) -> str:
        """Write down levels, caps, noise and standard errors; reads no data and spends nothing.

        Args:
            lost: What ``plan`` takes: ``epsilon`` and ``delta``, or ``rho``, and weights.
        """
        plan, keys = self.plan(**lost), self.finest.grouped.keys
        told = [f"protected: {self.finest.grouped.query.unit.protects}"]
        for at, level in enumerate(plan.levels):
            by = f"{level.groups} groups by {', '.join(keys[:at])}" if at else "all rows"
            most = level.contribution.rows(level.groups)
            told.append(
                f"level {at}, {by}: one unit counts at most: {most.l0} groups, {most.l1} rows in all, "
                f"{most.linf} rows in a group"
            )
            for name, aggregate in level.aggregates:
                part = plan.levels[-1].part(name)
                weights = readout(aggregate, 0, plan.levels[-1].planned[part].measured.length)
                noise, errors = plan.noises(part)[at], plan.errors(part)[at].times(weights).deviations
                added = "not measured, but added up" if noise is None else f"measured with {noise.kind} noise"
                more = f" to {errors.max():.4g}" if errors.max() > errors.min() * 1.001 else ""
                told.append(f"  {name}: {added}; standard error {errors.min():.4g}{more}")
        return "\n".join([*told, describe_loss(plan.loss)])

    def release(
        self,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        weights: Mapping[str, Any] | None = None,
        level_weights: Sequence[Any] | None = None,
    ) -> RollupRelease:
        """Charge the budget of the session, read the data once, release every level, and make the levels agree.

        Args:
            epsilon: What may be lost by all levels together, with or without ``delta``.
            delta: The probability with which more may be lost; by default none.
            rho: Or what may be lost in concentrated privacy.
            weights: The share of the loss of each aggregate, in relation to the others.
            level_weights: The share of each level, from all rows to the finest groups; zero for one that is not
                measured. By default, equal shares of the levels that are worth it.
        """
        plan = self.plan(epsilon=epsilon, delta=delta, rho=rho, weights=weights, level_weights=level_weights)
        return self.finest.grouped.query.session.answer_rollup(self, plan, delta)

    def released(
        self, plan: RollupPlan, results: Mapping[Statistic, Array], notes: Sequence[str] = ()
    ) -> RollupRelease:
        """Add noise to exact numbers of the finest groups and to their sums. The loss must be charged before."""
        numbers = add_rollup_noise(plan, results)
        return RollupRelease(keys=self.finest.grouped.keys, plan=plan, numbers=numbers, notes=tuple(notes))
