"""One line says what intervals do not cover; it follows from the query, never from the data."""

from typing import Any

import pytest

import privet as pv

COLUMNS = {
    "visitor_id": pv.column("integer"),
    "spending": pv.column("real", bounds=(0, 500)),
    "day": pv.column("date", bounds=("2025-01-01", "2025-06-30")),
    "lunch": pv.column("boolean"),
    "restaurant": pv.column("text", categories=("Bella", "Corner", "Mill")),
}
START = "not covered by the intervals: "
ROWS = "at most 10 rows of each visitor_id are counted, and rows beyond are left out"
MEASURE = " To measure this, release(..., bias=0.1, most_rows=1000)."
FEWER = " To leave out fewer rows, use cap(rows=pv.auto()) or sum_by_person(...)."


def session_of(rows: list[dict[str, Any]], unit: Any = None) -> pv.Session:
    book = pv.Codebook(table="visits", unit=unit or pv.Persons(id="visitor_id", rows=10), columns=COLUMNS)
    return pv.Session(rows, book, pv.InfiniteBudget())


def line_of(query: Any) -> str:
    lines = [note for note in query.release(epsilon=1).notes if note.startswith(START)]
    assert len(lines) <= 1
    return "".join(lines)


def test_caps_and_bounds_are_named() -> None:
    query = session_of([]).query()
    assert line_of(query.agg(pv.count())) == f"{START}{ROWS}.{MEASURE}{FEWER}"
    moved = "values of spending outside 0 to 50 are moved to these bounds"
    assert line_of(query.agg(pv.mean("spending", bounds=(0, 50)))) == f"{START}{ROWS}; {moved}.{MEASURE}{FEWER}"


def test_dates_are_written_as_dates() -> None:
    query = session_of([], pv.Rows()).query()
    moved = "values of day outside 2025-01-01 to 2025-06-30 are moved to these bounds"
    assert line_of(query.agg(pv.median("day"))) == f"{START}{moved}."


def test_bounds_that_can_be_measured_say_how() -> None:
    query = session_of([], pv.Rows()).query()
    moved = "values of spending outside 0 to 50 are moved to these bounds"
    line = line_of(query.agg(pv.sum("spending", bounds=(0, 50))))
    assert line == f"{START}{moved}. To measure this, release(..., bias=0.1)."


@pytest.mark.parametrize(
    ("caps", "words"),
    [
        ({"rows": 1}, "at most 1 row of each visitor_id is counted"),
        (
            {"groups": 1, "rows_per_group": 5},
            "10 rows, 5 rows in a group and 1 group of each visitor_id are counted",
        ),
        ({"groups": 3, "rows_per_group": 5}, "at most 10 rows and 5 rows in a group of each visitor_id are counted"),
    ],
)
def test_every_cap_that_may_cut_is_named(caps: dict[str, Any], words: str) -> None:
    query = session_of([]).query().cap(**caps).group_by("restaurant")
    assert f"{words}, and rows beyond are left out" in line_of(query.agg(pv.count()))


def test_persons_of_all_rows_are_counted_whole() -> None:
    session = session_of([])
    assert line_of(session.query().agg(pv.count_ids())) == ""
    by = session.query().cap(rows=2).group_by("restaurant")
    assert "at most 2 groups of each visitor_id are counted" in line_of(by.agg(pv.count_ids()))


def test_totals_of_persons_are_cut_at_their_bounds_only() -> None:
    line = line_of(session_of([]).query().agg(pv.sum_by_person("spending", bounds=(0, 90))))
    assert "totals of spending outside 0 to 90 are moved to these bounds" in line
    assert "rows beyond" not in line


def test_rows_and_persons_with_one_row_each_have_no_caps() -> None:
    assert line_of(session_of([], pv.Rows()).query().agg(pv.count(), pv.mean("lunch"))) == ""
    assert line_of(session_of([]).query().summarize(n="count(*)").agg(pv.count())) == ""


def test_every_kind_of_release_says_it() -> None:
    session = session_of([])
    query = session.query()
    batch = session.batch(a=query.agg(pv.count())).release(epsilon=1)
    sql = session.sql("SELECT count(*) AS n FROM visits").release(epsilon=1)
    rollup = query.rollup("restaurant").agg(pv.count()).release(epsilon=1)
    staged = query.cap(rows=pv.auto()).agg(pv.count()).release(epsilon=1)
    for release in (batch["a"], sql, rollup, staged):
        assert any(note.startswith(START) for note in release.notes)


def test_describe_says_it_before_anything_is_spent() -> None:
    assert f"{START}{ROWS}." in session_of([]).query().agg(pv.count()).describe(epsilon=1)


def test_the_line_does_not_depend_on_the_data() -> None:
    rows = [{"visitor_id": 1, "spending": 10.0**9, "restaurant": "Bella"}] * 500
    query = [session_of(each).query().agg(pv.count(), pv.mean("spending")) for each in ([], rows)]
    assert line_of(query[0]) == line_of(query[1])
