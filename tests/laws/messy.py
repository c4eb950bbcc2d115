"""The law of messy files: what a codebook says of a file and its notation decides each row alone, and nothing else.

``check_messy(seed)`` draws how a file is written, and records that keep to it or do not. What a reader finds must be
what a slow and obvious model finds in each record by itself; a record that is taken away takes its own row with it and
no other; and no record, however bad, is refused.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve

from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.table_space import Table, read_rows
from tests.laws.messy_model import HEADER, Messy, Row, model_row

Reader = Callable[[Sequence[bytes], Messy], "list[Counter[Row]]"]  # from files that are written in one way
ENCODINGS = ("utf-8", "utf-8", "utf-8", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "gbk", "shift-jis")
_ENDS = {"lines": ("\n", "\r", "\r\n", "\n\n"), "crlf": ("\r\n",), "quoted": ("\n", "\r\n")}
_POOLS: dict[str, tuple[str, ...]] = {
    "person": ("1", "2", "3", "1.001", "1,001", "7,0", "7.5", "", "x", "-1", "\ufeff4", "4 %", "$5", "1 234"),
    "amount": (
        *("12,50", "12.50", "$ 1.250,5", "1,250.5", "-1", "-999", "NA", " NA ", "12 %", "7%", "", "k", "3 €"),
        *("99999", "-70", "1 234,5", "1'234.5", "1e3", "12,34,567", "+4", "--4", "$-3", "EUR 7", "0.5"),
    ),
    "number": ("7", "7,4", "7.5", "-3", "1.234", "1,234", "-999", "NA", "", "12 %", "$8", "1_000", "x", "88888888888"),
    "day": (
        *("31.01.2024", "2024-01-11", "1.2.2024", "31.02.2024", "01/31/2024", "31/01/2024", "", "today", "-999"),
        *(" 3.4.2023 ", "03/04/2023", "20240131", "3 Feb 2024", "NA"),
    ),
    "flag": ("ja", "JA", " nein", "wahr", "NA", "", "n", "1", "0", "nein", "falsch"),
    "note": ("", "a", " b ", "NA", "-", "Ä", "it's", 'say "x"', "1;2", "a,b", "#", "x|y", "\ufeff", "\\", "end"),
    "kind": ("köln", "Köln", " köln ", "ulm", "ULM", "NA", "", "bonn"),
}
_ODD = ('"', '""', "'", "\ufeff", ";", ",", "|", "#", "\t", "ü", "\x00", "\u2028", "x" * 30, "\x1a", "\\N")
_ODD_BYTES = (b"\xff", b"\xc3", b"\x81", b"\xed\xa0\x80", b"\xfe")


def random_messy(draw: random.Random) -> Messy:
    """Draw how a file is written and what its texts mean."""
    delimiter, quote = draw.choice(((";", '"'), ("\t", '"'), ("|", "'"), (",", '"'), (";", "'"), (";", "")))
    records = draw.choice(("lines", "lines", "crlf", "quoted")) if quote else draw.choice(("lines", "crlf"))
    file: dict[str, Any] = {
        "encoding": draw.choice(ENCODINGS),
        "invalid": draw.choice(("drop", "drop", "replace")),
        "delimiter": delimiter,
        "quote": quote,
        "records": records,
        "skip": draw.choice((0, 0, 1, 2)),
    }
    if records != "quoted" and draw.random() < 0.3:
        file["comment"] = "#"
    if draw.random() < 0.5 and (file["encoding"] != "utf-16" or file["skip"]):
        file["names"] = list(HEADER)
    decimal, thousands = draw.choice(((",", "."), (",", None), (None, ","), (",", " "), (None, "'"), (",", "_")))
    table = {"missing": draw.choice((None, ["NA"], ["NA", "-999"])), "decimal": decimal, "thousands": thousands}
    columns: dict[str, dict[str, Any]] = {
        "person": {},
        "amount": draw.choice(
            ({"currency": ["$", "€"]}, {"percent": "share"}, {"percent": "points", "currency": ["EUR"]}, {})
        ),
        "number": draw.choice(({}, {"percent": "points"}, {"decimal": ".", "thousands": ","}, {"missing": [-3, "x"]})),
        "day": {"format": draw.choice((["%d.%m.%Y"], ["%m/%d/%Y", "iso"], ["%d/%m/%Y", "%m/%d/%Y"], ["%Y%m%d"]))},
        "flag": {"true_words": ["ja", "1"], "false_words": draw.choice((["nein"], ["NEIN", "0", "falsch"]))},
        "note": draw.choice(({}, {"clean": "trim"}, {"clean": ["trim", "upper"]}, {"missing": ["-"]})),
        "kind": draw.choice(({}, {"clean": ["trim", "lower"]}, {"clean": "lower"})),
    }
    return Messy(file=file, table={key: value for key, value in table.items() if value is not None}, columns=columns)


def random_record(draw: random.Random, messy: Messy) -> bytes:
    """Draw the bytes of a record: most fields are as they should be, some are anything."""
    fields = [draw.choice(_POOLS[name]) for name in HEADER]
    if draw.random() < 0.3:
        at = draw.randrange(len(fields))
        fields[at] = "".join(draw.choices((*_ODD, fields[at]), k=draw.randrange(1, 4)))
    delimiter, quote, records = (messy.file[key] for key in ("delimiter", "quote", "records"))
    if records == "quoted":
        fields[5] += draw.choice(("", "", "\n", "\r\nx", '"\n"'))
        text = delimiter.join(_quoted(draw, each, delimiter, quote) for each in fields)
        return f"{_mark(draw, messy)}{text}".encode(*_codec(messy))
    if draw.random() < 0.2:
        fields = draw.choice((fields[:2], [*fields, "more", "more"], [""], fields[:1]))
    text = delimiter.join(_quoted(draw, each, delimiter, quote) if draw.random() < 0.7 else each for each in fields)
    if draw.random() < 0.2:
        at = draw.choice((0, text.find(delimiter) + 1, draw.randrange(len(text) + 1)))
        text = f"{text[:at]}{quote}{text[at:]}"  # without a partner
    if "comment" in messy.file and draw.random() < 0.1:
        text = f"#{text}"
    if records == "crlf" and draw.random() < 0.3:
        text = text.replace("a", "\n").replace("x", "\r\n"[draw.randrange(2)])
    raw = f"{_mark(draw, messy)}{text}".encode(*_codec(messy))
    wide = messy.file["encoding"].startswith("utf-16")
    if draw.random() < 0.1 and not wide:
        at = draw.randrange(len(raw) + 1)
        raw = raw[:at] + draw.choice(_ODD_BYTES) + raw[at:]
    return raw


def _mark(draw: random.Random, messy: Messy) -> str:
    """Begin some rows of files without a header with a mark, as the first one may, where the encoding has one."""
    marked = "names" in messy.file and not messy.file["skip"] and messy.file["encoding"].startswith("utf")
    return "\ufeff" if marked and draw.random() < 0.3 else ""  # elsewhere it would be a character before a quote


def _codec(messy: Messy) -> tuple[str, str]:
    names = {"shift-jis": "shift_jis", "utf-16": "utf-16-le"}
    return names.get(messy.file["encoding"], messy.file["encoding"]), "replace"


def _quoted(draw: random.Random, field: str, delimiter: str, quote: str) -> str:
    needs = bool(quote) and any(each in field for each in (delimiter, quote, "\n", "\r"))
    if not quote or not (needs or draw.random() < 0.3):
        return field
    return f"{quote}{field.replace(quote, quote * 2)}{quote}"


def written(records: list[bytes], messy: Messy, ends: list[str]) -> bytes:
    """Put records together to a file: lines to skip, a header, and each record with what ends it."""
    codec = _codec(messy)
    parts = [f"note {at}; above\n".encode(*codec) for at in range(messy.file["skip"])]
    if messy.file["encoding"] in ("utf-16", "utf-8") and (parts or "names" not in messy.file):
        parts.insert(0, "\ufeff".encode(*codec))
    if "names" not in messy.file:
        parts.append((messy.file["delimiter"].join(HEADER) + "\r\n").encode(*codec))
    parts += [record + end.encode(*codec) for record, end in zip(records, ends, strict=True)]
    return b"".join(parts)


def read_messy(contents: Sequence[bytes], messy: Messy) -> "list[Counter[Row]]":
    """Read files by the engine, each as a table of its own."""
    book = messy.book
    columns = book.source_columns
    columns["person"] = evolve(columns["person"], exact=True)
    with tempfile.TemporaryDirectory() as place, DuckDBEngine(threads=1) as engine:
        loaded = []
        for at, content in enumerate(contents):
            path = Path(place, f"{at}.csv")
            path.write_bytes(content)
            loaded.append(engine.load(path, columns, f"file {at}", form=book.file))
        tables = [read_rows(Table(relation=each, engine=engine)) for each in loaded]
    return [Counter((row[0], None if row[1] is None else float(row[1]), *row[2:]) for row in rows) for rows in tables]


def check_messy(seed: int, examples: int = 1, reader: Reader = read_messy) -> None:
    """Draw files, and compare what a reader finds with the model, before and after a record is taken away.

    Args:
        seed: What decides everything; a failure names it.
        examples: How many files to try.
        reader: What to put to the test.

    Raises:
        AssertionError: With the seed that shows it.
    """
    for number in range(seed, seed + examples):
        draw = random.Random(number)
        messy = random_messy(draw)
        records = [random_record(draw, messy) for _ in range(draw.randint(1, 8))]
        ends = [draw.choice(_ENDS[messy.file["records"]]) for _ in records]
        _check_file(records, ends, draw.randrange(len(records)), messy, reader, f"reading law: seed {number}")


def _check_file(records: list[bytes], ends: list[str], at: int, messy: Messy, reader: Reader, label: str) -> None:
    whole = written(records, messy, ends)
    less = written(records[:at] + records[at + 1 :], messy, ends[:at] + ends[at + 1 :])
    context = f"{label}: {whole!r} by {messy}"
    try:
        found, now = reader([whole, less], messy)
    except Exception as error:
        raise AssertionError(f"{context}\nis refused: {error}") from error
    models = [model_row(each, messy) for each in records]
    wanted = Counter(each for each in models if each is not None)
    assert found == wanted, f"{context}\nreads\n{found - wanted}\nfor\n{wanted - found}"
    own = Counter(each for each in [models[at]] if each is not None)
    assert found - now == own, f"{context}\nwithout record {at}, other rows went: {found - now}"
    assert not now - found, f"{context}\nwithout record {at}, there are new rows: {now - found}"
