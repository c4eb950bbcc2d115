"""Bytes of text files into lines: read in pieces of bounded size, cut at every line end, each line kept or dropped alone.

A line is a run of bytes without LF and CR, as long as possible. What a piece holds decides only how fast it is read: the
quick way and the slow way keep the same lines. Proof: docs/tables/reading.md.
"""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

LONGEST = 2**24  # bytes of a line; a longer one is dropped, whatever it holds
PIECE = 2**20  # bytes read at a time
_LF, _CR = ord("\n"), ord("\r")


class Damaged(Exception):
    """A file that cannot be read to its end; holds the name of the file only."""


def pieces(path: str, size: int = PIECE) -> Iterator[bytes]:
    """Give the bytes of a file, unpacked where its name ends with ``.gz``; its checksums are verified.

    Args:
        path: The file.
        size: How many bytes to give at a time, at most.

    Raises:
        Damaged: It cannot be read, or not to its end.
    """
    try:
        with Path(path).open("rb") as file, gzip.open(file) if path.lower().endswith(".gz") else file as plain:
            while piece := plain.read(size):
                yield piece
    except (OSError, EOFError, zlib.error):  # their texts may quote the file
        problem = Damaged(path)
    else:
        return
    raise problem


def header_line(path: str, longest: int = LONGEST, size: int = PIECE) -> bytes:
    """Give the bytes before the first line end, cut off behind the longest line."""
    held = b""
    for piece in pieces(path, size):
        held += piece
        if b"\n" in piece or b"\r" in piece or len(held) > longest:
            break
    return held[: _end_of_line(held)][: longest + 1]


def line_batches(path: str, header: bytes, longest: int = LONGEST, size: int = PIECE) -> Iterator[Any]:
    """Give the lines after the first one as batches of texts: not empty, UTF-8, and no longer than the longest.

    Args:
        path: The file.
        header: What its first line was when it was looked at before.
        longest: How many bytes a line may have.
        size: How many bytes to read at a time.

    Raises:
        Damaged: The file cannot be read to its end, or its first line is another one now.
    """
    skipped = False
    for lines in _whole_lines(pieces(path, size), longest):
        held = lines
        if not skipped:
            end = _end_of_line(lines)
            if lines[:end] != header:
                raise Damaged(path)
            held, skipped = lines[end:], True
        texts = _texts(held, longest)
        if len(texts):
            yield texts


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


def _texts(lines: bytes, longest: int) -> Any:
    """Make texts of lines: the bytes without their line ends, and where each line begins in them."""
    characters = np.frombuffer(lines, dtype=np.uint8)
    at_end = characters == _LF
    if b"\r" in lines:
        at_end |= characters == _CR
    ends = np.flatnonzero(at_end)
    joined = lines.translate(None, b"\r\n")
    offsets = np.zeros(len(ends) + 2, dtype=np.int32)
    offsets[1:-1] = ends - np.arange(len(ends))  # as many line ends were taken out before this one
    offsets[-1] = len(joined)
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
        fits &= np.array([_is_text(joined[one:other]) for one, other in zip(ends, ends[1:], strict=False)], dtype=bool)
    return texts if fits.all() else texts.filter(pa.array(fits))


def _is_text(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
