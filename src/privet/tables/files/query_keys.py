"""The keys of a file of a query, for every kind of query: its reader, and its JSON Schema."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from attrs import evolve

from privet.errors import InvalidError
from privet.tables.codebook.null_keys import LIST, VALUE
from privet.tables.codebook.part import Key, Part, Values, format_key
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Listing, Mapping, Node
from privet.tables.codebook.write import Lines
from privet.tables.engines.grammar import GRAMMARS
from privet.tables.files.aggregate_keys import AGGREGATE, read_aggregate
from privet.tables.files.impute_keys import SQL_IMPUTE
from privet.tables.files.key_words import HOW_KEYS, KEYS
from privet.tables.files.node_keys import NODE, ROWS, ROWS_KEYS, rows_of
from privet.tables.files.values import (
    COUNT,
    NAMES,
    TEXT,
    by_name,
    each,
    keep,
    read_key,
    read_lists,
    read_names,
    read_text,
    read_whole,
    write_value,
)
from privet.tables.files.written import VERSION, Words, open_file
from privet.tables.statistics import MOST_GROUPS

Groups = tuple[tuple[Any, ...], ...]
_KEYS = {"anyOf": [NAMES, {"type": "object", "additionalProperties": LIST, "minProperties": 1}]}
_GROUPS: dict[str, object] = {"type": "array", "items": {"anyOf": [VALUE, LIST]}, "minItems": 1}
_OTHER: dict[str, object] = {"anyOf": [VALUE, {"type": "null"}, {"type": "array"}]}


def _kinds(known: Values, names: Sequence[str]) -> list[Any]:
    """Give the kinds of columns; None where there is no such column, which a query says best itself."""
    columns = rows_of(known).columns if "table" in known else {}
    return [columns[name].kind if name in columns else None for name in names]


def _read_keys(reader: TreeReader, node: Node, known: Values) -> Words | None:
    """Read the keys of groups, alone or with the values of each; their combinations are the groups."""
    if not isinstance(node, Mapping):
        names = read_names(reader, node, known)
        return None if names is None else {"keys": names}
    lists = read_lists(reader, node, dict(zip(node.items, _kinds(known, list(node.items)), strict=True)))
    if lists is None:
        return None
    if math.prod(map(len, lists.values())) > MOST_GROUPS:
        reader.problems.add(node.place, f"{node.place.path} must make at most {MOST_GROUPS:,} groups.", rule="size")
        return None
    return {"keys": list(lists), "groups": list(product(*lists.values()))}


def _read_group(reader: TreeReader, node: Node, known: Values) -> tuple[Any, ...] | None:
    """Read one group: a value, or a list with a value of each key."""
    items = node.items if isinstance(node, Listing) else (node,)
    keys = known.get("group_by") or known.get("rollup") or {}
    kinds = _kinds(known, keys.get("keys", ()))
    kinds += [None] * (len(items) - len(kinds))
    values = [read_key(kind)(reader, item, known) for item, kind in zip(items, kinds, strict=False)]
    return None if any(value is None for value in values) else tuple(value for (value,) in values)


GROUP_KEYS = (
    Key(name="group_by", read=_read_keys, schema=_KEYS, needs=("table", "nodes")),
    Key(name="rollup", read=_read_keys, schema=_KEYS, needs=("table", "nodes")),
    Key(name="groups", read=each(_read_group), schema=_GROUPS, needs=("table", "nodes", "group_by", "rollup")),
    Key(name="other", read=_read_group, schema=_OTHER, needs=("table", "nodes", "group_by", "rollup")),
    KEYS,
)


def _only(values: Values, *names: str) -> Words:
    return {name: values[name] for name in names if name in values}


def _clash(values: Values) -> str:
    """Say which keys do not go together; nothing where all of them do."""
    if "rollup" in values:
        apart = {"group_by", "other", "keys"} & set(values)
        return "a query has rollup, or group_by with or without other and keys." if apart else ""
    if "group_by" not in values:
        return "groups, other and keys need group_by." if {"groups", "other", "keys"} & set(values) else ""
    listed = {"groups"} & set(values["group_by"]), {"groups"} & set(values)
    if "keys" in values and any(listed):
        return "groups are listed, or keys says how the release finds them, not both."
    return "groups are listed under group_by or under groups, not both." if all(listed) else ""


def _make_aggregates(reader: TreeReader, node: Mapping, values: Values) -> Any:
    """Group the rows and aggregate them; each aggregate alone first, so that the problems of all of them show."""
    rows, clash = rows_of(values), _clash(values)
    if clash:
        reader.problems.add(node.place, clash)
        return None
    for method in {"rollup", "group_by"} & set(values):
        listed = {**_only(values[method], "groups"), **_only(values, "groups", "other", "keys")}
        group = partial(getattr(rows, method), *values[method]["keys"], **listed)
        rows = reader.attempt(node.items[method], group)
    if rows is None:
        return None
    named, items = values["aggregates"], node.items["aggregates"]
    places = items.items if isinstance(items, Mapping) else {}
    alone = [reader.attempt(places[name], partial(rows.agg, **{name: item})) for name, item in named.items()]
    return reader.attempt(items, partial(rows.agg, **named)) if all(alone) else None


AGGREGATES: Part[Any] = Part(
    "an aggregate query",
    (
        *ROWS_KEYS,
        *GROUP_KEYS,
        Key(
            name="aggregates",
            read=by_name(read_aggregate),
            schema={"type": "object", "additionalProperties": {"$ref": "#/$defs/aggregate"}, "minProperties": 1},
            missing="Write aggregates: {n: count}.",
        ),
    ),
    _make_aggregates,
)
PRIVATE_KEYS: Part[Values] = Part(
    "a query of private keys",
    (
        *ROWS_KEYS,
        Key(name="private_keys", read=read_names, schema=NAMES, missing="Write private_keys: [COLUMN]."),
        *HOW_KEYS,
    ),
    keep,
)
SQL: Part[Values] = Part(
    "a query of SQL",
    (
        Key(name="sql", read=read_text, schema=TEXT, missing="Write sql: SELECT ..."),
        Key(name="dialect", read=read_text, schema={"enum": list(GRAMMARS)}),
        Key(name="join_rows", read=read_whole, schema=COUNT),
        Key(name="groups", read=each(_read_group), schema=_GROUPS),
        Key(name="other", read=_read_group, schema=_OTHER),
        KEYS,
        Key(name="impute", read=SQL_IMPUTE.read, schema=SQL_IMPUTE.schema()),
    ),
    keep,
)
BATCH: Part[Values] = Part(
    "a batch",
    (
        Key(
            name="batch",
            read=by_name(AGGREGATES.read),
            schema={"type": "object", "additionalProperties": AGGREGATES.schema(), "minProperties": 1},
            missing="Write batch: {NAME: QUERY}.",
        ),
    ),
    keep,
)
PARTITION: Part[Values] = Part(
    "a partition",
    (
        ROWS_KEYS[0],
        Key(
            name="partition",
            read=_read_keys,
            schema=_KEYS,
            needs=("table",),
            missing="Write partition: COLUMN, or {COLUMN: [VALUE, ...]}.",
        ),
        Key(name="parts_per_person", read=read_whole, schema=COUNT),
    ),
    keep,
)


def _partition(door: Any, values: Values) -> Any:
    keys = values["partition"]["keys"]
    if len(keys) != 1:
        raise InvalidError(f"partition must name one column, got {len(keys)}.")
    options = {**_only(values["partition"], "groups"), **_only(values, "parts_per_person")}
    return door.partition(*keys, table=values["table"].chain.links[0].unit.name, **options)


_BESIDE_SQL = ("dialect", "join_rows", "groups", "other", "keys", "impute")  # arguments of session.sql

# By the key that only this kind of query has: its keys, and how a session makes it of them.
FORMS: dict[str, tuple[Part[Any], Callable[[Any, Any], Any]]] = {
    "sql": (SQL, lambda door, values: door.sql(values["sql"], **_only(values, *_BESIDE_SQL))),
    "batch": (BATCH, lambda door, values: door.batch(**values["batch"])),
    "private_keys": (
        PRIVATE_KEYS,
        lambda _, values: rows_of(values).private_keys(
            *values["private_keys"], **_only(values, "method", "noise", "rounds", "top")
        ),
    ),
    "partition": (PARTITION, _partition),
    "aggregates": (AGGREGATES, lambda _, query: query),
}
_FORMAT = format_key("query", lambda: VERSION["query"], "Write format: query/1.")


def read_form(reader: TreeReader, node: Node, known: Values, *first: Key) -> Any:
    """Read a query of any kind; None where it has a problem.

    Args:
        reader: Keeps the problems.
        node: The query.
        known: The session or planner whose methods are called, as ``door``.
        first: A key before those of the query.
    """
    names = node.items if isinstance(node, Mapping) else {}
    name = next((each for each in FORMS if each in names), "aggregates")
    part, make = FORMS[name]
    values = evolve(part, keys=(*first, *part.keys)).read(reader, node, known)
    return None if values is None else reader.attempt(names[name], lambda: make(known["door"], values))


def read_query(door: object, source: str | Path) -> Any:
    """Read a query from a file, or from its text, or raise everything that is wrong with it.

    Args:
        door: The session or planner whose methods are called.
        source: The path of a file, or its text.

    Raises:
        ProblemsError: with all problems, each with its path, its line and a way out.
    """
    root, problems = open_file("query", source)
    query = read_form(TreeReader(problems), root, {"door": door}, _FORMAT)
    problems.raise_any()
    return query


def query_schema() -> Words:
    """Describe files of queries in JSON Schema, for editors that check a file while it is written."""
    forms = [evolve(part, keys=(_FORMAT, *part.keys)).schema() for part, _ in FORMS.values()]
    return {"$schema": SCHEMA, "title": "Query", "anyOf": forms, "$defs": DEFINITIONS}


SCHEMA = "https://json-schema.org/draft/2020-12/schema"
DEFINITIONS = {"rows": ROWS.schema(), "node": NODE.schema(), "aggregate": AGGREGATE}


def write_groups(method: str, keys: Sequence[str], groups: Groups, other: tuple[Any, ...] | None) -> Words:
    """Write groups: as the values of each key where all combinations are groups, and as a list otherwise.

    Args:
        method: ``group_by`` or ``rollup``.
        keys: The columns that make a group.
        groups: The groups that an analyst listed; none where the codebook implies them.
        other: The key of one more group, of all other rows; None for none.
    """
    values = [list(dict.fromkeys(column)) for column in zip(*groups, strict=True)]
    words: Words = {method: list(keys)}
    if groups and math.prod(map(len, values)) == len(groups) and groups == tuple(product(*values)):
        words = {method: {name: write_value(listed) for name, listed in zip(keys, values, strict=True)}}
    elif groups:
        words["groups"] = write_value(groups)
    return {**words, **write_other(other)}


def write_other(other: tuple[Any, ...] | None) -> Words:
    """Write the key of the group of all other rows, if there is one."""
    return {} if other is None else {"other": write_value(other)}


def write_sql(
    text: str, join_rows: int | None, groups: Groups, other: tuple[Any, ...] | None, dialect: str | None = None
) -> Words:
    """Write a statement, with the arguments that ``session.sql`` takes beside it."""
    words: Words = {"sql": Lines(text)}
    if dialect is not None:
        words["dialect"] = dialect
    if join_rows is not None:
        words["join_rows"] = join_rows
    return {**words, **({"groups": write_value(groups)} if groups else {}), **write_other(other)}
