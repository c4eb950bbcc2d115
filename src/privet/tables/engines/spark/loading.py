"""Sources of Spark: frames and tables of a cluster, whose values are read as a codebook says, and public rows."""

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import Column, FileForm
from privet.tables.engines.sources import check_present
from privet.tables.engines.spark.dialect import DIALECT
from privet.tables.engines.spark.frame_plan import check_deterministic
from privet.tables.engines.spark.typed import GRAMMAR, fill
from privet.tables.engines.spark.writer import WRITER
from privet.tables.engines.typed_sql.loading import admit_value, held_kind, named_outputs, plain_rows
from privet.tables.engines.typed_sql.trees import Columns, Kind, Typed
from privet.tables.engines.typed_sql.withhold_errors import quietly
from privet.tables.vocabulary import identifier, source_type

_VALID = "TRY_VALIDATE_UTF8(CAST(v AS STRING))"
_VALID_BEFORE = """CASE WHEN ENCODE(DECODE(CAST(v AS BINARY), 'UTF-8'), 'UTF-8') = CAST(v AS BINARY)
    THEN CAST(v AS STRING) END"""  # before version 4 a wrong byte is decoded as another character


def frame_query(
    frame: Any, columns: Mapping[str, Column], name: str, source: exp.Table, version: tuple[int, ...]
) -> tuple[str, Columns]:
    """Write the query that reads a frame so that every value is a member of its column.

    Args:
        frame: A frame of Spark.
        columns: The columns to read.
        name: What to call it in messages.
        source: What the query calls the frame.
        version: That of Spark.
    """
    check_deterministic(frame, name)
    fields = quietly(
        lambda: frame.schema.fields,
        f"{name}: pyspark cannot read the types of the frame; select the columns of the codebook, and cast the others.",
    )
    types = {each.name: each.dataType.simpleString() for each in fields}
    if len(types) < len(fields):
        raise InvalidError(f"{name}: two columns of the frame have the same name; rename one of them.")
    check_present(name, list(types), columns)
    raw: dict[str, Typed] = {}
    values: dict[str, Typed] = {}
    for each, known in columns.items():
        plain = types[each].partition(" collate ")[0]
        read = source_type(f"{name}.{each}", plain, known, DIALECT.source_types)
        values[each] = admit_value(WRITER, f"{name}.{each}", each, read, known)
        raw[each] = _raw(each, types[each], held_kind(read), version)
    outputs, kinds = named_outputs(WRITER, values)
    rows = exp.Select(expressions=named_outputs(WRITER, raw)[0]).from_(source)
    inner = exp.Subquery(this=rows, alias=exp.TableAlias(this=identifier("s")))
    return exp.Select(expressions=outputs).from_(inner).sql(GRAMMAR), kinds


def _raw(name: str, kind: str, held: Kind, version: tuple[int, ...]) -> Typed:
    """Read a column in one of the types that there are here; texts that are not UTF-8 are null."""
    value: exp.Expr = exp.Column(this=identifier(name))
    if held == "decimal" or held in ("date", "boolean", "timestamp", "zoned timestamp"):
        return Typed(value, held)
    if held != "text":
        return Typed(WRITER.convert(value, held), held)
    if " collate " in kind:
        value = exp.Anonymous(this="collate", expressions=[value, exp.Literal.string("UTF8_BINARY")])
    return Typed(fill(_VALID if version >= (4, 0) else _VALID_BEFORE, v=value), "text")


def public_rows(
    source: Any, columns: Mapping[str, Column], name: str, form: FileForm
) -> tuple[list[tuple[Any, ...]], dict[str, str], list[exp.Expr], Columns]:
    """Read public rows in memory as every engine reads them: plain rows, their types, and what they are made into.

    Args:
        source: What the local engine can load.
        columns: The columns to read.
        name: What to call the table.
        form: How a text file is written.
    """
    rows, known = plain_rows(WRITER, source, columns, name, form)
    types: dict[str, str] = {}
    values: dict[str, Typed] = {}
    for place, (each, column) in enumerate(known.items()):
        plain = f"c{place}"
        types[plain] = {"text": "STRING", "real": "STRING", "boolean": "BOOLEAN"}.get(column.kind, "BIGINT")
        values[each] = _from_plain(exp.Column(this=identifier(plain)), column)
    return rows, types, *named_outputs(WRITER, values)


def _from_plain(value: exp.Expr, known: Column) -> Typed:
    if known.kind == "real":
        return Typed(WRITER.convert(value, "real"), "real")
    if known.kind in ("date", "timestamp"):
        return WRITER.spell("date_at" if known.kind == "date" else "timestamp_at", Typed(value, "integer"))
    return Typed(value, known.kind)  # type: ignore[arg-type] # lists were refused
