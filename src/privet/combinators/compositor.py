"""Compositors: questions chosen on the way, losses fixed in advance."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Budget, Loss, SumLoss, additive
from privet.accounting.numerics.convert import Point
from privet.accounting.planning.budget import AdditiveBudget, RenyiBudget
from privet.chains.measurement import Measurement
from privet.combinators.questions import read_question, released, stated_distance, within_distance
from privet.core.checks import read_whole
from privet.core.frames import kept
from privet.core.queryable import Queryable
from privet.core.reentrancy import Held, Turns, around
from privet.core.space import Space
from privet.errors import BudgetExceededError, InvalidError, MismatchError, WrongTypeError

Stated = tuple[tuple[AdditiveBudget | Loss, int], ...]


def _losses(value: Any) -> Stated:
    if isinstance(value, str | Budget | Loss) or not isinstance(value, Iterable):
        raise WrongTypeError(
            "Compositor.losses must be a list of budgets or losses, such as [pv.budget(epsilon=1)], "
            f"got {type(value).__name__}."
        )
    return tuple(_one(item) for item in value)


def _one(item: Any) -> tuple[AdditiveBudget | Loss, int]:
    stated, often = item if isinstance(item, tuple) and len(item) == 2 else (item, 1)
    times = read_whole("Compositor.losses: how often", often)
    if times < 0:
        raise InvalidError(f"Compositor.losses: how often must be zero or more, got {times}.")
    if not isinstance(stated, AdditiveBudget | Loss):
        raise WrongTypeError(
            "Compositor.losses holds budgets or losses, such as pv.budget(epsilon=1), or pairs of one and how often, "
            f"got {type(stated).__name__}."
        )
    return stated, times


@final
@frozen(kw_only=True)
class Compositor(Measurement):
    """Hold the data and answer one question after the other, each within a loss that was stated beforehand.

    The release is a ``Queryable``: ``ask(chain)`` takes a chain from the same space, uses up the next stated loss and
    then makes the release; ``ask("remaining")`` gives the pairs that are left. Where a release is itself a queryable,
    it answers until the compositor is asked the next question, and then no more.

    Args:
        losses: What each question may cost, in order: budgets, or losses that a question must have exactly; a pair
            (budget, how often) stands for several.
        d_in: How far apart neighbouring data are: what a question costs is its map there.

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

    def accept(self, space: Space) -> None:
        """Whatever space the distance is one of."""
        stated_distance(self.d_in, space)

    def release(self, value: Any, space: Space) -> Queryable:
        """Keep the data, and answer from them; a question ends the turn of the child before it."""
        turns, outer = Turns(), around()

        def advance() -> Held:
            return (*outer, (turns, turns.advance()))

        return _opened("Compositor", self.losses, self.d_in, value, space, advance)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The sum of what was stated, whatever will be asked."""
        return within_distance("Compositor", _total(self.losses), d_in, self.d_in, space)


@final
@frozen(kw_only=True)
class ConcurrentCompositor(Measurement):
    """Hold the data and answer questions within stated losses; what came out earlier may be asked at any time.

    Like ``Compositor``, but children that are queryables stay open, also after the last loss was used up. This is
    proved for budgets of one form, so every stated loss is a budget and all have the same one.

    Args:
        losses: What each question may cost, in order: budgets of one form; a pair (budget, how often) stands for
            several.
        d_in: How far apart neighbouring data are.

    Guarantee: the sum of the stated losses, for inputs up to ``d_in`` apart, however questions are interleaved.
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
    def _check(self, _: Any, value: Stated) -> None:
        if any(isinstance(stated, Loss) for stated, _ in value):
            raise WrongTypeError(
                "ConcurrentCompositor.losses must be budgets: interleaving is proved form by form. "
                "Use Compositor for losses."
            )
        nothing = Point(Fraction(0), Fraction(0))
        forms = {stated.like(nothing) for stated, _ in value if isinstance(stated, AdditiveBudget)}
        if len(forms) > 1:
            raise MismatchError("ConcurrentCompositor.losses must be budgets of one form (and one order).")

    def accept(self, space: Space) -> None:
        """Whatever space the distance is one of."""
        stated_distance(self.d_in, space)

    def release(self, value: Any, space: Space) -> Queryable:
        """Keep the data, and answer from them; children stay open."""
        outer = around()
        return _opened("ConcurrentCompositor", self.losses, self.d_in, value, space, lambda: outer)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The sum of what was stated, whatever will be asked."""
        return within_distance("ConcurrentCompositor", _total(self.losses), d_in, self.d_in, space)


def _opened(owner: str, losses: Stated, d_in: Any, value: Any, space: Space, advance: Callable[[], Held]) -> Queryable:
    left, data = [(stated, times) for stated, times in reversed(losses) if times], kept(value)

    def answer(question: Any) -> Any:
        if isinstance(question, str) and question == "remaining":
            return tuple(reversed(left))
        chain = read_question(owner, question, space)
        loss = chain.map(d_in)
        if not left:
            raise BudgetExceededError(f"this {owner} has used all of its stated losses and takes no more questions.")
        stated, times = left[-1]
        _check_fit(loss, stated)
        held = advance()  # waits for a child that is answering, then ends its turn
        left.pop()
        if times > 1:
            left.append((stated, times - 1))
        return released(chain, data, held)  # used up first: also a release that fails has cost its loss

    return Queryable(answer)


def _check_fit(loss: Loss, stated: AdditiveBudget | Loss) -> None:
    if isinstance(stated, Loss):
        if loss != stated:
            raise BudgetExceededError(
                f"the next question must cost exactly {stated!r}, as was stated, got {loss!r}. Nothing was spent; "
                "state a budget to allow whatever is below it."
            )
    elif not additive(loss) <= stated:  # other questions count as well
        raise BudgetExceededError(
            f"the question does not fit: the next one may cost {stated!r}. Nothing was spent; ask for less."
        )


def _total(losses: Stated) -> Loss:
    """Add up; divergences of one order are one divergence of that order."""
    orders: dict[Fraction, Fraction] = {}
    terms: list[tuple[Loss, int]] = []
    for stated, times in losses:
        if isinstance(stated, RenyiBudget):
            orders[stated.order] = orders.get(stated.order, Fraction(0)) + stated.cost * times
            continue
        loss = stated if isinstance(stated, Loss) else stated.loss()
        terms.extend((part, often * times) for part, often in loss.parts())
    terms.extend((RenyiBudget(order=order, cost=cost).loss(), 1) for order, cost in orders.items())
    return SumLoss.of(tuple(terms))
