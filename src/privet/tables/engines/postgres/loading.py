"""Sources of PostgreSQL: tables of the server, whose values are read as a codebook says, and public rows in memory."""

import json
import re
from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import ISO, Column, FileForm
from privet.tables.engines.default import open_engine
from privet.tables.engines.postgres.connection import ReadOnlyConnection
from privet.tables.engines.postgres.dialect import DIALECT
from privet.tables.engines.postgres.translate import Columns, Scope, translate
from privet.tables.engines.postgres.typed import Kind, Typed, call, convert, fill, literal, name_of, refused
from privet.tables.engines.sources import check_present
from privet.tables.vocabulary import Source, admit, cast, column, number, source_type

_FOUND = """SELECT n.nspname, c.relname, c.relkind FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = pg_catalog.to_regclass(%s)"""
_COLUMNS = """SELECT a.attname, CASE WHEN t.typtype = 'e' THEN 'text' WHEN n.nspname = 'pg_catalog' THEN t.typname
        ELSE n.nspname || '.' || t.typname END
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
    WHERE a.attrelid = pg_catalog.to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""
_TABLES = ("r", "p", "v", "m")  # tables and views; a foreign table need not keep a snapshot
_WHOLE, _DAY = re.compile("-?[0-9]{1,18}"), re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MARKERS = {"integer": _WHOLE, "real": re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,6})?"), "date": _DAY}
_HELD: dict[Source, Kind] = {
    "small": "integer",
    "decimal": "decimal",
    "float": "real",
    "boolean": "boolean",
    "text": "text",
    "date": "date",
    "timestamp": "timestamp",
    "zoned": "zoned timestamp",
}


def server_table(
    connection: ReadOnlyConnection, table: Any, columns: Mapping[str, Column], name: str
) -> tuple[exp.Query, Columns]:
    """Write the query that reads a table of the server so that every value is a member of its column.

    Args:
        connection: To the server.
        table: The name of the table, with or without its schema.
        columns: The columns to read.
        name: What to call the table in messages.
    """
    if not isinstance(table, str) or "\0" in table:
        raise InvalidError(f"{name}: the second of the pair must be the name of a table, got {type(table).__name__}.")
    found = connection.catalog(_FOUND, table)
    if not found or found[0][2] not in _TABLES:
        raise InvalidError(
            f"{name}: the connection has no table {table!r} that can be read; write 'schema.table', in double quotes "
            "where it has capitals."
        )
    types = column_types(connection, table)
    check_present(name, list(types), columns)
    outputs: list[exp.Expr] = []
    kinds: dict[str, Kind] = {}
    for each, known in columns.items():
        read = source_type(f"{name}.{each}", types[each], known, DIALECT.source_types)
        made = _admitted(f"{name}.{each}", each, read, known)
        kinds[each] = made.kind
        outputs.append(exp.Alias(this=made.tree, alias=name_of(each)))
    raw = [exp.Alias(this=_raw(each, types[each]), alias=name_of(each)) for each in columns]
    schema, own, _ = found[0]
    source = exp.Select(expressions=raw).from_(exp.Table(this=name_of(own), db=name_of(schema)))
    inner = exp.Subquery(this=source, alias=exp.TableAlias(this=name_of("s")))
    return exp.Select(expressions=outputs).from_(inner), kinds


def column_types(connection: ReadOnlyConnection, table: str) -> dict[str, str]:
    """Ask the server for the type of each column of a table."""
    return dict(connection.catalog(_COLUMNS, table))


def _raw(name: str, kind: str) -> exp.Expr:
    """Read a column of the server in one of the types that there are here."""
    value = exp.Column(this=name_of(name))
    return convert(value, _HELD[DIALECT.source_types[kind]]) if kind in DIALECT.source_types else value


def _admitted(label: str, name: str, source: Source, known: Column) -> Typed:
    _check_notation(label, source, known)
    scope = Scope({"s": {name: _HELD[source]}}, _no_query)
    made = translate(admit(column(name, "s"), source, known), scope)
    kind: Kind = known.kind  # type: ignore[assignment] # lists were refused
    return made if made.kind == kind else translate(cast(admit(column(name, "s"), source, known), known.kind), scope)


def _check_notation(label: str, source: Source, known: Column) -> None:
    """Refuse texts that other engines read by a parser of their own, and markers whose value they decide."""
    notation = known.notation
    in_format = notation.format and ISO not in notation.format
    if source == "text" and known.kind != "text" and not in_format and not notation.true_words:
        raise refused(
            f"{label} holds texts, and texts are not read as {known.kind}",
            f"declare the column as text, convert it to {known.kind} in a view of the table, or state the format of a "
            "date or the words of a truth value.",
        )
    if known.kind in ("text", "boolean"):
        return
    for marker in notation.markers:
        if any(map(str.isdigit, marker)) and source != "text" and not _is_plain(marker, known):
            raise refused(
                f"{label}: the missing value {marker!r} is not read as {known.kind}",
                "write it as -999, 0.5 or 1900-01-01, or make it null in a view of the table.",
            )


def _is_plain(marker: str, known: Column) -> bool:
    """Tell whether a missing value is written so that every engine reads the same value."""
    pattern = _MARKERS.get(known.kind)
    return pattern is not None and pattern.fullmatch(marker) is not None


def _no_query(_: object) -> Any:
    raise AssertionError("a value is read from its row alone")


def public_rows(source: Any, columns: Mapping[str, Column], name: str, form: FileForm) -> tuple[exp.Query, Columns]:
    """Write public rows in memory into a query, read as every engine reads them.

    Args:
        source: What the local engine can load.
        columns: The columns to read.
        name: What to call the table.
        form: How a text file is written.
    """
    local = open_engine(threads=1)
    try:
        loaded = local.load(source, columns, name, snapshot=True, form=form)
        plain = loaded.project({each: _plain(each, known) for each, known in loaded.columns.items()})
        rows = local.execute(plain)
        listed = json.dumps([list(row) for row in zip(*(rows[each] for each in columns), strict=True)])
    finally:
        local.close()
    outputs, kinds = [], {}
    for place, (each, known) in enumerate(loaded.columns.items()):
        made = _from_json(place, known)
        kinds[each] = made.kind
        outputs.append(exp.Alias(this=made.tree, alias=name_of(each)))
    rows_of = call("jsonb_array_elements", exp.Cast(this=literal(listed, "text").tree, to=exp.DataType.build("JSONB")))
    inner = exp.Select(expressions=[exp.Alias(this=rows_of, alias=name_of("j"))]).offset(0)
    return exp.Select(expressions=outputs).from_(
        exp.Subquery(this=inner, alias=exp.TableAlias(this=name_of("s")))
    ), kinds


def _plain(name: str, known: Column) -> tuple[exp.Expr, Column]:
    """Give a value as what JSON writes exactly: reals by their text, dates and timestamps by their number."""
    value = column(name, "r")
    if known.kind in ("date", "timestamp"):
        return number(value, known), Column(kind="integer")
    if known.kind == "real":
        return cast(value, "text"), Column(kind="text")
    if known.kind == "list":
        raise refused(f"{name!r} is a list, and lists are not read", "make a row for each item first.")
    return value, known


def _from_json(place: int, known: Column) -> Typed:
    item = fill("s.j ->> p", p=exp.Literal.number(place))
    if known.kind not in ("date", "timestamp"):
        kind: Kind = known.kind  # type: ignore[assignment]
        return Typed(convert(exp.Paren(this=item), kind), kind)
    whole = exp.Paren(this=convert(exp.Paren(this=item), "integer"))
    if known.kind == "date":
        return Typed(fill("DATE '1970-01-01' + v::int", v=whole), "date")
    body = """TIMESTAMP '1970-01-01' + MAKE_INTERVAL(days => (v / 86400000000)::int)
        + (v % 86400000000) * INTERVAL '1 microsecond'"""
    return Typed(fill(body, v=whole), "timestamp")
