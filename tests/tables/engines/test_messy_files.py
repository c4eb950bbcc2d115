"""Messy files as a whole: random records in random forms, read as a plain model reads them, each alone."""

import csv
import io
import random
import tempfile
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.table_space import Table, read_rows

Record = tuple[str, str, str, str, str]
Row = tuple[Any, ...]
HEADER = ("person", "cost", "day", "smoker", "note")
ENCODINGS = ("utf-8", "latin-1", "cp1252", "utf-16", "utf-16-be", "cp850")
COLUMNS: dict[str, Any] = {
    "person": {"type": "integer"},
    "cost": {"type": "real", "bounds": [0, 5000], "currency": ["$"], "missing": ["NA", -1]},
    "day": {"type": "date", "format": ["%d.%m.%Y", "iso"]},
    "smoker": {"type": "boolean", "true_words": ["ja"], "false_words": ["nein"]},
    "note": {"type": "text", "clean": "trim"},
}


def random_record(draw: random.Random) -> Record:
    """Draw the fields of a record: most are as they should be, some are anything."""
    number = draw.choice(
        (f"{draw.randrange(9)}", f"{draw.randrange(1, 9)}.{draw.randrange(1000):03}", "7,0", "x", "", "7,5")
    )
    cost = draw.choice(
        ("12,50", "$ 1.250,5", "-1", "-1,0", "NA", " NA ", "9.999", "-3", "12.5", "", "k", "1.25", "3 $")
    )
    day = draw.choice(("31.01.2024", "2024-01-31", "1.2.2024", "31.02.2024", "01/31/2024", "", "today", " 3.4.2023 "))
    smoker = draw.choice(("ja", "JA", " nein", "true", "", "n", "nein"))
    note = "".join(draw.choices([*"ab \";,'#\n\r|ü$", "\r\n", '""', "NA", "1;2"], k=draw.randrange(6)))
    return number, cost, day, smoker, note


def as_number(text: str) -> Decimal | None:
    """Read a number with decimal commas, points between thousands and a dollar sign, by hand."""
    plain = text.strip(" ")
    sign = -1 if plain.startswith("-") else 1
    plain = plain.removeprefix("-").removeprefix("$").removesuffix("$").strip(" ")
    whole, comma, fraction = plain.partition(",")
    groups = whole.split(".")
    grouped = len(groups) > 1 and len(groups[0]) <= 3 and all(len(each) == 3 for each in groups[1:])
    if not (len(groups) == 1 or grouped) or not all(each.isdigit() for each in groups):
        return None
    if comma and fraction and not fraction.isdigit():
        return None
    return sign * Decimal(f"{''.join(groups)}.{fraction or 0}")


def as_date(text: str) -> int | None:
    plain = text.strip(" ")
    try:
        if "." in plain:
            day, month, year = map(int, plain.split("."))
            found = date(year, month, day)
        else:
            found = date.fromisoformat(plain)
    except ValueError:
        return None
    return (found - date(1970, 1, 1)).days


def model_row(record: Record, mode: str) -> Row:
    """Read one record as docs/tables/reading.md says."""
    number, cost, smoker = as_number(record[0]), as_number(record[1]), record[3].strip(" ").lower()
    marked = record[1].strip(" ") in ("NA", "-1") or cost == -1
    person = int(number) if number is not None and number == int(number) else None
    clamped = None if cost is None or marked else min(max(cost, Decimal(0)), Decimal(5000))
    note = record[4].strip(" ") if record[4] or mode == "quoted" else None  # there, all fields have quotes
    return (
        person,
        None if clamped is None else float(clamped),
        as_date(record[2]),
        {"ja": True, "nein": False}.get(smoker),
        note,
    )


@st.composite
def forms(draw: Any) -> dict[str, Any]:
    form: dict[str, Any] = {
        "encoding": draw(st.sampled_from(ENCODINGS)),
        "delimiter": draw(st.sampled_from([";", "\t", "|"])),
        "quote": draw(st.sampled_from(['"', "'"])),
        "records": draw(st.sampled_from(["quoted", "quoted", "crlf", "lines"])),
        "skip": draw(st.integers(0, 2)),
    }
    public_start = form["encoding"] != "utf-16" or form["skip"] > 0  # the first bytes decide the order of all others
    return form | ({"names": list(HEADER)} if draw(st.booleans()) and public_start else {})


def written(records: list[Record], form: dict[str, Any]) -> bytes:
    """Let Python's own writer write the records; what a mode cannot hold is taken out of the notes before."""
    target = io.StringIO(newline="")
    how: Any = {"delimiter": form["delimiter"], "quotechar": form["quote"]}
    how["quoting"] = csv.QUOTE_ALL if form["records"] == "quoted" else csv.QUOTE_MINIMAL
    writer = csv.writer(target, **how)
    target.write("a note above; the header\r\n" * form["skip"])
    writer.writerows([*([] if "names" in form else [HEADER]), *records])
    text = target.getvalue()
    return text.encode(form["encoding"])


def fit(record: Record, mode: str) -> Record:
    """Give a record that a mode can hold: lines hold no line ends, and CRLF ends every record there."""
    note = record[4]
    if mode == "lines":
        note = note.replace("\r", "").replace("\n", "")
    elif mode == "crlf":
        note = note.replace("\r", "")
    return (*record[:4], note)


def read(content: bytes, form: dict[str, Any]) -> Counter[Row]:
    book = pv.Codebook.from_dict(
        {
            "unit": {"id": "person", "caps": {"rows": 1}},
            "decimal": ",",
            "thousands": ".",
            "file": form,
            "columns": COLUMNS,
        }
    )
    columns = book.source_columns
    columns["person"] = evolve(columns["person"], exact=True)
    with tempfile.TemporaryDirectory() as place, DuckDBEngine(threads=1) as engine:
        path = Path(place, "x.csv")
        path.write_bytes(content)
        loaded = engine.load(path, columns, form=book.file)
        rows = read_rows(Table(relation=loaded, engine=engine))
    return Counter((each[0], None if each[1] is None else float(each[1]), *each[2:]) for each in rows)


@settings(max_examples=120, deadline=None)
@given(forms(), st.integers(0, 2**32), st.integers(1, 12))
def test_records_are_read_by_the_rule_and_one_more_is_one_more(form: dict[str, Any], seed: int, count: int) -> None:
    draw = random.Random(seed)
    records = [fit(random_record(draw), form["records"]) for _ in range(count)]
    whole = read(written(records, form), form)
    assert whole == Counter(model_row(each, form["records"]) for each in records)
    at = draw.randrange(count)
    less = read(written(records[:at] + records[at + 1 :], form), form)
    assert whole - less == Counter([model_row(records[at], form["records"])])
    assert not less - whole


ODD = [b'"7,x', b"a;b;c", b'7,"x', b"\xff,1", b"1,2,3,4", b'x"y,"', b"", b"\x00"]


def test_a_reader_whose_quotes_may_run_on_lets_one_record_swallow_the_others() -> None:
    """Why files with such quotes are refused where records may hold line ends: here one person changes every row."""

    def run_on(content: bytes) -> Counter[Row]:
        return Counter(map(tuple, csv.reader(io.StringIO(content.decode("latin-1"), newline=""))))

    rows = b"".join(b"%d,5\n" % number for number in range(50))
    gone = [sum((run_on(rows) - run_on(odd + b"\n" + rows)).values()) for odd in ODD]
    assert max(gone) == 50


@pytest.mark.parametrize("odd", ODD)
def test_our_reader_does_not(odd: bytes) -> None:
    """The same records change nothing but their own row."""
    content = b"person,cost\n" + b"".join(b"%d,5\n" % number for number in range(50))
    form = {"names": ["person", "cost", "day", "smoker", "note"], "skip": 1}
    first, *others = content.split(b"\n", 1)
    before, after = read(content, form), read(first + b"\n" + odd + b"\n" + others[0], form)
    assert not before - after
    assert sum((after - before).values()) <= 1
