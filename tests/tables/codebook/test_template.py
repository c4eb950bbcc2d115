"""Templates: from the schema alone, with questions that only a person can answer."""

import io
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.csv_header import NOT_UTF8, csv_names
from privet.tables.codebook.problem import CodebookError
from privet.tables.codebook.template import template
from privet.tables.columns.columns import lowered

CANARY = "QZXCANARY"


class HeaderOnly(io.RawIOBase):
    """A file that fails when anything behind its header is read."""

    def __init__(self, header: bytes) -> None:
        self.header, self.at = header, 0

    def read(self, size: int = -1) -> bytes:
        if size != 1 or self.at >= len(self.header):
            raise AssertionError("a byte behind the header was read")
        self.at += 1
        return self.header[self.at - 1 : self.at]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (b"a,b\n", ["a", "b"]),
        (b"a,b\r", ["a", "b"]),
        (b"a;b;c\n", ["a", "b", "c"]),
        (b"a\tb\n", ["a", "b"]),
        (b"a|b\n", ["a", "b"]),
        (b"one\n", ["one"]),
        (b'"a\nb",c\n', ["a\nb", "c"]),
        (b'"a\r\n""b""\n,;",c\n', ['a\r\n"b"\n,;', "c"]),
        (b'c,"a\nb"\n', ["c", "a\nb"]),
        (b'"",x\n', ["", "x"]),
        (b'5" disc,b\n', ['5" disc', "b"]),
        (b'a,b"c\n', ["a", 'b"c']),
        (b'a,b;"c\n', ["a", 'b;"c']),
        (b"\xef\xbb\xbfa,b\n", ["a", "b"]),
        (b'\xef\xbb\xbf"a\nb",c\n', ["a\nb", "c"]),
        ("naïve,größe,年\n".encode(), ["naïve", "größe", "年"]),
        (b"year,2019,2020\n", ["year", "2019", "2020"]),
        (b" a , b \n", [" a ", " b "]),
        (b"a,\n", ["a", ""]),
    ],
)
def test_no_byte_behind_the_header_is_read(header: bytes, names: list[str]) -> None:
    assert csv_names(HeaderOnly(header)) == names


@given(st.lists(st.text(), min_size=2, max_size=5))
def test_any_header_that_python_writes_is_read(names: list[str]) -> None:
    import csv

    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerow(["name", *names])
    stream = HeaderOnly(written.getvalue().encode()[:-1])  # up to the carriage return
    assert csv_names(stream) == ["name", *names]


def test_a_header_at_the_end_of_the_file() -> None:
    assert csv_names(io.BytesIO(b"a,b")) == ["a", "b"]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"", "the header must have at least one name, got an empty line."),
        (b"\n1,2\n", "the header must have at least one name, got an empty line."),
        (b'"a,b\n1,2\n', "the header has a quote that is never closed."),
        (
            b"1,2.5,2024-01-01\n",
            "the first line looks like data: a header with the names of the columns must come first.",
        ),
        (b"a,\xff\n", NOT_UTF8),
        ("a,b\n".encode("utf-16"), NOT_UTF8),
        (b"a" * (2**20 + 2), "the header must be shorter than 1,048,576 bytes."),
    ],
)
def test_what_is_no_header_is_refused_without_quoting_it(header: bytes, message: str) -> None:
    with pytest.raises(InvalidError) as caught:
        csv_names(io.BytesIO(header))
    assert str(caught.value) == message


def test_a_csv_file_asks_for_every_type(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(f'patient,"dura\ntion",no\n{CANARY},1,2\n', encoding="utf-8", newline="")
    text = template(path)
    assert CANARY not in text
    assert "    type: ???  # integer, real, boolean, text, date or timestamp\n" in text
    with pytest.raises(CodebookError) as caught:
        Codebook.from_yaml(text)
    assert str(caught.value).split("\n") == [
        "line 14: unit is still open. Write what is protected, {rows: 1} or {id: COLUMN}.",
        "line 18: columns.patient.type is still open. Replace the ???.",
        'line 21: columns."dura\\ntion".type is still open. Replace the ???.',
        "line 24: columns.no.type is still open. Replace the ???.",
    ]
    assert all(problem.open for problem in caught.value.problems)


def test_a_filled_template_is_a_codebook(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("patient,no\n", encoding="utf-8")
    text = template(path).replace("unit: ???", "unit: {id: patient}").replace("type: ???", "type: text")
    codebook = Codebook.from_yaml(text)
    assert (codebook.table, list(codebook.columns)) == ("visits", ["patient", "no"])


SCHEMA = pa.schema(
    [
        ("small", pa.int8()),
        ("unsigned", pa.uint64()),
        ("half", pa.float32()),
        ("money", pa.decimal128(9, 2)),
        ("flag", pa.bool_()),
        ("text", pa.large_string()),
        ("code", pa.dictionary(pa.int32(), pa.string())),
        ("day", pa.date32()),
        ("at", pa.timestamp("ns", tz="Europe/Berlin")),
        ("unknown", pa.null()),
        ("list", pa.list_(pa.int64())),
        ("bytes", pa.binary()),
    ]
)
KINDS = {
    "small": "integer",
    "unsigned": "integer",
    "half": "real",
    "money": "real",
    "flag": "boolean",
    "text": "text",
    "code": "text",
    "day": "date",
    "at": "timestamp",
    "unknown": "???",
}


def kinds_in(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("  ") and line[2] not in " #":
            name = line.strip(" :").strip('"')
        if line.startswith("    type: "):
            found[name] = line.split()[1]
    return found


def test_types_of_arrow() -> None:
    text = template(SCHEMA)
    assert kinds_in(text) == KINDS
    assert "  # left out: bytes (binary) has no kind here; cast it first\n" in text


def arrow(secret: str, number: int, rows: int) -> pa.Table:
    return pa.table(
        {
            "text": pa.array([secret] * rows),
            "code": pa.array([secret] * rows).dictionary_encode(),
            "number": pa.array([number] * rows),
            "day": pa.array([date(1999, 1, number % 28 + 1)] * rows),
        }
    )


def written(folder: Path, table: pa.Table, kind: str) -> Path:
    folder.mkdir()
    path = folder / f"data.{kind}"
    if kind == "parquet":
        pq.write_table(table, path)
    else:
        feather.write_feather(table, str(path), compression="uncompressed")
    return path


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_files_of_one_schema_give_one_template(kind: str, tmp_path: Path) -> None:
    """The footer of Parquet holds minima, maxima and the number of rows: none may show."""
    one = template(written(tmp_path / "one", arrow(CANARY, 123456789, 5), kind))
    other = template(written(tmp_path / "other", arrow("x", 1, 77777), kind))
    assert one == other
    assert CANARY not in one
    assert kinds_in(one) == {"text": "text", "code": "text", "number": "integer", "day": "date"}


def test_statistics_were_there_to_be_leaked(tmp_path: Path) -> None:
    path = written(tmp_path / "one", arrow(CANARY, 123456789, 5), "parquet")
    assert pq.read_metadata(path).row_group(0).column(0).statistics.max == CANARY


def pandas_frame(secret: str, rows: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "whole": pd.array([1] * rows, dtype="Int64"),
            "real": [0.5] * rows,
            "flag": [True] * rows,
            "text": pd.array([secret] * rows, dtype="string"),
            "code": pd.Categorical([secret] * rows),
            "at": pd.to_datetime(["2024-01-01"] * rows),
            "object": pd.Series([Decimal(1)] * rows, dtype="object"),
            "span": pd.to_timedelta([1] * rows),
            7: [1] * rows,
        }
    )


def test_types_of_pandas() -> None:
    text = template(pandas_frame(CANARY, 3))
    assert kinds_in(text) == {
        "whole": "integer",
        "real": "real",
        "flag": "boolean",
        "text": "text",
        "code": "???",
        "at": "timestamp",
        "object": "???",
        "7": "integer",
    }
    assert text == template(pandas_frame("y", 50))


def polars_frame(secret: str, rows: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "whole": [1] * rows,
            "real": [0.5] * rows,
            "flag": [True] * rows,
            "text": [secret] * rows,
            "code": pl.Series([secret] * rows, dtype=pl.Categorical),
            "listed": pl.Series([secret] * rows, dtype=pl.Enum([secret])),
            "day": [date(2024, 1, 1)] * rows,
            "at": [datetime(2024, 1, 1, tzinfo=UTC)] * rows,
            "list": [[1]] * rows,
        }
    )


@pytest.mark.parametrize("lazy", [False, True])
def test_types_of_polars(lazy: bool) -> None:
    frame: Any = polars_frame(CANARY, 3)
    text = template(frame.lazy() if lazy else frame)
    assert kinds_in(text) == {
        "whole": "integer",
        "real": "real",
        "flag": "boolean",
        "text": "text",
        "code": "text",
        "listed": "text",
        "day": "date",
        "at": "timestamp",
    }
    assert text == template(polars_frame("y", 50))


names = st.lists(st.text(), min_size=1, max_size=5, unique_by=lowered)


@given(names)
def test_any_name_survives(names: list[str]) -> None:
    text = template(pa.schema([(name, pa.string()) for name in names]))
    codebook = Codebook.from_yaml(text.replace("unit: ???", "unit: {rows: 1}"))
    assert list(codebook.columns) == names


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere.csv", "there is no file 'nowhere.csv'; check the path."),
        ("nowhere.parquet", "there is no file 'nowhere.parquet'; check the path."),
        (
            pa.schema([("a", pa.int8()), ("A", pa.int8())]),
            (
                "the names of columns must differ in more than capital letters, got 'a' and 'A': "
                "engines cannot tell them apart."
            ),
        ),
    ],
)
def test_what_cannot_be_described_is_refused(source: Any, message: str) -> None:
    with pytest.raises(InvalidError) as caught:
        template(source)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "message"), [("a.parquet", "its format is not what its name ends in"), ("a.xlsx", "must end in .csv")]
)
def test_other_files_are_refused_without_quoting_them(name: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(CANARY, encoding="utf-8")
    with pytest.raises(InvalidError, match=message) as caught:
        template(path)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("source", [3, [1, 2], {"a": [1]}, pa.array([1])])
def test_other_things_are_refused(source: Any) -> None:
    with pytest.raises(WrongTypeError, match="a template needs"):
        template(source)


def test_a_schema_without_a_usable_column() -> None:
    with pytest.raises(WrongTypeError, match="at least one column"):
        template(pa.schema([("a", pa.binary())]))


def test_a_delimiter_of_the_header_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a;b\nsecret;1\n", encoding="utf-8")
    text = template(path)
    assert '\nfile: {delimiter: ";"}\n' in text
    assert "secret" not in text
    for name, header in (("y.csv", "a,b"), ("y.tsv", "a\tb"), ("z.csv", "a")):
        (tmp_path / name).write_text(f"{header}\n", encoding="utf-8")
        assert "file:" not in template(tmp_path / name)
    book = text.replace("unit: ???", "unit: {rows: 1}").replace("type: ???", "type: text")
    assert Codebook.from_yaml(book).file.delimiter == ";"
