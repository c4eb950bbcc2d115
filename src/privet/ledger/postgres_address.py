"""The address of a ledger on a PostgreSQL server: what to connect to, which schema, and what may be shown of it."""

import re
from collections.abc import Mapping
from typing import Any, final
from urllib.parse import quote, unquote

from attrs import field, frozen

from privet.errors import InvalidError, UnavailableError

SCHEMES = ("postgresql://", "postgres://")
_SCHEMA = "privet_ledger"  # where none is named
_NAME = re.compile(r"(?!pg_|information_schema\Z)[a-z_][a-z0-9_]{0,62}", flags=re.ASCII)
_WAIT = "30"  # seconds until a connection counts as failed
_DEFAULTS = {  # a server that is cut off must end a charge with an error, not with silence
    "connect_timeout": _WAIT,
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": f"{_WAIT}000",
    "application_name": "privet ledger",
}
_MISSING = (
    "a ledger on a PostgreSQL server needs psycopg, which is not installed; install it with "
    "pip install 'privet[postgres]'."
)


@final
@frozen(kw_only=True)
class PostgresAddress:
    """Where a ledger is.

    Args:
        parameters: What the connection is opened with; it may hold a password.
        schema: The schema that holds the ledger and nothing else.
        shown: The address without secrets, for messages.
    """

    parameters: Mapping[str, Any] = field(repr=False)
    schema: str
    shown: str


def read_address(text: str) -> PostgresAddress:
    """Read an address such as ``postgresql://ann@host/budgets?schema=clinic``.

    No message quotes it: a part of a password can stand anywhere in an address that is written wrongly.
    """
    try:
        from psycopg import Error
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise UnavailableError(_MISSING) from None
    address, schema = _take_schema(text)
    try:
        given: dict[str, Any] | None = dict(conninfo_to_dict(address))
    except (Error, ValueError):
        given = None
    if given is None or not _readable(given):  # raised here, so that nothing of the error is kept
        raise InvalidError(
            "the address of the ledger cannot be read. Write postgresql://user@host/database, with special characters "
            "as in %40; a password is better kept in a password file (.pgpass)."
        )
    return PostgresAddress(
        parameters={**_DEFAULTS, **given, "client_encoding": "UTF8"}, schema=schema, shown=_describe(given, schema)
    )


def _readable(given: Mapping[str, Any]) -> bool:
    """Say whether an address has plain names: others come of a password with an @ or a / that stands as it is."""
    host, port, database = (str(given.get(name, "")) for name in ("host", "port", "dbname"))
    return (
        re.fullmatch(r"[0-9,]*", port, flags=re.ASCII) is not None
        and re.fullmatch(r"[\w.:,/ -]*", host) is not None
        and re.search(r"[@:/?]", database) is None
    )


def _take_schema(text: str) -> tuple[str, str]:
    """Part the schema, which is ours, from the address, which is the library's."""
    address, mark, query = text.rpartition("?")
    if not mark:
        return text, _SCHEMA
    words = query.split("&")
    named = [unquote(each.removeprefix("schema=")) for each in words if each.startswith("schema=")]
    if len(named) > 1 or not all(_NAME.fullmatch(each) for each in named):
        raise InvalidError(
            "the address of a ledger names one schema, of small letters, digits and underscores, such as "
            "postgresql://user@host/database?schema=clinic."
        )
    others = "&".join(each for each in words if not each.startswith("schema="))
    return f"{address}?{others}" if others else address, named[0] if named else _SCHEMA


def _describe(given: Mapping[str, Any], schema: str) -> str:
    hosts, ports = str(given.get("host", "")), str(given.get("port", ""))
    user = f"{quote(str(given['user']), safe='')}@" if "user" in given else ""
    plain = "/" not in hosts and "," not in hosts + ports
    host = f"[{hosts}]" if ":" in hosts else quote(hosts, safe="")
    server = f"{host}{':' if ports else ''}{ports}" if plain else ""
    more = {
        **({} if plain else {"host": hosts, **({"port": ports} if ports else {})}),
        **({"service": given["service"]} if "service" in given else {}),
        **({} if schema == _SCHEMA else {"schema": schema}),
    }
    query = "&".join(f"{name}={quote(str(value), safe=',/')}" for name, value in more.items())
    database = quote(str(given.get("dbname", "")), safe="")
    return f"postgresql://{user}{server}/{database}{'?' if query else ''}{query}"
