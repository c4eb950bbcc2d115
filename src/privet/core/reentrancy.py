"""Turns: which of the queryables that one compositor released may still answer."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, final

from privet.core.queryable import Queryable
from privet.errors import UnavailableError


@final
class Turns:
    """Lets only the most recent child of a compositor answer.

    >>> turns = Turns()
    >>> first = turns.advance()
    >>> second = turns.advance()
    >>> with turns.during(second):
    ...     pass
    """

    __slots__ = ("_inside", "_lock", "_turn")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._turn = 0
        self._inside = 0

    def advance(self) -> int:
        """Wait until the current child has answered, end its turn, and return the number of the next turn."""
        with self._lock:
            if self._inside:  # the same thread, while the child is answering
                raise UnavailableError("a compositor cannot answer while its own child is answering.")
            self._turn += 1
            return self._turn

    @contextmanager
    def during(self, turn: int) -> Iterator[None]:
        """Hold the turn during one answer; refuse if the turn is over."""
        with self._lock:
            if turn != self._turn:
                raise UnavailableError(
                    "this queryable answers no more queries: its compositor has answered another query since. "
                    "Finish one before the next, or use a ConcurrentCompositor."
                )
            self._inside += 1
            try:
                yield
            finally:
                self._inside -= 1


TurnNumbers = tuple[tuple[Turns, int], ...]
"""The turns that a release depends on, one for each compositor around it, with their numbers."""


class _Enclosing(threading.local):
    """The turns on which the current release of this thread depends."""

    turns: TurnNumbers = ()


_enclosing = _Enclosing()


def enclosing_turns() -> TurnNumbers:
    """Return the turns of the compositors that enclose the current release of this thread."""
    return _enclosing.turns


@contextmanager
def within_turns(turns: TurnNumbers) -> Iterator[None]:
    """Make a release that depends on these turns."""
    before = _enclosing.turns
    _enclosing.turns = turns
    try:
        yield
    finally:
        _enclosing.turns = before


def bind(release: Any, turns: TurnNumbers) -> Any:
    """Bind every queryable in a release, and every queryable that it releases later, to turns."""
    if isinstance(release, Queryable):
        return _bind_queryable(release, turns)
    if type(release) in (list, tuple):
        items = [bind(item, turns) for item in release]
        same = all(item is before for item, before in zip(items, release, strict=True))
        return release if same else type(release)(items)
    if type(release) is dict:
        values = {key: bind(item, turns) for key, item in release.items()}
        return release if all(values[key] is release[key] for key in release) else values
    return release


def _bind_queryable(child: Queryable, turns: TurnNumbers) -> Queryable:
    def answer(query: object) -> Any:
        with ExitStack() as stack:
            for compositor, turn in turns:
                stack.enter_context(compositor.during(turn))
            return bind(child.ask(query), turns)

    return Queryable(answer)
