"""Records of text files whose rows are not simply lines: with comments, with CRLF only, or with line ends in quotes.

By lines and by CRLF, what a record is shows in its own bytes: no record changes how another is read. With quotes that
holds for files that are written by the rules, and for them alone; others are refused. Argument: docs/tables/reading.md.
"""

import re
from collections.abc import Iterator

import numpy as np

from privet.core import Array
from privet.tables.columns import FileForm

_MARK = "\ufeff".encode()  # some programs write it before the first line
_LEADING = re.compile(b"(?<=[\r\n])(?:%b)+" % _MARK)
_LF, _CR = ord("\n"), ord("\r")


class MisquotedError(Exception):
    """A file with a quote where none may stand; holds nothing of the file."""


def after_preamble(parts: Iterator[bytes], skip: int) -> Iterator[bytes]:
    """Leave out the mark of UTF-8 at the beginning of a file, and some lines.

    Args:
        parts: The bytes of the file.
        skip: How many lines to leave out; LF, CR and CRLF end one each.
    """
    held = b""
    for piece in parts:
        held += piece
        cut = _behind_lines(held, skip, at_end=False)
        if cut is not None:
            yield held[cut:]
            yield from parts
            return
    yield held[_behind_lines(held, skip, at_end=True) :]


def _behind_lines(held: bytes, skip: int, *, at_end: bool) -> int | None:
    """Say where the lines end that are left out; None where more bytes must be seen first."""
    if len(held) < len(_MARK) and _MARK.startswith(held) and not at_end:
        return None
    at = len(_MARK) if held.startswith(_MARK) else 0
    for _ in range(skip):
        ends = [each for each in (held.find(b"\n", at), held.find(b"\r", at)) if each >= 0]
        if not ends:
            return len(held) if at_end else None
        at = min(ends) + 1
        if held[at - 1] == _CR:
            if at == len(held) and not at_end:
                return None
            at += held[at : at + 1] == b"\n"
    return at


def without_marks(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Leave out marks of UTF-8 at the beginning of every line, for files whose first line is a row.

    Nobody can tell a mark that a program wrote before the first line from one that belongs to its row. If only the
    first line lost its mark, the row that is taken away before a line would decide how that line is read.

    Args:
        parts: The bytes of the file.
    """
    held, before = b"", b"\n"  # the beginning of the file is that of a line
    for piece in parts:
        held += piece
        cut = len(held) - next((size for size in (2, 1) if held.endswith(_MARK[:size])), 0)  # a mark may go on
        plain = _LEADING.sub(b"", before + held[:cut])[1:] if _MARK in held else held[:cut]
        held, before = held[cut:], plain[-1:] or before
        yield plain
    yield held


def records(parts: Iterator[bytes], form: FileForm, delimiter: str, longest: int) -> Iterator[list[bytes]]:
    """Give the records of a file, the empty ones too, in lists; of one that is too long at least so much that it shows.

    Args:
        parts: The bytes of the file, in UTF-8.
        form: How it is written.
        delimiter: What parts fields.
        longest: How many bytes a record may have.

    Raises:
        MisquotedError: Where records may hold line ends in quotes, and a quote stands where none may.
    """
    if form.records == "crlf":
        return _between_crlf(parts, longest)
    if form.records == "quoted":
        return _quoted(parts, delimiter.encode(), form.quote.encode(), longest)
    return _lines(parts, longest)


def _lines(parts: Iterator[bytes], longest: int) -> Iterator[list[bytes]]:
    begun = b""
    for piece in parts:
        *whole, begun = (begun + piece).replace(b"\r", b"\n").split(b"\n")
        begun = begun[: longest + 1]
        yield whole
    yield [begun]


def _between_crlf(parts: Iterator[bytes], longest: int) -> Iterator[list[bytes]]:
    begun = b""
    for piece in parts:
        *whole, begun = (begun + piece).split(b"\r\n")
        if len(begun) > longest + 1:
            # an LF may follow; it ends the record behind a CR that was its last byte, and behind no other
            begun = begun[: longest + 1] + (b"\r" if begun.endswith(b"\r") else b" ")
        yield whole
    yield [begun]


def _quoted(parts: Iterator[bytes], delimiter: bytes, quote: bytes, longest: int) -> Iterator[list[bytes]]:
    """Cut at line ends that lie outside of quotes; each quote must stand where it opens, closes or is doubled."""
    begun, inside, before = b"", False, b"\n"
    around = delimiter + quote + b"\r\n"
    for piece in filter(None, parts):  # an empty one, as lines that are skipped may leave, has no last byte
        characters = np.frombuffer(piece, dtype=np.uint8)
        at = np.flatnonzero(characters == quote[0])
        _check_quotes(before + piece, at, around, inside)
        if before == quote and not inside and piece[0] not in around:  # closed where the piece before ended
            raise MisquotedError
        ends = np.flatnonzero((characters == _LF) | (characters == _CR))
        outside = ends[(np.searchsorted(at, ends) + inside) % 2 == 0].tolist()
        whole, start = [], 0
        for end in outside:
            whole.append(begun + piece[start:end])
            begun, start = b"", end + 1
        begun = (begun + piece[start:])[: longest + 1]
        inside, before = (len(at) + inside) % 2 == 1, piece[-1:]
        yield whole
    if inside:
        raise MisquotedError
    yield [begun]


def _check_quotes(held: bytes, at: Array, around: bytes, inside: bool) -> None:  # noqa: FBT001
    """Check that what opens stands behind, and what closes before, a delimiter, a line end or another quote.

    Args:
        held: The bytes, with the one before them.
        at: Where the quotes are, one less than in these bytes.
        around: What may stand beside a quote, outside of the field.
        inside: Whether the first of them closes.
    """
    characters = np.frombuffer(held, dtype=np.uint8)
    closes = (np.arange(len(at)) + inside) % 2 == 1
    allowed = np.zeros(256, dtype=bool)
    allowed[list(around)] = True
    opening, closing = at[~closes], at[closes] + 2
    closing = closing[closing < len(held)]  # what follows the last byte is seen later
    if not (allowed[characters[opening]].all() and allowed[characters[closing]].all()):
        raise MisquotedError
