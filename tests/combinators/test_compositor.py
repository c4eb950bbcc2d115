"""Compositors: adaptive queries, losses in advance."""

import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.combinators.compositor import Compositor, ConcurrentCompositor
from privet.combinators.queries import answer_query, read_query
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.errors import BudgetExceededError, InvalidError, MismatchError, WrongTypeError
from tests.combinators.branches import YES_NO, Flip, Flips, check_conversation
from tests.laws import Case, check_loss, masses
from tests.mechanisms.twins import TwinOf

HALF, THREE, SIX, NINE = Fraction(1, 2), Fraction(3, 4), Fraction(6, 10), Fraction(9, 10)
LN3 = pc.RandomizedResponse(truth=THREE).map(1)
ONE = pv.budget(epsilon=1)
RESPONSE = pc.RandomizedResponse(truth=0.55)


def two(kind: Any) -> Any:
    return kind(losses=[pv.budget(epsilon=1.1), pv.budget(epsilon=1.1)], d_in=1)


def curious(queryable: Queryable) -> Any:
    """Chooses the second query by the first answer."""
    first = queryable.ask(YES_NO >> Flip(THREE))
    return first, queryable.ask(YES_NO >> Flip(THREE if first else SIX))


def stubborn(queryable: Queryable) -> Any:
    """Hears a release, makes it fail, and asks again."""
    heard: list[Any] = []

    def fail(release: bool) -> None:
        heard.append(release)
        raise RuntimeError

    for _ in range(4):
        try:
            queryable.ask(YES_NO >> Flip(THREE) >> fail)
        except RuntimeError:
            continue
        except BudgetExceededError:
            heard.append("refused")
    return tuple(heard)


def interleaving(queryable: Queryable) -> Any:
    """Asks two children in turn, each query chosen by the answers of the other."""
    first, second = queryable.ask(YES_NO >> Flips(SIX, 2)), queryable.ask(YES_NO >> Flips(SIX, 2))
    heard = [first.ask(SIX)]
    heard.append(second.ask(SIX if heard[0] else HALF))
    heard.append(first.ask(HALF if heard[1] else SIX))
    heard.append(second.ask(SIX if heard[2] else HALF))
    return tuple(heard)


def in_turn(queryable: Queryable) -> Any:
    """Finishes one child, then chooses the next by its answers."""
    first = queryable.ask(YES_NO >> Flips(SIX, 2))
    heard = [first.ask(SIX), first.ask(HALF)]
    second = queryable.ask(YES_NO >> Flips(SIX, 2))
    return (*heard, second.ask(SIX if heard[0] else HALF), second.ask(SIX))


@pytest.mark.parametrize("kind", [Compositor, ConcurrentCompositor])
@pytest.mark.parametrize("adversary", [curious, stubborn, in_turn])
def test_no_conversation_loses_more_than_was_stated(kind: Any, adversary: Any) -> None:
    check_conversation(YES_NO >> two(kind), adversary)


def test_the_sum_is_attained() -> None:
    check_conversation(YES_NO >> Compositor(losses=[(LN3, 2)], d_in=1), stubborn, tight=True)


def test_interleaved_children_lose_no_more_than_was_stated() -> None:
    check_conversation(YES_NO >> two(ConcurrentCompositor), interleaving)


@frozen
class ChargesAfterwards(TwinOf):
    """Uses a loss up after a successful release, as the book does."""

    def release(self, value: Any, space: Space) -> Queryable:
        unit: Any = self.right
        left = [stated for stated, times in unit.losses for _ in range(times)]

        def answer(question: Any) -> Any:
            chain = read_query("twin", question, space)
            if not left or not chain.map(unit.d_in) <= left[0]:
                raise BudgetExceededError
            release = answer_query(chain, value, ())
            left.pop(0)
            return release

        return Queryable(answer)


def test_a_twin_that_charges_afterwards_is_caught() -> None:
    with pytest.raises(AssertionError, match="loss law"):
        check_conversation(YES_NO >> ChargesAfterwards(two(Compositor)), stubborn)


@frozen
class TimesTheDistance(TwinOf):
    """Multiplies the sum by the distance, as the book does."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(self.right.loss(d_in, space).epsilon() * Fraction(d_in))


def test_the_sum_is_not_multiplied_by_the_distance() -> None:
    space = pc.scalar(float, grid=0.5)

    def exactly(value: Any, _: Space) -> masses.Masses:
        return masses.laplace(Fraction(2), int(value), 60)

    def at(unit: Measurement) -> Case:
        return Case(name="half a unit", chain=space >> unit, pairs=[(0, 0.5)], masses=exactly)

    unit = Compositor(losses=[pv.budget(epsilon=0.5)], d_in=0.5)  # as one Laplace of scale 1
    check_loss(at(unit))
    with pytest.raises(AssertionError, match="loss law"):
        check_loss(at(TimesTheDistance(unit)))


def test_the_map_is_the_sum_up_to_the_distance_and_refuses_beyond() -> None:
    chain = pc.vector(int) >> Compositor(losses=[(pv.budget(rho=0.001), 4), LN3], d_in=3)
    assert chain.map(1) == chain.map(3) == pc.ConcentratedLoss(0.001) * 4 + LN3
    assert chain.map(0).epsilon() == 0
    with pytest.raises(InvalidError, match="Compositor.d_in is 3: .* nothing is known at 4"):
        chain.map(4)


def test_an_odd_distance_is_rounded_up_where_the_size_is_public() -> None:
    chain = pc.vector(int, size=10) >> Compositor(losses=[ONE], d_in=1)
    assert chain.map(2).epsilon() == 1, "one row more or less is read as a replacement"
    with pytest.raises(InvalidError):
        chain.map(3)


def test_gradient_descent_states_its_losses_in_advance() -> None:
    """The book's training loop: forty iterations of rho = 0.0001."""
    space = pc.vector(int, bounds=(0, 10))
    chain = space >> Compositor(losses=[(pv.budget(rho=0.0001), 40)], d_in=1)
    loss = chain.map(1)
    assert loss.rho() == Fraction(4, 1000)
    assert loss.epsilon(1e-8) <= Fraction("0.465966")
    queryable = chain([3] * 100)
    for _ in range(40):
        assert isinstance(queryable.ask(space >> pc.Sum() >> pc.Gaussian(scale=1000)), int)
    with pytest.raises(BudgetExceededError, match="spent all of its stated losses"):
        queryable.ask(space >> pc.Sum() >> pc.Gaussian(scale=1000))


def test_a_query_that_does_not_fit_spends_nothing() -> None:
    queryable = (YES_NO >> Compositor(losses=[ONE, (ONE, 2)], d_in=1))(True)
    with pytest.raises(BudgetExceededError, match="the next query may cost at most epsilon = 1. Nothing was spent"):
        queryable.ask(pc.RandomizedResponse(truth=THREE))
    assert queryable.ask("remaining") == ((ONE, 1), (ONE, 2))
    queryable.ask(RESPONSE)
    queryable.ask(RESPONSE)
    assert queryable.ask("remaining") == ((ONE, 1),)


def test_a_stated_loss_is_taken_exactly() -> None:
    queryable = (YES_NO >> Compositor(losses=[LN3], d_in=1))(True)
    with pytest.raises(BudgetExceededError, match="must cost exactly the stated RandomizedResponseLoss"):
        queryable.ask(RESPONSE)
    assert queryable.ask(pc.RandomizedResponse(truth=THREE)) in (True, False)


def test_the_data_are_admitted_once() -> None:
    space = pc.scalar(float, grid=0.25)
    chain = space >> Compositor(losses=[(pv.budget(epsilon=10**6), 2)], d_in=1)
    assert chain(8.0).ask(space >> pc.Laplace(scale=Fraction(1, 10**4))) == 8.0


def test_a_compositor_follows_transformations() -> None:
    chain = pc.vector(int) >> pc.Clamp(bounds=(0, 5)) >> Compositor(losses=[ONE], d_in=1)
    inner = pc.vector(int, bounds=(0, 5))
    assert chain.map(1).epsilon() == 1
    assert isinstance(chain([1, 100]).ask(inner >> pc.Sum() >> pc.Laplace(scale=5)), int)


def test_a_nested_compositor_divides_one_loss() -> None:
    """The book's example: a second compositor within the second loss of the first."""
    queryable = (YES_NO >> Compositor(losses=[ONE, ONE], d_in=1))(True)
    queryable.ask(RESPONSE)
    inner = queryable.ask(Compositor(losses=[pv.budget(epsilon=0.6), pv.budget(epsilon=0.4)], d_in=1))
    assert {inner.ask(RESPONSE), inner.ask(RESPONSE)} <= {True, False}
    for exhausted in (inner, queryable):
        with pytest.raises(BudgetExceededError, match="takes no more queries"):
            exhausted.ask(RESPONSE)


def test_a_nested_compositor_that_is_too_large_is_refused() -> None:
    queryable = (YES_NO >> Compositor(losses=[ONE], d_in=1))(True)
    with pytest.raises(BudgetExceededError):
        queryable.ask(Compositor(losses=[pv.budget(epsilon=0.6), pv.budget(epsilon=0.5)], d_in=1))
    with pytest.raises(BudgetExceededError):
        queryable.ask(Compositor(losses=[ONE, pv.budget(epsilon=0.1)], d_in=2))


def test_a_release_that_fails_was_charged() -> None:
    @frozen
    class Fails(TwinOf):
        def release(self, value: Any, space: Space) -> Any:
            raise RuntimeError

    queryable = (YES_NO >> Compositor(losses=[LN3], d_in=1))(True)
    with pytest.raises(RuntimeError):
        queryable.ask(YES_NO >> Fails(pc.RandomizedResponse(truth=THREE)))
    assert queryable.ask("remaining") == ()


@pytest.mark.parametrize("kind", [Compositor, ConcurrentCompositor])
def test_threads_use_each_loss_once(kind: Any) -> None:
    queryable = (YES_NO >> kind(losses=[(ONE, 100)], d_in=1))(True)
    granted: list[Any] = []
    start = threading.Barrier(64)

    def spend() -> None:
        start.wait()
        for _ in range(4):
            try:
                granted.append(queryable.ask(RESPONSE))
            except BudgetExceededError:
                return

    threads = [threading.Thread(target=spend) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == 100


def test_divergences_of_one_order_add_up() -> None:
    budget = pv.budget(order=8, renyi=Fraction(1, 4))
    loss = (YES_NO >> ConcurrentCompositor(losses=[(budget, 2)], d_in=1)).map(1)
    assert loss.renyi(8) == Fraction(1, 2)
    assert loss.epsilon(1e-6) < 3


def test_streams_start_anew_for_every_query() -> None:
    space = (pc.vector(int) >> pc.CountStream()).output
    queryable = (space >> Compositor(losses=[(pv.budget(epsilon=2), 2)], d_in=1))([10**6, 0])
    for _ in range(2):
        assert queryable.ask(space >> pc.AboveThreshold(threshold=1000, scale=1)).ask("any") is True


def test_warnings_of_numpy_are_silenced() -> None:
    with np.errstate(all="raise"):
        space = pc.vector(float, bounds=(0, 1))
        chain = space >> Compositor(losses=[ONE], d_in=1)
        chain([1e308, float("nan")] * 3).ask(space >> pc.Sum() >> pc.Laplace(scale=1))


@pytest.mark.parametrize(
    ("question", "error", "message"),
    [
        (3, WrongTypeError, "takes a chain such as"),
        (pc.vector(int) >> pc.Count() >> pc.Laplace(scale=1), MismatchError, "a query must start from choice"),
        (pc.vector(int) >> pc.Count(), MismatchError, "put a mechanism at the end"),
    ],
)
def test_wrong_queries_are_refused(question: Any, error: type[Exception], message: str) -> None:
    queryable = (YES_NO >> Compositor(losses=[ONE], d_in=1))(True)
    with pytest.raises(error, match=message):
        queryable.ask(question)
    assert queryable.ask("remaining") == ((ONE, 1),)


@pytest.mark.parametrize(
    ("kind", "losses", "error", "message"),
    [
        (Compositor, 1, WrongTypeError, "must be a list of budgets or losses"),
        (Compositor, ONE, WrongTypeError, "must be a list of budgets or losses"),
        (Compositor, [0.5], WrongTypeError, "holds budgets or losses"),
        (Compositor, [(ONE, -1)], InvalidError, "the number of repeats must be zero or more, got -1."),
        (Compositor, [(ONE, 0.5)], WrongTypeError, "the number of repeats must be a whole number"),
        (ConcurrentCompositor, [LN3], WrongTypeError, "must be budgets: interleaving is proved form by form"),
        (ConcurrentCompositor, [ONE, pv.budget(rho=1)], MismatchError, "budgets of one form"),
        (
            ConcurrentCompositor,
            [pv.budget(order=2, renyi=1), pv.budget(order=3, renyi=1)],
            MismatchError,
            "budgets of one form",
        ),
    ],
)
def test_wrong_losses_are_refused(kind: Any, losses: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kind(losses=losses, d_in=1)


def test_the_distance_is_one_of_the_space() -> None:
    with pytest.raises(WrongTypeError, match="must be a whole number"):
        YES_NO >> Compositor(losses=[ONE], d_in=0.5)


@frozen
class OfASample(TwinOf):
    """A mechanism whose user asserts that the data are a secret sample."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return self.right.loss(d_in, space).amplify(pv.Population(rate=0.01))


@pytest.mark.parametrize("kind", [Compositor, ConcurrentCompositor])
def test_a_loss_that_holds_for_a_single_release_does_not_fit(kind: Any) -> None:
    """The sample was drawn once: a loss that counts on it may not be added to others."""
    question = OfASample(pc.RandomizedResponse(truth=THREE))
    assert (YES_NO >> question).map(1) <= pv.budget(epsilon=0.1)
    queryable = (YES_NO >> kind(losses=[(pv.budget(epsilon=0.1), 2)], d_in=1))(True)
    with pytest.raises(BudgetExceededError, match="does not fit"):
        queryable.ask(question)
