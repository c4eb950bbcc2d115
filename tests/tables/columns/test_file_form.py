"""How a text file is written: what a codebook may state, and what it may not."""

import re
from pathlib import Path
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.file_form import FileForm

BOOK: dict[str, Any] = {"unit": {"rows": 1}, "columns": {"a": {"type": "text"}, "b": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"encoding": "utf-7"}, "file.encoding must be one of utf-8, utf-16, latin-1, cp1252 or another encoding"),
        ({"invalid": "ignore"}, "file.invalid must be one of drop, replace, got 'ignore'."),
        ({"delimiter": "||"}, "file.delimiter must be one ASCII character that is no line end"),
        ({"delimiter": "\n"}, "file.delimiter must be one ASCII character that is no line end"),
        ({"quote": "''"}, "file.quote must be one ASCII character"),
        ({"records": "all"}, "file.records must be one of lines, crlf, quoted, got 'all'."),
        ({"records": "quoted", "quote": ""}, "file.records is quoted, but file.quote is empty"),
        ({"records": "quoted", "comment": "#"}, "file.comment is not for quoted records"),
        ({"delimiter": ";", "comment": ";"}, "file.delimiter, file.quote and file.comment must be different"),
        ({"skip": -1}, "file.skip must be a number of lines"),
        ({"skip": True}, "file.skip must be a number of lines"),
        ({"names": ("a", "a")}, "file.names must be different names"),
        ({"names": ("a", "b"), "encoding": "utf-16"}, "its first row would decide how all others are read"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidError, match=re.escape(message)):
        FileForm(**given)


def test_names_are_texts() -> None:
    with pytest.raises(WrongTypeError, match="file.names must be the names of the columns"):
        FileForm(names=(1,))


FORMS: list[dict[str, Any]] = [
    {},
    {"encoding": "cp1252", "delimiter": ";", "skip": 2},
    {"invalid": "replace", "quote": "", "comment": "#"},
    {"records": "quoted", "names": ["a", "yes", "2024-01-31"]},
    {"records": "crlf", "delimiter": "\t", "quote": "'"},
    {"encoding": "utf-16", "names": ["a", "b"], "skip": 1},
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_codebooks_hold_them(form: dict[str, Any]) -> None:
    book = pv.Codebook.from_dict({**BOOK, "file": form})
    assert book.file == FileForm(**form)
    assert pv.Codebook.from_yaml(book.to_yaml()) == book == pv.Codebook.from_dict(book.to_dict())
    assert book.to_dict().get("file", {}) == form
    assert pv.Codebook(columns={"a": str}, unit=pv.Rows(), file=form).file == book.file


def test_problems_name_their_line() -> None:
    text = "unit: {rows: 1}\nfile:\n  encodin: latin-1\n  skip: -2\n  delimiter: ab\ncolumns:\n  a: {type: text}\n"
    with pytest.raises(pv.CodebookError) as caught:
        pv.Codebook.from_yaml(text)
    assert [each.line for each in caught.value.problems] == [3, 4, 5]
    assert "file.encodin is no key of a file. Did you mean encoding?" in str(caught.value)


def test_the_argument_of_a_session_counts_more(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a;b\nx;1\n")
    assert pv.check(path, {**BOOK, "file": {"delimiter": ";"}}).columns[1].null == 0
    assert pv.check(path, {**BOOK, "file": {"delimiter": "|"}}, delimiter=";").columns[1].null == 0


def test_a_session_reads_a_file_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("\ufeffann,1,x\n" * 300 + "bob,2,y\n" * 200, encoding="utf-8")
    names = {"names": ["who", "b", "a"]}
    book = {"unit": {"rows": 1}, "columns": {"who": {"type": "text", "categories": ["ann", "bob"]}}, "file": names}
    session = pv.Session(path, book, pv.budget(epsilon=200))
    counts = session.query().group_by("who").agg(pv.count()).release(epsilon=100).values("count")
    assert [round(each / 10) for each in counts] == [30, 20]  # no row loses a mark that another one would keep


def test_a_file_in_utf_16_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("a,b\nx,1\n".encode("utf-16"))
    with pytest.raises(InvalidError, match="the header of 'x.csv' looks like UTF-16; write file: {encoding: utf-16}"):
        pv.check(path, BOOK)
    assert pv.check(path, {**BOOK, "file": {"encoding": "utf-16"}}).rows == 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("first", ["", "\ufffez,9\n", "\ufeffz,9\n"])
def test_the_first_row_of_a_file_without_a_header_changes_no_other(tmp_path: Path, encoding: str, first: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(f"{first}x,1\ny,2\n".encode(encoding))
    checked = pv.check(path, {**BOOK, "file": {"encoding": encoding, "names": ["a", "b"]}})
    assert (checked.rows, checked.columns[1].null) == (3 if first else 2, 0)
