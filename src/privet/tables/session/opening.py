"""What a session says when it is opened: where the schema of a source does not fit the codebook.

A schema is public, values are not. So only types are compared, and nothing here reads a row.
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from attrs import frozen

from privet.errors import PrivetWarning
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.source_schema import SourceColumns, frame_columns, read_columns
from privet.tables.columns import Column, Kind
from privet.tables.engines.sources import NamedRows
from privet.tables.engines.text_files import find_files

# source types of which every value has a meaning as the declared type; the engine refuses what is in neither table
FITTING: dict[Kind, tuple[Kind, ...]] = {
    "integer": ("integer", "real", "boolean"),
    "real": ("real", "integer", "boolean"),
    "boolean": ("boolean", "integer"),
    "text": ("text", "integer", "boolean", "date"),
    "date": ("date", "timestamp"),
    "timestamp": ("timestamp", "date"),
    "list": (),  # schemas of Arrow and polars give lists no kind of ours; the engine compares them
}
# source types that are read, and of which a value may have no meaning: it becomes null
DOUBTFUL: dict[Kind, tuple[Kind, ...]] = {
    "integer": ("text",),
    "real": ("text",),
    "boolean": ("text",),
    "text": (),
    "date": ("text",),
    "timestamp": ("text",),
    "list": (),
}
_FRAMES = ("pandas", "polars", "pyarrow")
_PARQUET = (".parquet", ".pq")
CHECK = (
    "Whoever holds the data can count such values with pv.check(source, codebook); its answer is exact and not private."
)
_said: set[str] = set()  # what was said once in this process


@final
@frozen
class Opening:
    """What was said when a session was opened.

    Args:
        mismatches: Where the schema of a source and the codebook differ.
        untyped: Which sources have no types, so that nothing was compared.
    """

    mismatches: tuple[str, ...] = ()
    untyped: tuple[str, ...] = ()

    def warn(self, *, stacklevel: int) -> None:
        """Warn of each mismatch, and once in a process that a source has no types."""
        for note in (*self.mismatches, *(() if _said else self.untyped[:1])):
            warnings.warn(note, PrivetWarning, stacklevel=stacklevel + 1)
        _said.update(self.untyped[:1])


def compare_schemas(sources: Mapping[str, object], codebooks: Mapping[str, Codebook]) -> Opening:
    """Say which columns of the sources have doubtful types, and which have none at all."""
    mismatches: list[str] = []
    untyped: list[str] = []
    for table, source in sources.items():
        columns = codebooks[table].source_columns
        schema = _schema(table, source)
        mismatches += _mismatches(table, schema, columns)
        untyped += _without_types(table, source, schema, columns)
    return Opening(tuple(mismatches), tuple(untyped))


def _schema(table: str, source: object) -> SourceColumns:
    """Give the columns of a source that has types; none of a text file or a list."""
    if isinstance(source, str | Path):
        files = find_files(table, source)
        return read_columns(Path(files[0])) if files[0].lower().endswith(_PARQUET) else ()
    if type(source).__module__.partition(".")[0] in _FRAMES:
        return frame_columns(source, "Session")
    return ()


def _mismatches(table: str, schema: SourceColumns, columns: Mapping[str, Column]) -> list[str]:
    notes = []
    for name, kind, _ in schema:
        known = columns.get(name)
        if known is None or kind is None or kind not in DOUBTFUL[known.kind]:
            continue
        if known.notation.is_stated:  # somebody says how these texts write values
            continue
        notes.append(
            f"Session: column {name!r} of {table!r} is {known.kind} in the codebook and {kind} in the schema of the "
            f"source. A {kind} that cannot be read as {known.kind} becomes null. Declare the column as {kind}, or "
            f"convert it before you open it{_format_hint(known)}. {CHECK}"
        )
    return notes


def _format_hint(known: Column) -> str:
    if known.kind not in ("date", "timestamp"):
        return ""
    return ", or say how its texts write a date, such as format='%Y-%m-%d'"


def _without_types(table: str, source: Any, schema: SourceColumns, columns: Mapping[str, Column]) -> list[str]:
    if isinstance(source, str | Path) and not schema:
        what = "a text file"
    elif isinstance(source, list | NamedRows):
        what = "a list of rows"
    else:
        objects = [repr(name) for name, kind, note in schema if kind is None and not note and name in columns]
        if not objects:
            return []
        what = f"a column of Python objects ({', '.join(objects)})"
    note = (
        f"Session: {what} has no types, so {table!r} is not compared with the codebook. A value that does not fit "
        f"becomes null or moves to a bound, and no message says so. {CHECK}"
    )
    return [note]
