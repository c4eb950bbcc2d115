"""Which engine serves a session: that of the server or cluster where its tables lie, the local one for all else."""

from collections.abc import Mapping

from privet.errors import InvalidError
from privet.tables.engines import postgres_on_demand, spark_on_demand
from privet.tables.engines.default import open_engine
from privet.tables.engines.engine import Engine
from privet.tables.engines.server_sources import is_server_table, is_spark_source, spark_session


def open_engine_for(sources: Mapping[str, object], *, memory: str | None = None, threads: int | None = None) -> Engine:
    """Open an engine without tables for sources that it can load.

    Args:
        sources: The data of each table, by name.
        memory: How much memory to use; a server or cluster has settings of its own.
        threads: How many threads to use; likewise.
    """
    in_spark = [spark_session(source) for source in sources.values() if is_spark_source(source)]
    in_server = [source[0] for source in sources.values() if is_server_table(source)]  # type: ignore[index]
    if not in_spark and not in_server:
        return open_engine(memory=memory, threads=threads)
    place, what = ("Spark", "application of Spark") if in_spark else ("PostgreSQL", "connection to PostgreSQL")
    first, *others = in_spark or in_server
    if len(others) + 1 < len(sources) or not all(_is_same(each, first) for each in others):
        raise InvalidError(
            f"Session: all private tables must be of one {what}, or none; load the others there, or give them as "
            "public tables."
        )
    if memory is not None or threads is not None:
        raise InvalidError(f"Session: memory and threads are of the local engine; {place} has settings of its own.")
    return spark_on_demand.SparkEngine(first) if in_spark else postgres_on_demand.PostgresEngine(first)


def _is_same(one: object, other: object) -> bool:
    """Tell whether two sessions or connections reach the same tables; an application of Spark has many sessions."""
    contexts = [getattr(each, "sparkContext", None) for each in (one, other)]
    return one is other or one == other or (contexts[0] is not None and contexts[0] is contexts[1])
