"""The nodes of a file: one key for each operation of a query.

A node is read as a call of the method that an analyst would call, so that a file can do nothing that a call cannot. To
add a node: one key here, and its class in ``_NAMES``.
"""

from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from math import isfinite
from typing import Any, final

from attrs import frozen

from privet.chains.transformation import Transformation, TransformationChain
from privet.errors import InvalidError
from privet.tables.codebook import scalars
from privet.tables.codebook.column import CodebookColumn
from privet.tables.codebook.column_keys import COLUMN, read_column, write_column
from privet.tables.codebook.null_keys import NUMBER, VALUE
from privet.tables.codebook.part import Key, Part, Values, make_one
from privet.tables.codebook.reader import TreeReader, name_of
from privet.tables.codebook.tree import Listing, Node, Scalar, describe_node
from privet.tables.codebook.write import Typed
from privet.tables.columns import LENGTHS, Kind
from privet.tables.engines.sources import from_rows
from privet.tables.expressions.bins import Binned
from privet.tables.expressions.node import Reference
from privet.tables.files.values import (
    COUNT,
    NAMES,
    NUMBERS,
    TEXT,
    TEXTS,
    Read,
    auto_schema,
    by_name,
    each,
    keep,
    or_auto,
    part_of,
    read_names,
    read_number_of,
    read_numbers,
    read_text,
    read_texts,
    read_whole,
    write_value,
)
from privet.tables.files.written import Unwritable, Words
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.from_table import FromTable
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.union_rows import UnionRows

ROWS_SCHEMA = {"$ref": "#/$defs/rows"}
_MOST_CELLS = 10_000  # values of a public table in a file
_CAPS = ("rows", "groups", "rows_per_group")
_NOT_YET = "files do not hold the node {} yet; where it comes from SQL, write the query that session.sql(...) gives."
_OTHER_ROWS = "Write with: {table: NAME}, with or without nodes."


@final
@frozen
class Call:
    """A node that was read.

    Args:
        node: Where it stands in the file.
        apply: Calls the method of a query.
    """

    node: Node
    apply: Callable[[Any], Any]


def _call(read: Read, apply: Callable[[Any, Any], Any]) -> Read:
    def read_call(reader: TreeReader, node: Node, known: Values) -> Call | None:
        value = read(reader, node, known)
        return None if value is None else Call(node, lambda query: apply(query, value))

    return read_call


def _read_rows(reader: TreeReader, node: Node, known: Values) -> Any:
    """Read another query of rows, within a join or a union."""
    return ROWS.read(reader, node, known)


BIN: Part[Values] = Part(
    "bins",
    (
        Key(name="column", read=read_text, schema=TEXT, missing="Write column: NAME."),
        Key(name="edges", read=read_numbers, schema=NUMBERS),
        Key(name="width", read=read_number_of, schema=NUMBER),
        Key(name="by", read=read_text, schema={"enum": list(LENGTHS)}),
        Key(name="into", read=read_text, schema=TEXT),
    ),
    keep,
)
SUMMARY: Part[Values] = Part(
    "summaries",
    (
        Key(name="by", read=read_names, schema=NAMES),
        Key(name="summaries", read=read_texts, schema=TEXTS, missing='Write summaries: {visits: "count(*)"}.'),
    ),
    keep,
)
JOIN: Part[Values] = Part(
    "a join",
    (
        Key(name="with", read=_read_rows, schema=ROWS_SCHEMA, missing=_OTHER_ROWS),
        Key(name="on", read=read_names, schema=NAMES),
        Key(name="rows", read=read_whole, schema=COUNT),
        Key(name="how", read=read_text, schema={"enum": ["inner", "left"]}),
    ),
    keep,
)
CAP: Part[Values] = Part(
    "caps",
    tuple(Key(name=name, read=or_auto(read_whole), schema=auto_schema(COUNT)) for name in _CAPS),
    keep,
)


def _read_cell(kind: Kind, label: str, node: Scalar) -> tuple[Any]:
    """Read a value of a public table, as a list of dictionaries holds it; in a tuple, since it may be None."""
    if node.missing:
        return (None,)
    value = scalars.value_of(label, kind, node)
    try:
        if kind in ("date", "timestamp"):
            return ((date if kind == "date" else datetime).fromisoformat(str(value)),)
        return (float(value) if kind == "real" else value,)
    except (ValueError, OverflowError):
        raise InvalidError(f"{label} must be a value of a {kind} column, got {describe_node(node)}.") from None


def _read_public(reader: TreeReader, node: Node, known: Values) -> list[dict[str, Any]] | None:
    """Read the rows of a public table: lists of values, in the order of its columns."""
    columns: dict[str, CodebookColumn] = known["columns"]

    def read_row(_: TreeReader, row: Node, __: Values) -> dict[str, Any] | None:
        if not isinstance(row, Listing) or len(row.items) != len(columns):
            message = f"{row.place.path} must be a list of {len(columns)} values, one for each column."
            reader.problems.add(row.place, message)
            return None
        kinds = [item.column.kind for item in columns.values()]
        cells = [reader.scalar(cell, partial(_read_cell, kind)) for cell, kind in zip(row.items, kinds, strict=True)]
        return {name: cell[0] for name, cell in zip(columns, cells, strict=True) if cell} if all(cells) else None

    rows: list[dict[str, Any]] | None = each(read_row)(reader, node, known)
    return rows


PUBLIC: Part[Values] = Part(
    "a public table",
    (
        Key(name="on", read=read_names, schema=NAMES, missing="Write on: [COLUMN]."),
        Key(
            name="columns",
            read=by_name(lambda reader, node, _: read_column(reader, node)),
            schema={"type": "object", "additionalProperties": COLUMN.schema()},
            missing="Describe the columns as a codebook does.",
        ),
        Key(
            name="rows",
            read=_read_public,
            schema={"type": "array", "items": {"type": "array", "items": {"anyOf": [VALUE, {"type": "null"}]}}},
            needs=("columns",),
            missing="Write rows: [[VALUE, ...], ...], in the order of the columns.",
        ),
    ),
    keep,
)


def _write_public(unit: JoinPublic, _: Values) -> object:
    public = unit.public
    if not isinstance(public.source, list) or len(public.source) * len(public.described) > _MOST_CELLS:
        return Unwritable(
            f"a file holds a public table of at most {_MOST_CELLS:,} values, given as a list of dictionaries; others "
            "cannot be written yet."
        )
    rows = from_rows(public.source, {name: item.column for name, item in public.described.items()}).to_pylist()
    return {
        "on": list(public.on),
        "columns": {name: write_column(item) for name, item in public.described.items()},
        "rows": [[_write_cell(value) for value in row.values()] for row in rows],
    }


def _write_cell(value: Any) -> object:
    if value is None:
        return Typed("null")
    if isinstance(value, float) and not isfinite(value):
        return Unwritable("files do not hold a public table with infinite numbers; leave them out.")
    return Typed(value.isoformat()) if isinstance(value, date) else write_value(value)


def _write_bin(unit: ProjectColumns, _: Values) -> object:
    name, value = _derived(unit)
    words = {key: write_value(item) for key, item in value.words.items()}
    return BIN.write({**words, "into": None if name == f"{words['column']}_bin" else name})


def _write_join(unit: JoinPersons, _: Values) -> object:
    words = {"with": write_rows(unit.second), "on": list(unit.on) or None, "rows": unit.rows, "how": unit.how}
    return JOIN.write(words)


def _derived(unit: ProjectColumns) -> tuple[str, Any]:
    """Give the column that a node derives: the only one that does not refer to a column as it is."""
    return next((name, value) for name, value in unit.outputs if not isinstance(value, Reference))


def _renamed(unit: ProjectColumns) -> Words:
    return {name: old.name for name, old in unit.outputs if isinstance(old, Reference) and old.name != name}


NODE: Part[Call] = Part(
    "a node",
    (
        Key(
            name="filter",
            read=_call(read_text, lambda query, text: query.filter(text)),
            write=lambda unit, _: str(unit.condition),
            schema=TEXT,
        ),
        Key(
            name="derive",
            read=_call(read_texts, lambda query, texts: query.derive(**texts)),
            write=lambda unit, _: {name: str(value) for name, value in [_derived(unit)]},
            schema=TEXTS,
        ),
        Key(
            name="bin",
            read=_call(part_of(BIN), lambda query, words: query.bin(words["column"], **_without(words, "column"))),
            write=_write_bin,
            schema=BIN.schema(),
        ),
        Key(
            name="select",
            read=_call(read_names, lambda query, names: query.select(*names)),
            write=lambda unit, _: [name for name, _ in unit.outputs],
            schema=NAMES,
        ),
        Key(
            name="rename",
            read=_call(read_texts, lambda query, names: query.rename(**names)),
            write=lambda unit, _: _renamed(unit),
            schema=TEXTS,
        ),
        Key(
            name="join_public",
            read=_call(
                part_of(PUBLIC),
                lambda query, words: query.join_public(words["rows"], words["columns"], on=words["on"]),
            ),
            write=_write_public,
            schema=PUBLIC.schema(),
        ),
        Key(
            name="join",
            read=_call(part_of(JOIN), lambda query, words: query.join(words["with"], **_without(words, "with"))),
            write=_write_join,
            schema=JOIN.schema(),
        ),
        Key(
            name="union",
            read=_call(_read_rows, lambda query, other: query.union(other)),
            write=lambda unit, _: write_rows(unit.second),
            schema=ROWS_SCHEMA,
        ),
        Key(
            name="summarize",
            read=_call(
                part_of(SUMMARY), lambda query, words: query.summarize(*words.get("by", ()), **words["summaries"])
            ),
            write=lambda unit, _: SUMMARY.write({"by": list(unit.keys) or None, "summaries": dict(unit.summaries)}),
            schema=SUMMARY.schema(),
        ),
        Key(
            name="cap",
            read=_call(part_of(CAP), lambda query, caps: query.cap(**caps)),
            write=lambda caps, _: CAP.write({name: write_value(most) for name, most in caps.items()}),
            schema=CAP.schema(),
        ),
    ),
    make_one("one of filter, derive, bin, select, rename, join_public, join, union, summarize and cap"),
)
_NAMES: dict[type, str] = {
    FilterRows: "filter",
    JoinPublic: "join_public",
    JoinPersons: "join",
    UnionRows: "union",
    SummarizePersons: "summarize",
}


def _without(words: Values, name: str) -> Words:
    return {key: value for key, value in words.items() if key != name}


def _read_nodes(reader: TreeReader, node: Node, known: Values) -> Any:
    """Read the nodes of a query, and add them to it one by one."""
    calls: list[Call] | None = each(NODE.read)(reader, node, known)
    query, good = known["table"], calls is not None
    for call in calls or ():
        after = reader.attempt(call.node, partial(call.apply, query))
        if after is None:
            good = False
            if not call.node.place.path.endswith((".filter", ".cap")):
                return None  # what follows may name its columns
        query = after or query
    return query if good else None


def _read_table(reader: TreeReader, node: Node, known: Values) -> Any:
    name = reader.scalar(node, name_of)
    return None if name is None else reader.attempt(node, lambda: known["door"].query(name))


ROWS_KEYS = (
    Key(name="table", read=_read_table, schema=TEXT, missing="Write table: NAME."),
    Key(
        name="nodes",
        read=_read_nodes,
        schema={"type": "array", "items": {"$ref": "#/$defs/node"}},
        needs=("table",),
    ),
)


def rows_of(values: Values) -> Any:
    """Give the query of rows that was read."""
    return values.get("nodes", values["table"])


ROWS: Part[Any] = Part("rows", ROWS_KEYS, lambda _, __, values: rows_of(values))


def _write_node(unit: Transformation) -> object:
    name = _NAMES.get(type(unit))
    if isinstance(unit, ProjectColumns) and unit.call is not None:
        name = "bin" if unit.call == "derive" and isinstance(_derived(unit)[1], Binned) else unit.call
    return NODE.write({name: unit}) if name else Unwritable(_NOT_YET.format(type(unit).__name__))


def write_rows(chain: TransformationChain, caps: Words | None = None) -> Words:
    """Write the table and the nodes of a query, and its caps as the last node.

    Args:
        chain: The nodes.
        caps: Caps that the query sets itself, by name.
    """
    begin, *more = (link.unit for link in chain.links)
    if isinstance(begin, JoinPersons | UnionRows):
        words = write_rows(begin.first)
        nodes = [*words.get("nodes", []), _write_node(begin)]
        table: object = words["table"]
    else:
        table, nodes = begin.name if isinstance(begin, FromTable) else _write_node(begin), []
    nodes += [_write_node(unit) for unit in more]
    nodes += [NODE.write({"cap": caps})] if caps else []
    return {"table": table, **({"nodes": nodes} if nodes else {})}
