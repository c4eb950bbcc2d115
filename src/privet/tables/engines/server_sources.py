"""Sources that lie in a server, told from their types alone."""

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
    return type(source[0]).__module__.partition(".")[0] == "psycopg"
