"""Turns: which of the queryables that came out of one compositor may still answer."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, final

from privet.core.queryable import Queryable
from privet.errors import UnavailableError


@final
class Turns:
    """Lets one child of a compositor answer at a time: the one that came out last.

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
        """Wait until the present child has answered, and end its turn; give the number of the next one."""
        with self._lock:
            if self._inside:  # the same thread, from within an answer of the child
                raise UnavailableError("a compositor cannot be asked from within an answer of its own child.")
            self._turn += 1
            return self._turn

    @contextmanager
    def during(self, turn: int) -> Iterator[None]:
        """Hold the turn for one answer, or refuse because it is over."""
        with self._lock:
            if turn != self._turn:
                raise UnavailableError(
                    "this queryable answers no more questions: its compositor was asked another one since. "
                    "Finish one before the next, or use a ConcurrentCompositor."
                )
            self._inside += 1
            try:
                yield
            finally:
                self._inside -= 1


Held = tuple[tuple[Turns, int], ...]


class _Around(threading.local):
    """The turns that a release in the making depends on."""

    held: Held = ()


_around = _Around()


def around() -> Held:
    """Give the turns of the compositors around the release that is being made in this thread."""
    return _around.held


@contextmanager
def within(held: Held) -> Iterator[None]:
    """Make a release that depends on these turns."""
    before = _around.held
    _around.held = held
    try:
        yield
    finally:
        _around.held = before


def hold(release: Any, held: Held) -> Any:
    """Tie every queryable in a release, and all that come out of it, to turns."""
    if isinstance(release, Queryable):
        return _held(release, held)
    if type(release) in (list, tuple):
        items = [hold(item, held) for item in release]
        same = all(item is before for item, before in zip(items, release, strict=True))
        return release if same else type(release)(items)
    if type(release) is dict:
        values = {key: hold(item, held) for key, item in release.items()}
        return release if all(values[key] is release[key] for key in release) else values
    return release


def _held(child: Queryable, held: Held) -> Queryable:
    def answer(question: Any) -> Any:
        with ExitStack() as turns:
            for owner, turn in held:
                turns.enter_context(owner.during(turn))
            return hold(child.ask(question), held)

    return Queryable(answer)
