"""The schema of a source: names and kinds of columns, from types alone."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, final

from attrs import field, frozen

from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.csv_header import is_text_file, read_header
from privet.tables.columns import Kind

_POLARS: dict[str, Kind] = {
    **dict.fromkeys(("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"), "integer"),
    **dict.fromkeys(("Float16", "Float32", "Float64", "Decimal"), "real"),
    **dict.fromkeys(("String", "Utf8", "Categorical", "Enum"), "text"),
    "Boolean": "boolean",
    "Date": "date",
    "Datetime": "timestamp",
}
_NUMPY: dict[str, Kind] = {"i": "integer", "u": "integer", "f": "real", "b": "boolean", "M": "timestamp", "U": "text"}


SourceColumns = tuple[tuple[str, Kind | None, str], ...]


@final
@frozen
class Schema:
    """What a source says of its columns.

    Args:
        table: The name of the source.
        columns: For each its name, its kind (None where the type does not tell it) and, for a type that has no kind,
            what the type is.
        notation: How some columns are written, where a sample showed that: lines of a codebook.
        delimiter: What parts the names in the header of a text file, where that is not what is expected.
    """

    table: str
    columns: SourceColumns
    notation: Mapping[str, tuple[str, ...]] = field(factory=dict)
    delimiter: str = ""


def read_columns(path: Path) -> SourceColumns:
    """Read the names and types in a Parquet or Arrow file; nothing else of it is looked at."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    suffix = path.suffix.lower()
    if path.is_dir():
        raise InvalidError(f"{path} is a folder; give the path of one file in it.")
    if not path.is_file():
        raise InvalidError(f"there is no file {str(path)!r}; check the path.")
    try:
        if suffix in (".parquet", ".pq"):
            return arrow_columns(pq.read_schema(path))
        if suffix in (".arrow", ".feather", ".ipc"):
            with pa.memory_map(str(path)) as source:
                return arrow_columns(pa.ipc.open_file(source).schema)
    except (pa.ArrowException, OSError):  # their texts may quote the file
        raise InvalidError(f"{path} cannot be read: its format is not what its name ends in.") from None
    raise InvalidError(f"{path} must end in .csv, .tsv, .txt, .parquet, .pq, .arrow, .feather or .ipc.")


def read_schema(where: str, source: object) -> Schema:
    """Read the schema of a file, a frame or anything of Arrow; a CSV file has names and no types.

    Args:
        where: Who needs it, for messages.
        source: The path of a file, a pandas or polars frame, or anything of Arrow that has a schema.
    """
    if not isinstance(source, str | Path):
        return Schema("data", frame_columns(source, where))
    path = Path(source)
    if is_text_file(path) and not path.is_dir():
        names, mark = read_header(path)
        expected = "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","
        columns = tuple((name, None, "") for name in names)
        delimiter = mark if mark != expected and len(names) > 1 else ""
        return Schema(path.name.partition(".")[0] or path.stem, columns, delimiter=delimiter)
    return Schema(path.stem, read_columns(path))


def frame_columns(frame: Any, where: str = "a template") -> SourceColumns:
    """Read the types of a data frame, or of anything of Arrow that has a schema."""
    family = type(frame).__module__.partition(".")[0]
    if family == "pyarrow":
        return arrow_columns(getattr(frame, "schema", frame), where)
    if family == "polars" and hasattr(frame, "collect_schema"):
        return tuple(_polars(frame.collect_schema()))
    if family == "pandas" and hasattr(frame, "dtypes") and hasattr(frame, "columns"):
        return tuple(_pandas(frame))
    raise WrongTypeError(
        f"{where} needs a path, a pandas or polars frame or an Arrow schema, got {type(frame).__name__}."
    )


def arrow_columns(schema: Any, where: str = "a template") -> SourceColumns:
    """Read a schema of Arrow."""
    try:
        fields = list(zip(schema.names, schema.types, strict=True))
    except AttributeError:
        raise WrongTypeError(f"{where} needs an Arrow table or schema, got {type(schema).__name__}.") from None
    return tuple((name, *_arrow(kind)) for name, kind in fields)


def _arrow(kind: Any) -> tuple[Kind | None, str]:
    from pyarrow import types

    if types.is_dictionary(kind):
        return _arrow(kind.value_type)
    if types.is_null(kind):
        return None, ""
    tests: tuple[tuple[Kind, tuple[Any, ...]], ...] = (
        ("integer", (types.is_integer,)),
        ("real", (types.is_floating, types.is_decimal)),
        ("boolean", (types.is_boolean,)),
        ("text", (types.is_string, types.is_large_string, types.is_string_view)),
        ("date", (types.is_date,)),
        ("timestamp", (types.is_timestamp,)),
    )
    for ours, checks in tests:
        if any(check(kind) for check in checks):
            return ours, ""
    return None, str(kind)


def is_list_note(note: str) -> bool:
    """Tell whether a type that has no kind is one of lists."""
    return note in ("List", "Array") or note.partition("<")[0].removeprefix("large_").startswith(("list", "fixed_size"))


def _polars(schema: Any) -> Iterator[tuple[str, Kind | None, str]]:
    for name, kind in schema.items():
        family = kind.base_type().__name__  # not the type itself: an Enum lists values
        ours = _POLARS.get(family)
        yield name, ours, "" if ours or family in ("Null", "Object", "Unknown") else family


def unnamed_columns(frame: Any) -> list[str]:
    """Give the names of columns of a pandas frame that are no texts, such as 0 and 1: no codebook can name them."""
    if type(frame).__module__.partition(".")[0] != "pandas" or not hasattr(frame, "columns"):
        return []
    return [repr(name) for name in frame.columns if not isinstance(name, str)]


def _pandas(frame: Any) -> Iterator[tuple[str, Kind | None, str]]:
    for name, kind in zip(frame.columns, frame.dtypes, strict=True):
        yield str(name), *_pandas_kind(kind)


def _pandas_kind(kind: Any) -> tuple[Kind | None, str]:
    if hasattr(kind, "pyarrow_dtype"):
        return _arrow(kind.pyarrow_dtype)
    if kind.name == "category":
        return None, ""  # pandas finds the type of categories by looking at the values
    if kind.name.startswith(("str", "string")):
        return "text", ""
    if kind.kind == "O":
        return None, "" if kind.name == "object" else kind.name
    ours = _NUMPY.get(kind.kind)
    return ours, "" if ours else kind.name
