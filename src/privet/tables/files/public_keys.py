"""The keys of the node ``join_public``: the values of a public table, or the name under which the session has it."""

import re
from math import isfinite
from typing import Any

from privet.tables.codebook.column import CodebookColumn
from privet.tables.codebook.column_keys import COLUMN, read_column, write_column
from privet.tables.codebook.null_keys import VALUE
from privet.tables.codebook.part import Key, Part, Values
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Node, Scalar
from privet.tables.codebook.write import Typed
from privet.tables.engines.sources import from_rows
from privet.tables.files.values import NAMES, TEXT, by_name, keep, read_lists, read_names, read_text, write_value
from privet.tables.files.written import Unwritable
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.relations.public_table import HeldRows

_CELL = {"anyOf": [VALUE, {"type": "null"}]}
_IS_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(T[\d:.]+Z?)?", flags=re.ASCII)
_MOST_CELLS = 10_000  # values of a public table in a file
_NO_TABLE = (
    f"a file holds a public table of up to {_MOST_CELLS:,} finite values, given as a list of dictionaries, or the name "
    "of a public table of the session, Session(..., public={...})."
)


def _read_source(reader: TreeReader, node: Node, known: Values) -> list[dict[str, Any]] | str | None:
    """Read the values of a public table by column, and give its rows; or its name in the session."""
    if isinstance(node, Scalar):
        name: str | None = read_text(reader, node, known)
        return name
    columns: dict[str, CodebookColumn] | None = known.get("columns")
    if columns is None:
        reader.problems.add(
            node.place, f"{node.place.path} needs columns beside it.", fix="Describe the columns as a codebook does."
        )
        return None
    lists = read_lists(reader, node, {name: item.column.kind for name, item in columns.items()})
    if lists is None:
        return None
    if len({len(values) for values in lists.values()}) > 1:
        reader.problems.add(node.place, f"{node.place.path} must have as many values in each column.")
        return None
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


PUBLIC: Part[Values] = Part(
    "a public table",
    (
        Key(
            name="columns",
            read=by_name(lambda reader, node, _: read_column(reader, node)),
            schema={"type": "object", "additionalProperties": COLUMN.schema()},
        ),
        Key(
            name="source",
            read=_read_source,
            schema={"anyOf": [TEXT, {"type": "object", "additionalProperties": {"type": "array", "items": _CELL}}]},
            needs=("columns",),
            missing="Write source: {COLUMN: [VALUE, ...]}, or the name of a public table of the session.",
        ),
        Key(name="on", read=read_names, schema=NAMES, missing="Write on: [COLUMN]."),
        Key(name="how", read=read_text, schema={"enum": ["inner", "left", "right"]}),
    ),
    keep,
)


def write_public(unit: JoinPublic, _: Values) -> object:
    """Write the values of a public table, or its name."""
    public = unit.public
    how = {} if unit.how == "inner" else {"how": unit.how}
    if public.name is not None and isinstance(public.source, HeldRows):
        return {"source": public.name, "on": list(public.on), **how}
    if not isinstance(public.source, list) or len(public.source) * len(public.described) > _MOST_CELLS:
        return Unwritable(_NO_TABLE)
    described = {name: item.column for name, item in public.described.items()}
    objects = from_rows(public.source, described)
    table = objects.table.to_pydict()
    columns = {name: write_column(item) for name, item in public.described.items()}
    source = {}
    for name, column in columns.items():
        texts = table[objects.texts[name]] if name in objects.texts else []
        if texts and (
            described[name].kind not in ("date", "timestamp") or any(each is not None for each in table[name])
        ):
            return Unwritable(_NO_TABLE)
        if not texts:
            column.pop("format", None)  # dates are written as ISO 8601 does
        # a date that was given as text is written without quotes, as any other date
        written = [Typed(value) if value and _IS_ISO.fullmatch(value) else _write_cell(value) for value in texts]
        source[name] = written if texts else [_write_cell(value) for value in table[name]]
    return {"columns": columns, "source": source, "on": list(public.on), **how}


def _write_cell(value: Any) -> object:
    if isinstance(value, float) and not isfinite(value):
        return Unwritable(_NO_TABLE)
    return Typed(value.isoformat()) if hasattr(value, "isoformat") else write_value([value])[0]
