"""Sources of PostgreSQL: tables of the server, whose values are read as a codebook says, and public rows in memory."""

import json
from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import Column, FileForm
from privet.tables.engines.postgres.connection import ReadOnlyConnection
from privet.tables.engines.postgres.dialect import DIALECT
from privet.tables.engines.postgres.typed import convert, fill, literal, name_of
from privet.tables.engines.postgres.writer import WRITER
from privet.tables.engines.sources import check_present
from privet.tables.engines.typed_sql.loading import admit_value, held_kind, named_outputs, plain_rows
from privet.tables.engines.typed_sql.trees import Columns, Kind, Typed, call
from privet.tables.vocabulary import source_type

_FOUND = """SELECT n.nspname, c.relname, c.relkind FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = pg_catalog.to_regclass(%s)"""
_COLUMNS = """SELECT a.attname, CASE WHEN t.typtype = 'e' THEN 'text' WHEN n.nspname = 'pg_catalog' THEN t.typname
        ELSE n.nspname || '.' || t.typname END
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
    WHERE a.attrelid = pg_catalog.to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""
_TABLES = ("r", "p", "v", "m")  # tables and views; a foreign table need not keep a snapshot


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
    values: dict[str, Typed] = {}
    for each, known in columns.items():
        read = source_type(f"{name}.{each}", types[each], known, DIALECT.source_types)
        values[each] = admit_value(WRITER, f"{name}.{each}", each, read, known)
    outputs, kinds = named_outputs(WRITER, values)
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
    return convert(value, held_kind(DIALECT.source_types[kind])) if kind in DIALECT.source_types else value


def public_rows(source: Any, columns: Mapping[str, Column], name: str, form: FileForm) -> tuple[exp.Query, Columns]:
    """Write public rows in memory into a query, read as every engine reads them.

    Args:
        source: What the local engine can load.
        columns: The columns to read.
        name: What to call the table.
        form: How a text file is written.
    """
    rows, known = plain_rows(WRITER, source, columns, name, form)
    values = {each: _from_json(place, column) for place, (each, column) in enumerate(known.items())}
    outputs, kinds = named_outputs(WRITER, values)
    listed = literal(json.dumps([list(row) for row in rows]), "text").tree
    rows_of = call("jsonb_array_elements", exp.Cast(this=listed, to=exp.DataType.build("JSONB")))
    inner = exp.Select(expressions=[exp.Alias(this=rows_of, alias=name_of("j"))]).offset(0)
    return exp.Select(expressions=outputs).from_(
        exp.Subquery(this=inner, alias=exp.TableAlias(this=name_of("s")))
    ), kinds


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
