"""Children of compositors: who may answer when, at any depth, in any thread, in which process."""

import os
import threading
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.forms import PureForm
from privet.chains.measurement import Measurement
from privet.combinators.compositor import Compositor, ConcurrentCompositor
from privet.combinators.measure_conversion import MeasureConversion
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.errors import BudgetExceededError, UnavailableError
from tests.combinators.branches import YES_NO
from tests.mechanisms.twins import TwinOf

THREE = Fraction(3, 4)
LN3 = pc.RandomizedResponse(truth=THREE).map(1)
ONE = pv.budget(epsilon=1)
RESPONSE = pc.RandomizedResponse(truth=0.55)
TWO = Compositor(losses=[ONE, ONE], d_in=1)


def check_turns(unit: Measurement) -> None:
    """Two interactive children: the first is refused once the second is there."""
    queryable = (YES_NO >> unit)(True)
    first = queryable.ask(Compositor(losses=[ONE], d_in=1))
    queryable.ask(Compositor(losses=[ONE], d_in=1))
    with pytest.raises(UnavailableError):
        first.ask(RESPONSE)


@frozen
class LeavesChildrenOpen(TwinOf):
    """Forgets to end the turn of the child before."""

    def release(self, value: Any, space: Space) -> Queryable:
        unit: Any = self.right
        return ConcurrentCompositor(losses=unit.losses, d_in=unit.d_in).release(value, space)


def test_a_twin_that_leaves_children_open_is_caught() -> None:
    check_turns(TWO)
    with pytest.raises(pytest.fail.Exception):
        check_turns(LeavesChildrenOpen(TWO))


def test_the_next_query_locks_the_previous_child() -> None:
    queryable = (YES_NO >> Compositor(losses=[(pv.budget(epsilon=3), 3)], d_in=1))(True)
    first = queryable.ask(Compositor(losses=[ONE, ONE], d_in=1))
    first.ask(RESPONSE)
    with pytest.raises(BudgetExceededError):
        queryable.ask(pc.RandomizedResponse(truth=0.999999))
    first.ask("remaining")  # a refused question ends no turn
    second = queryable.ask(Compositor(losses=[ONE, ONE], d_in=1))
    with pytest.raises(UnavailableError, match="its compositor has answered another query since"):
        first.ask(RESPONSE)
    second.ask(RESPONSE)
    queryable.ask(RESPONSE)
    with pytest.raises(UnavailableError):
        second.ask(RESPONSE)


def test_the_last_child_of_an_exhausted_compositor_still_answers() -> None:
    queryable = (YES_NO >> Compositor(losses=[ONE], d_in=1))(True)
    child = queryable.ask(Compositor(losses=[pv.budget(epsilon=0.5), pv.budget(epsilon=0.5)], d_in=1))
    with pytest.raises(BudgetExceededError):
        queryable.ask(RESPONSE)
    assert child.ask(RESPONSE) in (True, False)


def test_concurrent_children_stay_open() -> None:
    queryable = (YES_NO >> ConcurrentCompositor(losses=[ONE, ONE], d_in=1))(True)
    first = queryable.ask(Compositor(losses=[pv.budget(epsilon=0.5), pv.budget(epsilon=0.5)], d_in=1))
    queryable.ask(RESPONSE)
    assert first.ask(RESPONSE) in (True, False)


def test_grandchildren_are_locked_too() -> None:
    outer = (YES_NO >> Compositor(losses=[(pv.budget(epsilon=3), 2)], d_in=1))(True)
    middle = outer.ask(ConcurrentCompositor(losses=[ONE, ONE], d_in=1))
    kept: list[Queryable] = []

    def keep(release: Queryable) -> Queryable:
        kept.append(release)
        return release

    kept.append(middle.ask((YES_NO >> Compositor(losses=[(pv.budget(epsilon=0.3), 3)], d_in=1)) >> keep))
    assert len(kept) == 2
    for grandchild in kept:
        grandchild.ask(RESPONSE)
    outer.ask(RESPONSE)
    for descendant in (middle, *kept):
        with pytest.raises(UnavailableError, match="has answered another query since"):
            descendant.ask(RESPONSE)


def test_a_function_after_the_query_may_ask_the_new_child_only() -> None:
    queryable = (YES_NO >> Compositor(losses=[ONE, ONE], d_in=1))(True)
    small = Compositor(losses=[pv.budget(epsilon=0.5)], d_in=1)
    assert queryable.ask((YES_NO >> small) >> (lambda child: child.ask(RESPONSE))) in (True, False)
    with pytest.raises(UnavailableError, match="cannot ask the queryable that is answering it"):
        queryable.ask((YES_NO >> small) >> (lambda child: queryable.ask(RESPONSE)))


def test_a_child_cannot_advance_its_own_parent() -> None:
    queryable = (YES_NO >> Compositor(losses=[(ONE, 3)], d_in=1))(True)
    child = queryable.ask(Compositor(losses=[ONE], d_in=1))
    with pytest.raises(UnavailableError, match="while its own child is answering"):
        child.ask((YES_NO >> RESPONSE) >> (lambda release: queryable.ask(RESPONSE)))
    assert queryable.ask("remaining") == ((ONE, 2),)


def test_above_threshold_is_a_child() -> None:
    space = pc.vector(int)
    counts = space >> pc.CountStream() >> pc.AboveThreshold(threshold=200, scale=3)
    queryable = (space >> Compositor(losses=[(pv.budget(epsilon=0.5), 2)], d_in=1))([70] * 1000)
    first = queryable.ask(counts)
    assert first.ask((0, 30)) is False
    second = queryable.ask(counts)
    with pytest.raises(UnavailableError, match="has answered another query since"):
        first.ask((60, None))
    assert second.ask((60, None)) is True


@pytest.mark.parametrize("wrap", [list, tuple, lambda items: {"a": items[0], "b": [items[1]]}])
def test_children_in_containers_are_locked(wrap: Any) -> None:
    @frozen
    class Several(TwinOf):
        def release(self, value: Any, space: Space) -> Any:
            return wrap([Queryable(lambda question: 1), Queryable(lambda question: 2)])

    queryable = (YES_NO >> Compositor(losses=[(LN3, 2)], d_in=1))(True)
    found = queryable.ask(YES_NO >> Several(pc.RandomizedResponse(truth=THREE)))
    children = [found["a"], found["b"][0]] if isinstance(found, dict) else list(found)
    assert [child.ask(0) for child in children] == [1, 2]
    queryable.ask(pc.RandomizedResponse(truth=THREE))
    for child in children:
        with pytest.raises(UnavailableError):
            child.ask(0)


def test_no_answer_of_a_child_comes_after_its_turn() -> None:
    """Threads ask children while another moves the compositor on: whoever is late is refused."""
    queryable = (YES_NO >> Compositor(losses=[(LN3, 41)], d_in=1))(True)
    turn = 0

    @frozen
    class Counting(TwinOf):
        def release(self, value: Any, space: Space) -> Any:
            nonlocal turn
            turn += 1
            return Queryable(lambda question: turn)

    chain = YES_NO >> Counting(pc.RandomizedResponse(truth=THREE))
    late: list[int] = []
    current = [(1, queryable.ask(chain))]
    stop = threading.Event()

    def hammer() -> None:
        while not stop.is_set():
            number, child = current[0]
            try:
                if child.ask(0) != number:
                    late.append(number)
            except UnavailableError:
                continue

    threads = [threading.Thread(target=hammer) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(2, 42):
        current[0] = (number, queryable.ask(chain))
    stop.set()
    for thread in threads:
        thread.join()
    assert late == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_copy_refuses() -> None:
    queryable = (YES_NO >> ConcurrentCompositor(losses=[ONE, ONE], d_in=1))(True)
    child = queryable.ask(Compositor(losses=[ONE], d_in=1))
    process = os.fork()
    if process == 0:  # pragma: no cover - runs in the forked process
        refused = 0
        for asked in (queryable, child):
            try:
                asked.ask(RESPONSE)
            except UnavailableError:
                refused += 1
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 2
    assert child.ask(RESPONSE) in (True, False)


def test_a_function_inside_a_query_cannot_keep_an_open_child() -> None:
    """It follows the inner mechanism, so it sees the child before the compositor does."""
    kept: list[Queryable] = []

    def keep(child: Queryable) -> Queryable:
        kept.append(child)
        return child

    inner = YES_NO >> Compositor(losses=[ONE], d_in=1) >> keep
    queryable = (YES_NO >> TWO)(True)
    queryable.ask(MeasureConversion(measurement=inner, to=PureForm()))
    queryable.ask(RESPONSE)
    with pytest.raises(UnavailableError, match="has answered another query since"):
        kept[0].ask(RESPONSE)
