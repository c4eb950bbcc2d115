"""The public table that a join names: one of the session, or data in memory."""

from collections.abc import Mapping
from typing import Any

from privet.errors import InvalidError
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.relations.public_table import PublicTable, public_table


def find_public(
    tables: PrivateTables, source: object, columns: Mapping[str, Any] | None, matched: tuple[str, ...]
) -> PublicTable:
    """Read a public table, so that its mistakes show now.

    Args:
        tables: The private tables, with the public ones of their session.
        source: Public data in memory, or the name of a public table of the session.
        columns: What they are; None for the types and values of the public table.
        matched: The columns to match.
    """
    known = tables.public
    if not isinstance(source, str) or not known:
        return public_table(source, columns, matched).read_by(tables.database.engine)
    if source not in known:
        raise InvalidError(f"join_public: there is no public table {source!r}; there are {', '.join(known)}.")
    if columns is not None:
        raise InvalidError("join_public: the session describes its public tables; leave columns=... out.")
    return known[source].matched_on(matched)
