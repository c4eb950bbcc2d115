"""Which engine serves a session: that of the server where its tables lie, and the local one for everything else."""

from collections.abc import Mapping

from privet.errors import InvalidError
from privet.tables.engines import postgres_on_demand
from privet.tables.engines.default import open_engine
from privet.tables.engines.engine import Engine
from privet.tables.engines.server_sources import is_server_table


def open_engine_for(sources: Mapping[str, object], *, memory: str | None = None, threads: int | None = None) -> Engine:
    """Open an engine without tables for sources that it can load.

    Args:
        sources: The data of each table, by name.
        memory: How much memory to use; a server has settings of its own.
        threads: How many threads to use; likewise.
    """
    given = {name: source[0] for name, source in sources.items() if is_server_table(source)}  # type: ignore[index]
    if not given:
        return open_engine(memory=memory, threads=threads)
    first = next(iter(given.values()))
    if len(given) < len(sources) or any(each is not first and each != first for each in given.values()):
        raise InvalidError(
            "Session: all private tables must be of one connection to PostgreSQL, or none; load the others into the "
            "server, or give them as public tables."
        )
    if memory is not None or threads is not None:
        raise InvalidError(
            "Session: memory and threads are those of the local engine; a PostgreSQL server has settings of its own."
        )
    return postgres_on_demand.PostgresEngine(first)
