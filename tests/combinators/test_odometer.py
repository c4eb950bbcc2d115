"""Odometers: a total that may be read at any time, and its guarantee."""

import copy
import os
import pickle
import threading
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.accounting.planning.budget import AdditiveBudget, ApproximateBudget
from privet.combinators.odometer import OdometerCompositor, PrivacyOdometer
from privet.core.exact import ball, exp_up, precision
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.errors import BudgetExceededError, InvalidError, MismatchError, UnavailableError, WrongTypeError
from tests.combinators.branches import YES_NO, Flip, Flips, distribution
from tests.combinators.gaussian_twin import KnownMu
from tests.laws import Case, check_loss
from tests.laws.masses import Masses
from tests.mechanisms.twins import TwinOf

SIX, THREE = Fraction(6, 10), Fraction(3, 4)
RESPONSE = pc.RandomizedResponse(truth=0.75)


@pytest.mark.parametrize(
    ("odometer", "loss", "spent"),
    [
        (PrivacyOdometer(form="pure"), pc.PureLoss(0.1), pv.budget(epsilon=0.3)),
        (PrivacyOdometer(form="approximate"), pc.ApproximateLoss(0.1, 0.01), pv.budget(epsilon=0.3, delta=0.03)),
        (PrivacyOdometer(form="concentrated"), pc.ConcentratedLoss(0.1), pv.budget(rho=0.3)),
        (PrivacyOdometer(form="renyi", order=4), pc.ConcentratedLoss(0.1), pv.budget(order=4, renyi=1.2)),
        (PrivacyOdometer(form="gaussian"), KnownMu(Fraction(1, 10)), pv.budget(mu=1).like(pv.budget(rho=0.03).point())),
    ],
    ids=lambda item: type(item).__name__,
)
def test_losses_add_up_in_each_form(odometer: PrivacyOdometer, loss: Loss, spent: AdditiveBudget) -> None:
    for _ in range(3):
        odometer.charge(loss)
    assert odometer.spent == spent
    assert repr(odometer) == f"PrivacyOdometer(spent={spent!r})"


def test_epsilon_is_read_at_a_delta() -> None:
    odometer, loss = PrivacyOdometer(form="approximate"), pc.ConcentratedLoss(0.1)
    odometer.charge(loss, delta=1e-6)
    assert odometer.spent == ApproximateBudget(epsilon=loss.epsilon(1e-6), delta=1e-6)


def test_losses_without_a_finite_cost_are_refused_and_add_nothing() -> None:
    odometer = PrivacyOdometer(form="pure")
    with pytest.raises(UnavailableError, match="this loss has a delta, which a pure odometer does not count"):
        odometer.charge(pc.ApproximateLoss(1, 1e-9))
    with pytest.raises(UnavailableError, match="no finite epsilon"):
        odometer.charge(pc.ConcentratedLoss(1))
    with pytest.raises(WrongTypeError, match="PrivacyOdometer.charge takes a loss"):
        odometer.charge(1)  # type: ignore[arg-type]
    assert odometer.spent == pv.budget(epsilon=0)


def test_deltas_never_add_up_to_one() -> None:
    odometer = PrivacyOdometer(form="approximate")
    odometer.charge(pc.ApproximateLoss(1, 0.75))
    with pytest.raises(BudgetExceededError, match="the deltas would add up to one"):
        odometer.charge(pc.ApproximateLoss(1, 0.25))
    assert odometer.spent == pv.budget(epsilon=1, delta=0.75)


@given(st.lists(st.fractions(0, 1, max_denominator=10**6), max_size=30))
def test_the_total_is_exact(costs: list[Fraction]) -> None:
    odometer = PrivacyOdometer(form="pure")
    for cost in costs:
        odometer.charge(pc.PureLoss(cost))
    assert odometer.spent == pv.budget(epsilon=sum(costs, Fraction(0)))


def test_threads_lose_no_charge() -> None:
    odometer = PrivacyOdometer(form="pure")
    start = threading.Barrier(64)

    def spend() -> None:
        start.wait()
        for _ in range(20):
            odometer.charge(pc.PureLoss(Fraction(1, 3)))

    threads = [threading.Thread(target=spend) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert odometer.spent == pv.budget(epsilon=Fraction(64 * 20, 3))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_an_odometer_cannot_be_copied(duplicate: Any) -> None:
    with pytest.raises(WrongTypeError, match="an odometer cannot be copied"):
        duplicate(PrivacyOdometer(form="pure"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_copy_refuses() -> None:
    queryable = (YES_NO >> OdometerCompositor(form="pure", d_in=1))(True)
    process = os.fork()
    if process == 0:  # pragma: no cover - runs in the forked process
        try:
            queryable.ask(RESPONSE)
        except UnavailableError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 7


def wandering(queryable: Queryable) -> tuple[Any, ...]:
    """Decides by the answers how much to charge and when to stop; reads the total each time."""
    heard: list[Any] = []
    for step in range(4):
        truth = THREE if heard and heard[-1][0] else SIX
        answer = queryable.ask(YES_NO >> Flip(truth))
        heard.append((answer, queryable.ask("spent")))
        if step and answer:
            break
    return tuple(heard)


def interleaving(queryable: Queryable) -> tuple[Any, ...]:
    """Goes back to a child that was paid for before."""
    child = queryable.ask(YES_NO >> Flips(SIX, 2))
    heard = [(child.ask(SIX), queryable.ask("spent"))]
    heard.append((queryable.ask(YES_NO >> Flip(THREE if heard[0][0] else SIX)), queryable.ask("spent")))
    heard.append((child.ask(SIX), queryable.ask("spent")))
    return tuple(heard)


def check_every_path(unit: Any, adversary: Any) -> None:
    """Pure: on every path, and at every time, the likelihood ratio is at most e^spent."""
    chain = YES_NO >> unit
    for x, y in ((False, True), (True, False)):
        p, q = (distribution(lambda data=data: adversary(chain(data))) for data in (x, y))  # type: ignore[misc]
        for path in p:
            for stop in range(1, len(path) + 1):
                ratio = _prefix(p, path[:stop]) / _prefix(q, path[:stop])
                assert ratio <= exp_up(path[stop - 1][1].epsilon), "the total is below the loss of a path"


def _prefix(masses: dict[Any, Fraction], path: tuple[Any, ...]) -> Fraction:
    return sum((mass for other, mass in masses.items() if other[: len(path)] == path), Fraction(0))


@pytest.mark.parametrize("adversary", [wandering, interleaving])
def test_the_total_bounds_every_path_at_every_time(adversary: Any) -> None:
    check_every_path(OdometerCompositor(form="pure", d_in=1), adversary)


@frozen
class CountsAfterwards(TwinOf):
    """Tells the total without the last release."""

    def release(self, value: Any, space: Space) -> Queryable:
        inner = self.right.release(value, space)
        before = inner.ask("spent")

        def answer(question: Any) -> Any:
            nonlocal before
            if question == "spent":
                return before
            before = inner.ask("spent")
            return inner.ask(question)

        return Queryable(answer)


def test_a_twin_that_counts_afterwards_is_caught() -> None:
    with pytest.raises(AssertionError, match="below the loss of a path"):
        check_every_path(CountsAfterwards(OdometerCompositor(form="pure", d_in=1)), wandering)


@pytest.mark.parametrize("cap", [Fraction(1, 2), Fraction(1), Fraction(8, 5)])
@pytest.mark.parametrize("form", ["pure", "concentrated"])
def test_releases_within_a_cap_fixed_in_advance_cost_no_more(form: Any, cap: Fraction) -> None:
    unit = OdometerCompositor(form=form, d_in=1)

    def cut(heard: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(answer for answer, spent in heard if spent.point().cost <= cap)

    def exactly(value: Any, space: Space) -> Masses:
        found = distribution(lambda: cut(wandering((YES_NO >> unit)(value))))
        with precision(256):
            return Masses({outcome: ball(mass) for outcome, mass in found.items()}, ball(0))

    @frozen
    class Capped(TwinOf):
        def loss(self, d_in: Any, space: Space) -> Loss:
            return pc.PureLoss(cap) if form == "pure" else pc.ConcentratedLoss(cap)

    chain = YES_NO >> Capped(unit)
    check_loss(Case(name="cut", chain=chain, pairs=[(False, True), (True, False)], masses=exactly))


def test_the_books_odometer_starts_at_zero_and_shows_ln_3() -> None:
    queryable = (YES_NO >> OdometerCompositor(form="pure", d_in=1))(True)
    assert queryable.ask("spent") == pv.budget(epsilon=0)
    assert queryable.ask(RESPONSE) in (True, False)
    spent = queryable.ask("spent").epsilon
    assert float(spent) == pytest.approx(1.0986122886681098, abs=1e-15)
    assert spent == RESPONSE.map(1).epsilon()


def test_a_release_that_fails_was_charged() -> None:
    queryable = (YES_NO >> OdometerCompositor(form="pure", d_in=1))(True)
    with pytest.raises(ZeroDivisionError):
        queryable.ask((YES_NO >> RESPONSE) >> (lambda release: 1 // 0))
    assert queryable.ask("spent").epsilon == RESPONSE.map(1).epsilon()


def test_a_query_may_state_its_delta() -> None:
    space = pc.vector(int)
    queryable = (space >> OdometerCompositor(form="approximate", d_in=1))([1, 2])
    chain = space >> pc.Count() >> pc.Gaussian(scale=10)
    queryable.ask((chain, 1e-7))
    assert queryable.ask("spent") == ApproximateBudget(epsilon=chain.map(1).epsilon(1e-7), delta=1e-7)


def test_an_odometer_has_no_map() -> None:
    with pytest.raises(UnavailableError, match="an odometer has no bound in advance"):
        (YES_NO >> OdometerCompositor(form="pure", d_in=1)).map(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"form": "epsilon"}, "form must be one of pure, approximate, concentrated, renyi, gaussian, got 'epsilon'."),
        ({"form": "renyi"}, "order goes with form='renyi'"),
        ({"form": "pure", "order": 2}, "order goes with form='renyi'"),
        ({"form": "renyi", "order": 1}, "order must be above one, got 1."),
    ],
)
def test_wrong_forms_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        PrivacyOdometer(**arguments)
    with pytest.raises(InvalidError, match=message):
        OdometerCompositor(d_in=1, **arguments)


def test_wrong_queries_are_refused() -> None:
    queryable = (YES_NO >> OdometerCompositor(form="pure", d_in=1))(True)
    with pytest.raises(MismatchError, match="the space of OdometerCompositor"):
        queryable.ask(pc.vector(int) >> pc.Count() >> pc.Laplace(scale=1))
    with pytest.raises(WrongTypeError):
        YES_NO >> OdometerCompositor(form="pure", d_in=0.5)
