"""Sources that lie elsewhere, in a server or a cluster, told from their types alone."""

_TEXTS = ("postgresql://", "postgres://")


def is_server_table(source: object) -> bool:
    """Tell whether a source is a pair of a connection to PostgreSQL, or the text of one, and the name of a table.

    >>> is_server_table(("postgresql://reader@host/clinic", "visits")), is_server_table("visits.csv")
    (True, False)
    """
    if not isinstance(source, tuple) or len(source) != 2:
        return False
    if isinstance(source[0], str):
        return source[0].startswith(_TEXTS) or "=" in source[0]
    return _home(source[0]) == "psycopg"


def is_spark_source(source: object) -> bool:
    """Tell whether a source is a DataFrame of Spark, or a pair of a session of Spark and the name of a table.

    >>> is_spark_source("visits.csv")
    False
    """
    if isinstance(source, tuple):
        return len(source) == 2 and isinstance(source[1], str) and _home(source[0]) == "pyspark"
    return _home(source) == "pyspark" and hasattr(source, "sparkSession")


def spark_session(source: object) -> object:
    """Give the session of Spark that a source belongs to."""
    return source[0] if isinstance(source, tuple) else source.sparkSession  # type: ignore[attr-defined]


def _home(value: object) -> str:
    return type(value).__module__.partition(".")[0]
