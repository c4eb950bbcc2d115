"""The source as it is written, beside the source as the codebook reads it: tables of one engine."""

import math
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from attrs import evolve, frozen
from sqlglot import exp

from privet.errors import WrongTypeError
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.source_schema import SourceColumns, frame_columns, read_columns
from privet.tables.columns import LONGEST_TEXT, SPACES, Column, Kind, Persons
from privet.tables.engines.engine import Engine
from privet.tables.engines.sources import NamedRows
from privet.tables.engines.text_files import find_files
from privet.tables.vocabulary import Relation, case, column, named, selection

_WIDEST = (-sys.float_info.max, sys.float_info.max)
_ANY_LENGTH = 2**31 - 1  # items of a list
_PARQUET = (".parquet", ".pq")
_FRAMES = ("pandas", "polars", "pyarrow")


@final
@frozen(kw_only=True, eq=False)
class SourceTables:
    """One source, read several times.

    Args:
        written: The columns that have a type of their own, as they are in the source; None where there is none.
        objects: The values of the other columns: Python objects, by column.
        unbounded: The columns as declared, without bounds and categories.
        unmarked: The same, without markers of missing values; None where there are none.
        plain_markers: By column, the markers that write no value of it.
        declared: The columns as declared.
    """

    written: Relation | None
    objects: Mapping[str, list[Any]]
    unbounded: Relation
    unmarked: Relation | None
    plain_markers: Mapping[str, tuple[str, ...]]
    declared: Relation


def settle(source: Any) -> Any:
    """Give a source that can be read several times: a stream, a lazy frame and a query are read now."""
    module = type(source).__module__.partition(".")[0]
    if isinstance(source, Mapping):
        raise WrongTypeError("check takes one source with its codebook; call it once for each table.")
    if module == "polars" and hasattr(source, "collect"):
        return source.collect()
    if module == "pyarrow" and hasattr(source, "read_all"):
        return source.read_all()
    if isinstance(source, tuple) and len(source) == 2 and hasattr(source[0], "table"):
        return source[0].table(source[1]).to_arrow_table()
    return source


def load_tables(engine: Engine, source: Any, book: Codebook, delimiter: str | None) -> SourceTables:
    """Load a source in several ways, before the first query closes the doors of the engine."""
    columns = book.source_columns
    if isinstance(book.unit, Persons):
        columns[book.unit.id] = evolve(columns[book.unit.id], exact=True)  # as a session reads it
    unbounded = {name: _without_limits(known) for name, known in columns.items()}
    table = book.table or "data"
    written_as: Any = {"delimiter": delimiter, "form": book.file}
    declared = engine.load(source, columns, table, **written_as)  # what cannot be read has its message here
    loaded = engine.load(source, unbounded, f"{table} without limits", **written_as)
    marked = {name: known for name, known in unbounded.items() if known.notation.markers}
    unmarked = {name: _without_markers(known) for name, known in marked.items()}
    more = engine.load(source, unmarked, f"{table} without markers", **written_as) if marked else None
    kinds = {name: kind for name, kind, _ in _schema(source) if name in columns and kind is not None}
    lists = [name for name, known in columns.items() if known.kind == "list"]  # which are counted by themselves
    untyped = isinstance(source, list | NamedRows) or type(source).__module__.partition(".")[0] == "pandas"
    objects = {name: _objects(source, name) for name in columns if untyped and name not in (*kinds, *lists)}
    typed = {name: _as_written(kinds.get(name, "text")) for name in columns if name not in (*objects, *lists)}
    written = engine.load(source, typed, f"{table} as written", **written_as) if typed else None
    plain = {name: _plain_markers(engine, f"{table} {name}", known) for name, known in marked.items()}
    return SourceTables(
        written=written, objects=objects, unbounded=loaded, unmarked=more, plain_markers=plain, declared=declared
    )


def _without_markers(known: Column) -> Column:
    return evolve(known, notation=evolve(known.notation, missing=None))


def _plain_markers(engine: Engine, name: str, known: Column) -> tuple[str, ...]:
    """Give the markers that write no value, as texts are compared with them; they are public."""
    markers = tuple(dict.fromkeys(each.strip(SPACES) for each in known.notation.markers))
    if known.kind == "text":
        return ()
    rows = [{"marker": each, "value": each} for each in markers]
    columns = {"marker": Column(kind="text"), "value": _without_markers(evolve(known, exact=False))}
    loaded = engine.load(rows, columns, f"{name}: markers")
    value = case([(exp.Is(this=column("value", "r"), expression=exp.null()), column("marker", "r"))], None)
    query = selection([named(value, "marker")], loaded.derived())
    found = engine.execute(Relation(query=query, columns={"marker": Column(kind="text")}))["marker"]
    return tuple(each for each in found if each is not None)


def _without_limits(known: Column) -> Column:
    """Give a column without bounds and categories; infinite numbers are there, as they are within bounds."""
    if known.item is not None:
        return evolve(known, item=_without_limits(known.item), most=_ANY_LENGTH)
    plain = evolve(known, bounds=_WIDEST if known.kind == "real" and known.bounds else None, grid=None, categories=None)
    return evolve(plain, length=LONGEST_TEXT) if known.kind == "text" else plain


def _as_written(kind: Kind) -> Column:
    """Give the column as the source holds it."""
    if kind != "text":
        return Column(kind=kind, bounds=_WIDEST if kind == "real" else None)
    return Column(kind="text", length=LONGEST_TEXT)


def _schema(source: Any) -> SourceColumns:
    if isinstance(source, str | Path):
        files = find_files("check", source)
        return read_columns(Path(files[0])) if files[0].lower().endswith(_PARQUET) else ()
    return frame_columns(source, "check") if type(source).__module__.partition(".")[0] in _FRAMES else ()


def _objects(source: Any, name: str) -> list[Any]:
    """Give the values of a column that has no type."""
    if isinstance(source, NamedRows):
        position = source.names.index(name)
        return [_at(row, name, position) for row in source.rows]
    if isinstance(source, list):
        return [_at(row, name, None) for row in source]
    return list(source[name].tolist())


def _at(row: Any, name: str, position: int | None) -> Any:
    kind = type(row)  # not what a row says of its class: that may raise
    try:
        if issubclass(kind, dict):
            return dict.get(row, name)
        return row[position] if issubclass(kind, tuple | list) and position is not None else None
    except Exception:  # noqa: BLE001 - as a session does: what cannot be had is null
        return None


def type_name(value: Any) -> str:
    """Give the name of the type of a value, not what a metaclass of somebody else says of it."""
    return str(type.__dict__["__name__"].__get__(type(value)))


def is_missing(value: Any) -> bool:
    """Tell whether a Python object stands for no value."""
    if value is None or type_name(value) in ("NAType", "NaTType"):
        return True
    return issubclass(type(value), float) and math.isnan(value)


def row_types(source: Any) -> Counter[str]:
    """Count the types of the rows of a list that have no names: neither dictionaries nor tuples of a named list."""
    if not isinstance(source, list):
        return Counter()
    return Counter(type_name(row) for row in source if not issubclass(type(row), dict))
