"""Lines of text files: those that are read, those that are not, and those with another number of fields."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.tables.custodian.text_lines import LineCounts, count_lines

BOOK = pv.Codebook(columns={"a": str, "b": str}, unit=pv.Rows())


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        (b"a,b\n1,2\n", LineCounts(1, 0)),
        (b"a,b\r\n1,2\r\n\r\n3,4", LineCounts(2, 0)),
        (b"a,b\r1,2\r3\r", LineCounts(2, 1, fewer=1)),
        (b'a,b\n"1,5",2\n1,5,2\n"x\ny",3\n', LineCounts(4, 2, open_quotes=2, one_more=1, fewer=1)),
        (b"a,b", LineCounts(0, 0)),
        (b"\xff\xfe,b\n", LineCounts(0, 0)),
    ],
)
def test_lines_are_counted(held: bytes, expected: LineCounts, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(held)
    assert count_lines(path, None) == expected


def test_other_sources_have_no_lines(tmp_path: Path) -> None:
    assert count_lines([], None) is None
    (tmp_path / "a.parquet").touch()
    assert count_lines(tmp_path / "a.parquet", None) is None


def test_lines_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n1,2\n\xff,3\n4\n")
    seen = pv.check(path, BOOK)
    assert (seen.rows, seen.unread) == (2, 1)
    assert [str(each) for each in seen.problems] == [
        (
            "1 of 3 lines could not be read. They are not UTF-8, or too long. Save the file as UTF-8, or write its "
            "encoding in the codebook, such as file: {encoding: cp1252}."
        ),
        (
            "1 of 3 lines has more or fewer fields than the header. Fields that are missing at the end of a line are "
            "read as null. If they should be there, look at the header and at the delimiter."
        ),
    ]
    assert "2 rows of 'data'; 1 line could not be read" in str(seen)


@settings(max_examples=20, deadline=None)
@given(st.binary(max_size=60).map(lambda held: held.replace(b"\x00", b"x")))
def test_rows_and_unread_lines_are_all_lines(held: bytes) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(b"a,b\n" + held)
        seen = pv.check(path, BOOK)
    undecodable = sum(_is_no_text(line) for line in held.replace(b"\r", b"\n").split(b"\n"))
    assert seen.unread == undecodable


def _is_no_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return True
    return False
