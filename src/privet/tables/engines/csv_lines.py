"""Comma-separated files, read line by line: a row is a line, and no line can change how another is read.

Parsers that let a quoted field run over several lines hand that power to every value: one quotation mark without its
partner swallows all rows that follow. Here a quoted field ends on its line. Proof: docs/tables/reading.md.
"""

import glob
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from attrs import field, frozen

from privet.errors import InvalidError
from privet.tables.engines.csv_batches import LONGEST, SCHEMA, DamagedError, header_line, line_batches

_BEGINNING = "\ufeff"  # a mark that some programs write before the first line


def find_files(label: str, path: str | Path) -> list[str]:
    """Give the files that a path or a pattern names, in order; there must be one.

    A file that has several names, by links, is given once: each of its rows is one row.
    """
    written = str(path)
    matching = [written] if Path(written).is_file() else glob.glob(written, recursive=True)  # noqa: PTH207 - any pattern
    found: dict[tuple[int, int], str] = {}
    for each in sorted(name for name in matching if Path(name).is_file()):
        there = Path(each).stat()
        found.setdefault((there.st_dev, there.st_ino), str(Path(each).resolve()))
    if not found:
        raise InvalidError(f"{label}: there is no file {written!r}; check the path.")
    return list(found.values())


def check_delimiter(delimiter: str) -> None:
    """Refuse a delimiter that could not part fields."""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise InvalidError(f"delimiter must be one ASCII character that is no quote or line end, got {delimiter!r}.")


@frozen
class TextFiles:
    """Text files with the same header, to be read line by line.

    Args:
        label: What to call the table in messages.
        names: The files.
        header: The bytes of the first line of each.
        columns: The names in it, which are the public schema.
        delimiter: What parts fields.
    """

    label: str
    names: tuple[str, ...]
    header: tuple[bytes, ...] = field(repr=False)
    columns: tuple[str, ...]
    delimiter: str

    def batches(self) -> Iterator[Any]:
        """Give all lines of all files but the first of each, as batches."""
        for name, header in zip(self.names, self.header, strict=True):
            yield from line_batches(name, header, self.delimiter)

    def stream(self) -> Any:
        """Give the same as a stream of Arrow."""
        return pa.RecordBatchReader.from_batches(SCHEMA, self.batches())

    def check(self) -> None:
        """Say which file could not be read to its end, where that was why reading failed."""
        try:
            for _ in self.batches():
                pass
        except DamagedError as damaged:
            problem = unreadable(self.label, damaged)
        else:
            return
        raise InvalidError(problem)


def open_text(label: str, names: Sequence[str], delimiter: str) -> TextFiles:
    """Read the first line of text files, which is the public schema; all files must have the same."""
    try:
        lines = tuple(header_line(name) for name in names)
    except DamagedError as damaged:
        raise InvalidError(unreadable(label, damaged)) from None
    if any(len(line) > LONGEST for line in lines):
        raise InvalidError(f"{label}: the header is longer than {LONGEST} bytes; is it a text file?")
    headers = [_names(line, delimiter) for line in lines]
    if not headers[0]:
        raise InvalidError(f"{label}: the file has no header; its first line must name the columns.")
    if any(header != headers[0] for header in headers):
        raise InvalidError(f"{label}: the files have different headers; give files with the same columns.")
    return TextFiles(label, tuple(names), lines, tuple(headers[0]), delimiter)


def unreadable(label: str, damaged: DamagedError) -> str:
    """Say that a file cannot be read, without a word of what it holds."""
    name = str(damaged)
    if name.lower().endswith(".gz"):
        return (
            f"{label}: {name!r} cannot be unpacked to its end: it is damaged, or no gzip file. Pack it again, or "
            "leave .gz out of its name where it is not packed."
        )
    return f"{label}: {name!r} cannot be read to its end; check that it may be read and that nobody writes to it."


def _names(line: bytes, delimiter: str) -> list[str]:
    """Part the header by the rules of every other line."""
    written = line.decode("utf-8", errors="replace").removeprefix(_BEGINNING)
    if not written:
        return []
    fields = re.findall(field_pattern(delimiter), written + delimiter)
    return [each[1:-1].replace('""', '"') if _is_quoted(each) else each for each in fields]


def _is_quoted(each: str) -> bool:
    return len(each) >= 2 and each.startswith('"') and each.endswith('"')


def field_pattern(delimiter: str) -> str:
    """Write the regular expression of one field with the delimiter behind it, for Python and for RE2 alike."""
    mark = f"\\x{ord(delimiter):02x}"
    return f'((?:"(?:[^"]|"")*")?[^{mark}]*){mark}'
