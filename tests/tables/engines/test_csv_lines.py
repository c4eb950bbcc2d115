"""A row of a text file is a line: however hostile, it changes no other row and raises nothing."""

from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine

COLUMNS = {name: Column(kind="text") for name in ("a", "b", "c")}
NUMBER = count()
HEADER = b"a,b,c\n"


def read(path: Path, content: bytes) -> list[tuple[Any, ...]]:
    return read_each(path, [content])[0]


def read_each(path: Path, contents: list[bytes]) -> list[list[tuple[Any, ...]]]:
    """Read files, each a table of one engine."""
    with DuckDBEngine(threads=1) as engine:
        loaded = []
        for content in contents:
            target = path / f"{next(NUMBER)}.csv"
            target.write_bytes(content)
            loaded.append(engine.load(target, COLUMNS, f"file {target.stem}"))
        found = [engine.execute(each, order_by=["a", "b", "c"]) for each in loaded]
    return [list(zip(*each.columns.values(), strict=True)) for each in found]


LINES: list[tuple[bytes, list[Any]]] = [
    (b"1,2,3", [("1", "2", "3")]),
    (b"1,2", [("1", "2", None)]),
    (b"1,2,3,4,5", [("1", "2", "3")]),
    (b"", []),
    (b",,", [(None, None, None)]),
    (b'"",x,', [("", "x", None)]),
    (b'"a,b","say ""hi""",3', [("a,b", 'say "hi"', "3")]),
    (b'1,"open,3', [("1", '"open', "3")]),
    (b'1,"2"x,3', [("1", '"2"x', "3")]),
    (b'1,2"2,3', [("1", '2"2', "3")]),
    (b'",",","', [(",", ",", None)]),
    (b'"', [('"', None, None)]),
    (b'""""', [('"', None, None)]),
    (b" 1 ,\t2,3 ", [(" 1 ", "\t2", "3 ")]),
    (b"1,\xff\xfe,3", []),
    (b"NULL,nan,\\N", [("NULL", "nan", "\\N")]),
    (b"1,a\x00b,3", [("1", "a\x00b", "3")]),
    (b"# no comment,2,3", [("# no comment", "2", "3")]),
    (b"1,\x01\x02\x03\x04,3", [("1", "\x01\x02\x03\x04", "3")]),
    (b"'1,2',3", [("'1", "2'", "3")]),
    ("ä,☃,𝄞".encode(), [("ä", "☃", "𝄞")]),
]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""], ids=["LF", "CRLF", "end of file"])
def test_a_line_is_read_by_itself(tmp_path: Path, end: bytes) -> None:
    found = read_each(tmp_path, [HEADER + b"z,y,x\n" + line + end for line, _ in LINES])
    for (line, rows), each in zip(LINES, found, strict=True):
        assert each == sorted([*rows, ("z", "y", "x")], key=_nulls_first), line


def _nulls_first(row: tuple[Any, ...]) -> list[tuple[bool, str]]:
    return [(value is not None, value or "") for value in row]


PIECES = st.sampled_from([b'"', b",", b"a", b'""', b" ", b"1", b"\xff", b"\\", b"'", b"\x00", b"\xc3\xa4", b"x" * 50])
HOSTILE_LINES = st.lists(st.lists(PIECES, max_size=7).map(b"".join), max_size=6)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=HOSTILE_LINES)
def test_files_are_the_sum_of_their_lines(tmp_path: Path, lines: list[bytes]) -> None:
    together, *alone = read_each(tmp_path, [HEADER + content for content in (b"\n".join(lines), *lines)])
    one_by_one = [row for rows in alone for row in rows]
    assert together == sorted(one_by_one, key=_nulls_first)


def test_a_parser_with_quotes_over_lines_breaks_this_law(tmp_path: Path) -> None:
    """The twin: one quote without a partner swallows the rows after it."""
    target = tmp_path / "x.csv"
    target.write_bytes(HEADER + b'1,"open,3\n4,5,6\n7,8,9\n')
    with DuckDBEngine() as engine:
        columns = "columns={'a': 'VARCHAR', 'b': 'VARCHAR', 'c': 'VARCHAR'}, auto_detect=false"
        options = f"{columns}, header=true, ignore_errors=true, strict_mode=false, null_padding=true, quote='\"'"
        found = engine._connection.execute(f"SELECT * FROM read_csv('{target}', {options})").fetchall()
    assert len(found) < 3
    assert len(read(tmp_path, target.read_bytes())) == 3


def test_a_line_that_is_too_long_is_dropped_alone(tmp_path: Path) -> None:
    content = HEADER + b"1,2,3\n" + b"x" * (2**22 + 10) + b",5,6\n" + b"7," + b"y" * 2**20 + b",9\n"
    assert [(row[0], row[2]) for row in read(tmp_path, content)] == [("1", "3"), ("7", "9")]


@pytest.mark.parametrize(
    "header", [b"a,b,c", b"\xef\xbb\xbfa,b,c\n", b'"a","b",c\r\n', b"c,b,a\n", b"a,b,c,c2,c2\r1,2,3"]
)
def test_headers_are_read(tmp_path: Path, header: bytes) -> None:
    assert read(tmp_path, header) == ([("1", "2", "3")] if header.endswith(b"3") else [])


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"", "has no header"),
        (b"\n1,2,3", "has no header"),
        (b"a,b\n", "no column 'c'"),
        (b"a,b,c,c\n", "2 columns named 'c'"),
    ],
)
def test_headers_that_do_not_fit_are_refused(tmp_path: Path, header: bytes, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        read(tmp_path, header)


def test_several_files_need_one_header(tmp_path: Path) -> None:
    (tmp_path / "part1.csv").write_bytes(HEADER + b"1,2,3\n")
    (tmp_path / "part2.csv").write_bytes(b"\xef\xbb\xbf" + HEADER + b"4,5,6")
    with DuckDBEngine() as engine:
        found = engine.execute(engine.load(tmp_path / "part*.csv", COLUMNS), order_by=["a"])
        assert found["a"] == ["1", "4"]
    (tmp_path / "part3.csv").write_bytes(b"a,c,b\n")
    with DuckDBEngine() as engine, pytest.raises(InvalidError, match="different headers"):
        engine.load(tmp_path / "part*.csv", COLUMNS)


def test_columns_that_are_not_asked_for_are_not_read(tmp_path: Path) -> None:
    target = tmp_path / "x.csv"
    target.write_bytes(b"secret,a\nx,1\n")
    with DuckDBEngine() as engine:
        assert dict(engine.execute(engine.load(target, {"a": COLUMNS["a"]})).columns) == {"a": ["1"]}


@pytest.mark.parametrize("delimiter", [";", "|", "\t", "^", "]", "\\", "-", " "])
def test_any_delimiter_parts_fields(tmp_path: Path, delimiter: str) -> None:
    target = tmp_path / "x.csv"
    target.write_text(
        f'a{delimiter}b{delimiter}c\n1{delimiter}"2{delimiter}2"{delimiter}3\n4{delimiter}5{delimiter}6\n'
    )
    with DuckDBEngine(threads=1) as engine:
        found = engine.execute(engine.load(target, COLUMNS, delimiter=delimiter), order_by=["a"])
    assert found["b"] == [f"2{delimiter}2", "5"]
    assert found["c"] == ["3", "6"]


@pytest.mark.parametrize("ends", [(b"\r", b"\r\n"), (b"\r", b"\n"), (b"\r\r\n", b"\r\n"), (b"\n\r", b"\r")])
def test_a_lone_cr_takes_nothing_from_the_next_line(tmp_path: Path, ends: tuple[bytes, bytes]) -> None:
    lines = [b"%d,x,y" % number for number in range(1000, 2000)]
    content = b"a,b,c\r\n" + b"".join(b"0" + ends[0] + line + ends[1] for line in lines)
    found = read(tmp_path, content)
    assert Counter(row[0] for row in found) == Counter({"0": 1000, **{str(each): 1 for each in range(1000, 2000)}})


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_the_longest_line_is_kept_and_the_next_one_is_not(tmp_path: Path, extra: int) -> None:
    content = HEADER + b"1,2,3\n" + b"x" * (2**22 + extra) + b"\n4,5,6"
    assert len(read(tmp_path, content)) == (3 if extra <= 0 else 2)


def test_a_header_is_parted_like_any_other_line(tmp_path: Path) -> None:
    target = tmp_path / "x.csv"
    target.write_bytes(b'"a,b","say ""hi""",c"d\n1,2,3\n')
    columns = {name: Column(kind="text") for name in ("a,b", 'say "hi"', 'c"d')}
    with DuckDBEngine() as engine:
        assert [each[0] for each in engine.execute(engine.load(target, columns)).columns.values()] == ["1", "2", "3"]
