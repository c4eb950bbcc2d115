"""Codebooks from the metadata files of SmartNoise SQL: what has a meaning here is kept, the rest is noted.

A file holds a database of schemas of tables; one table becomes one codebook. Nothing that is left out weakens the
guarantee: caps are always kept to, columns always clamped, keys that are not public always thresholded.
"""

from collections.abc import Iterable
from collections.abc import Mapping as AnyMapping
from pathlib import Path
from typing import final

from attrs import frozen

from privet.core import Problems
from privet.tables.codebook import scalars
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import CodebookColumn, check_column
from privet.tables.codebook.nulls import NullPolicy, NullsDropped, NullsReplaced
from privet.tables.codebook.part import Key, Part, Values
from privet.tables.codebook.problem import codebook_problems
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Mapping, Node, Scalar, from_python
from privet.tables.codebook.values import read_column_bounds
from privet.tables.codebook.yaml import read_file
from privet.tables.columns import Bounds, Column, Kind, Persons, PrivacyUnit, Rows, check_names

_KINDS: dict[str, Kind] = {
    "int": "integer",
    "float": "real",
    "string": "text",
    "boolean": "boolean",
    "datetime": "timestamp",
    "date": "timestamp",
}
_FLAGS = {
    "clamp_counts": "clamp_counts is left out: whether counts below zero are moved to zero is decided after a release",
    "clamp_columns": "clamp_columns is left out: values are always moved into their bounds",
    "censor_dims": "censor_dims is left out: groups whose keys are not public are always thresholded; list categories "
    "for those that are",
    "use_dpsu": "use_dpsu is left out: how private keys are selected is decided in a query",
    "sample_max_ids": "sample_max_ids is left out: caps are always kept to, whatever the table holds",
}
_COUNTS = {
    "rows": "rows is left out: how many rows there are is private",
    "rows_exact": "rows_exact is left out: how many rows there are is private",
    "tau": "tau is left out: thresholds follow from delta",
}
_OPTIONS = ("row_privacy", "max_ids", *_FLAGS, *_COUNTS)
_OLD_KEYS = {"is_key": "private_id", "private_key": "private_id", "min": "lower", "max": "upper", "minval": "lower"}
_NOTED_KEYS = {
    "sensitivity": "follows from the bounds",
    "cardinality": "is not used; list the categories that are public",
    "bounded": "is not used",
}


def _read_old_key(reader: TreeReader, node: Node, _: Values) -> None:
    fix = f"Did you mean {_OLD_KEYS[node.place.path.rpartition('.')[2]]}?"
    reader.problems.add(node.place, f"{node.place.path} is no key of a column here.", rule="unknown key", fix=fix)


_COLUMN: Part[Values] = Part(
    "a column",
    (
        Key(name="type", read=lambda _, node, __: node, schema={}, missing=f"Write one of {', '.join(_KINDS)}."),
        *(
            Key(name=name, read=lambda _, node, __: node, schema={})
            for name in ("name", "private_id", "lower", "upper", "nullable", "missing_value", *_NOTED_KEYS)
        ),
        *(Key(name=name, read=_read_old_key, schema={}) for name in _OLD_KEYS),
    ),
    lambda _, __, nodes: nodes,
)


@final
@frozen
class SmartNoiseMetadata:
    """A codebook from metadata of SmartNoise, with what could not be taken over.

    Args:
        codebook: The codebook.
        notes: What was left out or read differently, one sentence each.
    """

    codebook: Codebook
    notes: tuple[str, ...]


def read_smartnoise(source: str | Path | AnyMapping[str, object], *, table: str | None = None) -> SmartNoiseMetadata:
    """Read metadata of SmartNoise SQL from a YAML file, or from dictionaries of the same form.

    Args:
        source: The path of the file, or nested dictionaries.
        table: Which table, as ``schema.table`` or ``table``; not needed where there is only one.

    Raises:
        CodebookError: with everything that is wrong, by line.

    >>> metadata = read_smartnoise({"": {"s": {"t": {"row_privacy": True, "rows": 10, "age": {"type": "int"}}}}})
    >>> metadata.codebook
    Codebook(table='t', unit=Rows(count=1), columns=[age: integer])
    >>> metadata.notes
    ('rows is left out: how many rows there are is private.',)
    """
    if isinstance(source, str | Path):
        problems = codebook_problems(str(source))
        root = read_file(source, problems)
    else:
        problems = codebook_problems()
        root = from_python(source, problems)
    metadata = _Import(problems).read(root, table)
    problems.raise_any()
    assert metadata is not None  # noqa: S101 - without a problem there is a codebook
    return metadata


def _flag(label: str, node: Scalar) -> bool:
    """Read a truth value as YAML 1.1 has them."""
    word = str(node.value).lower() if node.typed and node.plain else ""
    if word in ("true", "yes", "on", "false", "no", "off"):
        return word in ("true", "yes", "on")
    return scalars.flag(label, node)


@final
class _Import:
    """Reads one table, collecting problems and notes."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.reader = TreeReader(problems)
        self.notes: list[str] = []
        self.identifiers: list[str] = []  # the columns that tell persons apart

    def read(self, root: Node, table: str | None) -> SmartNoiseMetadata | None:
        chosen = self.table(root, table)
        if chosen is None:
            return None
        name, node = chosen
        options = {key: node.items[key] for key in _OPTIONS if isinstance(node.items.get(key), Scalar)}
        keys = [key for key in node.items if key not in options]
        if not keys:
            self.problems.add(node.place, f"{node.place.path} must have at least one column.")
        columns: dict[str, CodebookColumn] = {}
        for key in keys:
            bare, place = _unescaped(key), node.keys[key]
            made = self.column(node.items[key], bare)
            if bare in columns:
                self.problems.add(place, f"{place.path} has the name of another column, {bare!r}.")
            elif made is not None:
                columns[bare] = made
        self.reader.attempt(node, lambda: check_names(node.place.path, columns))
        unit = self.unit(node, options)
        if unit is None or self.problems.all:
            return None
        codebook = self.reader.attempt(node, lambda: Codebook(columns=columns, unit=unit, table=name))
        return None if codebook is None else SmartNoiseMetadata(codebook, tuple(f"{note}." for note in self.notes))

    def table(self, root: Node, table: str | None) -> tuple[str, Mapping] | None:
        """Find the table that is meant."""
        tables: dict[str, tuple[str, Mapping]] = {}
        for database, schemas in _items(root):
            if database == "engine" and isinstance(schemas, Scalar):
                self.notes.append("engine is left out: names are compared as written")
            for schema, inner in _items(schemas):
                for name, node in _items(inner):
                    if isinstance(node, Mapping):
                        tables[f"{_unescaped(schema)}.{_unescaped(name)}"] = (_unescaped(name), node)
        meant = [key for key in tables if table in (None, key, tables[key][0])]
        if len(meant) == 1:
            return tables[meant[0]]
        if not tables:
            message, fix = "metadata of SmartNoise must be a database of schemas of tables, got none.", ""
        elif table is None or meant:
            message, fix = "there are several tables.", f"Say which one, table=...: one of {', '.join(meant)}."
        else:
            message, fix = f"there is no table {table!r}.", f"There are {', '.join(tables)}."
        self.problems.add(root.place, message, fix=fix)
        return None

    def unit(self, node: Mapping, options: AnyMapping[str, Node]) -> PrivacyUnit | None:
        reader, path, identifiers = self.reader, node.place.path, self.identifiers
        by_row = reader.scalar(options.get("row_privacy"), _flag) or False
        most = reader.scalar(options.get("max_ids"), scalars.cap)
        for key, note in _FLAGS.items():
            if reader.scalar(options.get(key), _flag) is not None:
                self.notes.append(note)
        self.notes += [note for key, note in _COUNTS.items() if key in options]
        if by_row:
            if most not in (None, 1):
                place = options["max_ids"].place
                self.problems.add(place, f"{place.path} must be 1 with row_privacy, got {most}.")
            if identifiers:
                name = identifiers[0]
                self.notes.append(f"column {name!r} is not used to tell persons apart, since row_privacy is set")
            return Rows()
        if len(identifiers) == 1:
            return Persons(id=identifiers[0], rows=most or 1)
        message = f"{path} must have row_privacy: true, or private_id: true on a column: there is nothing to protect."
        if identifiers:
            message = f"{path} must have one private_id, got {', '.join(identifiers)}; make one column of them first."
        self.problems.add(node.place, message)
        return None

    def column(self, node: Node, name: str) -> CodebookColumn | None:
        identifies = isinstance(node, Mapping) and bool(self.reader.scalar(node.items.get("private_id"), _flag))
        if identifies:
            self.identifiers.append(name)
        nodes = _COLUMN.read(self.reader, node)
        written = None if nodes is None else self.reader.scalar(nodes["type"], scalars.text)
        if nodes is None or written is None:
            return None
        if written == "unknown":
            self.notes.append(f"column {name!r} is left out: its type is unknown")
            return None
        if written not in _KINDS:
            place = nodes["type"].place
            self.problems.add(place, f"{place.path} must be one of {', '.join(_KINDS)}, got {written[:40]!r}.")
            return None
        if _KINDS[written] == "timestamp":
            self.notes.append(f"column {name!r} is read as a timestamp; write date if it holds days")
        return self.describe(nodes, name, _KINDS[written], node, identifies=identifies)

    def describe(self, nodes: Values, name: str, kind: Kind, node: Node, *, identifies: bool) -> CodebookColumn | None:
        before, path = len(self.problems.all), node.place.path
        bounds = self.bounds(nodes, name, kind, path)
        if identifies and bounds is not None:
            self.notes.append(f"the bounds of {name!r} are left out: moving identifiers would merge persons")
            bounds = None
        column = Column(kind=kind, bounds=bounds)
        nulls = self.nulls(nodes, name, column, identifies=identifies)
        self.notes += [f"{key} of {name!r} {reason}" for key, reason in _NOTED_KEYS.items() if key in nodes]
        if len(self.problems.all) == before:
            self.reader.attempt(nodes.get("lower", nodes["type"]), lambda: check_column(path, column))
        if len(self.problems.all) > before:
            return None
        return self.reader.attempt(nodes["type"], lambda: CodebookColumn(column, nulls))

    def bounds(self, nodes: Values, name: str, kind: Kind, path: str) -> Bounds | None:
        stated: dict[str, Node] = {key: nodes[key] for key in ("lower", "upper") if key in nodes}
        if not stated:
            return None
        if kind not in ("integer", "real"):
            place = next(iter(stated.values())).place
            self.problems.add(place, f"{path}: lower and upper are for int and float, got {kind}.")
            return None
        if len(stated) == 1:
            self.notes.append(f"{next(iter(stated))} of {name!r} is left out: bounds are a lower and an upper one")
            return None
        ends = [self.reader.scalar(stated[key], scalars.number) for key in ("lower", "upper")]
        if None in ends:
            return None
        lower = stated["lower"]
        return self.reader.attempt(lower, lambda: read_column_bounds(lower.place.path, kind, ends))

    def nulls(self, nodes: Values, name: str, column: Column, *, identifies: bool) -> NullPolicy:
        nullable = self.reader.scalar(nodes.get("nullable"), _flag)
        stand_in: Node | None = nodes.get("missing_value")
        if stand_in is None or (isinstance(stand_in, Scalar) and stand_in.missing):
            if nullable is False:
                self.notes.append(f"nullable of {name!r} is not relied on: nulls that occur all the same are left out")
            return NullsDropped()
        if identifies:
            self.notes.append(f"missing_value of {name!r} is left out: it would make one person of many")
            return NullsDropped()
        policy = self.reader.scalar(
            stand_in,
            lambda label, node: NullsReplaced(scalars.value_of(label, column.kind, node)).fit(label, column),
        )
        return policy or NullsDropped()


def _items(node: Node) -> Iterable[tuple[str, Node]]:
    return node.items.items() if isinstance(node, Mapping) else ()


def _unescaped(name: str) -> str:
    """Take off the quotes that a name has for SQL."""
    for start, end in (('"', '"'), ("`", "`"), ("[", "]")):
        if len(name) > 2 and name.startswith(start) and name.endswith(end):
            return name[1:-1].replace(end * 2, end)
    return name
