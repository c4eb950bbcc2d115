"""The lines of text files: which are read, and which have another number of fields than the header."""

import re
from itertools import chain
from pathlib import Path
from typing import Any, final

from attrs import frozen

from privet.tables.engines.csv_lines import field_pattern, find_files, header_line, pieces

_TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")


@final
@frozen
class LineCounts:
    """The lines of text files below their headers.

    Args:
        lines: How many lines hold something.
        uneven: How many of them have more or fewer fields than the header.
    """

    lines: int
    uneven: int


def count_lines(source: Any, delimiter: str | None) -> LineCounts | None:
    """Count the lines of text files; None for other sources."""
    if not isinstance(source, str | Path):
        return None
    files = find_files("check", source)
    if not all(each.lower().endswith(_TEXT) for each in files):
        return None
    mark = delimiter or ("\t" if files[0].lower().endswith((".tsv", ".tsv.gz")) else ",")
    counts = [_count(each, mark) for each in files]
    return LineCounts(sum(each.lines for each in counts), sum(each.uneven for each in counts))


def _count(path: str, delimiter: str) -> LineCounts:
    fields = re.compile(field_pattern(delimiter).encode())
    header = header_line(path)
    expected = _fields(header, delimiter.encode(), fields)
    lines, uneven, begun, first = 0, 0, b"", True
    for piece in chain(pieces(path), (b"\n",)):
        *whole, begun = re.split(rb"[\r\n]", begun + piece)
        for line in whole:
            if first:
                first = False  # the header
            elif line:
                lines += 1
                uneven += _fields(line, delimiter.encode(), fields) != expected
    return LineCounts(lines, uneven)


def _fields(line: bytes, delimiter: bytes, pattern: re.Pattern[bytes]) -> int:
    if b'"' not in line:
        return line.count(delimiter) + 1
    return len(pattern.findall(line + delimiter))
