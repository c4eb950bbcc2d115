"""Codebooks from a schema and the few facts that only a person knows; no value of the data is looked at."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from privet.core import count_text
from privet.errors import InvalidError, PrivetWarning, WrongTypeError
from privet.tables.codebook.column import CodebookColumn
from privet.tables.codebook.sample import Guesses, read_sample
from privet.tables.codebook.source_schema import SourceColumns, is_list_note, read_schema, unnamed_columns
from privet.tables.columns import KINDS, Column, Persons, PrivacyUnit, find_column

_FACTS = ("types", "bounds", "categories", "nulls")
_PYTHON = {bool: "boolean", int: "integer", str: "text"}
Facts = Mapping[str, Any]
Names = Iterable[str] | None


def describe_columns(
    where: str, source: object, *, columns: Names, sample: str | Path | None, stacklevel: int, **facts: Facts | None
) -> dict[str, object]:
    """Give what a codebook says of each column: its type from the schema, and the facts that a person gave.

    Args:
        where: Who needs it, for messages.
        source: A file, a frame, anything of Arrow, or a list of rows.
        columns: The columns to use; None for all that have a type here.
        sample: A public file that shows the types that the schema lacks.
        stacklevel: How far up a warning points: 2 for the caller.
        facts: ``types``, ``bounds``, ``categories`` and ``nulls``, each by column.
    """
    given = {name: _read_fact(where, name, facts.get(name)) for name in _FACTS}
    schema = _schema(where, source, columns, given)
    for fact, values in given.items():
        for name in values:
            find_column(f"{where}.{fact}", name, dict.fromkeys(schema))
    guesses = read_sample(where, source, sample)
    made = {name: _column(where, name, kind, given, guesses) for name, (kind, _) in schema.items()}
    _refuse_unknown(where, source, [name for name, item in made.items() if item is None and not schema[name][1]])
    left_out = [f"{name!r} ({schema[name][1]})" for name, item in made.items() if item is None]
    if left_out:
        lists = any(is_list_note(schema[name][1]) for name, item in made.items() if item is None)
        advice = " For lists write types={'tags': pv.column('text', most_items=10)} with the type of an item."
        warnings.warn(
            f"{where} leaves out {', '.join(left_out)}: no type of a codebook holds such values. Convert what you need "
            f"first; choose columns with columns=(...) to leave out the others without this warning.{advice * lists}",
            PrivetWarning,
            stacklevel=stacklevel,
        )
    return {name: item for name, item in made.items() if item is not None}


def read_unit(where: str, unit: object, id: object, rows: object, advice: str) -> PrivacyUnit:  # noqa: A002 - as in Persons
    """Take a privacy unit, or make one of an id column and a cap on rows."""
    if unit is None and id is None:
        if rows is not None:
            raise WrongTypeError(f"{where}: rows= limits the rows of a person, so give id= as well. {advice}")
        raise WrongTypeError(f"{where} needs to know what is protected. {advice}")
    if unit is not None and (id is not None or rows is not None):
        raise WrongTypeError(f"{where} takes unit=..., or id= and rows=, which make a unit of persons; not both.")
    return unit if id is None else Persons(id, rows=rows)  # type: ignore[return-value, arg-type] # checked where they are used


def _read_fact(where: str, name: str, value: Facts | None) -> Facts:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise WrongTypeError(
            f"{where}.{name} must be a dictionary by column, such as {name}={{'spending': ...}}, "
            f"got {type(value).__name__}."
        )
    return value


def _schema(where: str, source: object, columns: Names, given: Mapping[str, Facts]) -> dict[str, tuple[Any, str]]:
    """Give the type of each column that is used, by name; None where the schema has none."""
    chosen = None if columns is None else read_names(where, columns)
    if isinstance(source, list):
        names = chosen or list(dict.fromkeys(name for values in given.values() for name in values))
        if not names:
            raise InvalidError(
                f"{where}: a list of rows has no schema, and its rows are not looked at. Name the columns and their "
                "types: columns=('visitor_id', 'spending'), types={'visitor_id': int, 'spending': float}."
            )
        return dict.fromkeys(names, (None, ""))
    unnamed = unnamed_columns(source)
    if unnamed:
        raise InvalidError(
            f"{where}: the names of columns must be texts, got {', '.join(unnamed[:5])}. Name them first: "
            "frame.columns = ['visitor_id', 'spending', ...]."
        )
    there: SourceColumns = read_schema(where, source).columns
    known = {name: (kind, note) for name, kind, note in there}
    return known if chosen is None else {name: find_column(f"{where}.columns", name, known) for name in chosen}


def read_names(where: str, columns: Iterable[str]) -> list[str]:
    """Read names of columns: several, all different."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise WrongTypeError(f"{where}.columns must be names of columns such as ('day', 'spending').")
    names = list(columns)
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise InvalidError(f"{where}.columns must be names of columns, one or more and all different.")
    return names


def _column(where: str, name: str, kind: Any, given: Mapping[str, Facts], guesses: Guesses) -> object:
    """Give one column as ``Codebook(columns=...)`` takes it; None where nothing says its type."""
    typed = given["types"].get(name)
    more = {fact: given[fact][name] for fact in _FACTS[1:] if name in given[fact]}
    if isinstance(typed, CodebookColumn | Column):
        if more:
            raise InvalidError(f"{where}: types[{name!r}] is a whole column; write its {', '.join(more)} there.")
        return typed
    spec: dict[str, object] = dict(typed) if isinstance(typed, Mapping) else {}
    if typed is not None and not spec:
        spec["type"] = typed
    if "categories" in more:
        more["categories"] = _listed(more["categories"])
    if "type" not in spec:
        guess = guesses.get(name)
        if kind is None and guess is not None:
            spec["type"] = guess.kind
            spec.update({"format": guess.format} if guess.format else {})
            spec.update(guess.keys)
        else:
            spec["type"] = kind or _kind_of(more.get("categories"))
    return None if spec["type"] is None else {**spec, **more}


def _listed(categories: Any) -> Any:
    if isinstance(categories, set | frozenset):
        return sorted(categories, key=str)  # a set has no order of its own
    return categories if isinstance(categories, str) or not isinstance(categories, Iterable) else list(categories)


def _kind_of(categories: Any) -> str | None:
    """Give the type of public categories, where all have the same."""
    kinds = {type(item) for item in categories} if isinstance(categories, list) else set()
    return _PYTHON.get(kinds.pop()) if len(kinds) == 1 else None


def _refuse_unknown(where: str, source: object, names: Sequence[str]) -> None:
    """Ask for all types at once that the schema does not have."""
    if not names:
        return
    if isinstance(source, str | Path):
        why = "a CSV file has no types, and its values are not looked at"
        more = " Or name a public file that shows them: sample='made_up.csv'."
    elif isinstance(source, list):
        why, more = "a list of rows has no types, and its values are not looked at", ""
    else:
        why, more = "a column of Python objects may hold anything, and its values are not looked at", ""
    paste = ", ".join(f"{name!r}: str" for name in names)
    raise InvalidError(
        f"{where} needs the {'type' if len(names) == 1 else 'types'} of {count_text(len(names), 'column')}: {why}. Add "
        f"types={{{paste}}} with the right type for each: {', '.join(KINDS[:-1])} or {KINDS[-1]}; or int, float, bool, "
        f"str. Choose fewer columns with columns=(...).{more}"
    )
