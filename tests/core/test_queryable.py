"""Interactive releases."""

import copy
import os
import pickle
import threading
from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.errors import BudgetExceededError, UnavailableError, WrongTypeError


def adaptive(data: list[int]) -> pc.Queryable:
    """A compositor in a few lines: the analyst chooses each scale after seeing the answers before."""
    cap = pc.PrivacyFilter(pv.budget(epsilon=1))

    def answer(scale: Any) -> Any:
        chain = pc.vector(int, bounds=(0, 1)) >> pc.Sum() >> pc.Laplace(scale=scale)
        cap.charge(chain.map(1))
        return chain(data)

    return pc.Queryable(answer)


def test_queries_are_charged_before_they_are_answered() -> None:
    queryable = adaptive([1, 0, 1])
    assert isinstance(queryable.ask(2), int)
    assert isinstance(queryable.ask(2), int)
    with pytest.raises(BudgetExceededError):
        queryable.ask(100)


def test_queries_from_many_threads_never_pass_the_budget() -> None:
    queryable = adaptive([1])
    answered: list[int] = []

    def ask() -> None:
        for _ in range(5):
            try:
                answered.append(queryable.ask(10))
            except BudgetExceededError:
                return

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answered) == 10


def test_a_query_cannot_ask_the_queryable_that_answers_it() -> None:
    box: dict[str, pc.Queryable] = {}

    def ask_back(question: Any) -> Any:
        return box["it"].ask(question)

    queryable = box["it"] = pc.Queryable(ask_back)
    with pytest.raises(UnavailableError, match="cannot ask the queryable that is answering it"):
        queryable.ask("again")
    with pytest.raises(UnavailableError, match="cannot ask"):
        queryable.ask("and again")


def test_the_state_does_not_leave() -> None:
    queryable = adaptive([41])
    assert repr(queryable) == "Queryable(...)"
    for duplicate in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(WrongTypeError, match="cannot be copied or pickled"):
            duplicate(queryable)


def test_a_closed_queryable_answers_no_more() -> None:
    queryable = adaptive([1])
    queryable.close()
    with pytest.raises(UnavailableError, match="closed"):
        queryable.ask(1)


def test_another_process_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where no compositor is around: two copies of an above-threshold would say two times True."""
    watch = (pc.vector(int) >> pc.CountStream() >> pc.AboveThreshold(threshold=0, scale=1))([70] * 1000)
    home = os.getpid()
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(os, "getpid", lambda: home + 1)
        with pytest.raises(UnavailableError, match="a forked copy would answer twice"):
            watch.ask((60, None))
    assert watch.ask((60, None)) is True


def test_a_fork_while_another_thread_is_answered_refuses_and_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, leave, home = threading.Event(), threading.Event(), os.getpid()

    def slow(_question: Any) -> bool:
        inside.set()
        return leave.wait(10)

    queryable = pc.Queryable(slow)
    thread = threading.Thread(target=queryable.ask, args=("slow",))
    thread.start()
    inside.wait(10)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(os, "getpid", lambda: home + 1)
        with pytest.raises(UnavailableError, match="forked copy"):
            queryable.ask("while the lock is held")
    leave.set()
    thread.join()


def test_an_answer_is_a_function() -> None:
    with pytest.raises(WrongTypeError, match="must be a function of the question, got int"):
        pc.Queryable(3)  # type: ignore[arg-type]
