"""Comma-separated files, read line by line: a row is a line, and no line can change how another is read.

Parsers that let a quoted field run over several lines hand that power to every value: one quotation mark without its
partner swallows all rows that follow. Here a quoted field ends on its line. Proof: docs/tables/reading.md.
"""

import csv
import glob
import gzip
from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp

from privet.errors import Invalid
from privet.tables.literals import call, case, text, whole
from privet.tables.relation import column, identifier

LONGEST = 2**24  # characters of a line; a longer one is dropped, whatever it holds
_NEVER = "\x01\x02\x03\x04"  # parts nothing: lines are wanted whole, and what follows this in a line is not read
_LINE, _FIELDS = "line", "fields"


def find_files(label: str, path: str | Path) -> list[str]:
    """Give the files that a path or a pattern names, in order; there must be one."""
    written = str(path)
    matching = [written] if Path(written).is_file() else glob.glob(written, recursive=True)  # noqa: PTH207 - any pattern
    found = sorted(each for each in matching if Path(each).is_file())
    if not found:
        raise Invalid(f"{label}: there is no file {written!r}; check the path.")
    return [str(Path(each).resolve()) for each in found]


def check_delimiter(delimiter: str) -> None:
    """Refuse a delimiter that could not part fields."""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0\x01\x02\x03\x04':
        raise Invalid(f"delimiter must be one ASCII character that is no quote or line end, got {delimiter!r}.")


def read_header(label: str, files: Sequence[str], delimiter: str) -> list[str]:
    """Read the names in the first line, which is the public schema; all files must have the same."""
    headers = [_first_line(name, delimiter) for name in files]
    if not headers[0]:
        raise Invalid(f"{label}: the file has no header; its first line must name the columns.")
    if any(header != headers[0] for header in headers):
        raise Invalid(f"{label}: the files have different headers; give files with the same columns.")
    return headers[0]


def _first_line(name: str, delimiter: str) -> list[str]:
    with Path(name).open("rb") as file, gzip.open(file) if name.endswith(".gz") else file as plain:
        line = plain.readline(LONGEST).partition(b"\r")[0].rstrip(b"\n")
    decoded = line.decode("utf-8-sig", errors="replace")
    return next(csv.reader([decoded], delimiter=delimiter), []) if decoded else []


def fields_of(files: Sequence[str], delimiter: str) -> exp.Select:
    """Build the query that gives every line that is not empty as a list of raw fields."""
    options = {
        "columns": exp.Struct(
            expressions=[exp.PropertyEQ(this=identifier(_LINE), expression=exp.Literal.string("VARCHAR"))]
        ),
        "delim": exp.Literal.string(_NEVER),
        "quote": exp.Literal.string(""),
        "escape": exp.Literal.string(""),
        "skip": exp.Literal.number(1),
        "max_line_size": exp.Literal.number(LONGEST),
        "auto_detect": exp.false(),
        "header": exp.false(),
        "strict_mode": exp.false(),
        "ignore_errors": exp.true(),  # drops a line that is too long or not UTF-8, by itself
    }
    names = exp.Array(expressions=[exp.Literal.string(name) for name in files])
    arguments = [exp.EQ(this=exp.column(key), expression=value) for key, value in options.items()]
    lines = exp.Select(expressions=[column(_LINE)]).from_(call("read_csv", names, *arguments))
    held = lines.where(exp.NEQ(this=column(_LINE), expression=text("")))
    split = exp.Alias(this=_split(delimiter), alias=identifier(_FIELDS))
    return exp.Select(expressions=[split]).from_(exp.Subquery(this=held, alias=exp.TableAlias(this=identifier("l"))))


def _split(delimiter: str) -> exp.Expr:
    """Part a line at its delimiters; those between a quote that opens a field and its partner do not count."""
    plain = call("string_split", column(_LINE), text(delimiter))
    mark = f"\\x{ord(delimiter):02x}"
    pattern = f'((?:"(?:[^"]|"")*")?[^{mark}]*){mark}'
    ended = exp.DPipe(this=column(_LINE), expression=text(delimiter), safe=True)
    quoted = call("regexp_extract_all", ended, text(pattern), whole(1, "INTEGER"))
    return case([(call("contains", column(_LINE), text('"')), quoted)], plain)


def field_at(position: int) -> exp.Expr:
    """Give one field of a line, counted from 0: null where there is none or it is empty, without its quotes."""
    raw = call("list_extract", column(_FIELDS), whole(position + 1))
    inner = call("substr", raw.copy(), whole(2), exp.Sub(this=call("length", raw.copy()), expression=whole(2)))
    unquoted = call("replace", inner, text('""'), text('"'))
    marked = exp.And(
        this=call("starts_with", raw.copy(), text('"')), expression=call("ends_with", raw.copy(), text('"'))
    )
    both = exp.And(this=exp.GTE(this=call("length", raw.copy()), expression=whole(2)), expression=marked)
    empty = exp.EQ(this=raw, expression=text(""))
    return case([(empty, exp.null()), (both, unquoted)], raw.copy())
