"""Private keys: the groups of a table that are not publicly known, released where enough persons have them."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, final

from attrs import frozen
from sqlglot import exp

from privet.accounting.loss import Loss
from privet.core.checks import read_number, short
from privet.core.metric import Parts
from privet.errors import Invalid
from privet.mechanisms.stable_histogram import StableHistogram
from privet.mechanisms.stable_keys import above, padded
from privet.noise import discrete_laplace
from privet.noise.geometric import smallest_within
from privet.tables.column import Column
from privet.tables.engines.duckdb import Result
from privet.tables.relation import Relation, column, named
from privet.tables.steps import rows

_COUNT = "privet count"


@final
@frozen(kw_only=True)
class KeyPlan:
    """How keys are released: the noise of their counts, and the count from which they show.

    Args:
        scale: The scale of the discrete Laplace noise.
        threshold: The smallest noisy count of a key that is released.
        distance: How far the counts move between neighbours.
    """

    scale: Fraction
    threshold: int
    distance: Parts

    @property
    def loss(self) -> Loss:
        """Epsilon for keys that both neighbours have, delta for those that only one has: ``StableHistogram``'s."""
        return StableHistogram(scale=self.scale, threshold=self.threshold).loss_of(self.distance)


def plan_keys(distance: Parts, epsilon: Any, delta: Any) -> KeyPlan:
    """Choose noise and threshold.

    Args:
        distance: How far the counts of keys move between neighbours.
        epsilon: What may be lost about keys that many have.
        delta: The probability with which a key may show that one neighbour alone has.

    >>> plan_keys(Parts(l0=1, l1=1, l2_squared=1, linf=1), 0.5, 1e-6).threshold
    28
    """
    cost, slack = read_number("private_keys.epsilon", epsilon), read_number("private_keys.delta", delta)
    if cost <= 0:
        raise Invalid(f"private_keys.epsilon must be above zero, got {short(cost)}.")
    if not 0 < slack < 1:
        raise Invalid(f"private_keys.delta must be above zero and below one, got {short(slack)}.")
    scale = distance.l1 / cost

    def fits(threshold: int) -> bool:
        return threshold > 0 and KeyPlan(scale=scale, threshold=threshold, distance=distance).loss.pure().delta <= slack

    return KeyPlan(scale=scale, threshold=smallest_within(fits, 1), distance=distance)


def counted_keys(relation: Relation, keys: Sequence[str], person: str | None) -> Relation:
    """Build the query that counts the persons of each key, or its rows; null is no key."""
    missing = [exp.Is(this=column(name, "r"), expression=exp.null()) for name in keys]
    present = relation.filter(exp.Not(this=exp.Paren(this=exp.or_(*missing))))
    grouped = [column(name, "r") for name in keys]
    count: exp.Expr = rows()
    if person is not None:
        count = exp.Count(this=exp.Distinct(expressions=[column(person, "r")]), big_int=True)
    query = exp.Select(expressions=[*grouped, named(count, _COUNT)]).from_(present.derived()).group_by(*grouped)
    known = {name: relation[name] for name in keys}
    return Relation(query=query, columns={**known, _COUNT: Column(kind="integer", nullable=False)})


def release_keys(result: Result, keys: Sequence[str], plan: KeyPlan) -> tuple[tuple[Any, ...], ...]:
    """Add noise to every count and give the keys that reach the threshold, in sorted order."""
    found = sorted(zip(zip(*(result[name] for name in keys), strict=True), result[_COUNT], strict=True))
    names, counts = [key for key, _ in found], [count for _, count in found]
    noise = discrete_laplace(plan.scale, size=padded(len(names)))
    return tuple(above(names, counts, noise, plan.threshold))
