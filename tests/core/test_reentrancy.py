"""Turns: only the last child answers."""

import threading
from typing import Any

import pytest

from privet.core.queryable import Queryable
from privet.core.reentrancy import Turns, bind, enclosing_turns, within_turns
from privet.errors import UnavailableError


def test_only_the_last_turn_holds() -> None:
    turns = Turns()
    first, second = turns.advance(), turns.advance()
    with turns.during(second):
        pass
    with pytest.raises(UnavailableError, match="has answered another query since"), turns.during(first):
        pass


def test_a_turn_cannot_end_from_within() -> None:
    turns = Turns()
    now = turns.advance()
    with (
        turns.during(now),
        turns.during(now),
        pytest.raises(UnavailableError, match="while its own child is answering"),
    ):
        turns.advance()
    assert turns.advance() == now + 1


def test_advancing_waits_for_the_answer_in_another_thread() -> None:
    turns = Turns()
    now, order = turns.advance(), []
    inside, leave = threading.Event(), threading.Event()

    def answer() -> None:
        with turns.during(now):
            inside.set()
            leave.wait(10)
            order.append("answered")

    def move_on() -> None:
        turns.advance()
        order.append("advanced")

    threads = [threading.Thread(target=answer), threading.Thread(target=move_on)]
    threads[0].start()
    inside.wait(10)
    threads[1].start()
    leave.set()
    for thread in threads:
        thread.join()
    assert order == ["answered", "advanced"]


def test_releases_without_queryables_do_not_change() -> None:
    for release in (3, [1, 2], (1, [2]), {"a": 1}):
        assert bind(release, ()) is release


def test_queryables_that_a_child_releases_are_bound_too() -> None:
    turns = Turns()
    held = ((turns, turns.advance()),)
    child = bind(Queryable(lambda question: [Queryable(lambda inner: inner + 1)]), held)
    (grandchild,) = child.ask("any")
    assert grandchild.ask(1) == 2
    turns.advance()
    with pytest.raises(UnavailableError):
        grandchild.ask(1)


def test_the_turns_around_a_release_are_those_of_its_thread() -> None:
    seen: list[Any] = []
    held = ((Turns(), 0),)
    with within_turns(held):
        thread = threading.Thread(target=lambda: seen.append(enclosing_turns()))
        thread.start()
        thread.join()
        seen.append(enclosing_turns())
    assert seen == [(), held]
    assert enclosing_turns() == ()
