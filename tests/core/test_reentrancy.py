"""Turns: only the last child answers."""

import threading
from typing import Any

import pytest

from privet.core.queryable import Queryable
from privet.core.reentrancy import Turns, around, hold, within
from privet.errors import UnavailableError


def test_only_the_last_turn_holds() -> None:
    turns = Turns()
    first, second = turns.advance(), turns.advance()
    with turns.during(second):
        pass
    with pytest.raises(UnavailableError, match="was asked another one since"), turns.during(first):
        pass


def test_a_turn_cannot_end_from_within() -> None:
    turns = Turns()
    now = turns.advance()
    with turns.during(now), turns.during(now), pytest.raises(UnavailableError, match="from within an answer"):
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


def test_releases_without_queryables_are_handed_on_as_they_are() -> None:
    for release in (3, [1, 2], (1, [2]), {"a": 1}):
        assert hold(release, ()) is release


def test_what_comes_out_of_a_child_is_held_too() -> None:
    turns = Turns()
    held = ((turns, turns.advance()),)
    child = hold(Queryable(lambda question: [Queryable(lambda inner: inner + 1)]), held)
    (grandchild,) = child.ask("any")
    assert grandchild.ask(1) == 2
    turns.advance()
    with pytest.raises(UnavailableError):
        grandchild.ask(1)


def test_the_turns_around_a_release_are_those_of_its_thread() -> None:
    seen: list[Any] = []
    held = ((Turns(), 0),)
    with within(held):
        thread = threading.Thread(target=lambda: seen.append(around()))
        thread.start()
        thread.join()
        seen.append(around())
    assert seen == [(), held]
    assert around() == ()
