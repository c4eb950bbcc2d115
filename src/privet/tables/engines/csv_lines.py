"""Comma-separated files, read line by line: a row is a line, and no line can change how another is read.

Parsers that let a quoted field run over several lines hand that power to every value: one quotation mark without its
partner swallows all rows that follow. Here a quoted field ends on its line.

Bytes are read in pieces of bounded size and cut at line ends. A line is a run of bytes without LF and CR, as long as
possible; each is kept or dropped alone. What a piece holds decides only which way it is read, and all ways give the
same for every line. Proof: docs/tables/reading.md.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from privet.tables.columns import PLAIN_FILE, FileForm
from privet.tables.engines.arrow_arrays import number_array
from privet.tables.engines.csv_records import MisquotedError, after_preamble, records, without_marks
from privet.tables.engines.text_encodings import as_utf8

LONGEST = 2**22  # bytes of a line; a longer one is dropped, whatever it holds
PIECE = 2**20  # bytes read at a time
LINE, FIELDS = "line", "fields"
_LIST = pa.list_(pa.string())
SCHEMA = pa.schema([(LINE, pa.string()), (FIELDS, _LIST)])
_DELIMITERS = (",", ";", "\t", "|")
_LF, _CR = ord("\n"), ord("\r")
_BEGINNING = "\ufeff"  # a mark that some programs write before the first line


class DamagedError(Exception):
    """A file that cannot be read to its end; holds the name of the file only."""


def pieces(path: str, size: int = PIECE) -> Iterator[bytes]:
    """Give the bytes of a file, unpacked where its name ends with ``.gz``; its checksums are verified.

    Args:
        path: The file.
        size: How many bytes to give at a time, at most.

    Raises:
        DamagedError: It cannot be read, or not to its end.
    """
    try:
        with Path(path).open("rb") as file, gzip.open(file) if path.lower().endswith(".gz") else file as plain:
            while piece := plain.read(size):
                yield piece
    except (OSError, EOFError, zlib.error):  # their texts may quote the file
        problem = DamagedError(path)
    else:
        return
    raise problem


def header_line(path: str, longest: int = LONGEST, size: int = PIECE, form: FileForm = PLAIN_FILE) -> bytes:
    """Give the bytes before the first line end, or the first record; cut off behind the longest line."""
    if not form.is_plain:
        lists = record_lists(path, form.delimiter or ",", form, longest, size)
        return next(_without_comments(lists, form), b"")[: longest + 1]
    held = b""
    for piece in _body(path, form, longest, size):
        held += piece
        if b"\n" in piece or b"\r" in piece or len(held) > longest:
            break
    return held[: _end_of_line(held)][: longest + 1]


def _body(path: str, form: FileForm, longest: int, size: int) -> Iterator[bytes]:
    """Give the bytes of a file in UTF-8, without what stands before the header, or before the first row."""
    parts = as_utf8(pieces(path, size), form, longest)
    if form.names and not form.skip:
        return without_marks(parts)
    return after_preamble(parts, form.skip) if form.skip or not form.is_plain else parts


def record_lists(
    path: str, delimiter: str, form: FileForm, longest: int = LONGEST, size: int = PIECE
) -> Iterator[list[bytes]]:
    """Give the records of a file in lists, the header and the empty ones too.

    Args:
        path: The file.
        delimiter: What parts fields.
        form: How the file is written.
        longest: How many bytes a record may have; of a longer one at least so much is given that this shows.
        size: How many bytes to read at a time.

    Raises:
        DamagedError: The file cannot be read to its end, or a quote stands where none may.
    """
    try:
        yield from records(_body(path, form, longest, size), form, delimiter, longest)
    except MisquotedError:
        problem = DamagedError(path)
    else:
        return
    raise problem


def _without_comments(lists: Iterable[list[bytes]], form: FileForm) -> Iterator[bytes]:
    mark = (form.comment or "").encode()
    return (each for listed in lists for each in listed if not (mark and each.startswith(mark)))


def line_batches(
    path: str,
    header: bytes | None,
    delimiter: str,
    longest: int = LONGEST,
    size: int = PIECE,
    form: FileForm = PLAIN_FILE,
) -> Iterator[Any]:
    """Give the lines after the first one that are not empty, UTF-8, and no longer than the longest.

    A row has the whole line and no fields, or no line and its fields, where no quote makes it hard to part.

    Args:
        path: The file.
        header: What its first line was when it was looked at before; None where it has no header.
        delimiter: What parts fields.
        longest: How many bytes a line may have.
        size: How many bytes to read at a time.
        form: How the file is written.

    Raises:
        DamagedError: The file cannot be read to its end, or its first line is another one now.
    """
    if not form.is_plain:
        yield from _record_batches(path, header, delimiter, longest, size, form)
        return
    skipped, quote = header is None, form.quote.encode()
    for lines in _whole_lines(_body(path, form, longest, size), longest):
        held = lines
        if not skipped:
            end = _end_of_line(lines)
            if lines[:end] != header:
                raise DamagedError(path)
            held, skipped = lines[end:], True
        plain = (not quote or quote not in held) and len(held) <= longest
        fields = _parted(held, delimiter.encode()) if plain else None
        texts = _texts(held, longest) if fields is None else pa.nulls(len(fields), pa.string())
        if len(texts):
            parts = pa.nulls(len(texts), _LIST) if fields is None else fields
            yield pa.RecordBatch.from_arrays([texts, parts], schema=SCHEMA)


def _record_batches(
    path: str, header: bytes | None, delimiter: str, longest: int, size: int, form: FileForm
) -> Iterator[Any]:
    """Give the records of a file as whole lines, which the engine parts."""
    skipped = header is None
    for listed in record_lists(path, delimiter, form, longest, size):
        kept = list(_without_comments([listed], form))
        if not skipped and kept:
            if kept.pop(0)[: longest + 1] != header:
                raise DamagedError(path)
            skipped = True
        kept = [each for each in kept if each and len(each) <= longest]
        if kept:
            ends = np.fromiter(accumulate(map(len, kept), initial=0), dtype=np.int32, count=len(kept) + 1)
            joined = b"".join(kept)
            texts = pa.StringArray.from_buffers(len(kept), pa.py_buffer(ends), pa.py_buffer(joined))
            texts = texts if joined.isascii() else _kept(texts, joined, ends, longest)
            yield pa.RecordBatch.from_arrays([texts, pa.nulls(len(texts), _LIST)], schema=SCHEMA)


def _end_of_line(held: bytes) -> int:
    ends = [at for at in (held.find(b"\n"), held.find(b"\r")) if at >= 0]
    return min(ends, default=len(held))


def _whole_lines(parts: Iterator[bytes], longest: int) -> Iterator[bytes]:
    """Cut pieces behind their last line end; of a line that is too long just enough is kept to see that."""
    begun = b""
    for piece in parts:
        cut = max(piece.rfind(b"\n"), piece.rfind(b"\r")) + 1
        if cut == 0:
            begun = (begun + piece)[: longest + 1]
            continue
        yield begun + piece[:cut]
        begun = piece[cut:][: longest + 1]
    if begun:
        yield begun


def _at_line_end(lines: bytes, characters: Any) -> Any:
    at_end = characters == _LF
    if b"\r" in lines:
        at_end |= characters == _CR
    return at_end


def _offsets(ends: Any, last: int) -> Any:
    """Say where each part begins once the characters that part them are taken out: one for each part before it."""
    offsets = np.zeros(len(ends) + 2, dtype=np.int32)
    offsets[1:-1] = ends - np.arange(len(ends))
    offsets[-1] = last
    return offsets


def _parted(lines: bytes, delimiter: bytes) -> Any | None:
    """Part lines at every delimiter, all at once; None where one of them is not UTF-8."""
    characters = np.frombuffer(lines, dtype=np.uint8)
    pairs = lines.count(b"\r")
    if pairs and not pairs == lines.count(b"\r\n") == lines.count(b"\n"):
        pairs = 0
    at_end = characters == _LF if pairs else _at_line_end(lines, characters)  # in pairs, one end is enough
    ends = np.flatnonzero(at_end | (characters == delimiter[0]))
    last = np.ones(len(ends) + 1, dtype=bool)  # whether a field is the last one of its line
    last[:-1] = at_end[ends]
    joined = lines.translate(None, b"\r\n" + delimiter)
    offsets = _offsets(ends, len(joined))
    if pairs:
        offsets[1:-1] -= np.cumsum(last[:-1], dtype=np.int32)  # the CRs that were taken out as well
    alone = last.copy()  # whether it is the only one
    alone[1:] &= last[:-1]
    there = ~(alone & (np.diff(offsets) == 0))  # the field of an empty line is none
    offsets = offsets[np.concatenate([[True], there])]
    flat = pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(joined))
    if not lines.isascii():
        try:
            flat.validate(full=True)
        except pa.ArrowInvalid:
            return None
    rows = np.concatenate([[0], np.flatnonzero(last[there]) + 1]).astype(np.int32)
    return pa.ListArray.from_arrays(number_array(rows, pa.int32()), flat)


def _texts(lines: bytes, longest: int) -> Any:
    """Make texts of lines: the bytes without their line ends, and where each line begins in them."""
    ends = np.flatnonzero(_at_line_end(lines, np.frombuffer(lines, dtype=np.uint8)))
    joined = lines.translate(None, b"\r\n")
    offsets = _offsets(ends, len(joined))
    lengths = np.diff(offsets)
    offsets = offsets[np.concatenate([[True], lengths > 0])]  # an empty line begins where the next one does
    texts = pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(joined))
    if lines.isascii() and not (lengths > longest).any():
        return texts
    return _kept(texts, joined, offsets, longest)


def _kept(texts: Any, joined: bytes, offsets: Any, longest: int) -> Any:
    """Drop lines that are too long or not UTF-8."""
    fits = np.diff(offsets) <= longest
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        ends = offsets.tolist()
        fits &= np.array([_is_text(joined[one:other]) for one, other in pairwise(ends)], dtype=bool)
    return texts if fits.all() else texts.filter(number_array(fits, pa.bool_()))


def _is_text(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
