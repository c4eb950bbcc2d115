"""Formats of dates: what fits one is what the documented rule says, in every order of formats."""

import itertools
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.column import Column, Kind
from privet.tables.columns.notation import Notation
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.table_space import Table, read_rows

ENGINE = DuckDBEngine(threads=1)
NUMBERS = itertools.count()
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
LONG = ["january", "february", "march", "april", "may", "june", "july"]
LONG += ["august", "september", "october", "november", "december"]
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read(texts: list[str], kind: Kind, formats: tuple[str, ...]) -> list[Any]:
    known = Column(kind=kind, notation=Notation(format=formats))
    loaded = ENGINE.load(pa.table({"v": pa.array(texts, pa.string())}), {"v": known}, f"dates {next(NUMBERS)}")
    return [row[0] for row in read_rows(Table(relation=loaded, engine=ENGINE))]


def model(text: str, written: str) -> datetime | None:
    """Read a text part by part, without any parser of dates."""
    parts = re.findall("%[a-zA-Z%]|.", written, flags=re.DOTALL)
    digits = "YymdHMSIf"
    fixed = any(a[0] == b[0] == "%" and a[1] in digits and b[1] in digits for a, b in itertools.pairwise(parts))
    found: dict[str, str] = {}
    rest = text.strip(" ")
    for part in parts:
        pattern = {
            "%Y": "[0-9]{4}",
            "%y": "[0-9]{2}",
            "%f": "[0-9]{1,6}",
            "%p": "(?i:am|pm)",
            "%b": f"(?i:{'|'.join(MONTHS)})",
            "%B": f"(?i:{'|'.join(LONG)})",
            "%a": f"(?i:{'|'.join(each[:3] for each in DAYS)})",
            "%A": f"(?i:{'|'.join(DAYS)})",
        }.get(part, re.escape(part[-1]) if part == "%%" or part[0] != "%" else "[0-9]{2}" if fixed else "[0-9]{1,2}")
        taken = re.match(pattern, rest, flags=re.ASCII)
        if taken is None:
            return None
        found[part], rest = taken.group(), rest[taken.end() :]
    if rest:
        return None
    year = int(found.get("%Y") or found["%y"])
    if "%y" in found:
        year += 2000 if year < 69 else 1900
    named = [each.index(found[key].lower()) + 1 for key, each in (("%b", MONTHS), ("%B", LONG)) if key in found]
    month, hour = named[0] if named else int(found["%m"]), int(found.get("%H", "0"))
    if "%I" in found:
        if not 1 <= int(found["%I"]) <= 12:
            return None
        hour = int(found["%I"]) % 12 + (12 if found["%p"].lower() == "pm" else 0)
    micro = int(found.get("%f", "0").ljust(6, "0"))
    try:
        clock = (hour, int(found.get("%M", "0")), int(found.get("%S", "0")), micro)
        return datetime(year, month, int(found["%d"]), *clock, tzinfo=UTC)
    except ValueError:
        return None


DATES = ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%y", "%Y%m%d", "%d-%b-%Y", "%B %d, %Y", "%A %d %b %Y", "%d%b%Y"]
DATES += ["%b%d%Y", "%y%m%d"]
TIMES = [f"{DATES[0]} %H:%M", f"{DATES[1]} %I:%M %p", "%Y%m%d%H%M%S", "%d.%m.%Y %H:%M:%S.%f", "%a %d-%b-%y %I:%M:%S%p"]
MOMENTS = st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31))  # noqa: DTZ001
WORDS = [*"0123456789/.-: ,", "31", "12", "2024", "Jan", "FEB", "june", "Mon", "friday", "am", "PM", "%", "x", "٣"]
CHANGES = [str, str.upper, str.lower, lambda each: re.sub(r"\b0", "", each), lambda each: f" {each} "]


def write(moment: datetime, written: str, draw: Any) -> str:
    """Write a moment in a format, perhaps without zeros, perhaps in capitals."""
    year = f"{moment.year:04}"  # which platforms write with and without zeros
    return str(draw(st.sampled_from(CHANGES))(moment.strftime(written.replace("%Y", year))))


@pytest.mark.parametrize("written", [*DATES, *TIMES])
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_texts_are_dates_by_the_rule(written: str, data: st.DataObject) -> None:
    moments = data.draw(st.lists(MOMENTS, max_size=20))
    texts = [write(each, written, data.draw) for each in moments]
    texts += data.draw(st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map("".join), max_size=20))
    kind: Kind = "date" if written in DATES else "timestamp"
    for text, value in zip(texts, read(texts, kind, (written,)), strict=True):
        wanted = model(text, written)
        if wanted is None:
            assert value is None, text
        else:
            passed = wanted - EPOCH
            assert value == (passed.days if kind == "date" else passed // timedelta(microseconds=1)), text


def test_the_first_format_that_reads_a_date_counts() -> None:
    texts = ["01/02/2024", "31/01/2024", "01/31/2024", "2024-01-31", "31/31/2024"]
    days = ("2024-02-01", "2024-01-31", "2024-01-02")
    day = {each: (date.fromisoformat(each) - date(1970, 1, 1)).days for each in days}
    first = read(texts, "date", ("%d/%m/%Y", "%m/%d/%Y", "iso"))
    assert first == [day["2024-02-01"], day["2024-01-31"], day["2024-01-31"], day["2024-01-31"], None]
    assert read(texts, "date", ("%m/%d/%Y",))[:2] == [day["2024-01-02"], None]
    assert read(["2024-01-31T10:00:00+02:00"], "timestamp", ("%Y-%m-%d", "iso")) == [(19753 * 24 + 8) * 3_600_000_000]


@pytest.mark.parametrize(
    "written",
    [
        *("%Y", "%d.%m", "%d.%m.%Y.%y", "%d.%m.%b.%Y", "%I:%M %d.%m.%Y", "%H %p %d.%m.%Y", "%H %I %p %d.%m.%Y"),
        *("%f %d.%m.%Y", "%d.%m.%Y %z", "%d.%m.%Y %j", "%a %A %d.%m.%Y", "", "ISO", "%d%d%m%Y", "\0%d.%m.%Y"),
    ],
)
def test_a_format_that_says_too_little_or_too_much_is_refused(written: str) -> None:
    with pytest.raises(InvalidError, match="Column.format must name"):
        pv.column("timestamp", format=[written])


def test_formats_are_texts_and_different() -> None:
    with pytest.raises(InvalidError, match="different formats"):
        pv.column("date", format=["iso", "iso"])
    with pytest.raises(WrongTypeError, match="Column.format must be text"):
        pv.column("date", format=[3])  # type: ignore[list-item]
    with pytest.raises(InvalidError, match="Column.format must name"):
        pv.column("date", format="%d.%m.%Y %H")
