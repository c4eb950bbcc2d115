"""The nodes of a file: one key for each method of a query.

A node is read as a call of the method, with the arguments of the method as keys, so that a file can do nothing that a
call cannot. To add a node: one key here, and its class in ``_METHODS``.
"""

from collections.abc import Callable
from functools import partial
from operator import methodcaller
from typing import Any

from privet.chains.transformation import Transformation, TransformationChain
from privet.tables.codebook.cap_keys import CAPS_BY_SCHEMA, read_caps_by, write_caps_by
from privet.tables.codebook.null_keys import NUMBER, VALUE
from privet.tables.codebook.part import Key, Part, Values, make_one
from privet.tables.codebook.reader import TreeReader, name_of
from privet.tables.codebook.tree import Listing, Mapping, Node
from privet.tables.columns import LENGTHS
from privet.tables.expressions import Binned, Reference
from privet.tables.files.impute_keys import IMPUTE, write_impute
from privet.tables.files.public_keys import PUBLIC, write_public
from privet.tables.files.several_rows_keys import SPLIT, UNNEST, write_split, write_unnest
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
    read_names,
    read_number_of,
    read_numbers,
    read_plain,
    read_text,
    read_texts,
    read_whole,
    write_value,
)
from privet.tables.files.written import Unwritable, Words
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.from_table import FromTable
from privet.tables.nodes.impute_column import ImputeColumn
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.resize_rows import ResizeRows
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.summarize_by_function import SummarizeByFunction
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.nodes.unnest_list import UnnestList

_ROWS = {"$ref": "#/$defs/rows"}
_NOT_YET = "files do not hold the node {} yet; where it comes from SQL, write the query that session.sql(...) gives."
_NO_FUNCTION = "a file holds no functions of Python; keep a query with summarize_with(...) in Python."


def _call(method: str, read: Read) -> Read:
    """Read the arguments of a method: one, a list of them, or arguments by name."""

    def read_call(reader: TreeReader, node: Node, known: Values) -> Callable[[Any], Any] | None:
        value = read(reader, node, known)
        if value is None or isinstance(value, methodcaller):
            return value
        if isinstance(value, dict):
            return methodcaller(method, **value)
        return methodcaller(method, *value) if isinstance(value, list) else methodcaller(method, value)

    return read_call


def _read_table(reader: TreeReader, node: Node, known: Values) -> Any:
    name = reader.scalar(node, name_of)
    return None if name is None else reader.attempt(node, lambda: known["door"].query(name))


def _read_nodes(reader: TreeReader, node: Node, known: Values) -> Any:
    """Read the nodes of a query, and add them to it one by one."""
    calls = each(NODE.read)(reader, node, known)
    query, good = known["table"], calls is not None
    for item, call in zip(node.items if isinstance(node, Listing) else (), calls or (), strict=False):
        after = reader.attempt(item, partial(call, query))
        good = good and after is not None
        if after is None and not (isinstance(item, Mapping) and {"filter", "cap"} & set(item.items)):
            break  # what follows may name its columns
        query = after or query
    return query if good else None


def rows_of(values: Values) -> Any:
    """Give the query of rows that was read."""
    return values.get("nodes", values["table"])


ROWS_KEYS = (
    Key(name="table", read=_read_table, schema=TEXT, missing="Write table: NAME."),
    Key(name="nodes", read=_read_nodes, schema={"type": "array", "items": {"$ref": "#/$defs/node"}}, needs=("table",)),
)
ROWS: Part[Any] = Part("rows", ROWS_KEYS, lambda _, __, values: rows_of(values))
BIN: Part[Values] = Part(
    "bins",
    (
        Key(name="name", read=read_text, schema=TEXT, missing="Write name: COLUMN."),
        Key(name="edges", read=read_numbers, schema=NUMBERS),
        Key(name="width", read=read_number_of, schema=NUMBER),
        Key(name="by", read=read_text, schema={"enum": list(LENGTHS)}),
        Key(name="into", read=read_text, schema=TEXT),
    ),
    keep,
)
SUMMARY: Part[Any] = Part(
    "summaries",
    (
        Key(name="keys", read=read_names, schema=NAMES),
        Key(name="summaries", read=read_texts, schema=TEXTS, missing='Write summaries: {visits: "count(*)"}.'),
    ),
    lambda _, __, values: methodcaller("summarize", *values.get("keys", ()), **values["summaries"]),
)
JOIN: Part[Values] = Part(
    "a join",
    (
        Key(name="other", read=ROWS.read, schema=_ROWS, missing="Write other: {table: NAME}, with or without nodes."),
        Key(name="on", read=read_names, schema=NAMES),
        Key(name="rows", read=read_whole, schema=COUNT),
        Key(name="how", read=read_text, schema={"enum": ["inner", "left"]}),
    ),
    keep,
)
RESIZE: Part[Values] = Part(
    "a size",
    (
        Key(name="rows", read=read_whole, schema=COUNT, missing="Write rows: 1000."),
        Key(name="fill", read=by_name(read_plain), schema={"type": "object", "additionalProperties": VALUE}),
    ),
    keep,
)
CAP: Part[Values] = Part(
    "caps",
    (
        *(
            Key(name=name, read=or_auto(read_whole), schema=auto_schema(COUNT))
            for name in ("rows", "groups", "rows_per_group")
        ),
        Key(
            name="by",
            read=lambda reader, node, _: read_caps_by(reader, node, {}),
            write=lambda by, _: write_caps_by(by),
            schema=CAPS_BY_SCHEMA,
        ),
    ),
    keep,
)


def write_fill(unit: ResizeRows) -> Words:
    """Write the values of added rows; dates and times as text."""
    return {name: value.isoformat() if hasattr(value, "isoformat") else write_value(value) for name, value in unit.fill}


def _derived(unit: ProjectColumns) -> tuple[str, Any]:
    """Give the column that a node derives: the only one that does not refer to a column as it is."""
    anew = [(name, value) for name, value in unit.outputs if not isinstance(value, Reference)]
    copied = [(name, value) for name, value in unit.outputs if isinstance(value, Reference) and value.name != name]
    return (anew or copied or list(unit.outputs))[0]


def _write_bin(unit: ProjectColumns, _: Values) -> object:
    name, value = _derived(unit)
    return BIN.write({**write_value(value.words), "into": None if name == f"{value.words['name']}_bin" else name})


NODE: Part[Any] = Part(
    "a node",
    (
        Key(
            name="filter",
            read=_call("filter", read_text),
            write=lambda unit, _: str(unit.condition),
            schema=TEXT,
        ),
        Key(
            name="derive",
            read=_call("derive", read_texts),
            write=lambda unit, _: {name: str(value) for name, value in [_derived(unit)]},
            schema=TEXTS,
        ),
        Key(name="bin", read=_call("bin", BIN.read), write=_write_bin, schema=BIN.schema()),
        Key(
            name="select",
            read=_call("select", read_names),
            write=lambda unit, _: [name for name, _ in unit.outputs],
            schema=NAMES,
        ),
        Key(
            name="rename",
            read=_call("rename", read_texts),
            write=lambda unit, _: {name: old.name for name, old in unit.outputs if old.name != name},
            schema=TEXTS,
        ),
        Key(name="split", read=_call("split", SPLIT.read), write=write_split, schema=SPLIT.schema()),
        Key(name="unnest", read=_call("unnest", UNNEST.read), write=write_unnest, schema=UNNEST.schema()),
        Key(name="join_public", read=_call("join_public", PUBLIC.read), write=write_public, schema=PUBLIC.schema()),
        Key(
            name="join",
            read=_call("join", JOIN.read),
            write=lambda unit, _: {
                "other": write_rows(unit.second),
                **({"on": list(unit.on)} if unit.on else {}),
                **({} if unit.rows_from_caps else {"rows": unit.rows}),
                "how": unit.how,
            },
            schema=JOIN.schema(),
        ),
        Key(
            name="union",
            read=_call("union", ROWS.read),
            write=lambda unit, _: write_rows(unit.second),
            schema=_ROWS,
        ),
        Key(
            name="summarize",
            read=_call("summarize", SUMMARY.read),
            write=lambda unit, _: SUMMARY.write({"keys": list(unit.keys) or None, "summaries": dict(unit.summaries)}),
            schema=SUMMARY.schema(),
        ),
        Key(
            name="resize",
            read=_call("resize", RESIZE.read),
            write=lambda unit, _: RESIZE.write({"rows": unit.rows, "fill": write_fill(unit) or None}),
            schema=RESIZE.schema(),
        ),
        Key(name="impute", read=_call("impute", IMPUTE.read), write=write_impute, schema=IMPUTE.schema()),
        Key(
            name="cap",
            read=_call("cap", CAP.read),
            write=lambda caps, _: CAP.write({n: c if n == "by" else write_value(c) for n, c in caps.items()}),
            schema=CAP.schema(),
        ),
    ),
    make_one(
        "one of filter, derive, bin, select, rename, split, unnest, join_public, join, union, summarize, resize, "
        "impute and cap"
    ),
)
_METHODS: dict[type, str] = {
    FilterRows: "filter",
    JoinPublic: "join_public",
    JoinPersons: "join",
    UnionRows: "union",
    SplitText: "split",
    UnnestList: "unnest",
    SummarizePersons: "summarize",
    ResizeRows: "resize",
    ImputeColumn: "impute",
}


def _write_node(unit: Transformation) -> object:
    method = unit.call if isinstance(unit, ProjectColumns) else _METHODS.get(type(unit))
    if method == "derive" and isinstance(unit, ProjectColumns) and isinstance(_derived(unit)[1], Binned):
        method = "bin"
    if isinstance(unit, SummarizeByFunction):
        return Unwritable(_NO_FUNCTION)
    return NODE.write({method: unit}) if method else Unwritable(_NOT_YET.format(type(unit).__name__))


def write_rows(chain: TransformationChain, caps: Words | None = None) -> Words:
    """Write the table and the nodes of a query, and its caps as the last node, or before an imputation.

    Args:
        chain: The nodes.
        caps: Caps that the query sets itself, by name.
    """
    begin, *more = (link.unit for link in chain.links)
    nodes = [_write_node(unit) for unit in more]
    at = next((place for place, unit in enumerate(more) if isinstance(unit, ImputeColumn)), len(more))
    nodes[at:at] = [NODE.write({"cap": caps})] if caps else []
    first: Words = {"table": begin.name if isinstance(begin, FromTable) else _write_node(begin)}
    if isinstance(begin, JoinPersons | UnionRows):
        first = write_rows(begin.first)
        nodes = [*first.get("nodes", []), _write_node(begin), *nodes]
    return {**first, **({"nodes": nodes} if nodes else {})}
