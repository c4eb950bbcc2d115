"""The law of reading: what is read is what the documented rule says, from the files that were named and no others.

``check_reading(seed)`` writes files of random bytes under hostile names and compares what a reader finds with a slow
and obvious reader of the rule in docs/tables/reading.md. ``check_lines(seed)`` does the same for bytes in memory, with
pieces and limits so small that every border is met. A line that is taken away must take its own row with it and
nothing else.
"""

import gzip
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import frozen

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.engines.csv_lines import header_line, line_batches
from privet.tables.engines.duckdb import DuckDBEngine

Row = tuple[Any, ...]
Reader = Callable[[str, str], list[Row]]  # from what was asked for, and the delimiter
Lines = Callable[[bytes, str, int, int], list[list[str]]]  # from bytes, delimiter, longest line and size of a piece

NAMES = ("a", "b", "c")
COLUMNS = {name: Column(kind="text") for name in NAMES}
LONGEST = 2**22
TOKENS = [
    *(b'"', b'""', b",", b"\t", b"a", b"1", b" ", b"\\", b"'", b"#", b"\x00", b"\x01\x02\x03\x04", b"\xef\xbb\xbf"),
    *("ä".encode(), "☃".encode(), "\u2028".encode(), "\x85".encode(), b"\xff", b"\xc3", b"\xa4", b"\xed\xa0\x80"),
    *(b"\x0b", b"\x0c", b"\x1c", b"word", b"x" * 20, b"NULL", b"%", b"{", b"~", b";"),
]
ENDS = (b"\n", b"\r", b"\r\n", b"\r\r\n", b"\n\r", b"\n\n")
STEMS = [
    *(
        "data",
        "data1",
        "report[1]",
        "report1",
        "report*",
        "report?",
        "reports",
        "{a,b}",
        "a",
        "b",
        "~",
        "%41",
        "#1",
        "-x",
    ),
    *("sp ace", "☃", "a'b", 'a"b', "[[]", "[!a]", "back\\slash", "x=1", "**", "a\nb", ".hidden", "$HOME", "data[1-3]"),
]
FOLDERS = ("plain", "a[b]", "ab", "*", "x=1", "a=7", "{a,b}", "sp ace", "☃", "back\\slash", "?", "~", "%41")


def model_lines(content: bytes, longest: int) -> list[bytes]:
    """Give the lines of a file, the first one too: runs of bytes between line ends, none of them empty."""
    lines, current = [], bytearray()
    for byte in content:
        if byte in b"\r\n":
            lines.append(bytes(current))
            current.clear()
        else:
            current.append(byte)
    lines.append(bytes(current))
    return [lines[0], *(line for line in lines[1:] if line and len(line) <= longest and _is_text(line))]


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def model_fields(line: str, delimiter: str) -> list[str]:
    """Part a line: delimiters between a quote that opens a field and its partner do not count."""
    fields, at = [], 0
    while at <= len(line):
        end = _partner(line, at) + 1 if line[at : at + 1] == '"' else at
        while end < len(line) and line[end] != delimiter:
            end += 1
        fields.append(line[at:end])
        at = end + 1
    return fields


def _partner(line: str, opening: int) -> int:
    """Find the next quote that is not doubled; else the former of the last two; else the opening one is alone."""
    at, last = opening + 1, opening
    while at < len(line):
        if line[at] == '"' and line[at + 1 : at + 2] == '"':
            last, at = at, at + 2
        elif line[at] == '"':
            return at
        else:
            at += 1
    return last


def model_value(field: str) -> str | None:
    """Take the quotes off a field."""
    if field == "":
        return None
    if len(field) >= 2 and field[0] == field[-1] == '"':
        return field[1:-1].replace('""', '"')
    return field


def model_rows(content: bytes, delimiter: str) -> list[Row]:
    """Read a whole file."""
    rows = []
    for line in model_lines(content, LONGEST)[1:]:
        values = [model_value(field) for field in model_fields(line.decode(), delimiter)]
        rows.append(tuple((values + [None] * len(NAMES))[: len(NAMES)]))
    return rows


def read_asked(asked: str, delimiter: str) -> list[Row]:
    """Read by the engine."""
    with DuckDBEngine(threads=2) as engine:
        found = engine.execute(engine.load(asked, COLUMNS, delimiter=delimiter))
    return list(zip(*found.columns.values(), strict=True))


def read_lines(content: bytes, delimiter: str, longest: int, size: int) -> list[list[str]]:
    """Part bytes as text files are parted; lines that are left whole are parted by the model."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "x.csv")
        path.write_bytes(content)
        found = []
        for batch in line_batches(str(path), header_line(str(path), longest, size), delimiter, longest, size):
            for line, fields in zip(*(each.to_pylist() for each in batch.columns), strict=True):
                found.append(model_fields(line, delimiter) if fields is None else fields)
        return found


@frozen
class Text:
    """A text file: its lines, each with what ends it."""

    parts: tuple[tuple[bytes, bytes], ...]

    @property
    def content(self) -> bytes:
        return b"".join(line + end for line, end in self.parts)

    def without(self, at: int) -> "Text":
        return Text(self.parts[:at] + self.parts[at + 1 :])


def _line(draw: random.Random) -> bytes:
    return b"".join(draw.choices(TOKENS, k=draw.randrange(8)))


def random_text(draw: random.Random, delimiter: str) -> Text:
    """Write a header and some lines, whose ends are mixed or all the same."""
    ends = ENDS if draw.random() < 0.6 else (draw.choice(ENDS),)
    header = (b"\xef\xbb\xbf" if draw.random() < 0.2 else b"") + delimiter.join(NAMES).encode()
    lines = [_line(draw) for _ in range(draw.randrange(12))]
    parts = [(header, draw.choice(ends)), *((line, draw.choice(ends)) for line in lines)]
    if len(parts) > 1 and draw.random() < 0.5:
        parts[-1] = (parts[-1][0], b"")
    return Text(tuple(parts))


def check_lines(seed: int, examples: int = 1, reader: Lines = read_lines) -> None:
    """Compare lines and fields with the model, at every border of pieces and of the longest line."""
    draw = random.Random(seed)
    for _ in range(examples):
        delimiter = draw.choice(",\t;|\x01")
        content = random_text(draw, delimiter).content
        longest = draw.choice((9, 10, 20, 21, 22, 64, 1000))
        size = draw.choice((1, 2, 3, 7, 16, 64, 1000))
        header, *lines = model_lines(content, longest)
        if len(header) > longest:
            continue
        wanted = [model_fields(line.decode(), delimiter) for line in lines]
        found = reader(content, delimiter, longest, size)
        assert found == wanted, f"reading law: {content!r} by {delimiter!r}, {longest}, {size} (seed {seed})"


def _packed(draw: random.Random, content: bytes) -> tuple[bytes, bool]:
    """Pack bytes, in one member or two; sometimes damaged. Gives them and whether they were."""
    cut = draw.randrange(len(content) + 1)
    packed = (
        gzip.compress(content) if draw.random() < 0.7 else gzip.compress(content[:cut]) + gzip.compress(content[cut:])
    )
    if draw.random() < 0.6:
        return packed, False
    if draw.random() < 0.3:
        return packed[: draw.randrange(len(packed))], True
    held = bytearray(packed)
    held[draw.randrange(len(held))] ^= 1 << draw.randrange(8)
    return bytes(held), True


def _write(draw: random.Random, path: Path, delimiter: str) -> tuple[list[Row], Text | None, bool]:
    """Write a file of random rows; give its rows, its text where it has one, and whether it is damaged."""
    if path.name.endswith(".parquet"):
        rows = [tuple(draw.choice(("x", "", None, "ä", '"', path.name[:1])) for _ in NAMES) for _ in range(3)]
        with path.open("wb") as file:
            pq.write_table(
                pa.table({name: pa.array([row[at] for row in rows], pa.string()) for at, name in enumerate(NAMES)}),
                file,
            )
        return rows, None, False
    text = random_text(draw, delimiter)
    content, damaged = _packed(draw, text.content) if path.name.endswith(".gz") else (text.content, False)
    path.write_bytes(content)
    return model_rows(text.content, delimiter), None if path.name.endswith(".gz") else text, damaged


@contextmanager
def _temporary_folder(place: Path) -> Iterator[None]:
    before = tempfile.tempdir
    tempfile.tempdir = str(place)
    try:
        yield
    finally:
        tempfile.tempdir = before


def check_reading(seed: int, examples: int = 1, reader: Reader = read_asked) -> None:
    """Write files under hostile names, ask for one of them or for several, and compare with the model.

    Args:
        seed: What decides everything; a failure names it.
        examples: How many folders to try.
        reader: What to put to the test.

    Raises:
        AssertionError: With the seed that shows it.
    """
    for number in range(seed, seed + examples):
        with tempfile.TemporaryDirectory() as place:
            _check_folder(random.Random(number), Path(place), reader, f"reading law: seed {number}")


def _check_folder(draw: random.Random, place: Path, reader: Reader, label: str) -> None:
    folder, other, spill = (place / each for each in draw.sample(FOLDERS, 3))
    for each in (folder, other, spill):
        each.mkdir()
    ending, delimiter = draw.choice(((".csv", ","), (".tsv", "\t"), (".csv.gz", ","), (".parquet", ","), (".txt", ";")))
    paths = [folder / f"{stem}{ending}" for stem in draw.sample(STEMS, draw.randrange(2, 7))]
    written = {path: _write(draw, path, delimiter) for path in paths}
    _write(draw, other / f"{STEMS[0]}{ending}", delimiter)
    named, asked = [draw.choice(paths)], ""
    if draw.random() < 0.3 and _is_plain(folder.name):
        asked, named = str(folder / f"*{ending}"), [path for path in paths if not path.name.startswith(".")]
        if (folder / f"*{ending}") in paths or not named:
            return  # a file of the name of the pattern is meant itself
        (folder / f"zz link{ending}").symlink_to(named[0])
    elif draw.random() < 0.3:
        asked = str(other / f"link{ending}")
        Path(asked).symlink_to(named[0])
    wanted = Counter(row for path in named for row in written[path][0])
    damaged = any(written[path][2] for path in named)
    with _temporary_folder(spill):
        try:
            found = Counter(reader(asked or str(named[0]), delimiter))
        except InvalidError:
            assert damaged, f"{label}: a sound file was refused"
            return
        # damage that changes no byte of the content may pass; damage that does may not
        assert found == wanted, f"{label}: {asked or named[0]!r} is read as {found}, not {wanted}"
        text = written[named[0]][1]
        if text is not None and len(text.parts) > 1 and len(named) == 1:
            _check_removal(draw, named[0], asked, text, delimiter, reader, found, label)


def _check_removal(
    draw: random.Random,
    path: Path,
    asked: str,
    text: Text,
    delimiter: str,
    reader: Reader,
    found: Counter[Row],
    label: str,
) -> None:
    """Take a line away, with what ends it: its row goes, and no other changes."""
    at = draw.randrange(1, len(text.parts))
    left = text.without(at)
    if left.parts[-1][1] == b"" and at == len(text.parts) - 1 and text.parts[at - 1][1] == b"":
        return
    path.write_bytes(left.content)
    alone = Counter(model_rows(Text((text.parts[0], text.parts[at])).content, delimiter))
    now = Counter(reader(asked or str(path), delimiter))
    assert found - now == alone, f"{label}: without line {at} of {text.content!r} other rows went too"
    assert now - found == Counter(), f"{label}: without line {at} of {text.content!r} there are new rows"


def _is_plain(name: str) -> bool:
    return not set(name) & set("[]*?")
