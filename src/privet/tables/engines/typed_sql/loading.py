"""Values of sources by their types, and public rows in memory, for engines that write SQL by types."""

import re
from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from privet.tables.columns import ISO, PLAIN_FILE, Column, FileForm
from privet.tables.engines.default import open_engine
from privet.tables.engines.typed_sql.translate import Scope, translate
from privet.tables.engines.typed_sql.trees import Kind, Typed
from privet.tables.engines.typed_sql.writer import Writer
from privet.tables.vocabulary import Source, admit, cast, column, number

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


def held_kind(source: Source) -> Kind:
    """Say what kind of value a type of a source holds."""
    return _HELD[source]


def admit_value(writer: Writer, label: str, name: str, source: Source, known: Column) -> Typed:
    """Write the value of a source, which is called ``s``, so that it is always a member of its column.

    Args:
        writer: The SQL of the engine.
        label: What to call the column in messages.
        name: Its name.
        source: What its type holds.
        known: What it is read as.
    """
    _check_notation(writer, label, source, known)
    scope = Scope({"s": {name: _HELD[source]}}, _no_query, writer)
    made = translate(admit(column(name, "s"), source, known), scope)
    kind: Kind = known.kind  # type: ignore[assignment] # lists were refused
    return made if made.kind == kind else translate(cast(admit(column(name, "s"), source, known), known.kind), scope)


def _check_notation(writer: Writer, label: str, source: Source, known: Column) -> None:
    """Refuse texts that other engines read by a parser of their own, and markers whose value they decide."""
    notation = known.notation
    in_format = notation.format and ISO not in notation.format
    if source == "text" and known.kind != "text" and not in_format and not notation.true_words:
        raise writer.refused(
            f"{label} holds texts, and texts are not read as {known.kind}",
            f"declare the column as text, convert it to {known.kind} in a view of the table, or state the format of a "
            "date or the words of a truth value.",
        )
    if known.kind in ("text", "boolean"):
        return
    for marker in notation.markers:
        if any(map(str.isdigit, marker)) and source != "text" and not _is_plain(marker, known):
            raise writer.refused(
                f"{label}: the missing value {marker!r} is not read as {known.kind}",
                "write it as -999, 0.5 or 1900-01-01, or make it null in a view of the table.",
            )


def _is_plain(marker: str, known: Column) -> bool:
    """Tell whether a missing value is written so that every engine reads the same value."""
    pattern = _MARKERS.get(known.kind)
    return pattern is not None and pattern.fullmatch(marker) is not None


def named_outputs(writer: Writer, values: Mapping[str, Typed]) -> tuple[list[exp.Expr], dict[str, Kind]]:
    """Give values as the outputs of a query, and their types.

    Args:
        writer: The SQL of the engine.
        values: The values, by the name of their column.
    """
    outputs: list[exp.Expr] = [exp.Alias(this=each.tree, alias=writer.name(name)) for name, each in values.items()]
    return outputs, {name: each.kind for name, each in values.items()}


def _no_query(_: object) -> Any:
    raise AssertionError("a value is read from its row alone")


def plain_rows(
    writer: Writer, source: Any, columns: Mapping[str, Column], name: str, form: FileForm = PLAIN_FILE
) -> tuple[list[tuple[Any, ...]], dict[str, Column]]:
    """Read public rows with the local engine, and give values that are written exactly, with what is known of them.

    Args:
        writer: The SQL of the engine that they are for.
        source: What the local engine can load.
        columns: The columns to read.
        name: What to call the table.
        form: How a text file is written.
    """
    local = open_engine(threads=1)
    try:
        loaded = local.load(source, columns, name, snapshot=True, form=form)
        plain = loaded.project({each: _plain(writer, each, known) for each, known in loaded.columns.items()})
        rows = local.execute(plain)
        return list(zip(*(rows[each] for each in columns), strict=True)), dict(loaded.columns)
    finally:
        local.close()


def _plain(writer: Writer, name: str, known: Column) -> tuple[exp.Expr, Column]:
    """Give a value as what is written exactly: reals by their text, dates and timestamps by their number."""
    value = column(name, "r")
    if known.kind in ("date", "timestamp"):
        return number(value, known), Column(kind="integer")
    if known.kind == "real":
        return cast(value, "text"), Column(kind="text")
    if known.kind == "list":
        raise writer.refused(f"{name!r} is a list, and lists are not read", "make a row for each item first.")
    return value, known
