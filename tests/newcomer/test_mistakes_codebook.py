"""Mistakes of new users with codebooks and sources: each ends in a message that says what was wrong and what to do.

The numbers are those of the list of mistakes. Every message is compared as a whole.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.errors import PrivetError, PrivetWarning
from privet.tables.session import opening
from tests.pandas_texts import with_text_types

BUDGET = pv.budget(epsilon=1)
UNIT = pv.Persons("visitor_id", rows=10)
BOOK = pv.Codebook(
    table="visits",
    unit=UNIT,
    columns={"visitor_id": int, "day": "date", "spending": pv.column(float, bounds=(0, 200))},
)
CHECK = (
    "Whoever holds the data can count such values with pv.check(source, codebook); its answer is exact and not private."
)
UNTYPED = (
    "has no types, so 'visits' is not compared with the codebook. A value that does not fit becomes null or moves "
    f"to a bound, and no message says so. {CHECK}"
)


def message_of(make: Callable[[], Any]) -> str:
    with pytest.raises(PrivetError) as caught:
        make()
    return str(caught.value)


@pytest.fixture(autouse=True)
def first_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test open the first session of a process."""
    monkeypatch.setattr(opening, "_said", set())


def test_mistake_12_no_bounds() -> None:
    book = pv.Codebook(unit=UNIT, columns={"visitor_id": int, "spending": float})
    assert message_of(lambda: pv.Planner(book, BUDGET).query().agg(pv.mean("spending"))) == (
        "mean('spending') needs bounds of 'spending': give bounds=(lower, upper), or put them in the codebook."
    )


def test_mistake_13_unit_forgotten() -> None:
    missing = (
        "Write unit=pv.Persons('visitor_id', rows=10), with your own id column, to protect a person with all of their "
        "rows, of which a query uses at most 10. Write unit=pv.Rows() where every row is another person."
    )
    assert message_of(lambda: pv.Codebook(columns={"age": int})) == (
        f"Codebook.unit is missing: say what is protected. {missing}"
    )
    frame = pa.table({"age": [3]})
    assert message_of(lambda: pv.Codebook.from_frame(frame)) == (
        f"Codebook.from_frame needs to know what is protected. {missing}"
    )
    assert message_of(lambda: pv.Session(frame, budget=BUDGET)) == (
        "Session.codebook is missing: give a Codebook or the path of one, or say what is protected for a first try "
        f"without one. {missing}"
    )


def test_mistake_14_no_caps() -> None:
    book = pv.Codebook(unit=pv.Persons("visitor_id"), columns={"visitor_id": int})
    assert message_of(lambda: pv.Planner(book, BUDGET).query().agg(pv.count())) == (
        "how much one person may count is not bounded: give rows=..., or groups=... and rows_per_group=..., in the "
        "codebook's unit or with .cap(...)."
    )


def test_mistake_15_types_of_another_language() -> None:
    assert pv.column("float") == pv.column(float) == pv.column("number") == pv.column("real")
    assert message_of(lambda: pv.column("flaot")) == (
        "column.type must be one of integer, real, boolean, text, date, timestamp, got 'flaot'. Did you mean real?"
    )
    assert message_of(lambda: pv.column("varchar")) == (
        "column.type must be one of integer, real, boolean, text, date, timestamp, got 'varchar'. Did you mean text?"
    )


def test_mistake_16_wrong_path() -> None:
    assert message_of(lambda: pv.Session("nowhere.csv", BOOK, BUDGET)) == (
        "visits: there is no file 'nowhere.csv'; check the path."
    )


def test_mistake_17_a_folder(tmp_path: Path) -> None:
    assert message_of(lambda: pv.Session(tmp_path, BOOK, BUDGET)) == (
        f"visits: '{tmp_path}' is a folder, not a file. Give the path of a file, or a pattern for several files with "
        f"the same columns, such as '{tmp_path / '*.csv'}'."
    )


def test_mistake_18_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").touch()
    assert message_of(lambda: pv.Session(tmp_path / "visits.csv", BOOK, BUDGET)) == (
        "visits: the file has no header; its first line must name the columns."
    )


def test_mistake_19_another_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("visitor_id;day;spending\n1;2024-01-31;12.5\n", encoding="utf-8")
    assert message_of(lambda: pv.Session(path, BOOK, BUDGET)) == (
        "visits: the columns of 'visits.csv' seem to be separated by ';', not by ',': the header has 'visitor_id', "
        "'day', 'spending'. Open it with delimiter=';', or write file: "
        "{delimiter: ';'} in the codebook."
    )
    assert pv.check(path, BOOK, delimiter=";").problems == ()
    with pv.Session(path, BOOK, BUDGET, delimiter=";") as session:
        assert session.codebook == BOOK


def test_mistake_20_bad_parquet(tmp_path: Path) -> None:
    path = tmp_path / "visits.parquet"
    path.write_text("visitor_id,spending\n1,2\n", encoding="utf-8")
    assert message_of(lambda: pv.Session(path, BOOK, BUDGET)) == (
        f"visits: '{path}' is no Parquet file, although its name says so, or it is damaged. If it is a text file, give "
        "it a name that ends with .csv; else write it again as Parquet."
    )


def test_mistake_21_source_and_codebook_swapped() -> None:
    assert message_of(lambda: pv.Session("visits.yaml", "visits.csv", BUDGET)) == (
        "Session: source and codebook are the wrong way round: the first is the codebook 'visits.yaml', the second the "
        "data file 'visits.csv'. Write Session('visits.csv', 'visits.yaml', ...)."
    )
    frame: Any = pa.table({"visitor_id": [1]})
    assert message_of(lambda: pv.Session(BOOK, frame, BUDGET)) == (
        "Session: source and codebook are the wrong way round: the first is a Codebook, the second a Table. Write "
        "Session(source, codebook, ...)."
    )
    assert message_of(lambda: pv.Session(frame, "visits.csv", BUDGET)) == (
        "Session.codebook must be a codebook, got the data file 'visits.csv', which looks like data. Give the source "
        "first, then the codebook."
    )


def test_mistake_22_a_dictionary_as_codebook() -> None:
    frame = pa.table({"age": [3]})
    book = {"columns": {"age": {"type": "integer", "bounds": (0, 120)}}, "unit": {"rows": 1}}
    assert pv.Session(frame, book, BUDGET).codebook["age"] == pv.column("integer", bounds=(0, 120))
    assert message_of(lambda: pv.Session(frame, {"visits": BOOK}, BUDGET)) == (
        "Session: several tables need sources and codebooks by the same names, got sources one Table and codebooks "
        "'visits'. One codebook as a dictionary has the keys columns and unit."
    )
    assert message_of(lambda: pv.Session({"visits": frame}, book, BUDGET)) == (
        "Session: the codebook is one codebook, with the keys 'columns', 'unit', but there are sources by name, "
        "'visits'. Give codebooks by the same names: {'visits': codebook, ...}."
    )
    assert message_of(lambda: pv.Session(frame, {"columns": {"age": "whole"}}, BUDGET)) == (
        "columns.age must be one of integer, real, boolean, text, date, timestamp, got 'whole'.\n"
        "unit is missing. Write what is protected, {rows: 1} or {id: COLUMN}."
    )


def test_mistake_23_broken_yaml() -> None:
    text = """tabel: visits
unit: {id: visitor, caps: {row: 10}}
columns:
  visitor_id: {type: varchar}
  spending:
    type: real
    bounds: [200, 0]
  restaurant:
    type: text
    categories: [Bella, Bella]
  day: {type: date, bounds: [2024-02-30, 2024-12-31]}
  minutes: {bounds: [0, 300]}
  age: {type: integer, nulls: zero}
"""
    kinds = "integer, real, boolean, text, date, timestamp"
    policies = (
        "drop, category, {value: X}, {impute: uniform}, {impute: categories} or "
        "{impute: {gaussian: {shift: M, scale: S}}}"
    )
    assert message_of(lambda: pv.Codebook.from_yaml(text)).split("\n") == [
        "line 1: tabel is no key of a codebook. Did you mean table?",
        "line 2: unit.id must be one of the columns, got 'visitor'. Did you mean visitor_id?",
        "line 2: unit.caps.row is no key of caps. Did you mean rows?",
        f"line 4: columns.visitor_id.type must be one of {kinds}, got 'varchar'. Did you mean text?",
        "line 7: columns.spending.bounds: lower must be below upper, got lower=200, upper=0.",
        "line 10: columns.restaurant.categories must be different from each other, got 'Bella' twice.",
        "line 11: columns.day.bounds[0] must be a date such as 2024-01-31; there is no '2024-02-30' in the calendar.",
        f"line 12: columns.minutes.type is missing. Write one of {kinds}.",
        f"line 13: columns.age.nulls must be {policies}, got zero.",
    ]


NO_IDS = (
    "3 (100 %) of the rows have no readable 'visitor_id': no query uses them. Check the id column: its type, and "
    "values that are missing."
)


def open_and_warn(source: object, book: pv.Codebook) -> list[str]:
    """Open a session and give what it says."""
    with pytest.warns(PrivetWarning) as caught:
        pv.Session(source, book, BUDGET).close()
    return [str(each.message) for each in caught]


IDS = {"visitor_id": ["v1", "v2", "v3"], "day": ["2024-01-31"] * 3, "spending": [1.0, 2.0, 3.0]}


def test_mistake_30_text_ids_in_a_column_of_integers(tmp_path: Path) -> None:
    book = pv.Codebook(table="visits", unit=UNIT, columns={"visitor_id": int, "spending": float})
    warning = (
        "Session: column 'visitor_id' of 'visits' is integer in the codebook and text in the schema of the source. A "
        "text that cannot be read as integer becomes null. Declare the column as text, or convert it before you "
        "open it. "
        f"{CHECK}"
    )
    table = pa.table(IDS)
    assert open_and_warn(table, book) == [warning]
    pq.write_table(table, tmp_path / "visits.parquet")
    assert open_and_warn(tmp_path / "visits.parquet", book) == [warning]
    assert open_and_warn(with_text_types(table.to_pandas()), book) == [warning]
    (tmp_path / "visits.csv").write_text("visitor_id,spending\nv1,1\nv2,2\nv3,3\n", encoding="utf-8")
    assert open_and_warn(tmp_path / "visits.csv", book) == [f"Session: a text file {UNTYPED}"]
    unreadable = (
        "3 (100 %) of the values of 'visitor_id' cannot be read as integer and become null. 3 of 3 values of "
        "'visitor_id' look like text. Declare the column as text."
    )
    assert [str(each) for each in pv.check(tmp_path / "visits.csv", book).problems] == [unreadable, NO_IDS]


def test_mistake_31_a_list_of_tuples() -> None:
    book = pv.Codebook(table="visits", unit=UNIT, columns={"visitor_id": int, "spending": float})
    rows = [(1, 2.0), (2, 3.0), (3, 4.0)]
    assert open_and_warn(rows, book) == [f"Session: a list of rows {UNTYPED}"]
    unnamed = (
        "3 of 3 rows have no names of columns (3 tuple): every value is null. Give the names in order, "
        "columns=('visitor_id', 'spending'), here and to the session."
    )
    assert [str(each) for each in pv.check(rows, book).problems] == [unnamed, NO_IDS]
    assert pv.check(rows, book, columns=("visitor_id", "spending")).problems == ()
    session = pv.Session(rows, book, pv.budget(epsilon=10_000), columns=("visitor_id", "spending"))
    assert session.query().agg(pv.count_ids()).release(epsilon=10_000).values("count_ids") == [3]
    assert message_of(lambda: pv.Session(rows, book, BUDGET, columns=("visitor_id", "cost"))) == (
        "visits has no column 'spending'; it has 'visitor_id', 'cost'."
    )


def test_mistake_32_us_dates_and_amounts(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    lines = ("visitor_id,day,spending", "1,01/31/2024,$12.50", "2,02/28/2024,$18.00", "3,12/24/2024,$7")
    path.write_text("\n".join(lines), encoding="utf-8")
    assert open_and_warn(path, BOOK) == [f"Session: a text file {UNTYPED}"]
    dates = (
        "3 (100 %) of the values of 'day' cannot be read as date and become null. 3 of 3 values of 'day' look like US "
        'dates mm/dd/yyyy. Write format: "%m/%d/%Y" in the codebook.'
    )
    amounts = (
        "3 (100 %) of the values of 'spending' cannot be read as real and become null. 3 of 3 values of 'spending' "
        'look like amounts with a currency sign such as $12.50. Write currency: ["$"] in the codebook.'
    )
    assert [str(each) for each in pv.check(path, BOOK).problems] == [dates, amounts]


def test_mistake_36_null_policies_as_text() -> None:
    assert pv.column("integer", nulls="drop").nulls == pv.NullsDropped()
    assert pv.column("text", nulls="category").nulls == pv.NullsAsCategory()
    assert pv.column("real", bounds=(0, 9), nulls={"value": 5}).nulls == pv.NullsReplaced(5)
    assert pv.column("real", bounds=(0, 9), nulls={"impute": "uniform"}).nulls == pv.NullsDrawn()
    assert message_of(lambda: pv.column("integer", nulls="zero")) == (
        "column.nulls must be 'drop', 'category', {'value': X}, {'impute': 'uniform'}, {'impute': 'categories'} or "
        "{'impute': {'gaussian': {'shift': M, 'scale': S}}}, got 'zero'."
    )
    assert message_of(lambda: pv.column("integer", bounds=(0, 9), nulls={"value": 10})) == (
        "column.nulls.value must lie within the bounds of the column, got 10."
    )
