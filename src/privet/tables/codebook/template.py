"""Templates of codebooks: from a schema alone, with the questions that only a person can answer.

No value of the data is looked at: of a CSV file the header is read byte by byte and nothing behind it, of a Parquet
file the names and types only (its footer also holds minima and maxima), of data frames the types of their columns.
"""

import csv
import io
import re
from pathlib import Path
from typing import Protocol, final

from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.codebook.keys import CODEBOOK
from privet.tables.codebook.source_schema import Schema, frame_columns, read_columns
from privet.tables.codebook.tree import OPEN
from privet.tables.codebook.values import check_text
from privet.tables.codebook.write import comments
from privet.tables.columns import check_names

_LONGEST_HEADER = 2**20
_DELIMITERS = (b",", b";", b"\t", b"|")
_MARK_PREFIXES = (b"\xef", b"\xef\xbb", b"\xef\xbb\xbf")  # the byte order mark of UTF-8, before the first name
_LIKE_DATA = re.compile(r"\s*([+-]?[\d.,]+([eE][+-]?\d+)?|\d{4}-\d{2}-\d{2}.*|)\s*", flags=re.ASCII)


class ByteStream(Protocol):
    """Anything that gives bytes one by one."""

    def read(self, size: int, /) -> bytes | None:
        """Give up to so many bytes; none at the end."""


def template(source: object) -> str:
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
    return _write("a schema", "its names and types", Schema("data", frame_columns(source)))


def _of_file(path: Path) -> str:
    if path.suffix.lower() in (".csv", ".tsv", ".txt"):
        try:
            with path.open("rb", buffering=0) as stream:  # unbuffered: a buffer would hold rows
                names = csv_names(stream)
        except OSError as error:
            raise InvalidError(f"{path} cannot be read: {error.strerror or 'no reason given'}.") from None
        except PrivetError as error:
            raise type(error)(f"{path}: {error}") from None
        read = "its first line; if that is not a header but data, throw this file away"
        return _write(path.name, read, Schema(path.stem, tuple((name, None, "") for name in names)))
    return _write(path.name, "its names and types", Schema(path.stem, read_columns(path)))


def csv_names(stream: ByteStream) -> list[str]:
    """Read the names in the header of a CSV file, and not one byte behind it.

    Args:
        stream: Anything with ``read(1)`` that gives bytes.
    """
    header, delimiter = _Header().read(stream)
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


@final
class _Header:
    """Reads up to the first end of line outside quotes, and finds the first delimiter outside quotes.

    A quote opens where a name begins and nowhere else: a stray one inside a name must not swallow the rows.
    """

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.delimiter = b""
        self.state = "fresh"  # at the start of a name; then quoted, closed or bare

    def read(self, stream: ByteStream) -> tuple[bytes, str]:
        while True:
            byte = stream.read(1) or b""
            if byte == b"" and self.state == "quoted":
                raise InvalidError("the header has a quote that is never closed.")
            if byte == b"" or (byte in (b"\n", b"\r") and self.state != "quoted"):
                return bytes(self.bytes), (self.delimiter or b",").decode()
            self.take(byte)

    def take(self, byte: bytes) -> None:
        self.bytes += byte
        if len(self.bytes) > _LONGEST_HEADER:
            raise InvalidError(f"the header must be shorter than {_LONGEST_HEADER:,} bytes.")
        if len(self.bytes) == 2 and bytes(self.bytes) in (b"\xff\xfe", b"\xfe\xff"):
            raise InvalidError("the header must be text in UTF-8.")
        if byte == b'"':
            self.state = {"fresh": "quoted", "quoted": "closed", "closed": "quoted", "bare": "bare"}[self.state]
        elif self.state != "quoted":
            self.delimiter = self.delimiter or (byte if byte in _DELIMITERS else b"")
            marked = len(self.bytes) <= 3 and bytes(self.bytes) in _MARK_PREFIXES
            self.state = "fresh" if byte == self.delimiter or marked else "bare"


def _write(source: str, read: str, schema: Schema) -> str:
    names = [name for name, _, _ in schema.columns]
    for position, name in enumerate(names):
        check_text(f"the name of column {position + 1}", name)
    check_names("the names of columns", names)
    if not any(kind is not None or not note for _, kind, note in schema.columns):
        raise WrongTypeError("a codebook needs at least one column of a type that has a kind here.")
    replace = f"Replace every {OPEN} from what is publicly known, never from the data. Delete columns nobody needs."
    first, *rest = CODEBOOK.template(schema)
    about = (*comments(f"A codebook for {source}, made from {read}."), *comments(replace))
    return "\n".join((first, "", *about, "", *rest)) + "\n"
