"""Encodings: every line is decoded alone, by every codec, in pieces of any size; nothing raises."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError
from privet.tables.columns.file_form import ENCODINGS, INVALID, WIDE, FileForm, Invalid, read_encoding
from privet.tables.engines.text_encodings import as_utf8

CODECS = {"shift-jis": "shift_jis", "utf-16": "utf-16-le"}
BYTES = st.lists(
    st.sampled_from([b"a", b"\n", b"\r", b",", b"\x81", b"\xff", b"\xd8\x00", b"\x00\xdc", b"\x00", b"\x8f", b"\x30"])
    | st.binary(min_size=1, max_size=3),
    max_size=16,
).map(b"".join)


def pieces(content: bytes, size: int) -> Iterator[bytes]:
    return (content[at : at + size] for at in range(0, len(content), size))


def read(content: bytes, form: FileForm, size: int = 2**20) -> list[bytes]:
    """Give the lines of a file in UTF-8; None, by a byte that is none, for one that is no text."""
    held = b"".join(as_utf8(pieces(content, size), form, 2**22))
    return held.replace(b"\r", b"\n").split(b"\n")


def units(content: bytes, order: str) -> list[bytes]:
    """Cut units of two bytes into lines."""
    ends = [end.encode(order) for end in "\r\n"]
    lines = [b""]
    for at in range(0, len(content), 2):
        unit = content[at : at + 2]
        if unit in ends:
            lines.append(b"")
        else:
            lines[-1] += unit
    return lines


def model(line: bytes, codec: str, invalid: Invalid) -> bytes:
    try:
        return line.decode(codec).encode()
    except UnicodeDecodeError:
        return line.decode(codec, errors="replace").encode() if invalid == "replace" else b"\xff"


@pytest.mark.parametrize("encoding", [each for each in ENCODINGS if each not in WIDE and each != "utf-8"])
@settings(max_examples=30, deadline=None)
@given(content=BYTES, size=st.integers(1, 9))
def test_each_line_is_decoded_alone(encoding: str, content: bytes, size: int) -> None:
    codec = CODECS.get(encoding, encoding)
    for invalid in INVALID:
        found = read(content, FileForm(encoding=encoding, invalid=invalid), size)
        wanted = [model(line, codec, invalid) for line in content.replace(b"\r", b"\n").split(b"\n")]
        if invalid == "replace":
            assert found == wanted
        else:
            assert [b"\xff" if b"\xff" in each else each for each in found] == wanted


@pytest.mark.parametrize("encoding", WIDE)
@settings(max_examples=200, deadline=None)
@given(content=BYTES, size=st.integers(1, 9))
def test_each_line_of_wide_units_is_decoded_alone(encoding: str, content: bytes, size: int) -> None:
    codec = (
        "utf-16-be" if encoding == "utf-16-be" or (encoding == "utf-16" and content[:2] == b"\xfe\xff") else "utf-16-le"
    )
    found = read(content, FileForm(encoding=encoding), size)
    assert found == [model(line, codec, "drop") for line in units(content, codec)]
    replaced = read(content, FileForm(encoding=encoding, invalid="replace"), size)
    assert len(replaced) == len(found)
    assert all(one == other for one, other in zip(found, replaced, strict=True) if one != b"\xff")
    assert all(each.decode() is not None for each in replaced)


@settings(max_examples=200, deadline=None)
@given(BYTES, st.integers(1, 9))
def test_bytes_that_are_no_utf_8_are_replaced_where_that_is_asked_for(content: bytes, size: int) -> None:
    found = read(content, FileForm(invalid="replace"), size)
    wanted = [line.decode(errors="replace").encode() for line in content.replace(b"\r", b"\n").split(b"\n")]
    assert found == wanted


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_line_far_too_long_stays_too_long_and_harms_no_other(encoding: str) -> None:
    codec = CODECS.get(encoding, encoding)
    content = ("a\n" + "x" * 1_000 + "\nb\n").encode(codec)
    for size in (3, 64):
        held = b"".join(as_utf8(pieces(content, size), FileForm(encoding=encoding), 10))
        first, long, last, _ = held.split(b"\n")
        assert (first, last) == (b"a", b"b")
        assert len(long) > 10


READ = [("latin-1", "Zoë"), ("cp1252", "€ 5"), ("utf-16", "Zoë ☃"), ("gbk", "北京"), ("utf-8", "ä")]


@pytest.mark.parametrize(("encoding", "text"), READ)
def test_a_codebook_states_the_encoding(encoding: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(f"name,n\n{text},1\n".encode(encoding))
    book = {"columns": {"name": {"type": "text", "categories": [text]}}, "unit": {"rows": 1}}
    found = pv.check(path, {**book, "file": {"encoding": encoding}})
    assert (found.rows, found.unread, found.columns[0].null) == (1, 0, 0)


def test_names_of_encodings() -> None:
    assert [read_encoding(each) for each in ("UTF8", "Windows-1252", "ISO8859-15", "latin_1", "SJIS")] == [
        *("utf-8", "cp1252", "iso-8859-15", "latin-1", "shift-jis"),
    ]
    for other in ("utf-7", "iso-2022-jp", "idna", "punycode", "unicode_escape", "hz", "zlib", "rot13", "mbcs", ""):
        with pytest.raises(InvalidError, match="file.encoding must be one of utf-8, utf-16, latin-1, cp1252 or"):
            read_encoding(other)


def test_neighbouring_files_in_every_encoding() -> None:
    """A line that is taken away takes its own row with it and nothing else, whatever its bytes."""
    for encoding in ENCODINGS:
        codec = CODECS.get(encoding, encoding)
        end = "\n".encode(codec)
        lines = [bad * (2 if encoding in WIDE else 1) for bad in (b"\x81", b"\xd8", b"\xff", b"\x8f\xa1", b"\x00")]
        kept = "ab".encode(codec)
        with tempfile.TemporaryDirectory():
            alone = read(kept + end + kept, FileForm(encoding=encoding))
            for line in lines:
                found = read(kept + end + line + end + kept, FileForm(encoding=encoding))
                assert (found[0], found[-1]) == (alone[0], alone[-1]), encoding
