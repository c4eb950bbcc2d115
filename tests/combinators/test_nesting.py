"""Compositors, filters and odometers inside each other."""

import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
import privet.calculus as pc
from privet.combinators.compositor import Compositor, ConcurrentCompositor
from privet.combinators.odometer import OdometerCompositor
from privet.combinators.privacy_filter import FilterCompositor
from privet.core.queryable import Queryable
from privet.errors import BudgetExceededError, UnavailableError
from tests.combinators.branches import YES_NO, Flip, check_conversation
from tests.laws import Case, check_parity

SMALL, LARGE = pc.RandomizedResponse(truth=0.55), pc.RandomizedResponse(truth=0.75)
SIX, THREE = Fraction(6, 10), Fraction(3, 4)


def capped(epsilon: Any) -> FilterCompositor:
    return FilterCompositor(budget=pv.budget(epsilon=epsilon), d_in=1)


def stated(*epsilons: Any) -> Compositor:
    return Compositor(losses=[pv.budget(epsilon=epsilon) for epsilon in epsilons], d_in=1)


def open_stated(*epsilons: Any) -> ConcurrentCompositor:
    return ConcurrentCompositor(losses=[pv.budget(epsilon=epsilon) for epsilon in epsilons], d_in=1)


def test_the_outermost_is_charged_the_whole_child_at_once() -> None:
    odometer = (YES_NO >> OdometerCompositor(form="pure", d_in=1))(True)
    compositor = odometer.ask(stated(1, 1.5))
    assert odometer.ask("spent") == pv.budget(epsilon=2.5)
    inner = compositor.ask(capped(1))
    inner.ask(SMALL)
    compositor.ask(LARGE)
    assert odometer.ask("spent") == pv.budget(epsilon=2.5), "what happens inside was paid for"


@pytest.mark.parametrize("form", ["column", "records", "masked"])
@pytest.mark.parametrize(
    "unit",
    [capped(10**9), stated(10**9), open_stated(10**9), OdometerCompositor(form="pure", d_in=1)],
    ids=lambda unit: type(unit).__name__,
)
def test_later_writes_do_not_reach_the_data(unit: Any, form: str) -> None:
    """The caller may go on writing to an array."""
    mine = np.zeros(1000, dtype=np.int64)
    brought: dict[str, tuple[Any, Any]] = {
        "column": (pc.vector(int), mine),
        "masked": (pc.vector(int), np.ma.MaskedArray(mine, mask=[True] + [False] * 999)),
        "records": (pc.records(a=int), {"a": mine}),
    }
    space, data = brought[form]
    queryable = (space >> unit)(data)
    mine[:] = 1
    column = space >> pc.Select(columns="a") if form == "records" else space
    total = column >> pc.Clamp(bounds=(0, 1)) >> pc.Sum() >> pc.Laplace(scale=1)
    assert queryable.ask(total) < 500


def test_the_books_filter_within_a_concurrent_compositor() -> None:
    compositor = (YES_NO >> open_stated(1.1, 1.1))(True)
    inner = compositor.ask(capped(1.1))
    inner.ask(pc.RandomizedResponse(truth=0.6))
    compositor.ask(LARGE)
    with pytest.raises(BudgetExceededError, match="takes no more queries"):
        compositor.ask(SMALL)
    assert inner.ask(SMALL) in (True, False), "the compositor is exhausted, its child is not"
    with pytest.raises(BudgetExceededError, match="is missing"):
        inner.ask(LARGE)


def test_the_same_filter_within_a_sequential_compositor_is_locked() -> None:
    compositor = (YES_NO >> stated(1.1, 1.1))(True)
    inner = compositor.ask(capped(1.1))
    inner.ask(pc.RandomizedResponse(truth=0.6))
    compositor.ask(LARGE)
    with pytest.raises(UnavailableError, match="has answered another query since"):
        inner.ask(SMALL)


@pytest.mark.parametrize("outer", [capped(2), stated(2), open_stated(2)], ids=lambda unit: type(unit).__name__)
@pytest.mark.parametrize("inner", [capped, stated, open_stated])
def test_a_child_larger_than_what_is_left_is_refused(outer: Any, inner: Any) -> None:
    queryable = (YES_NO >> outer)(True)
    with pytest.raises(BudgetExceededError):
        queryable.ask(inner(Fraction(201, 100)))
    child = queryable.ask(inner(2))
    with pytest.raises(BudgetExceededError):
        queryable.ask(SMALL)
    assert child.ask(LARGE) in (True, False)


@pytest.mark.parametrize("outer", [capped(2), stated(2), open_stated(2)], ids=lambda unit: type(unit).__name__)
def test_an_odometer_cannot_be_nested(outer: Any) -> None:
    queryable = (YES_NO >> outer)(True)
    with pytest.raises(UnavailableError, match="cannot be nested"):
        queryable.ask(OdometerCompositor(form="pure", d_in=1))
    assert queryable.ask(LARGE) in (True, False), "nothing was charged"


def test_a_child_that_is_stated_for_a_shorter_distance_is_refused() -> None:
    space = pc.vector(int)
    queryable = (space >> FilterCompositor(budget=pv.budget(epsilon=9), d_in=2))([1, 2, 3])
    with pytest.raises(pv.errors.InvalidError, match="Compositor.d_in is 1"):
        queryable.ask(space >> stated(1))
    assert queryable.ask("spent") == pv.budget(epsilon=0)


def test_forms_are_converted_on_the_way_in() -> None:
    queryable = (YES_NO >> FilterCompositor(budget=pv.budget(rho=1), d_in=1))(True)
    queryable.ask(stated(1))
    assert queryable.ask("spent").rho <= Fraction(1, 2)
    with pytest.raises(UnavailableError, match="no finite rho"):
        queryable.ask(FilterCompositor(budget=pv.budget(epsilon=1, delta=1e-6), d_in=1))
    renyi = FilterCompositor(budget=pv.budget(order=4, renyi=0.5), d_in=1)
    outer = (YES_NO >> FilterCompositor(budget=pv.budget(order=4, renyi=1), d_in=1))(True)
    outer.ask(renyi)
    outer.ask(renyi)
    assert outer.ask("remaining") == pv.budget(order=4, renyi=0)


def test_locks_reach_through_every_level() -> None:
    top = (YES_NO >> stated(3, 1))(True)
    levels = [top]
    for unit in (capped(3), open_stated(3), stated(3), capped(3)):
        levels.append(levels[-1].ask(unit))
    levels[-1].ask(LARGE)
    top.ask(SMALL)
    for level in levels[1:]:
        with pytest.raises(UnavailableError):
            level.ask(SMALL)


def test_a_lock_in_the_middle_leaves_the_rest_open() -> None:
    top = (YES_NO >> open_stated(2, 2))(True)
    left, right = top.ask(stated(1, 1)), top.ask(stated(1, 1))
    first = left.ask(capped(1))
    other = right.ask(capped(1))
    left.ask(SMALL)
    with pytest.raises(UnavailableError):
        first.ask(SMALL)
    assert other.ask(SMALL) in (True, False)


def deep(queryable: Queryable) -> Any:
    """A filter inside a compositor, all chosen by what was heard, as much as is granted."""
    heard: list[Any] = []
    inner = queryable.ask(YES_NO >> capped(1.2))
    for _ in range(3):
        try:
            heard.append(inner.ask(YES_NO >> Flip(THREE if heard and heard[-1] else SIX)))
        except BudgetExceededError:
            heard.append("refused")
    last = queryable.ask(YES_NO >> stated(0.5, 0.6))
    for _ in range(3):
        try:
            heard.append(last.ask(YES_NO >> Flip(SIX)))
        except BudgetExceededError:
            heard.append("refused")
    try:
        heard.append(inner.ask(YES_NO >> Flip(SIX)))
    except (BudgetExceededError, UnavailableError):
        heard.append("refused")
    return tuple(heard)


@pytest.mark.parametrize(
    "outer", [stated(1.2, 1.1), open_stated(1.2, 1.1), capped(2.3)], ids=lambda u: type(u).__name__
)
def test_a_nested_conversation_loses_no_more_than_the_outermost_loss(outer: Any) -> None:
    check_conversation(YES_NO >> outer, deep)


@pytest.mark.parametrize(
    "unit",
    [capped(2), stated(2), open_stated(2), OdometerCompositor(form="pure", d_in=1)],
    ids=lambda unit: type(unit).__name__,
)
def test_neighbours_behave_the_same(unit: Any) -> None:
    space = pc.vector(int)

    def count(queryable: Queryable) -> Any:
        return queryable.ask(space >> pc.Count() >> pc.Laplace(scale=1))

    check_parity(Case(name="a count", chain=(space >> unit) >> count), examples=200)


def test_threads_in_a_nested_filter_never_pass_the_outermost() -> None:
    top = (YES_NO >> capped(1))(True)
    cost = SMALL.map(1).epsilon()
    granted: list[Any] = []
    start = threading.Barrier(16)

    def spend() -> None:
        start.wait()
        while True:
            try:
                child = top.ask(capped(2 * cost))
            except BudgetExceededError:
                return
            try:
                for _ in range(3):
                    child.ask(SMALL)
                    granted.append(cost)
            except BudgetExceededError:
                continue

    threads = [threading.Thread(target=spend) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(granted) == 4 * cost, "two children of two questions each fit into one"
    assert top.ask("spent") == pv.budget(epsilon=4 * cost)
