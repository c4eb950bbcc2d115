"""Records of text files: what a record is, whatever the pieces, and that no record changes how another is read."""

import csv
import io
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.columns.file_form import FileForm
from privet.tables.engines.csv_lines import DamagedError, header_line, line_batches, record_lists
from privet.tables.engines.csv_records import MisquotedError, after_preamble, records, without_marks
from privet.tables.engines.duckdb import DuckDBEngine
from tests.laws.reading import model_fields, model_value

TOKENS = st.sampled_from(["a", "7", ",", '"', '""', "\n", "\r", "\r\n", "#", " ", "ä", "☃", ";", "'", "\x00", "\ufeff"])
CONTENT = st.lists(TOKENS, max_size=14).map(lambda parts: "".join(parts).encode())


def found(content: bytes, form: FileForm, size: int = 2**20, longest: int = 2**22) -> list[bytes]:
    parts = (content[at : at + size] for at in range(0, len(content), size))
    return [each for listed in records(parts, form, form.delimiter or ",", longest) for each in listed]


def model_crlf(content: bytes) -> list[bytes]:
    """Cut where CR and LF stand side by side."""
    made, at = [b""], 0
    while at < len(content):
        if content[at : at + 2] == b"\r\n":
            made.append(b"")
            at += 2
        else:
            made[-1] += content[at : at + 1]
            at += 1
    return made


def model_quoted(text: str, delimiter: str = ",", quote: str = '"') -> list[str] | None:
    """Read character by character by the grammar; None where a quote stands where none may."""
    made, state = [""], "fresh"  # at the start of a field; then bare, quoted, or closed
    for each in text:
        if state == "quoted":
            made[-1] += each
            state = "closed" if each == quote else "quoted"
        elif each == quote:
            if state == "bare":
                return None
            made[-1] += each
            state = "quoted"  # it opens a field, or the one before closed nothing: they are a doubled quote
        elif each in "\r\n":
            made.append("")
            state = "fresh"
        elif each == delimiter:
            made[-1] += each
            state = "fresh"
        elif state == "closed":
            return None
        else:
            made[-1] += each
            state = "bare"
    return None if state == "quoted" else made


@settings(max_examples=400, deadline=None)
@given(CONTENT, st.integers(1, 9))
def test_records_end_with_crlf_and_nothing_else(content: bytes, size: int) -> None:
    assert found(content, FileForm(records="crlf"), size) == model_crlf(content)


@settings(max_examples=600, deadline=None)
@given(CONTENT, st.integers(1, 9))
def test_records_end_outside_of_quotes(content: bytes, size: int) -> None:
    wanted = model_quoted(content.decode())
    if wanted is None:
        with pytest.raises(MisquotedError):
            found(content, FileForm(records="quoted"), size)
    else:
        assert found(content, FileForm(records="quoted"), size) == [each.encode() for each in wanted]


@settings(max_examples=300, deadline=None)
@given(CONTENT, st.integers(1, 9))
def test_lines_are_records_by_default(content: bytes, size: int) -> None:
    wanted = content.replace(b"\r", b"\n").split(b"\n")
    assert found(content, FileForm(), size) == wanted


FIELDS = st.lists(st.text(st.sampled_from('a7,"\n\r ä;#'), max_size=6), min_size=1, max_size=3)


def written(rows: list[list[str]], end: str = "\n") -> str:
    target = io.StringIO(newline="")
    csv.writer(target, quoting=csv.QUOTE_ALL, lineterminator=end).writerows(rows)
    return target.getvalue()


@settings(max_examples=300, deadline=None)
@given(st.lists(FIELDS, max_size=6), st.integers(1, 7), st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_a_writer_of_csv_quotes_is_read_back(rows: list[list[str]], size: int, end: str) -> None:
    held = [each for each in found(written(rows, end).encode(), FileForm(records="quoted"), size) if each]
    assert [[model_value(each) for each in model_fields(line.decode(), ",")] for line in held] == rows


@settings(max_examples=200, deadline=None)
@given(st.lists(FIELDS, min_size=1, max_size=6), st.data())
def test_a_record_that_is_taken_away_changes_no_other(rows: list[list[str]], data: st.DataObject) -> None:
    """On files that are written by the rules, also with quoted line ends: the map from files to rows is 1-stable."""
    at = data.draw(st.integers(0, len(rows) - 1))
    form = FileForm(records="quoted")
    whole, less = (Counter(found(written(each).encode(), form)) for each in (rows, rows[:at] + rows[at + 1 :]))
    assert whole - less == Counter([written([rows[at]])[:-1].encode()])
    assert not less - whole


@settings(max_examples=300, deadline=None)
@given(st.lists(CONTENT.filter(lambda each: b"\r\n" not in each), min_size=1, max_size=6), st.data())
def test_between_crlf_any_bytes_stay_with_their_record(parts: list[bytes], data: st.DataObject) -> None:
    """No bytes of one record change how another is read, however hostile: the map is 1-stable on all files."""
    at = data.draw(st.integers(0, len(parts) - 1))
    form = FileForm(records="crlf")
    kept = parts[:at] + parts[at + 1 :]
    whole, less = (Counter(found(b"".join(each + b"\r\n" for each in held), form)) for held in (parts, kept))
    assert whole - less == Counter([parts[at]])
    assert not less - whole


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_a_record_that_is_too_long_is_seen_to_be(size: int) -> None:
    text = b'a,b\n"' + b"x\n" * 30 + b'",1\n2,3\n'
    [first, long, last, *_] = found(text, FileForm(records="quoted"), size, longest=10)
    assert (first, last) == (b"a,b", b"2,3")
    assert len(long) > 10
    crlf = found(b"a\r\n" + b"x" * 30 + b"\r\nb\r\n", FileForm(records="crlf"), size, longest=10)
    assert (crlf[0], crlf[2], len(crlf[1]) > 10) == (b"a", b"b", True)


@settings(max_examples=300, deadline=None)
@given(CONTENT, st.integers(0, 3), st.integers(1, 5))
def test_lines_before_the_header_are_left_out(content: bytes, skip: int, size: int) -> None:
    text = content.removeprefix("\ufeff".encode()).decode()
    rest = text
    for _ in range(skip):
        ends = [at for at in (rest.find("\n"), rest.find("\r")) if at >= 0]
        at = min(ends, default=len(rest))
        rest = rest[at + (2 if rest[at : at + 2] == "\r\n" else 1) :]
    parts = (content[at : at + size] for at in range(0, len(content), size))
    assert b"".join(after_preamble(parts, skip)) == rest.encode()


COLUMNS = {"a": Column(kind="text"), "b": Column(kind="text")}


def rows_of(content: bytes, form: FileForm) -> Counter[tuple[Any, ...]]:
    with tempfile.TemporaryDirectory() as place, DuckDBEngine(threads=1) as engine:
        path = Path(place, "x.csv")
        path.write_bytes(content)
        seen = engine.execute(engine.load(path, COLUMNS, form=form))
    return Counter(zip(seen["a"], seen["b"], strict=True))


def model_rows(content: bytes, form: FileForm) -> Counter[tuple[Any, ...]]:
    """Follow docs/tables/reading.md, slowly: records, then fields, then values."""
    text, delimiter = content.decode().removeprefix("\ufeff"), form.delimiter or ","
    for _ in range(form.skip):
        _, _, text = text.partition("\n")
    lines = text.split("\r\n") if form.records == "crlf" else text.replace("\r", "\n").split("\n")
    kept = [each for each in lines if not (form.comment and each.startswith(form.comment))]
    made: Counter[tuple[Any, ...]] = Counter()
    names = form.names or ("a", "b")
    for line in kept[0 if form.names else 1 :]:
        if not line:
            continue
        fields = line.split(delimiter) if not form.quote else model_fields(_plain(line, form), delimiter)
        values = [None if each == "" else each for each in fields] if not form.quote else [*map(model_value, fields)]
        if form.quote not in ("", '"'):
            values = [each and each.replace('"', form.quote).replace("\x01", '"') for each in values]
        row = dict(zip(names, values, strict=False))
        made[row.get("a"), row.get("b")] += 1
    return made


def _plain(line: str, form: FileForm) -> str:
    """Write a line with double quotes, for the model of those; its own are another character meanwhile."""
    return line if form.quote == '"' else line.replace('"', "\x01").replace(form.quote, '"')


FORMS = [
    FileForm(delimiter=";"),
    FileForm(quote=""),
    FileForm(quote="'"),
    FileForm(comment="#"),
    FileForm(records="crlf", comment="#"),
    FileForm(names=("b", "c", "a")),
    FileForm(names=("a", "b"), skip=1, quote="'"),
    FileForm(skip=2, comment=";"),
]


@pytest.mark.parametrize("form", FORMS, ids=str)
@settings(max_examples=25, deadline=None)
@given(content=CONTENT)
def test_files_of_every_form_are_read_by_the_rule(form: FileForm, content: bytes) -> None:
    end = b"\r\n" if form.records == "crlf" else b"\n"
    header = b"" if form.names else (form.delimiter or ",").join("ab").encode() + end
    whole = b"x\n" * form.skip + (b"# by hand" + end if form.comment == "#" else b"") + header + content
    assert rows_of(whole, form) == model_rows(whole, form)


def test_quoted_line_ends_are_part_of_their_field() -> None:
    content = b'\xef\xbb\xbf"a","b"\r\n"one\ntwo","say ""hi"", then"\r\n3,\r\n'
    assert rows_of(content, FileForm(records="quoted")) == Counter({("one\ntwo", 'say "hi", then'): 1, ("3", None): 1})


@pytest.mark.parametrize("odd", [b'x"y,2', b'"x"y,2', b'"x,2', b' "x",2', b'"x" ,2'])
def test_a_file_with_a_quote_where_none_may_stand_is_refused(odd: bytes) -> None:
    """Elsewhere such a quote is a character; here it would decide where all later records end."""
    content = b"a,b\n1,2\n" + odd + b"\n"
    with pytest.raises(InvalidError, match=r"x.csv' cannot be read to its end, or it is not written as") as caught:
        rows_of(content, FileForm(records="quoted"))
    assert "1,2" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert sum(rows_of(content, FileForm()).values()) == 2


def test_a_header_that_changed_is_noticed(tmp_path: Path) -> None:
    path, form = tmp_path / "x.csv", FileForm(comment="#")
    path.write_bytes(b"# old\na,b\n1,2\n")
    header = header_line(str(path), form=form)
    assert header == b"a,b"
    path.write_bytes(b"# old\nb,a\n1,2\n")
    with pytest.raises(DamagedError):
        list(line_batches(str(path), header, ",", form=form))


def test_a_file_of_comments_alone_has_no_header(tmp_path: Path) -> None:
    path, form = tmp_path / "x.csv", FileForm(comment="#")
    path.write_bytes(b"# old\n# and new")
    assert header_line(str(path), form=form) == b""
    assert [each for listed in record_lists(str(path), ",", evolve(form, comment=None)) for each in listed]


def test_a_record_that_is_too_long_is_one_whatever_the_pieces() -> None:
    """Of its first bytes the last is CR; an LF at the beginning of a later piece must not end it there."""
    content = b"a,1\r\n0123456789\rabcdefg\nhij,2\r\nb,2\r\n"
    for size in range(1, len(content)):
        kept = [each for each in found(content, FileForm(records="crlf"), size, longest=10) if 0 < len(each) <= 10]
        assert kept == [b"a,1", b"b,2"]


@pytest.mark.parametrize("content", [b'"a",b\nx,"y"\n', b'"a"b,c\n', b'a"b"\n'])
def test_an_empty_piece_changes_nothing(content: bytes) -> None:
    """Lines that are skipped may end where a piece does."""

    def read(parts: list[bytes]) -> list[bytes] | None:
        try:
            return [each for listed in records(iter(parts), FileForm(records="quoted"), ",", 99) for each in listed]
        except MisquotedError:
            return None

    assert read([b"", content]) == read([content[:1], b"", content[1:]]) == read([content])


MARK = "\ufeff".encode()


@pytest.mark.parametrize("size", [1, 2, 3, 4, 100])
def test_marks_before_any_line_are_left_out_wherever_a_file_is_cut(size: int) -> None:
    whole = MARK + b"a\n" + MARK * 2 + b"b" + MARK + b"c\r\n" + MARK + b"\n" + MARK[:2] + b"d\n" + MARK[:1]
    parts = (whole[at : at + size] for at in range(0, len(whole), size))
    assert b"".join(without_marks(parts)) == b"a\nb" + MARK + b"c\r\n\n" + MARK[:2] + b"d\n" + MARK[:1]


def test_without_a_header_no_row_decides_whether_the_next_one_loses_its_mark(tmp_path: Path) -> None:
    """Else person 8 would appear when the row of person 7 is taken away."""
    book = {
        "unit": {"id": "person", "caps": {"rows": 1}},
        "file": {"names": ["person"]},
        "columns": {"person": {"type": "integer"}},
    }
    found = []
    for lines in (b"7\n" + MARK + b"8\n9\n", MARK + b"8\n9\n"):
        (tmp_path / "x.csv").write_bytes(lines)
        with pv.Session(tmp_path / "x.csv", book, budget=pv.budget(epsilon=10**9)) as session:
            found.append(round(session.query().agg(pv.count_ids()).release(epsilon=10**6).values("count_ids")[0]))
    assert found == [3, 2]
