"""The law of messy files, a fixed share of it; and readers with one mistake each, which it must catch."""

import csv
import io
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

import pytest
from attrs import evolve, fields

from privet.tables.columns.file_form import FileForm
from privet.tables.columns.notation import Notation
from privet.tables.engines.csv_records import after_preamble
from tests.laws.messy import check_messy, random_messy, read_messy
from tests.laws.messy_model import BOUNDS, HEADER, Messy, Row, decoded, model_row

Rows = list[Counter[Row]]
MARKED = 8  # a seed of a file without a header in which a later row begins with a mark


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, 10))])
def test_messy_files_are_read_by_the_rule(part: int) -> None:
    check_messy(100 * part, examples=5)


def test_every_key_of_a_codebook_for_messy_files_is_drawn() -> None:
    drawn: set[str] = set()
    for seed in range(60):
        messy = random_messy(random.Random(seed))
        drawn |= {*messy.file, *messy.table, *(key for known in messy.columns.values() for key in known)}
    assert drawn == {each.name for each in (*fields(FileForm), *fields(Notation))}


def cut(content: bytes, messy: Messy) -> list[bytes]:
    """Cut a file into records, without what stands before them."""
    wide = {"utf-16": "utf-16-le"}.get(messy.file["encoding"], messy.file["encoding"])
    if not wide.startswith("utf-16"):
        wide = "latin-1"  # byte by byte: no other encoding has a letter with the byte of a line end
    text = content.decode(wide, errors="surrogatepass")
    mark = "\ufeff" if wide != "latin-1" else "\xef\xbb\xbf"
    if messy.file["skip"] or "names" not in messy.file:
        text = text.removeprefix(mark) if messy.file["encoding"].startswith("utf") else text
    for _ in range(messy.file["skip"]):
        text = re.sub("\\A[^\r\n]*(\r\n|\r|\n)?", "", text, count=1)
    records = _records(text, messy.file["records"], re.escape(messy.file["quote"]))
    there = records[0 if "names" in messy.file else 1 :]
    return [each.encode(wide, errors="surrogatepass") for each in there if each]


def _records(text: str, mode: str, quote: str) -> list[str]:
    if mode == "quoted":
        return [each for each in re.findall(f"(?:{quote}[^{quote}]*{quote}|[^\r\n{quote}])*", text) if each]
    return text.split("\r\n") if mode == "crlf" else re.split("[\r\n]", text)


def by_model(contents: Sequence[bytes], messy: Messy, row: Callable[[bytes, Messy], Row | None] = model_row) -> Rows:
    """Read files by the model: right, whatever they hold."""
    return [
        Counter(each for each in (row(raw, messy) for raw in cut(content, messy)) if each is not None)
        for content in contents
    ]


def test_the_model_keeps_the_law() -> None:
    check_messy(0, examples=500, reader=by_model)


def changed(messy: Messy, part: str, **keys: Any) -> Messy:
    columns = {**messy.columns, part: {**messy.columns[part], **keys}}
    return evolve(messy, columns=columns)


def each_alone(reader: Callable[[bytes, Messy], Rows]) -> Callable[[Sequence[bytes], Messy], Rows]:
    """Make a reader of several files of one that reads a file."""
    return lambda contents, messy: [rows for content in contents for rows in reader(content, messy)]


def the_decimal_mark_is_guessed(content: bytes, messy: Messy) -> Rows:
    mark = "," if content.count(b",") >= content.count(b".") else "."
    return by_model([content], changed(messy, "amount", decimal=mark, thousands=".,".replace(mark, "")))


def the_order_of_dates_is_guessed(content: bytes, messy: Messy) -> Rows:
    first = re.search(rb"(\d\d)/(\d\d)/\d{4}", content)
    order = "%m/%d/%Y" if first and int(first[2]) > 12 else "%d/%m/%Y"
    return by_model([content], changed(messy, "day", format=[order, *messy.columns["day"]["format"]]))


def the_words_of_truth_are_guessed(content: bytes, messy: Messy) -> Rows:
    words = {"true_words": ["ja", "1", "wahr"]} if b"wahr" in content else {}
    return by_model([content], changed(messy, "flag", **words))


def the_currency_is_guessed(content: bytes, messy: Messy) -> Rows:
    signs = [sign for sign in ("$", "EUR") if sign.encode() in content]
    return by_model([content], changed(messy, "amount", currency=signs))


def percent_is_guessed(content: bytes, messy: Messy) -> Rows:
    return by_model([content], changed(messy, "amount", percent="points") if b"%" in content else messy)


def a_missing_value_is_guessed(content: bytes, messy: Messy) -> Rows:
    several = content.count(b"-999") > 1
    return by_model([content], changed(messy, "amount", missing=[-999, "NA"]) if several else messy)


def the_encoding_is_guessed(content: bytes, messy: Messy) -> Rows:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        wide = messy.file["encoding"].startswith("utf-16")
        return by_model([content], messy if wide else evolve(messy, file={**messy.file, "encoding": "latin-1"}))
    return by_model([content], messy)


def the_delimiter_is_guessed(content: bytes, messy: Messy) -> Rows:
    likely = max(";,|\t", key=lambda each: content.count(each.encode()))
    return by_model([content], evolve(messy, file={**messy.file, "delimiter": likely}))


def a_header_is_guessed(content: bytes, messy: Messy) -> Rows:
    """A first row without a digit is taken for a header."""
    first = next(iter(cut(content, messy)), b"1")
    names = not any(each in b"0123456789" for each in first)
    return by_model([content.replace(first, b"", 1) if names else content], messy)


def a_bad_row_is_refused(content: bytes, messy: Messy) -> Rows:
    for raw in cut(content, messy):
        if (decoded(raw, messy) or "").count(messy.file["delimiter"]) >= len(HEADER):
            raise ValueError("Expected 7 fields, saw more")
    return by_model([content], messy)


def rows_decide_how_many_columns_there_are(content: bytes, messy: Messy) -> Rows:
    most = max((raw.count(messy.file["delimiter"].encode()) + 1 for raw in cut(content, messy)), default=0)
    more = (None,) * (most - len(HEADER))
    (rows,) = by_model([content], messy)
    return [Counter((*row, *more) for row in rows.elements())]


def a_type_is_guessed(content: bytes, messy: Messy) -> Rows:
    """One value that is no number makes a column of texts of all."""
    (rows,) = by_model([content], messy)
    if any(b"88888888888" in raw for raw in cut(content, messy)):
        rows = Counter((*row[:2], None, *row[3:]) for row in rows.elements())
    return [rows]


def quotes_run_on(content: bytes, messy: Messy) -> Rows:
    if messy.file["records"] != "lines" or not messy.file["quote"] or messy.file["encoding"].startswith("utf-16"):
        return by_model([content], messy)
    lines = b"\n".join(cut(content, messy)).decode("latin-1")
    marks: Any = {"delimiter": messy.file["delimiter"], "quotechar": messy.file["quote"]}
    try:
        there = list(csv.reader(io.StringIO(lines, newline=""), **marks))
    except csv.Error:
        return by_model([content], messy)
    return by_model([content], messy) if len(there) == len(cut(content, messy)) else [Counter()]


def markers_are_compared_within_bounds(content: bytes, messy: Messy) -> Rows:
    def row(raw: bytes, messy: Messy) -> Row | None:
        found = model_row(raw, messy)
        lowest = found is not None and found[2] == BOUNDS["number"][0] and "-999" in (messy.table.get("missing") or ())
        return found if found is None or not lowest else (*found[:2], None, *found[3:])

    return by_model([content], messy, row)


def a_mark_is_taken_off_the_first_row(contents: Sequence[bytes], messy: Messy) -> Rows:
    """The reader of before, in a file without a header."""
    with patch("privet.tables.engines.csv_lines.without_marks", lambda parts: after_preamble(parts, 0)):
        return read_messy(contents, messy)


GUESSES = (
    the_decimal_mark_is_guessed,
    the_order_of_dates_is_guessed,
    the_words_of_truth_are_guessed,
    the_currency_is_guessed,
    percent_is_guessed,
    a_missing_value_is_guessed,
    the_encoding_is_guessed,
    the_delimiter_is_guessed,
    a_header_is_guessed,
    a_bad_row_is_refused,
    rows_decide_how_many_columns_there_are,
    a_type_is_guessed,
    quotes_run_on,
    markers_are_compared_within_bounds,
)


@pytest.mark.parametrize("reader", GUESSES)
def test_a_reader_with_a_mistake_is_caught(reader: Callable[[bytes, Messy], Rows]) -> None:
    with pytest.raises(AssertionError, match="reading law"):
        check_messy(0, examples=400, reader=each_alone(reader))


def test_a_mark_that_only_the_first_row_loses_is_caught() -> None:
    with pytest.raises(AssertionError, match="reading law"):
        check_messy(MARKED, reader=a_mark_is_taken_off_the_first_row)
    check_messy(MARKED)
