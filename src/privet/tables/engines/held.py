"""Tables that an engine holds for the length of one answer, and drops again."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from privet.tables.engines.engine import Engine

_numbers = count(1)


@contextmanager
def temporary_tables(engine: Engine, *names: str) -> Iterator[tuple[str, ...]]:
    """Give names of tables that nobody used before; tables of these names are dropped at the end.

    Args:
        engine: Where they will be held.
        names: What they are for.
    """
    fresh = tuple(f"privet {name} {next(_numbers)}" for name in names)
    try:
        yield fresh
    finally:
        for name in fresh:
            engine.drop(name)
