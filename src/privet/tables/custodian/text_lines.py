"""The lines of text files: which are read, and which have another number of fields than the header."""

import re
from collections import Counter
from pathlib import Path
from typing import Any, final

from attrs import frozen

from privet.tables.columns import PLAIN_FILE, FileForm
from privet.tables.engines.csv_lines import record_lists
from privet.tables.engines.text_files import field_pattern, find_files

_TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")


@final
@frozen
class LineCounts:
    """The lines of text files below their headers.

    Args:
        lines: How many lines hold something.
        uneven: How many of them have more or fewer fields than the header.
        open_quotes: How many have a quote that does not close on the line.
        one_more: How many have one field more than the header.
        not_utf8: Whether a line is not UTF-8.
        fewer: How many have fewer fields than the header.
    """

    lines: int
    uneven: int
    open_quotes: int = 0
    one_more: int = 0
    not_utf8: bool = False
    fewer: int = 0


def count_lines(source: Any, delimiter: str | None, form: FileForm = PLAIN_FILE) -> LineCounts | None:
    """Count the lines of text files; None for other sources."""
    if not isinstance(source, str | Path):
        return None
    files = find_files("check", source)
    if not all(each.lower().endswith(_TEXT) for each in files):
        return None
    tabs = files[0].lower().endswith((".tsv", ".tsv.gz"))
    mark = delimiter or form.delimiter or ("\t" if tabs else ",")
    counts: Counter[str] = Counter()
    for each in files:
        counts.update(_count(each, mark, form))
    return LineCounts(
        lines=counts["lines"],
        uneven=counts["uneven"],
        open_quotes=counts["open quotes"],
        one_more=counts["one more"],
        not_utf8=counts["not utf-8"] > 0,
        fewer=counts["fewer"],
    )


def _count(path: str, delimiter: str, form: FileForm) -> Counter[str]:
    pattern = re.compile(field_pattern(delimiter, form.quote).encode()) if form.quote else None
    mark, quote, counts = delimiter.encode(), form.quote.encode(), Counter[str]()
    expected = len(form.names) or None
    comment = (form.comment or "").encode()
    for listed in record_lists(path, delimiter, form):
        for line in listed:
            if comment and line.startswith(comment):
                continue
            fields = _fields(line, mark, quote, pattern)
            if expected is None:
                expected = fields  # the header
            elif line:
                counts["lines"] += 1
                counts["uneven"] += fields != expected
                counts["one more"] += fields == expected + 1
                counts["fewer"] += fields < expected
                counts["open quotes"] += bool(quote) and line.count(quote) % 2
                counts["not utf-8"] += not _is_text(line)
    return counts


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _fields(line: bytes, delimiter: bytes, quote: bytes, pattern: re.Pattern[bytes] | None) -> int:
    if pattern is None or quote not in line:
        return line.count(delimiter) + 1
    return len(pattern.findall(line + delimiter))
