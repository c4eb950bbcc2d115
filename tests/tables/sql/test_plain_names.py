"""Expressions without a name get one that can be typed; none of them shows the expression."""

import re

import pytest
from sqlglot import parse_one

import privet as pv
from privet.tables.session.session import Session
from privet.tables.sql.plain_names import plain_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("EXTRACT(hour FROM entry)", "hour_entry"),
        ("DATE_TRUNC('month', day)", "month_day"),
        ("CASE WHEN spending > 10 THEN tip ELSE 0 END", "case_spending_tip"),
        ("IF(a > 1, 2, 3)", "case_a"),
        ("AVG(spending * 2)", "mean_spending_times_2"),
        ("SUM(spending) / COUNT(*)", "sum_spending_over_count"),
        ("COUNT(*) FILTER (WHERE a >= 5)", "count_where_a_at_least_5"),
        ("COUNT(DISTINCT a)", "count_distinct_a"),
        ("a IS NULL", "a_is_null"),
        ("a IN ('x y', 'z')", "a_in_x_y_z"),
        ("CAST(a AS DOUBLE)", "a_as_double"),
        ("NOT (a < 1.5)", "not_a_below_1_5"),
        ('"my col" > 3', "my_col_above_3"),
        ("ROUND(AVG(CASE WHEN a > 1 THEN 1 ELSE 0 END), 2)", "round_mean_case_a_2"),
    ],
)
def test_names_are_words(text: str, name: str) -> None:
    assert plain_name(parse_one(text)) == name


def test_a_long_expression_has_a_short_name() -> None:
    name = plain_name(parse_one(" + ".join(f"column_{at}" for at in range(500))))
    assert len(name) <= 48
    assert re.fullmatch(r"\w+", name)


def test_names_that_are_taken_are_numbered() -> None:
    assert plain_name(parse_one("upper(a)"), {"upper_a", "upper_a_2"}) == "upper_a_3"


@pytest.fixture(scope="module")
def session() -> Session:
    columns = {"x": pv.column("integer", bounds=(0, 9)), "ward": pv.column("text", categories=("a", "b"))}
    book = pv.Codebook(table="t", unit=pv.Rows(), columns=columns)
    return Session([{"x": 1, "ward": "a"}] * 20, book, pv.budget(epsilon=1000))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT CASE WHEN x > 5 THEN 'high' ELSE 'low' END, COUNT(*) FROM t GROUP BY 1", ("case_x", "count")),
        (
            "SELECT CASE WHEN x > 5 THEN 1 ELSE 2 END, CASE WHEN x > 7 THEN 1 ELSE 0 END, SUM(x) FROM t GROUP BY 1, 2",
            ("case_x", "case_x_2", "sum_x"),
        ),
        ("SELECT AVG(CASE WHEN x > 5 THEN 1 ELSE 0 END) FROM t", ("mean_case_x",)),
        (
            "SELECT COUNT(*) FILTER (WHERE x > 5), COUNT(*) FILTER (WHERE x > 6) FROM t",
            ("count_where_x_above_5", "count_where_x_above_6"),
        ),
        ("SELECT SUM(x) / COUNT(*), ROUND(AVG(x), 1) FROM t", ("sum_x_over_count", "round_mean_x_1")),
        (
            "SELECT CASE WHEN n > 1 THEN 'many' ELSE 'few' END FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)",
            ("case_n",),
        ),
        ("SELECT ROUND(AVG(x)), ROUND(AVG(x)) AS round_mean_x FROM t", ("round_mean_x_2", "round_mean_x")),
    ],
)
def test_columns_of_a_select_have_plain_names(session: Session, text: str, names: tuple[str, ...]) -> None:
    release = session.sql(text).release(epsilon=1)
    assert release.names == names
    assert type(release).from_json(release.to_json()).names == names


def test_a_plain_name_can_be_sorted_by(session: Session) -> None:
    text = "SELECT ward, SUM(x) / COUNT(*) FROM t GROUP BY ward ORDER BY sum_x_over_count DESC"
    assert session.sql(text).release(epsilon=10).names == ("ward", "sum_x_over_count")
