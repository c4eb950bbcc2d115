"""Which store a ledger is kept in: a file, or a schema of a PostgreSQL server."""

import os
import re

from privet.errors import InvalidError
from privet.ledger.postgres import PostgresStore
from privet.ledger.postgres_address import SCHEMES
from privet.ledger.sqlite import SqliteStore
from privet.ledger.store import Store

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", flags=re.IGNORECASE | re.ASCII)
_WORDS = re.compile(r"\s*(host|hostaddr|port|dbname|user|service)\s*=", flags=re.ASCII)


def open_store(path: str | os.PathLike[str], *, must_exist: bool) -> Store:
    """Open the store that a path or an address names.

    Args:
        path: The path of a file, or an address such as ``postgresql://ann@host/budgets``.
        must_exist: Whether to refuse a ledger that is not there.
    """
    if isinstance(path, str) and path.startswith(SCHEMES):
        return PostgresStore(path, must_exist=must_exist)
    if isinstance(path, str) and (_ADDRESS.match(path) or _WORDS.match(path)):  # a file of this name is not meant
        raise InvalidError(
            "the address of a ledger on a server is written as postgresql://user@host/database; other servers and "
            "other forms of addresses are not known."
        )
    return SqliteStore(path, must_exist=must_exist)
