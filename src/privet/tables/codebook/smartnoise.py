"""Codebooks from the metadata files of SmartNoise SQL: what has a meaning here is kept, the rest is told.

A file holds a database of schemas of tables; one table becomes one codebook. Nothing that is left out weakens the
guarantee: caps are always kept to, columns always clamped, keys that are not public always thresholded.
"""

from pathlib import Path
from typing import Any, final

from attrs import frozen

from privet.tables.codebook import scalars as scalars
from privet.tables.codebook.codebook import Codebook, check_names
from privet.tables.codebook.column import CodebookColumn, check_column
from privet.tables.codebook.nulls import NullPolicy, NullsDropped, NullsReplaced
from privet.tables.codebook.problem import Problems
from privet.tables.codebook.reader import CodebookReader
from privet.tables.codebook.tree import Mapping, Node, Scalar, described, from_python, path_of
from privet.tables.codebook.values import read_column_bounds
from privet.tables.codebook.yaml import read_text, read_tree
from privet.tables.columns.column import Column, Kind
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows

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
    "use_dpsu": "use_dpsu is left out: how private keys are found is decided in a query",
    "sample_max_ids": "sample_max_ids is left out: caps are always kept to, whatever the table holds",
}
_COUNTS = {
    "rows": "rows is left out: how many rows there are is private",
    "rows_exact": "rows_exact is left out: how many rows there are is private",
    "tau": "tau is left out: thresholds follow from delta",
}
_OPTIONS = ("row_privacy", "max_ids", *_FLAGS, *_COUNTS)
_COLUMN_KEYS = (
    "type",
    "name",
    "private_id",
    "lower",
    "upper",
    "nullable",
    "missing_value",
    "sensitivity",
    "cardinality",
    "bounded",
)
_OLD_KEYS = {"is_key": "private_id", "private_key": "private_id", "min": "lower", "max": "upper", "minval": "lower"}


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


def read_smartnoise(source: Any, *, table: str | None = None) -> SmartNoiseMetadata:
    """Read metadata of SmartNoise SQL from a YAML file, or from dictionaries of the same form.

    Args:
        source: The path of the file, or nested dictionaries.
        table: Which table, as ``schema.table`` or ``table``; not needed where there is only one.

    Raises:
        CodebookError: with everything that is wrong, by line.

    >>> found = read_smartnoise({"": {"s": {"t": {"row_privacy": True, "rows": 10, "age": {"type": "int"}}}}})
    >>> found.codebook
    Codebook(table='t', unit=Rows(count=1), columns=[age: integer])
    >>> found.notes
    ('rows is left out: how many rows there are is private.',)
    """
    if isinstance(source, str | Path):
        problems = Problems(str(source))
        root = read_tree(read_text(source), problems)
    else:
        problems = Problems()
        root = from_python(source, problems)
    found = _Import(problems).read(root, table)
    problems.raise_any()
    assert found is not None  # noqa: S101 - without a problem there is a codebook
    return found


def _flag(label: str, node: Scalar) -> bool:
    """Read a truth value as YAML 1.1 has them."""
    word = str(node.value).lower() if node.typed and node.plain else ""
    if word in ("true", "yes", "on", "false", "no", "off"):
        return word in ("true", "yes", "on")
    return scalars.flag(label, node)


class _Import:
    """Reads one table, collecting problems and notes."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.reader = CodebookReader(problems)
        self.notes: list[str] = []

    def read(self, root: Node, wanted: str | None) -> SmartNoiseMetadata | None:
        found = self.table(root, wanted)
        if found is None:
            return None
        name, path, node = found
        options = {key: node.items[key] for key in _OPTIONS if isinstance(node.items.get(key), Scalar)}
        keys = [key for key in node.items if key not in options]
        if not keys:
            self.problems.add(node, f"{path} must have at least one column.")
        private: list[str] = []
        columns: dict[str, CodebookColumn] = {}
        for key in keys:
            bare = _unescaped(key)
            made = self.column(node.items[key], path_of(path, key), bare, private)
            if bare in columns:
                self.problems.add(node.keys[key], f"{path_of(path, key)} has the name of another column, {bare!r}.")
            elif made is not None:
                columns[bare] = made
        self.reader.attempt(node, lambda: check_names(path, list(columns)))
        unit = self.unit(node, options, path, private)
        if unit is None or self.problems.found:
            return None
        codebook = self.reader.attempt(node, lambda: Codebook(columns=columns, unit=unit, table=name))
        return None if codebook is None else SmartNoiseMetadata(codebook, tuple(f"{note}." for note in self.notes))

    def table(self, root: Node, wanted: str | None) -> tuple[str, str, Mapping] | None:
        """Find the table that is meant."""
        tables: dict[str, tuple[str, str, Mapping]] = {}
        for database, schemas in root.items.items() if isinstance(root, Mapping) else ():
            if database == "engine" and isinstance(schemas, Scalar):
                self.notes.append("engine is left out: names are compared as written")
                continue
            for schema, inner in schemas.items.items() if isinstance(schemas, Mapping) else ():
                for name, node in inner.items.items() if isinstance(inner, Mapping) else ():
                    if isinstance(node, Mapping):
                        path = path_of(path_of(path_of("", database), schema), name)
                        tables[f"{_unescaped(schema)}.{_unescaped(name)}"] = (_unescaped(name), path, node)
        meant = [key for key in tables if wanted in (None, key, tables[key][0])]
        if len(meant) == 1:
            return tables[meant[0]]
        if not tables:
            self.problems.add(root, "metadata of SmartNoise must be a database of schemas of tables, got none.")
        elif wanted is None or meant:
            self.problems.add(root, f"say which table is meant, table=...: one of {', '.join(meant)}.")
        else:
            self.problems.add(root, f"there is no table {wanted!r}: there are {', '.join(tables)}.")
        return None

    def unit(self, node: Mapping, options: dict[str, Any], path: str, private: list[str]) -> PrivacyUnit | None:
        reader = self.reader
        by_row = reader.scalar(options.get("row_privacy"), f"{path}.row_privacy", _flag) or False
        most = reader.scalar(options.get("max_ids"), f"{path}.max_ids", scalars.cap)
        for key, note in _FLAGS.items():
            if key in options and reader.scalar(options[key], f"{path}.{key}", _flag) is not None:
                self.notes.append(note)
        self.notes += [note for key, note in _COUNTS.items() if key in options]
        if by_row:
            if most not in (None, 1):
                self.problems.add(options["max_ids"], f"{path}.max_ids must be 1 with row_privacy, got {most}.")
            if private:
                self.notes.append(f"column {private[0]!r} is not used to tell persons apart, since row_privacy is set")
            return Rows()
        if not private:
            self.problems.add(
                node,
                f"{path} must have row_privacy: true, or private_id: true on a column: there is nothing to protect.",
            )
            return None
        if len(private) > 1:
            self.problems.add(
                node, f"{path} must have one private_id, got {', '.join(private)}; make one column of them first."
            )
            return None
        return Persons(id=private[0], rows=most or 1)

    def column(self, node: Node, path: str, name: str, private: list[str]) -> CodebookColumn | None:
        if isinstance(node, Mapping):
            for key, meant in _OLD_KEYS.items():
                if key in node.items:
                    self.problems.add(node.keys[key], f"{path}.{key} is no key of a column here. Did you mean {meant}?")
        known = (*_COLUMN_KEYS, *_OLD_KEYS)
        found = self.reader.keys(node, path, "a column", known)
        if isinstance(node, Mapping) and "type" not in found:
            self.problems.add(node, f"{path}.type is missing: one of {', '.join(_KINDS)}.")
        told = self.reader.scalar(found.get("type"), f"{path}.type", scalars.text)
        identifies = self.reader.scalar(found.get("private_id"), f"{path}.private_id", _flag) or False
        if identifies:
            private.append(name)
        if told is None:
            return None
        if told == "unknown":
            self.notes.append(f"column {name!r} is left out: its type is unknown")
            return None
        if told not in _KINDS:
            self.problems.add(found["type"], f"{path}.type must be one of {', '.join(_KINDS)}, got {told[:40]!r}.")
            return None
        if _KINDS[told] == "timestamp":
            self.notes.append(f"column {name!r} is read as a timestamp; write date if it holds days")
        return self.described(found, path, name, _KINDS[told], identifies=identifies)

    def described(
        self, found: dict[str, Any], path: str, name: str, kind: Kind, *, identifies: bool
    ) -> CodebookColumn | None:
        before = len(self.problems.found)
        bounds = self.bounds(found, path, name, kind)
        if identifies and bounds is not None:
            self.notes.append(f"the bounds of {name!r} are left out: moving identifiers would merge persons")
            bounds = None
        column = Column(kind=kind, bounds=bounds)
        nulls = self.nulls(found, path, name, column, identifies=identifies)
        for key, reason in (
            ("sensitivity", "follows from the bounds"),
            ("cardinality", "is not used; list the categories that are public"),
            ("bounded", "is not used"),
        ):
            if key in found:
                self.notes.append(f"{key} of {name!r} {reason}")
        if len(self.problems.found) == before:
            place = found.get("lower", found["type"])
            self.reader.attempt(place, lambda: check_column(path, column))
        if len(self.problems.found) > before:
            return None
        return self.reader.attempt(found["type"], lambda: CodebookColumn(column, nulls))

    def bounds(self, found: dict[str, Any], path: str, name: str, kind: Kind) -> Any:
        stated = {key: found[key] for key in ("lower", "upper") if key in found}
        if not stated:
            return None
        if kind not in ("integer", "real"):
            self.problems.add(
                next(iter(stated.values())), f"{path}: lower and upper are for int and float, got {kind}."
            )
            return None
        if len(stated) == 1:
            self.notes.append(f"{next(iter(stated))} of {name!r} is left out: bounds are a lower and an upper one")
            return None
        ends = [self.reader.scalar(stated[key], f"{path}.{key}", scalars.number) for key in ("lower", "upper")]
        if None in ends:
            return None
        return self.reader.attempt(stated["lower"], lambda: read_column_bounds(f"{path}.lower", kind, ends))

    def nulls(self, found: dict[str, Any], path: str, name: str, column: Column, *, identifies: bool) -> NullPolicy:
        nullable = self.reader.scalar(found.get("nullable"), f"{path}.nullable", _flag)
        stand_in = found.get("missing_value")
        if stand_in is None or (isinstance(stand_in, Scalar) and stand_in.missing):
            if nullable is False:
                self.notes.append(f"nullable of {name!r} is not relied on: nulls that occur all the same are left out")
            return NullsDropped()
        if identifies:
            self.notes.append(f"missing_value of {name!r} is left out: it would make one person of many")
            return NullsDropped()
        if not isinstance(stand_in, Scalar):
            self.problems.add(stand_in, f"{path}.missing_value must be one value, got {described(stand_in)}.")
            return NullsDropped()
        with self.problems.at(stand_in):
            value = scalars.value_of(f"{path}.missing_value", column.kind, stand_in)
            return NullsReplaced(value).fitted(f"{path}.missing_value", column)
        return NullsDropped()


def _unescaped(name: str) -> str:
    """Take off the quotes that a name has for SQL."""
    for start, end in (('"', '"'), ("`", "`"), ("[", "]")):
        if len(name) > 2 and name.startswith(start) and name.endswith(end):
            return name[1:-1].replace(end * 2, end)
    return name
