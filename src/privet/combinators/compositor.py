"""Compositors: adaptive queries, with losses fixed in advance."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Budget, Loss, SumLoss, additive
from privet.accounting.numerics import Point
from privet.accounting.planning.budget import AdditiveBudget, RenyiBudget
from privet.chains.measurement import InteractiveMeasurement
from privet.combinators.queries import answer_query, read_query
from privet.core import Queryable, Space, TurnNumbers, Turns, enclosing_turns, frozen_copy, read_count
from privet.errors import BudgetExceededError, MismatchError, WrongTypeError

Stated = tuple[tuple[AdditiveBudget | Loss, int], ...]


def _losses(value: object) -> Stated:
    if isinstance(value, str | Budget | Loss) or not isinstance(value, Iterable):
        raise WrongTypeError(
            "Compositor.losses must be a list of budgets or losses, such as [pv.budget(epsilon=1)], "
            f"got {type(value).__name__}."
        )
    return tuple(_one(item) for item in value)


def _one(item: object) -> tuple[AdditiveBudget | Loss, int]:
    stated, repeats = item if isinstance(item, tuple) and len(item) == 2 else (item, 1)
    times = read_count("Compositor.losses: the number of repeats", repeats)
    if not isinstance(stated, AdditiveBudget | Loss):
        raise WrongTypeError(
            "Compositor.losses holds budgets or losses, such as pv.budget(epsilon=1), or pairs (budget, repeats), "
            f"got {type(stated).__name__}."
        )
    return stated, times


@final
@frozen(kw_only=True)
class Compositor(InteractiveMeasurement):
    """Hold the data and answer one query after another, each within a loss that is stated in advance.

    The release is a ``Queryable``: ``ask(chain)`` takes a chain from the same space, spends the next stated loss and
    then makes the release; ``ask("remaining")`` returns the pairs that are left. If a release is itself a queryable,
    it answers until the compositor receives the next query.

    Args:
        losses: The cost of each query, in order: budgets, or losses that a query must have exactly; a pair (budget,
            repeats) stands for several equal budgets.
        d_in: The distance of neighbouring data; the cost of a query is its map at this distance.

    Guarantee: the sum of the stated losses, for inputs up to ``d_in`` apart; nothing is claimed beyond.
    Proof: docs/combinators/compositor.md.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.core.space import choice
    >>> from privet.mechanisms.randomized_response import RandomizedResponse
    >>> chain = choice((False, True)) >> Compositor(losses=[budget(epsilon=1.1), budget(epsilon=0.5)], d_in=1)
    >>> chain.map(1).epsilon()
    Fraction(8, 5)
    >>> queryable = chain(True)
    >>> queryable.ask(RandomizedResponse(truth=0.75)) in (False, True)
    True
    >>> queryable.ask("remaining")
    ((ApproximateBudget(epsilon=0.5, delta=0), 1),)
    """

    losses: Stated = field(converter=_losses)
    d_in: Any

    def release(self, value: object, space: Space) -> Queryable:
        """Keep a copy of the data and answer from it; a query ends the turn of the previous child."""
        turns, outer = Turns(), enclosing_turns()

        def advance() -> TurnNumbers:
            return (*outer, (turns, turns.advance()))

        return _open_queryable(self, value, space, advance)

    def loss(self, d_in: object, space: Space) -> Loss:
        """The sum of the stated losses, for any queries."""
        return self.within_distance(_total(self.losses), d_in, space)


@final
@frozen(kw_only=True)
class ConcurrentCompositor(InteractiveMeasurement):
    """Hold the data and answer queries within stated losses; earlier children stay open.

    Like ``Compositor``, but children that are queryables stay open, even after the last loss is spent. The theorem is
    for budgets of one form, so every stated loss is a budget, and all have the same form.

    Args:
        losses: The cost of each query, in order: budgets of one form; a pair (budget, repeats) stands for several.
        d_in: The distance of neighbouring data.

    Guarantee: the sum of the stated losses, for inputs up to ``d_in`` apart, however queries are interleaved.
    Proof: docs/combinators/compositor.md.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.core.space import vector
    >>> chain = vector(int) >> ConcurrentCompositor(losses=[(budget(rho=0.001), 4)], d_in=1)
    >>> chain.map(1).rho()
    Fraction(1, 250)
    """

    losses: Stated = field(converter=_losses)
    d_in: Any

    @losses.validator
    def _check(self, _: object, value: Stated) -> None:
        if any(isinstance(stated, Loss) for stated, _ in value):
            raise WrongTypeError(
                "ConcurrentCompositor.losses must be budgets: interleaving is proved form by form. "
                "Use Compositor for losses."
            )
        nothing = Point(Fraction(0), Fraction(0))
        forms = {stated.like(nothing) for stated, _ in value if isinstance(stated, AdditiveBudget)}
        if len(forms) > 1:
            raise MismatchError("ConcurrentCompositor.losses must be budgets of one form (and one order).")

    def release(self, value: object, space: Space) -> Queryable:
        """Keep a copy of the data and answer from it; children stay open."""
        outer = enclosing_turns()
        return _open_queryable(self, value, space, lambda: outer)

    def loss(self, d_in: object, space: Space) -> Loss:
        """The sum of the stated losses, for any queries."""
        return self.within_distance(_total(self.losses), d_in, space)


def _open_queryable(
    unit: Compositor | ConcurrentCompositor, value: object, space: Space, advance: Callable[[], TurnNumbers]
) -> Queryable:
    label, data = type(unit).__name__, frozen_copy(value)
    remaining = [(stated, times) for stated, times in reversed(unit.losses) if times]

    def answer(query: object) -> Any:
        if isinstance(query, str) and query == "remaining":
            return tuple(reversed(remaining))
        chain = read_query(label, query, space)
        loss = chain.map(unit.d_in)
        if not remaining:
            raise BudgetExceededError(f"this {label} has spent all of its stated losses and takes no more queries.")
        stated, times = remaining[-1]
        _check_fit(loss, stated)
        turns = advance()  # waits for a child that is answering, then ends its turn
        remaining.pop()
        if times > 1:
            remaining.append((stated, times - 1))
        return answer_query(chain, data, turns)  # the loss is spent first: a release that fails costs it too

    return Queryable(answer)


def _check_fit(loss: Loss, stated: AdditiveBudget | Loss) -> None:
    if isinstance(stated, Loss):
        if loss != stated:
            raise BudgetExceededError(
                f"the next query must cost exactly the stated {stated!r}, got {loss!r}. Nothing was spent; "
                "state a budget to allow smaller losses."
            )
    elif not additive(loss) <= stated:  # the loss is added to those of other queries
        raise BudgetExceededError(
            f"the query does not fit: the next query may cost at most {stated.describe(up=False)}. Nothing was spent; "
            "ask for less."
        )


def _total(losses: Stated) -> Loss:
    """Add up the losses; divergences of one order are merged."""
    orders: dict[Fraction, Fraction] = {}
    terms: list[tuple[Loss, int]] = []
    for stated, times in losses:
        if isinstance(stated, RenyiBudget):
            orders[stated.order] = orders.get(stated.order, Fraction(0)) + stated.cost * times
            continue
        loss = stated if isinstance(stated, Loss) else stated.loss()
        terms.extend((part, repeats * times) for part, repeats in loss.parts())
    terms.extend((RenyiBudget(order=order, cost=cost).loss(), 1) for order, cost in orders.items())
    return SumLoss.of(tuple(terms))
