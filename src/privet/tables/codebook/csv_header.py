"""The header of a CSV file: read byte by byte, and nothing behind it."""

import csv
import gzip
import io
import re
from pathlib import Path
from typing import Protocol, final

from privet.errors import InvalidError, PrivetError

NOT_UTF8 = (
    "the header must be text in UTF-8. Save the file as UTF-8; or start from a made-up file with the same columns, and "
    "write the encoding of the data in the codebook, such as file: {encoding: cp1252}."
)
TEXT_FILES = (".csv", ".tsv", ".txt")
_LONGEST_HEADER = 2**20
_DELIMITERS = (b",", b";", b"\t", b"|")
_MARK_PREFIXES = (b"\xef", b"\xef\xbb", b"\xef\xbb\xbf")  # the byte order mark of UTF-8, before the first name
_LIKE_DATA = re.compile(r"\s*([+-]?[\d.,]+([eE][+-]?\d+)?|\d{4}-\d{2}-\d{2}.*|)\s*", flags=re.ASCII)


class ByteStream(Protocol):
    """Anything that gives bytes one by one."""

    def read(self, size: int, /) -> bytes | None:
        """Give up to so many bytes; none at the end."""


def is_text_file(path: Path) -> bool:
    """Tell whether a file is text by its name, packed or not."""
    name = path.name.lower().removesuffix(".gz")
    return name.endswith(TEXT_FILES)


def read_header(path: Path) -> tuple[list[str], str]:
    """Read the names of the columns of a CSV file, and what parts them."""
    try:
        with path.open("rb", buffering=0) as stream:  # unbuffered: a buffer would hold rows
            return names_and_delimiter(gzip.open(stream) if path.name.lower().endswith(".gz") else stream)
    except PrivetError as error:
        raise type(error)(f"{path}: {error}") from None
    except FileNotFoundError:
        raise InvalidError(f"there is no file {str(path)!r}; check the path.") from None
    except (OSError, EOFError) as error:
        raise InvalidError(f"{path} cannot be read: {getattr(error, 'strerror', '') or 'no reason given'}.") from None


def csv_names(stream: ByteStream) -> list[str]:
    """Read the names in the header of a CSV file, and not one byte behind it.

    Args:
        stream: Anything with ``read(1)`` that gives bytes.
    """
    return names_and_delimiter(stream)[0]


def names_and_delimiter(stream: ByteStream) -> tuple[list[str], str]:
    """Read the names in the header of a CSV file, and the first delimiter between them; a comma where there is none."""
    header, delimiter = _Header().read(stream)
    try:
        text = header.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidError(NOT_UTF8) from None
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        raise InvalidError("the header must be a line of names, quoted as in other CSV files.") from None
    names = rows[0] if rows else []
    if not names or names == [""]:
        raise InvalidError("the header must have at least one name, got an empty line.")
    if all(_LIKE_DATA.fullmatch(name) for name in names):
        raise InvalidError("the first line looks like data: a header with the names of the columns must come first.")
    return names, delimiter


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
            raise InvalidError(NOT_UTF8)
        if byte == b'"':
            self.state = {"fresh": "quoted", "quoted": "closed", "closed": "quoted", "bare": "bare"}[self.state]
        elif self.state != "quoted":
            self.delimiter = self.delimiter or (byte if byte in _DELIMITERS else b"")
            marked = len(self.bytes) <= 3 and bytes(self.bytes) in _MARK_PREFIXES
            self.state = "fresh" if byte == self.delimiter or marked else "bare"
