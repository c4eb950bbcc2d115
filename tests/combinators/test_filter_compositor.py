"""A filter around data: no conversation costs more than the budget."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet.accounting.planning.budget import AdditiveBudget, ApproximateBudget
from privet.combinators.privacy_filter import FilterCompositor
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.errors import BudgetExceededError, InvalidError, MismatchError, UnavailableError, WrongTypeError
from tests.combinators.branches import YES_NO, Flip, Flips, conversation
from tests.laws import Case, check_loss
from tests.mechanisms.twins import TwinOf

SIX, THREE = Fraction(6, 10), Fraction(3, 4)
RESPONSE = pc.RandomizedResponse(truth=0.55)


def adaptive(queryable: Queryable) -> Any:
    """Chooses how much to ask for by what was heard, until little is left."""
    heard: list[Any] = []
    for _ in range(6):
        truth = THREE if heard and heard[-1] else SIX
        try:
            heard.append(queryable.ask(YES_NO >> Flip(truth)))
        except BudgetExceededError:
            heard.append("refused")
    return tuple(heard)


def failing(queryable: Queryable) -> Any:
    """Makes every release fail after hearing it."""
    heard: list[Any] = []

    def fail(release: bool) -> None:
        heard.append(release)
        raise RuntimeError

    for _ in range(6):
        try:
            queryable.ask(YES_NO >> Flip(THREE) >> fail)
        except RuntimeError:
            continue
        except BudgetExceededError:
            heard.append("refused")
    return tuple(heard)


def interleaving(queryable: Queryable) -> Any:
    """Opens the second child, or a costlier one, by the answer of the first, and returns to the first."""
    first = queryable.ask(YES_NO >> Flips(SIX, 2))
    heard = [first.ask(SIX)]
    second = queryable.ask(YES_NO >> Flips(THREE if heard[0] else SIX, 1))
    heard.append(second.ask(THREE))
    heard.append(first.ask(SIX))
    return tuple(heard)


def case(unit: Any, adversary: Any) -> Case:
    chain = YES_NO >> unit
    pairs = [(False, True), (True, False)]
    return Case(name=adversary.__name__, chain=chain, pairs=pairs, masses=conversation(chain, adversary))


@pytest.mark.parametrize("adversary", [adaptive, failing, interleaving])
@pytest.mark.parametrize(
    "budget", [pv.budget(epsilon=2.2), pv.budget(rho=1), pv.budget(order=3, renyi=2)], ids=lambda b: type(b).__name__
)
def test_no_conversation_loses_more_than_the_budget(budget: AdditiveBudget, adversary: Any) -> None:
    check_loss(case(FilterCompositor(budget=budget, d_in=1), adversary))


@frozen
class Broken(TwinOf):
    """A filter with a mistake in when it charges."""

    def release(self, value: Any, space: Space) -> Queryable:
        unit: Any = self.right
        spent = Fraction(0)

        def answer(chain: Any) -> Any:
            nonlocal spent
            cost = chain.map(1).epsilon()
            if self.refuses(spent, cost, unit.budget.epsilon):
                raise BudgetExceededError
            release = chain(value)
            spent += cost
            return release

        return Queryable(answer)

    def refuses(self, spent: Fraction, cost: Fraction, cap: Fraction) -> bool:
        return spent + cost > cap


@frozen
class LooksAtThePast(Broken):
    """Grants while the total spent is below the cap, whatever the next charge."""

    def refuses(self, spent: Fraction, cost: Fraction, cap: Fraction) -> bool:
        return spent > cap


@pytest.mark.parametrize(("twin", "adversary"), [(Broken, failing), (LooksAtThePast, adaptive)])
def test_broken_filters_are_caught(twin: Any, adversary: Any) -> None:
    with pytest.raises(AssertionError, match="loss law"):
        check_loss(case(twin(FilterCompositor(budget=pv.budget(epsilon=2.2), d_in=1)), adversary))


def test_the_books_filter_takes_one_and_refuses_the_next() -> None:
    queryable = (YES_NO >> FilterCompositor(budget=pv.budget(epsilon=1.1), d_in=1))(True)
    assert queryable.ask(pc.RandomizedResponse(truth=0.75)) in (True, False)
    with pytest.raises(
        BudgetExceededError, match="needs epsilon = 1.09862, and the budget has 0.00138771 left: 1.09723 is missing"
    ):
        queryable.ask(pc.RandomizedResponse(truth=0.75))
    left = queryable.ask("remaining")
    assert left.epsilon == Fraction(11, 10) - queryable.ask("spent").epsilon


def test_epsilon_is_read_at_the_delta_of_the_query() -> None:
    space = pc.vector(int)
    queryable = (space >> FilterCompositor(budget=pv.budget(epsilon=1, delta=1e-6), d_in=1))([1, 2, 3])
    chain = space >> pc.Count() >> pc.Gaussian(scale=10)
    with pytest.raises(UnavailableError, match="without a delta"):
        queryable.ask(chain)
    queryable.ask((chain, 1e-7))
    assert queryable.ask("spent") == ApproximateBudget(epsilon=chain.map(1).epsilon(1e-7), delta=1e-7)


def test_the_map_of_a_filter_is_its_budget() -> None:
    unit = FilterCompositor(budget=pv.budget(epsilon=1, delta=1e-6), d_in=2)
    chain = pc.vector(int) >> unit
    assert chain.map(2) == chain.map(1) == pc.ApproximateLoss(1, 1e-6)
    assert chain.map(0).epsilon() == 0
    with pytest.raises(InvalidError, match="FilterCompositor.d_in is 2"):
        chain.map(3)


def test_a_stopped_filter_leaves_what_was_paid_for() -> None:
    unit = FilterCompositor(budget=pv.budget(epsilon=2), d_in=1, go_on=lambda spent, asked: spent.epsilon == 0)
    queryable = (YES_NO >> unit)(True)
    child = queryable.ask(FilterCompositor(budget=pv.budget(epsilon=1), d_in=1))
    with pytest.raises(BudgetExceededError, match="has returned False"):
        queryable.ask(RESPONSE)
    assert child.ask(RESPONSE) in (True, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": 1}, "FilterCompositor.budget must be a budget"),
        ({"budget": pv.budget(epsilon=1), "go_on": 1}, "FilterCompositor.go_on must be a function"),
    ],
)
def test_wrong_filters_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(WrongTypeError, match=message):
        FilterCompositor(d_in=1, **arguments)


def test_wrong_queries_are_refused() -> None:
    queryable = (YES_NO >> FilterCompositor(budget=pv.budget(epsilon=1), d_in=1))(True)
    with pytest.raises(MismatchError, match="the space of FilterCompositor"):
        queryable.ask(pc.vector(int) >> pc.Count() >> pc.Laplace(scale=1))
