"""Errors of a server or cluster: what they say may quote data, so a message of ours takes its place."""

from collections.abc import Callable
from typing import TypeVar

from privet.errors import InvalidError

_T = TypeVar("_T")


def quietly(work: Callable[[], _T], message: str, error: type[Exception] = InvalidError) -> _T:
    """Run something and replace its error; raised outside of the handler, so that nothing of it is kept.

    Args:
        work: What to run.
        message: What to say instead.
        error: What to raise.

    >>> quietly(lambda: int("Alice"), "the query could not be run.")
    Traceback (most recent call last):
        ...
    privet.errors.InvalidError: the query could not be run.
    """
    try:
        return work()
    except Exception:  # noqa: BLE001, S110 - whatever it is, it may quote data
        pass
    raise error(message)
