"""Tables that an engine holds for the length of one release, and drops again."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from privet.tables.engines.engine import Engine

_numbers = count(1)


def fresh_name(purpose: str) -> str:
    """Give the name of a table that nobody used before."""
    return f"privet {purpose} {next(_numbers)}"


@contextmanager
def dropping(engine: Engine, names: Sequence[str]) -> Iterator[None]:
    """Drop tables at the end, whatever happens.

    Args:
        engine: Where they are held.
        names: Their names.
    """
    try:
        yield
    finally:
        for name in names:
            engine.drop(name)
