"""The law of reading, a fixed share of it; and readers with one mistake each, which it must catch."""

import glob
import zlib
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from privet.errors import InvalidError
from privet.tables.engines.text_files import find_files
from tests.laws.reading import (
    NAMES,
    Row,
    check_lines,
    check_reading,
    model_fields,
    model_rows,
    model_value,
    read_asked,
    read_lines,
)


@pytest.mark.parametrize("seed", range(4))
def test_files_are_read_by_the_rule(seed: int) -> None:
    check_reading(1000 * seed, examples=15)


def test_lines_are_found_by_the_rule() -> None:
    check_lines(7, examples=1000)


def _rows(lines: list[str], delimiter: str) -> list[Row]:
    fields = [[model_value(each) for each in model_fields(line, delimiter)] for line in lines]
    return [tuple((each + [None] * len(NAMES))[: len(NAMES)]) for each in fields]


def _unpacked(name: str) -> bytes:
    held = Path(name).read_bytes()
    return zlib.decompress(held, wbits=31) if name.endswith(".gz") else held


def the_engine_finds_lines(asked: str, delimiter: str) -> list[Row]:
    """The reader of before: DuckDB finds the lines and the files."""
    if asked.endswith((".parquet", ".gz")):
        return read_asked(asked, delimiter)
    options = "columns={'line': 'VARCHAR'}, delim='\x01\x02\x03\x04', quote='', escape='', skip=1, auto_detect=false, "
    options += "max_line_size=16777216, header=false, strict_mode=false, ignore_errors=true"
    query = f"SELECT line FROM read_csv(?, {options}) WHERE line <> ''"
    found = duckdb.execute(query, [find_files("x", asked)]).fetchall()
    return _rows([row[0] for row in found], delimiter)


def lines_end_with_lf_only(asked: str, delimiter: str) -> list[Row]:
    if asked.endswith((".parquet", ".gz")):
        return read_asked(asked, delimiter)
    held = [line for name in find_files("x", asked) for line in Path(name).read_bytes().split(b"\n")[1:]]
    return _rows([line.decode() for line in held if line.isascii()], delimiter)


def names_are_patterns(asked: str, delimiter: str) -> list[Row]:
    """Names are expanded again, as DuckDB does."""
    if asked.endswith(".gz"):
        return read_asked(asked, delimiter)
    again = [each for name in find_files("x", asked) for each in glob.glob(name) or [name]]  # noqa: PTH207
    return [row for each in again for row in read_asked(each, delimiter)]


def checksums_are_not_verified(asked: str, delimiter: str) -> list[Row]:
    if not asked.endswith(".gz"):
        return read_asked(asked, delimiter)
    rows = []
    for name in find_files("x", asked):
        held, content = Path(name).read_bytes(), b""
        while held[:2] == b"\x1f\x8b":
            unpack = zlib.decompressobj(wbits=-15)
            try:
                content += unpack.decompress(held[10:])
            except zlib.error:
                raise InvalidError("damaged") from None
            held = unpack.unused_data[8:]
        rows += model_rows(content, delimiter)
    return rows


def links_are_read_twice(asked: str, delimiter: str) -> list[Row]:
    names = [asked] if Path(asked).is_file() else glob.glob(asked)  # noqa: PTH207
    return [row for each in names for row in read_asked(each, delimiter)]


def a_mark_is_taken_off_every_line(asked: str, delimiter: str) -> list[Row]:
    marked = "\ufeff"
    clean = (tuple(each and each.removeprefix(marked) for each in row) for row in read_asked(asked, delimiter))
    return list(clean)


TWINS: list[Callable[[str, str], list[Row]]] = [
    the_engine_finds_lines,
    lines_end_with_lf_only,
    names_are_patterns,
    checksums_are_not_verified,
    links_are_read_twice,
    a_mark_is_taken_off_every_line,
]


@pytest.mark.parametrize("reader", TWINS)
def test_a_reader_with_a_mistake_is_caught(reader: Callable[[str, str], list[Row]]) -> None:
    with pytest.raises((AssertionError, UnicodeDecodeError), match=r"reading law|codec"):
        check_reading(0, examples=400, reader=reader)


def _pieces_are_lines(content: bytes, delimiter: str, longest: int, size: int) -> list[list[str]]:
    return [
        each for each in read_lines(content, delimiter, longest, size) if sum(map(len, each)) + len(each) - 1 != size
    ]


def _the_longest_line_is_dropped(content: bytes, delimiter: str, longest: int, size: int) -> list[list[str]]:
    return read_lines(content, delimiter, longest - 1, size)


def _one_bad_line_takes_its_piece_along(content: bytes, delimiter: str, longest: int, size: int) -> list[list[str]]:
    try:
        content.decode()
    except UnicodeDecodeError:
        return []
    return read_lines(content, delimiter, longest, size)


@pytest.mark.parametrize(
    "reader", [_pieces_are_lines, _the_longest_line_is_dropped, _one_bad_line_takes_its_piece_along]
)
def test_a_mistake_at_a_border_is_caught(reader: Callable[[bytes, str, int, int], list[list[str]]]) -> None:
    with pytest.raises(AssertionError, match="reading law"):
        check_lines(1, examples=2000, reader=reader)
