"""Encodings of text files: bytes of another encoding become UTF-8, line by line.

Line ends are found before or while a line is decoded, and no encoding here has a state: so no line changes how another
is decoded. A line with bytes that are no letters becomes one that is not UTF-8, and with that no row; or each such
byte becomes U+FFFD. Argument: docs/tables/reading.md.
"""

import re
from collections.abc import Callable, Iterator
from itertools import chain

from privet.tables.columns import MULTIBYTE, WIDE, FileForm

_REPLACED = "\ufffd"
_NO_TEXT = b"\xff"  # is part of no UTF-8
_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_HALF = "\ud800"  # of a pair of surrogates: no letter
_NAMES = {"shift-jis": "shift_jis"}


def as_utf8(parts: Iterator[bytes], form: FileForm, longest: int) -> Iterator[bytes]:
    """Give the bytes of a file as UTF-8.

    Args:
        parts: Its bytes, in pieces of any size.
        form: How it is written.
        longest: How many bytes a line may have; longer ones come longer than that, with any letters.
    """
    if form.encoding == "utf-8" and form.invalid == "drop":
        return parts
    if form.encoding in WIDE:
        return _from_wide(parts, form, longest)
    if form.encoding in MULTIBYTE or form.encoding == "utf-8":
        return _by_lines(parts, form, longest)
    return (_from_single_bytes(piece, form) for piece in parts)


def _from_single_bytes(piece: bytes, form: FileForm) -> bytes:
    written = piece.decode(form.encoding, errors="replace").encode()
    return written if form.invalid == "replace" else written.replace(_REPLACED.encode(), _NO_TEXT)


def _by_lines(parts: Iterator[bytes], form: FileForm, longest: int) -> Iterator[bytes]:
    codec = _NAMES.get(form.encoding, form.encoding)
    for lines in _cut(parts, longest, lambda held: max(held.rfind(b"\n"), held.rfind(b"\r")) + 1):
        try:
            yield lines.decode(codec).encode()  # a letter never holds the byte of a line end, so none is swallowed
        except UnicodeError:
            yield b"".join(_mended(line, codec, form) for line in re.split(rb"([\r\n])", lines))


def _mended(line: bytes, codec: str, form: FileForm) -> bytes:
    try:
        return line.decode(codec).encode()
    except UnicodeError:
        return line.decode(codec, errors="replace").encode() if form.invalid == "replace" else _NO_TEXT


def _cut(parts: Iterator[bytes], longest: int, last_end: Callable[[bytes], int]) -> Iterator[bytes]:
    """Cut bytes behind their last line end; of a line that is far too long only so much is kept that this shows."""
    held = b""
    for piece in parts:
        held += piece
        cut = last_end(held)
        if cut:
            yield held[:cut]
            held = held[cut:]
        elif len(held) > 8 * longest:
            held = held[: 4 * longest] + held[len(held) - len(held) % 2 :]  # units of two bytes stay units
    if held:
        yield held


def _from_wide(parts: Iterator[bytes], form: FileForm, longest: int) -> Iterator[bytes]:
    """Decode units of two bytes. Without a mark at the beginning the lower byte comes first."""
    first = b""
    for piece in parts:
        first += piece
        if len(first) >= 2:
            break
    codec = _MARKS.get(first[:2], "utf-16-le") if form.encoding == "utf-16" else form.encoding
    ends = (b"\n\x00", b"\r\x00") if codec == "utf-16-le" else (b"\x00\n", b"\x00\r")
    for lines in _cut(chain((first,), parts), longest, lambda held: max(_behind_last(held, end) for end in ends)):
        text = lines[: len(lines) // 2 * 2].decode(codec, errors="surrogatepass")
        if len(lines) % 2:
            text += _HALF  # half of a unit at the end of a file is no letter
        try:
            yield text.encode()
        except UnicodeError:
            yield b"".join(_mended_wide(line, form) for line in re.split(r"([\r\n])", text))


def _mended_wide(line: str, form: FileForm) -> bytes:
    try:
        return line.encode()
    except UnicodeError:
        plain = line.encode("utf-16-le", errors="surrogatepass").decode("utf-16-le", errors="replace")
        return plain.encode() if form.invalid == "replace" else _NO_TEXT


def _behind_last(held: bytes, end: bytes) -> int:
    """Say where the last unit ends that is a line end; 0 where there is none."""
    at = len(held)
    while True:
        at = held.rfind(end, 0, at)
        if at < 0 or at % 2 == 0:
            return at + 2 if at >= 0 else 0
        at += 1
