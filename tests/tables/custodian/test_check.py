"""The custodian's check counts exactly what a session would see, and says in every form that it is not private."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError, WrongTypeError
from privet.tables.custodian.report import NOT_PRIVATE

ROWS = pv.Rows()


def found(source: Any, known: dict[str, Any], unit: pv.PrivacyUnit = ROWS, **more: Any) -> Any:
    return pv.check(source, pv.Codebook(columns=known, unit=unit), **more)


def counts(source: Any, column: Any) -> dict[str, Any]:
    [each] = found(source, {"a": column}).columns
    return {
        name: getattr(each, name) for name in ("missing", "unreadable", "below", "above", "unmatched", "cut", "null")
    }


def csv(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_every_step_of_reading_is_counted(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", "a,b", "5,", "x,", '"",', ",", '" ",', "-3,", "12,", "11,", "7.4,")
    real = pv.column("real", bounds=(0, 10))
    assert counts(path, real) == {
        "missing": 3,
        "unreadable": 1,
        "below": 1,
        "above": 2,
        "unmatched": None,
        "cut": None,
        "null": 4,
    }


def test_categories_and_long_texts() -> None:
    rows = [{"a": "x"}, {"a": "X "}, {"a": None}, {}, {"a": "abcdef"}]
    assert counts(rows, pv.column("text", categories=("x", "y")))["unmatched"] == 2
    assert counts(rows, pv.column("text", length=3))["cut"] == 1
    problem = found(rows, {"a": pv.column("text", categories=("x", "y"))}).problems[0]
    assert problem.message == "2 (40 %) of the values of 'a' are no category and become null."
    assert "'X ' (1)" in problem.suggestion
    assert problem.suggestion.endswith(
        "1 of them differ from a category in capitals or spaces only: write clean: [trim, lower] in the codebook."
    )


def test_declared_markers_are_missing_values(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", "a", "NA", "x")
    assert counts(path, pv.column("text", missing=("NA",)))["missing"] == 1
    assert counts(path, pv.column("text"))["missing"] == 0


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinite_values_move_to_a_bound_as_in_a_session(value: float) -> None:
    column = pv.column("real", bounds=(0, 10))
    for source in (pa.table({"a": [value, 1.0]}), pd.DataFrame({"a": [value, 1.0]}), [{"a": value}, {"a": 1.0}]):
        seen = counts(source, column)
        assert (seen["below"] + seen["above"], seen["null"]) == (1, 0)


numbers = st.lists(st.none() | st.integers(-20, 20), max_size=30)


@settings(max_examples=15, deadline=None)
@given(numbers)
def test_counts_of_integers_by_definition(values: list[int | None]) -> None:
    there = [value for value in values if value is not None]
    expected = {
        "missing": len(values) - len(there),
        "unreadable": 0,
        "below": sum(value < -5 for value in there),
        "above": sum(value > 7 for value in there),
        "unmatched": None,
        "cut": None,
        "null": len(values) - len(there),
    }
    assert counts(pa.table({"a": pa.array(values, pa.int64())}), pv.column(int, bounds=(-5, 7))) == expected
    assert counts([{"a": value} for value in values], pv.column(int, bounds=(-5, 7))) == expected


@settings(max_examples=15, deadline=None)
@given(st.lists(st.none() | st.integers(0, 6), max_size=40), st.integers(1, 4))
def test_persons_by_definition(ids: list[int | None], cap: int) -> None:
    table = pa.table({"id": pa.array(ids, pa.int64())})
    persons = found(table, {"id": int}, pv.Persons("id", rows=cap)).persons
    rows = {each: ids.count(each) for each in ids if each is not None}
    assert persons.persons == len(rows)
    assert persons.without_id == ids.count(None)
    assert persons.several == sum(count > 1 for count in rows.values())
    assert persons.heaviest == max(rows.values(), default=0)
    assert persons.left_out == sum(max(count - cap, 0) for count in rows.values())


def test_a_session_sees_what_the_check_counts() -> None:
    table = pv.datasets.visits(2_000)
    book = pv.Codebook.from_frame(table, id="visitor_id", rows=10, bounds={"spending": (0, 30)})
    seen = pv.check(table, book)
    assert seen.persons is not None
    session = pv.Session(table, book, pv.budget(epsilon=20_000))
    release = session.query().agg(pv.count(), pv.count_ids()).release(epsilon=20_000)
    assert release.values("count") == [seen.rows - (seen.persons.left_out or 0)]
    assert release.values("count_ids") == [seen.persons.persons]


def test_persons_within_a_period() -> None:
    days = [date(2024, 1, 1), date(2024, 1, 2), date(2024, 2, 1), None]
    table = pa.table({"id": [1, 1, 1, 1], "day": pa.array(days, pa.date32())})
    unit = pv.Persons("id", rows=1, period=("day", "month"))
    persons = found(table, {"id": int, "day": "date"}, unit).persons
    assert (persons.persons, persons.heaviest, persons.left_out) == (3, 2, 1)  # rows without a date are a period


def test_every_kind_of_source_gives_the_same(tmp_path: Path) -> None:
    values, connection = {"id": [1, 2, 2, 3], "a": [5.0, 50.0, -5.0, None]}, duckdb.connect()
    table = pa.table(values)
    duckdb.from_arrow(table, connection=connection).create("there")
    pq.write_table(table, tmp_path / "a.parquet")
    table.to_pandas().to_csv(tmp_path / "a.csv", index=False)
    sources = (
        table,
        table.to_pandas(),
        pl.DataFrame(values),
        pl.LazyFrame(values),
        table.to_reader(),
        table.to_pylist(),
        tmp_path / "a.parquet",
        str(tmp_path / "a.csv"),
        (connection, "there"),
    )
    columns = {"id": int, "a": pv.column(float, bounds=(0, 10))}
    seen = [found(source, columns, pv.Persons("id", rows=1)).to_dict() for source in sources]
    assert all(each == seen[0] for each in seen)
    assert [seen[0]["rows"], seen[0]["columns"]["a"]["below"], seen[0]["columns"]["a"]["null"]] == [4, 1, 1]
    assert seen[0]["columns"]["a"]["highest"] == "50.0"


def test_named_rows_and_python_objects() -> None:
    rows: list[Any] = [(1, "x"), (2, 3.5), ("three", None)]
    seen = found(rows, {"a": int, "b": str}, columns=("a", "b"))
    assert [each.unreadable for each in seen.columns] == [1, 1]
    assert seen.problems[0].suggestion == (
        "The Python types of the values of 'a' are: 2 int, 1 str. Make all of them int before you open the source, or "
        "declare the type that they have."
    )
    with pytest.raises(InvalidError, match="data has no column 'b'"):
        found(rows, {"a": int, "b": str}, columns=("a",))


@pytest.mark.parametrize(
    ("column", "texts", "suggestion"),
    [
        ("date", ["31.01.2024"] * 2, "2 of 2 values of 'a' look like dates dd.mm.yyyy. Write format: \"%d.%m.%Y\""),
        (
            "date",
            ["01/02/2024"],
            'mm/dd/yyyy or dates dd/mm/yyyy. Write format: "%m/%d/%Y" or format: "%d/%m/%Y" in the codebook',
        ),
        ("timestamp", ["01/31/2024 12:30"], 'Write format: "%m/%d/%Y %H:%M" in the codebook.'),
        ("date", ["12"], "1 of 1 value of 'a' look like integer. Declare the column as integer."),
        ("integer", ["1,250", "3,400"], "look like numbers with thousands separators"),
        ("real", ["12,5", "7,25"], "look like numbers with a decimal comma"),
        ("real", ["12 %", "7 %"], "look like percentages"),
        ("integer", ["NA", "1", "2"], "look like markers of missing values such as NA."),
        ("integer", ["x", "1", "2", "3"], "Look at the values of 'a' that are no integer"),
        ("integer", ["a1", "b2"], "2 of 2 values of 'a' look like text. Declare the column as text."),
    ],
)
def test_suggestions_by_what_values_look_like(column: str, texts: list[str], suggestion: str, tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", "a", *(f'"{text}"' for text in texts))
    assert suggestion in found(path, {"a": column}).problems[0].suggestion


def test_bounds_are_suggested_from_one_in_a_hundred_on() -> None:
    few = pa.table({"a": [1.0] * 200 + [950.0]})
    assert found(few, {"a": pv.column(float, bounds=(0, 10))}).problems == ()
    many = pa.table({"a": [1.0] * 50 + [950.0, -3.0]})
    [problem] = found(many, {"a": pv.column(float, bounds=(0, 10))}).problems
    assert problem.suggestion == (
        "The values reach from -3 to 950. Bounds such as (-5, 1,000) would move none, with more noise."
    )
    assert "depend on the data" in str(found(many, {"a": pv.column(float, bounds=(0, 10))}))


def test_a_cap_is_suggested_that_keeps_nearly_all_rows() -> None:
    table = pa.table({"id": [1] * 40 + list(range(2, 62))})
    [problem] = found(table, {"id": int}, pv.Persons("id", rows=5)).problems
    assert problem.message == (
        "35 (35 %) of the rows are left out by the cap of 5 rows of a person; the heaviest person has 40."
    )
    assert problem.suggestion.startswith("A cap of 50 rows would keep 100 % of the rows, with more noise.")


def test_duplicate_ids() -> None:
    [problem] = found(pa.table({"id": [1, 1, 2]}), {"id": int}, pv.Persons("id", rows=1)).problems
    assert str(problem) == (
        "1 of 2 persons has more than one row, and the cap is 1. If each person should have one row, look for "
        "duplicate ids; else raise the cap."
    )


def test_every_form_says_that_it_is_not_private() -> None:
    seen = found([{"a": "x"}], {"a": int})
    text, page, plain = str(seen), seen._repr_html_(), json.dumps(seen.to_dict())
    assert text.startswith(NOT_PRIVATE)
    assert text.endswith(NOT_PRIVATE)
    assert repr(seen) == text
    assert page.count(NOT_PRIVATE) == 2
    assert NOT_PRIVATE in plain
    assert json.loads(plain)["private"] is False


def test_html_escapes_what_the_data_hold() -> None:
    rows = [{"a": "<script>"}]
    page = found(rows, {"a": pv.column(str, categories=("x",))})._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_a_source_without_problems() -> None:
    seen = found([{"a": 1}], {"a": int})
    assert seen.problems == ()
    assert "No problems found." in str(seen)
    assert "depend on the data" not in str(seen)


def test_no_rows_at_all() -> None:
    seen = found([], {"id": int, "a": pv.column(float, bounds=(0, 1))}, pv.Persons("id", rows=1))
    assert (seen.rows, seen.problems) == (0, ())


def test_what_is_wrong_is_named() -> None:
    book = pv.Codebook(columns={"a": int}, unit=ROWS)
    with pytest.raises(WrongTypeError, match="check takes one source with its codebook; call it once for each table"):
        pv.check({"t": []}, book)
    with pytest.raises(WrongTypeError, match="wrong way round"):
        pv.check(book, [])  # type: ignore[arg-type]
    with pytest.raises(InvalidError, match="data: there is no file 'nowhere.csv'; check the path"):
        pv.check("nowhere.csv", book)
    with pytest.raises(InvalidError, match="data has no column 'a'; it has 'b'"):
        pv.check(pa.table({"b": [1]}), book)


def test_lines_that_are_too_short_are_not_blamed_on_quotes(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("a,b,c\n" + "1,2\n" * 9, encoding="utf-8")
    (problem,) = pv.check(path, pv.Codebook(columns={"a": "integer"}, unit=pv.Rows())).problems
    assert "9 of 9 lines have more or fewer fields" in str(problem)
    assert "missing at the end of a line are read as null" in str(problem)
