"""Templates of codebooks: from a schema alone, with the questions that only a person can answer.

No value of the data is looked at: of a CSV file the header is read byte by byte and nothing behind it, of a Parquet
file the names and types only (its footer also holds minima and maxima), of data frames the types of their columns.
"""

import csv
import io
import re
from pathlib import Path
from typing import Any

from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.codebook.codebook import check_names
from privet.tables.codebook.template_schema import Schema, frame_schema, schema_of_file
from privet.tables.codebook.tree import OPEN
from privet.tables.codebook.values import check_text
from privet.tables.codebook.write import comments, name_text
from privet.tables.columns.column import KINDS

_LONGEST_HEADER = 2**20
_DELIMITERS = (b",", b";", b"\t", b"|")
_MARK_PREFIXES = (b"\xef", b"\xef\xbb", b"\xef\xbb\xbf")  # the byte order mark of UTF-8, before the first name
_LIKE_DATA = re.compile(r"\s*([+-]?[\d.,]+([eE][+-]?\d+)?|\d{4}-\d{2}-\d{2}.*|)\s*", flags=re.ASCII)
_ASKED = f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"


def template(source: Any) -> str:
    """Write a codebook with open questions (``???``) for a file, a data frame or an Arrow schema.

    Args:
        source: The path of a CSV (``.csv``, ``.tsv``, ``.txt``), Parquet or Arrow file; a pandas or polars frame;
            anything of Arrow that has a schema.

    >>> import pyarrow as pa
    >>> print(template(pa.schema({"age": pa.int64()})).partition("columns:")[2])
    <BLANKLINE>
      age:
        type: integer
        bounds: ???  # [lower, upper]; delete this line where it is an identifier or a code
    <BLANKLINE>
    """
    if isinstance(source, str | Path):
        return _of_file(Path(source))
    return _written("data", "a schema", "its names and types", frame_schema(source))


def _of_file(path: Path) -> str:
    if path.suffix.lower() in (".csv", ".tsv", ".txt"):
        try:
            with path.open("rb", buffering=0) as stream:  # unbuffered: a buffer would hold rows
                names = csv_names(stream)
        except OSError as error:
            raise InvalidError(f"{path} cannot be read: {error.strerror or 'no reason given'}.") from None
        except PrivetError as error:
            raise type(error)(f"{path}: {error}") from None
        schema = Schema(tuple((name, None, "") for name in names))
        told = "its first line; if that is not a header but data, throw this file away"
        return _written(path.stem, path.name, told, schema)
    return _written(path.stem, path.name, "its names and types", schema_of_file(path))


def csv_names(stream: Any) -> list[str]:
    """Read the names in the header of a CSV file, and not one byte behind it.

    Args:
        stream: Anything with ``read(1)`` that gives bytes.
    """
    header, delimiter = _header(stream)
    try:
        text = header.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidError("the header must be text in UTF-8.") from None
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        raise InvalidError("the header must be a line of names, quoted as in other CSV files.") from None
    names = rows[0] if rows else []
    if not names or names == [""]:
        raise InvalidError("the header must have at least one name, got an empty line.")
    if all(_LIKE_DATA.fullmatch(name) for name in names):
        raise InvalidError("the first line looks like data: a header with the names of the columns must come first.")
    return names


def _header(stream: Any) -> tuple[bytes, str]:
    """Read up to the first end of line outside quotes; give it with its delimiter, the first one outside quotes.

    A quote opens where a name begins and nowhere else: a stray one inside a name must not swallow the rows.
    """
    found = bytearray()
    delimiter, state = b"", "fresh"
    while True:
        byte: bytes = stream.read(1)
        if byte == b"" and state == "quoted":
            raise InvalidError("the header has a quote that is never closed.")
        if byte == b"" or (byte in (b"\n", b"\r") and state != "quoted"):
            return bytes(found), (delimiter or b",").decode()
        found += byte
        if len(found) > _LONGEST_HEADER:
            raise InvalidError(f"the header must be shorter than {_LONGEST_HEADER:,} bytes.")
        if len(found) == 2 and bytes(found) in (b"\xff\xfe", b"\xfe\xff"):
            raise InvalidError("the header must be text in UTF-8.")
        if not delimiter and state != "quoted" and byte in _DELIMITERS:
            delimiter = byte
        if byte == b'"':
            state = {"fresh": "quoted", "quoted": "closed", "closed": "quoted", "bare": "bare"}[state]
        elif state != "quoted":
            marked = len(found) <= 3 and bytes(found) in _MARK_PREFIXES
            state = "fresh" if byte == delimiter or marked else "bare"


def _written(table: str, source: str, read: str, schema: Schema) -> str:
    names = [name for name, _, _ in schema.columns]
    for position, name in enumerate(names):
        check_text(f"the name of column {position + 1}", name)
    check_names("the names of columns", names)
    if not any(kind is not None or not note for _, kind, note in schema.columns):
        raise WrongTypeError("a codebook needs at least one column of a type that has a kind here.")
    lines = [
        *comments(f"A codebook for {source}, made from {read}."),
        *comments(
            f"Replace every {OPEN} from what is publicly known, never from the data; delete columns that nobody needs."
        ),
        "",
        f"table: {name_text(table) if table.strip() else 'data'}",
        'description: ""',
        "",
        "# What is protected: a row, {rows: 1}; or a person with all of their rows, such as",
        "# {id: COLUMN, caps: {rows: 10}}.",
        f"unit: {OPEN}",
        "",
        "columns:",
    ]
    for name, kind, note in schema.columns:
        lines += _column(name, kind, note)
    return "\n".join(lines) + "\n"


def _column(name: str, kind: str | None, note: str) -> list[str]:
    if kind is None and note:
        return [
            f"  {line}" for line in comments(f"left out: {name_text(name)} ({note}) has no kind here; cast it first")
        ]
    start = [f"  {name_text(name)}:"]
    if kind is None:
        return [*start, f"    type: {OPEN}  # {_ASKED}", "    # bounds: [lower, upper], or categories: [a, b]"]
    start.append(f"    type: {kind}")
    if kind in ("integer", "real"):
        hint = "; delete this line where it is an identifier or a code" if kind == "integer" else ""
        return [*start, f"    bounds: {OPEN}  # [lower, upper]{hint}"]
    if kind in ("date", "timestamp"):
        return [*start, "    # bounds: [2024-01-01, 2024-12-31]"]
    if kind == "text":
        return [
            *start,
            "    # categories: [a, b]  # where its values are publicly known",
            "    # length: 1000  # characters; longer texts are cut there",
        ]
    return start
