"""Text files by name: which files a path means, their public header, and what to say where one cannot be read."""

import glob
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from attrs import field, frozen

from privet.core import short
from privet.errors import InvalidError
from privet.tables.columns import PLAIN_FILE, FileForm
from privet.tables.engines.csv_lines import LONGEST, SCHEMA, DamagedError, header_line, line_batches

_DELIMITERS = (",", ";", "\t", "|")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16
_BEGINNING = "\ufeff"  # a mark that some programs write before the first line


def find_files(label: str, path: str | Path) -> list[str]:
    """Give the files that a path or a pattern names, in order; there must be one.

    A file that has several names, by links, is given once: each of its rows is one row.
    """
    written = str(path)
    try:
        there_is = Path(written).is_file()
    except OSError:  # a name that no system could hold
        raise InvalidError(f"{label}: there is no file {short(written)}; check the path.") from None
    matching = [written] if there_is else glob.glob(written, recursive=True)  # noqa: PTH207 - any pattern
    paths: dict[tuple[int, int], str] = {}
    for each in sorted(name for name in matching if Path(name).is_file()):
        there = Path(each).stat()
        paths.setdefault((there.st_dev, there.st_ino), str(Path(each).resolve()))
    if not paths and Path(written).is_dir():
        pattern = str(Path(written) / "*.csv")
        raise InvalidError(
            f"{label}: {written!r} is a folder, not a file. Give the path of a file, or a pattern for several files "
            f"with the same columns, such as {pattern!r}."
        )
    if not paths:
        raise InvalidError(f"{label}: there is no file {short(written)}; check the path.")
    return list(paths.values())


@frozen
class TextFiles:
    """Text files with the same header, to be read line by line.

    Args:
        label: What to call the table in messages.
        names: The files.
        header: The bytes of the first line of each; None where the files have none.
        columns: The names in it, which are the public schema.
        delimiter: What parts fields.
        form: How they are written.
    """

    label: str
    names: tuple[str, ...]
    header: tuple[bytes | None, ...] = field(repr=False)
    columns: tuple[str, ...]
    delimiter: str
    form: FileForm = PLAIN_FILE

    def batches(self) -> Iterator[Any]:
        """Give all lines of all files but the first of each, as batches."""
        for name, header in zip(self.names, self.header, strict=True):
            yield from line_batches(name, header, self.delimiter, form=self.form)

    def stream(self) -> Any:
        """Give the same as a stream of Arrow."""
        return pa.RecordBatchReader.from_batches(SCHEMA, self.batches())

    def check(self) -> None:
        """Say which file could not be read to its end, where that was why reading failed."""
        try:
            for _ in self.batches():
                pass
        except DamagedError as damaged:
            problem = unreadable(self.label, damaged, self.form)
        else:
            return
        raise InvalidError(problem)


def open_text(label: str, names: Sequence[str], delimiter: str, form: FileForm = PLAIN_FILE) -> TextFiles:
    """Read the first line of text files, which is the public schema; all files must have the same."""
    if form.names:
        return TextFiles(label, tuple(names), (None,) * len(names), form.names, delimiter, form)
    try:
        lines = tuple(header_line(name, form=form) for name in names)
    except DamagedError as damaged:
        raise InvalidError(unreadable(label, damaged, form)) from None
    if any(len(line) > LONGEST for line in lines):
        raise InvalidError(f"{label}: the header is longer than {LONGEST} bytes; is it a text file?")
    if form.encoding == "utf-8" and any(line.startswith(_WIDE_MARKS) or b"\0" in line for line in lines):
        raise InvalidError(
            f"{label}: the header of {Path(names[0]).name!r} looks like UTF-16; write file: {{encoding: utf-16}} in "
            "the codebook, or save the file as UTF-8."
        )
    headers = [_names(line, delimiter, form.quote) for line in lines]
    if not headers[0]:
        raise InvalidError(f"{label}: the file has no header; its first line must name the columns.")
    if any(header != headers[0] for header in headers):
        raise InvalidError(f"{label}: the files have different headers; give files with the same columns.")
    return TextFiles(label, tuple(names), lines, tuple(headers[0]), delimiter, form)


def check_header(label: str, files: TextFiles, columns: Iterable[str]) -> None:
    """Refuse a header that lacks columns and has them with another delimiter, or none of them.

    The header is the public schema. A first line that looks like values may be a row, so no message quotes it.
    """
    needed, header = list(columns), files.header[0]
    if set(needed) <= set(files.columns) or header is None:
        return
    name = Path(files.names[0]).name
    is_row = any(_is_row(_names(header, each, files.form.quote), needed) for each in _DELIMITERS)
    for other in (each for each in _DELIMITERS if each != files.delimiter):
        names = _names(header, other, files.form.quote)
        if set(needed) <= set(names) or (len(files.columns) == 1 and len(names) > 1 and not is_row):
            raise InvalidError(
                f"{label}: the columns of {name!r} seem to be separated by {other!r}, not by {files.delimiter!r}: the "
                f"header has {', '.join(map(repr, names))}. Open it with delimiter={other!r}, or write file: "
                f"{{delimiter: {_in_yaml(other)}}} in the codebook."
            )
    if not set(needed) & set(files.columns):
        seen = ", ".join(map(repr, files.columns))
        shown = ", and does not look like a header" if is_row else f": it has {seen}"
        raise InvalidError(
            f"{label} has no column {needed[0]!r}: the first line of {name!r} has none of the columns of the codebook"
            f"{shown}. If lines stand above the header, write file: {{skip: 1}} in the codebook, with their number. If "
            "the file has no header, write file: {names: [...]}, with a name for every field."
        )


def _is_row(names: Sequence[str], needed: Sequence[str]) -> bool:
    """Tell whether a first line looks like values: it has no column that is needed, and a field that is no name."""
    return not set(names) & set(needed) and any(not any(map(str.isalpha, name)) for name in names)


def _in_yaml(delimiter: str) -> str:
    return '"\\t"' if delimiter == "\t" else repr(delimiter)  # YAML reads escapes within double quotes only


def unreadable(label: str, damaged: DamagedError, form: FileForm = PLAIN_FILE) -> str:
    """Say that a file cannot be read, without a word of what it holds."""
    name = str(damaged)
    if form.records == "quoted":
        return (
            f"{label}: {name!r} cannot be read to its end, or it is not written as records: quoted needs it. There, a "
            "quote opens a field, closes it, or is doubled inside of it. Let the program that wrote the file quote its "
            "fields, or write it as Parquet."
        )
    if name.lower().endswith(".gz"):
        return (
            f"{label}: {name!r} cannot be unpacked to its end: it is damaged, or no gzip file. Pack it again, or "
            "leave .gz out of its name where it is not packed."
        )
    return f"{label}: {name!r} cannot be read to its end; check that it may be read and that nobody writes to it."


def _names(line: bytes, delimiter: str, quote: str = '"') -> list[str]:
    """Part the header by the rules of every other line."""
    written = line.decode("utf-8", errors="replace").removeprefix(_BEGINNING)
    if not written:
        return []
    if not quote:
        return written.split(delimiter)
    fields = re.findall(field_pattern(delimiter, quote), written + delimiter)
    return [each[1:-1].replace(quote * 2, quote) if _is_quoted(each, quote) else each for each in fields]


def _is_quoted(each: str, quote: str) -> bool:
    return len(each) >= 2 and each.startswith(quote) and each.endswith(quote)


def field_pattern(delimiter: str, quote: str = '"') -> str:
    """Write the regular expression of one field with the delimiter behind it, for Python and for RE2 alike."""
    mark, around = f"\\x{ord(delimiter):02x}", f"\\x{ord(quote):02x}"
    return f"((?:{around}(?:[^{around}]|{around}{around})*{around})?[^{mark}]*){mark}"
