"""What a PostgreSQL server must be to keep a ledger: its settings, and tables that nothing else acts on."""

from typing import TYPE_CHECKING, Any

from privet.errors import LedgerError

if TYPE_CHECKING:
    from psycopg import Connection

OLDEST = 140_000
TABLES = (
    "CREATE TABLE {schema}.entries (number bigint PRIMARY KEY, text text NOT NULL, hash text NOT NULL)",
    "CREATE TABLE {schema}.releases (number bigint PRIMARY KEY, text bytea NOT NULL)",
    "CREATE TABLE {schema}.head (number bigint NOT NULL, hash text NOT NULL)",
)

_SETTINGS: dict[str, tuple[str, ...]] = {
    "fsync": ("on",),
    "full_page_writes": ("on",),
    "synchronous_commit": ("on", "remote_apply"),
    "server_encoding": ("UTF8",),
    "client_encoding": ("UTF8",),
}
_READ = ", ".join(
    f"current_setting('{name}')" for name in (*_SETTINGS, "transaction_isolation", "transaction_read_only")
).replace(  # it holds until the commit, whatever file of settings the server reads meanwhile
    "current_setting('synchronous_commit')",
    "set_config('synchronous_commit', current_setting('synchronous_commit'), true)",
)
_SERVER = f"SELECT pg_is_in_recovery(), current_setting('server_version_num')::int, {_READ}"

# Rows of text, one for each fact about the relations of the schema. Names of system tables are found in pg_catalog
# alone, where search_path points. Constraints of kind 'n' repeat what the columns say, since version 18.
_FACTS = """
WITH ours AS (SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s)
SELECT concat_ws(' ', 'relation', c.relname, c.relkind, c.relpersistence, m.amname, c.relispartition,
                 c.relrowsecurity, c.relforcerowsecurity)
FROM ours c LEFT JOIN pg_am m ON m.oid = c.relam
UNION ALL
SELECT concat_ws(' ', 'column', c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
                 a.atthasdef, a.attidentity <> '')
FROM ours c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relkind <> 'i' AND a.attnum > 0
UNION ALL
SELECT concat_ws(' ', 'constraint', c.relname, pg_get_constraintdef(k.oid), k.convalidated)
FROM ours c JOIN pg_constraint k ON k.conrelid = c.oid WHERE k.contype <> 'n'
UNION ALL
SELECT concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid)
FROM ours c JOIN pg_index i ON i.indrelid = c.oid
UNION ALL SELECT 'trigger' FROM ours c JOIN pg_trigger t ON t.tgrelid = c.oid
UNION ALL SELECT 'rule' FROM ours c JOIN pg_rewrite r ON r.ev_class = c.oid
UNION ALL SELECT 'inheritance' FROM ours c JOIN pg_inherits i ON c.oid IN (i.inhrelid, i.inhparent)
"""
_COLUMNS = {
    "entries": ("number bigint", "text text", "hash text"),
    "releases": ("number bigint", "text bytea"),
    "head": ("number bigint", "hash text"),
}
_KEYED = ("entries", "releases")


def check_server(connection: "Connection[Any]", shown: str, isolation: str, read_only: str = "off") -> None:
    """Refuse a server that could lose what it reported as committed, or that is not the one to write to.

    Args:
        connection: A connection within a transaction.
        shown: The address, for messages.
        isolation: Which level of isolation must be in force.
        read_only: Whether the transaction must be read-only, as PostgreSQL says it: ``on`` or ``off``.
    """
    standby, version, *values = connection.execute(_SERVER).fetchall()[0]
    if standby:
        raise _refused(shown, "the server is a standby, which may lag behind. Give the address of the primary")
    if version < OLDEST:
        raise _refused(shown, f"PostgreSQL must be version {OLDEST // 10_000} or later, got {version // 10_000}")
    allowed = {**_SETTINGS, "transaction_isolation": (isolation,), "transaction_read_only": (read_only,)}
    for (name, right), value in zip(allowed.items(), values, strict=True):
        if value not in right:
            needed = " or ".join(right)
            raise _refused(shown, f"the server has {name} = {value}, and a ledger needs {name} = {needed}")


def check_tables(connection: "Connection[Any]", schema: str, shown: str) -> None:
    """Refuse tables other than ours, and all that could act on ours: triggers, rules, policies, heirs, indexes.

    Args:
        connection: A connection within a transaction that has locked the tables against such changes.
        schema: The schema of the ledger.
        shown: The address, for messages.
    """
    found = sorted(row[0] for row in connection.execute(_FACTS, (schema,)).fetchall())
    if found != sorted(_expected(schema)):
        raise _refused(
            shown,
            f"the schema {schema} holds something else than a ledger of this version of Privet, such as another table, "
            "a column, an index, a trigger or a rule. Take it away, or name another schema: ?schema=...",
        )


def _expected(schema: str) -> list[str]:
    facts = [f"relation {table} r p heap f f f" for table in _COLUMNS]
    for table, columns in _COLUMNS.items():
        facts += [f"column {table} {at} {column} t f f" for at, column in enumerate(columns, 1)]
    for table in _KEYED:
        facts += [
            f"relation {table}_pkey i p btree f f f",
            f"constraint {table} PRIMARY KEY (number) t",
            f"index CREATE UNIQUE INDEX {table}_pkey ON {schema}.{table} USING btree (number) t",
        ]
    return facts


def _refused(shown: str, reason: str) -> LedgerError:
    return LedgerError(f"the ledger {shown} cannot be used, so nothing was released: {reason}.")
