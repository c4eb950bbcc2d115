"""Queryables: releases that answer queries one at a time."""

import os
import threading
from collections.abc import Callable
from typing import Any, final

from privet.errors import UnavailableError, WrongTypeError


@final
class Queryable:
    """An interactive release: a private state that can only be read through its answers.

    A mechanism returns a queryable if the analyst chooses each query after seeing the earlier answers. It answers one
    query at a time, also from several threads. It cannot be copied, pickled or printed; in a forked process it answers
    nothing.

    Args:
        answer: A function of the query; it charges before it reads the data.

    >>> counter = iter(range(10))
    >>> queryable = Queryable(lambda query: next(counter))
    >>> queryable.ask("first"), queryable.ask("second")
    (0, 1)
    """

    __slots__ = ("_answer", "_busy", "_lock", "_process")

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        if not callable(answer):
            raise WrongTypeError(f"Queryable.answer must be a function of the question, got {type(answer).__name__}.")
        self._answer: Callable[[Any], Any] | None = answer
        self._busy = False
        self._lock = threading.RLock()
        self._process = os.getpid()

    def ask(self, question: Any) -> Any:
        """Answer one query."""
        if os.getpid() != self._process:  # before the lock, which another thread may have held at the fork
            raise UnavailableError(
                "this queryable belongs to the process that made it: a forked copy would answer twice for one charge."
            )
        with self._lock:
            if self._answer is None:
                raise UnavailableError("this queryable is closed and answers no more questions.")
            if self._busy:  # the state is half-way from one answer to the next
                raise UnavailableError("a question cannot ask the queryable that is answering it.")
            self._busy = True
            try:
                return self._answer(question)
            finally:
                self._busy = False

    def close(self) -> None:
        """Delete the state; every later query is refused."""
        if os.getpid() != self._process:  # a forked copy has one thread, and the lock may be held for ever
            self._answer = None
            return
        with self._lock:
            self._answer = None

    def __repr__(self) -> str:
        return "Queryable(...)"

    def __reduce__(self) -> Any:
        raise WrongTypeError("a queryable holds private state and cannot be copied or pickled.")
