"""One engine for tests that load what is in memory: starting another takes longer than most of them."""

import atexit
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from privet.tables.engines.duckdb import DuckDBEngine

_NUMBERS = count()


@cache
def one_engine() -> DuckDBEngine:
    """Give the engine of this process; after its first query it is locked and reads no files."""
    engine = DuckDBEngine(threads=1)
    atexit.register(one_engine.cache_clear)  # while the interpreter can still take it apart
    return engine


def engine_for(source: Any) -> AbstractContextManager[DuckDBEngine]:
    """Give an engine: to files one of their own, since they are read before the first query only."""
    return DuckDBEngine(threads=1) if isinstance(source, Path) else nullcontext(one_engine())


def fresh(name: str = "data") -> str:
    """Give a name that no table of the engine has."""
    return f"{name} {next(_NUMBERS)}"
