"""Mistakes of new users with columns, SQL, dates, names and groups: what was wrong, what was expected, what to do."""

import traceback
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import privet as pv

BOOK = pv.Codebook(
    table="visits",
    columns={
        "visitor_id": pv.column("integer"),
        "day": pv.column("date", bounds=("2024-01-01", "2024-12-31")),
        "minutes": pv.column("integer", bounds=(0, 300)),
        "spending": pv.column("real", bounds=(0, 200)),
        "restaurant": pv.column("text"),
    },
    unit=pv.Persons("visitor_id", rows=10),
)
AGGREGATES = (
    "COUNT, SUM, AVG, MIN, MAX, MEDIAN, QUANTILE_CONT, VARIANCE, STDDEV, CORR, COVAR_SAMP, MODE and APPROX_TOP_K"
)
THERE = "there are 'visitor_id', 'day', 'minutes', 'spending', 'restaurant'"


@pytest.fixture(scope="module")
def session() -> pv.Session:
    return pv.Session(pv.datasets.visits(500), BOOK, pv.budget(epsilon=10**6))


def message(mistake: Callable[[], Any]) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the text is compared
        mistake()
    return str(caught.value)


def test_mistake_01_wrong_column_in_agg(session: pv.Session) -> None:
    assert message(lambda: session.query().agg(pv.mean("spendng"))) == (
        f"mean('spendng'): there is no column 'spendng'; {THERE}. Did you mean 'spending'?"
    )


def test_mistake_02_wrong_column_in_group_by(session: pv.Session) -> None:
    assert message(lambda: session.query().group_by("restuarant")) == (
        f"group_by: there is no column 'restuarant'; {THERE}. Did you mean 'restaurant'?"
    )


def test_mistake_03_mean_of_text(session: pv.Session) -> None:
    assert message(lambda: session.query().agg(pv.mean("restaurant"))) == (
        "mean('restaurant') needs numbers, got the text column 'restaurant'. Texts have count_distinct, mode and "
        "histogram."
    )


def test_mistake_04_text_compared_with_a_number(session: pv.Session) -> None:
    assert message(lambda: session.query().filter("restaurant > 3")) == (
        "> does not mix text and integer. Nothing is converted silently: write cast(... as ...)."
    )


def test_mistake_24_selct(session: pv.Session) -> None:
    assert message(lambda: session.sql("SELCT count(*) FROM visits")) == (
        "SQL: a statement that begins with 'SELCT' is not allowed, only SELECT. Did you mean SELECT?"
    )


def test_mistake_25_form(session: pv.Session) -> None:
    assert message(lambda: session.sql("SELECT count(*) FORM visits")) == (
        "SQL cannot be read at 'visits': 'SELECT count(*) FORM visits'. Did you mean FROM instead of FORM?"
    )


def test_mistake_26_window_function(session: pv.Session) -> None:
    text = "SELECT sum(spending) OVER (PARTITION BY restaurant) FROM visits"
    assert message(lambda: session.sql(text)) == (
        "SQL: a window function (over) is not allowed: 'SUM(spending) OVER (PARTITION BY restaurant)'. A window gives "
        "a value for each row, and rows are never shown. GROUP BY gives one for each group."
    )


def test_mistake_27_select_star(session: pv.Session) -> None:
    assert message(lambda: session.sql("SELECT * FROM visits")) == (
        "SQL: SELECT * is not allowed: '*'. Name keys and aggregates: rows are never shown."
    )


def test_mistake_33_mean_of_a_date(session: pv.Session) -> None:
    release = session.query().agg(pv.mean("day")).release(epsilon=1000)
    assert type(release.to_dict()["mean_day"][0]) is date
    assert type(release.to_dict()["mean_day_error"][0]) is timedelta


def test_mistake_35_mean_with_a_capital() -> None:
    assert message(lambda: pv.Mean("spending")) == (  # type: ignore[attr-defined]
        "pv has no 'Mean'; use pv.mean(\"spending\"). A unit of the calculus has this name: privet.calculus.Mean."
    )


def test_mistake_38_rename_the_wrong_way_round(session: pv.Session) -> None:
    assert message(lambda: session.query().rename(spending="cost")) == (
        "rename: the new name comes first: rename(cost='spending')."
    )


def test_mistake_39_groups_in_a_series_an_array_or_a_set(session: pv.Session) -> None:
    for groups in (
        pd.Series(["Bella", "Mill"]),
        np.array(["Bella", "Mill"]),
        {"Mill", "Bella"},
        pl.Series(["Bella", "Mill"]),
    ):
        assert session.query().group_by("restaurant", groups=groups).groups == (("Bella",), ("Mill",))
    assert message(lambda: session.query().group_by("restaurant", groups="Bella")) == (
        "group_by.groups must be a list of groups, got one text. Write groups=['Bella']."
    )
    assert message(lambda: session.query().group_by("restaurant", among=["Bella"])) == (  # type: ignore[call-overload]
        "group_by.among must be an expression such as 'year(day)', got list; groups are listed with groups=[...]."
    )


def test_after_bin_the_bins_are_named(session: pv.Session) -> None:
    assert message(lambda: session.query().bin("spending", width=10).group_by("spending")) == (
        "group_by takes integer, text and boolean columns, and 'spending' is real: its bins are in 'spending_bin', so "
        "write group_by('spending_bin')."
    )
    assert message(lambda: session.query().group_by("spending")) == (
        "group_by takes integer, text and boolean columns, and 'spending' is real: cut it into bins with "
        "bin('spending', width=...), or derive a column."
    )


@pytest.mark.parametrize(
    ("condition", "sign", "part", "hint"),
    [
        ("spending > 1 & minutes > 2", "&", "1 & minutes", "Use and: spending > 20 and minutes < 60."),
        ("spending > 1 && minutes > 2", "&&", "1 && minutes", "Use and: spending > 20 and minutes < 60."),
        ("spending > 1 | minutes > 2", "|", "1 | minutes", "Use or: spending > 20 or minutes < 60."),
    ],
)
def test_signs_of_python_in_conditions(session: pv.Session, condition: str, sign: str, part: str, hint: str) -> None:
    assert message(lambda: session.query().filter(condition)) == (
        f"{sign} is not allowed in an expression: {part!r} at character 12 of {condition!r}. {hint}"
    )


def test_two_strokes_join_texts(session: pv.Session) -> None:
    assert message(lambda: session.query().filter("spending > 1 || minutes > 2")) == (
        "|| takes text, got integer: 1. Write cast(... as text) if that is meant. For one condition or another use or."
    )


@pytest.mark.parametrize(
    ("python", "sql"),
    [("minutes == 2", "minutes = 2"), ("! (minutes = 2)", "not (minutes = 2)"), ("minutes != 2", "minutes <> 2")],
)
def test_signs_that_mean_the_same_are_read(session: pv.Session, python: str, sql: str) -> None:
    read, meant = (session.query().filter(text).relation.query for text in (python, sql))
    assert read == meant


def test_double_quotes_name_columns(session: pv.Session) -> None:
    assert message(lambda: session.query().filter('restaurant == "Bella"')) == (
        "there is no column 'Bella' at character 15 of 'restaurant == \"Bella\"'; double quotes name a column. Write "
        "texts in single quotes: 'Bella'."
    )


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ("nunique(restaurant)", "Write COUNT(DISTINCT restaurant)."),
        ("average(spending)", "Write AVG(spending)."),
        ("mean(spending)", "Write AVG(spending)."),
        ("sd(spending)", "Write STDDEV(spending)."),
        ("skewness_of(spending)", f"Aggregates are {AGGREGATES}."),
        ("percentile(spending, 0.9)", "Write QUANTILE_CONT(spending, 0.9)."),
        ("first(spending)", "It would show the value of one row; use MIN, MAX or QUANTILE_CONT, which add noise."),
        ("array_agg(spending)", "It would show the value of one row; use MIN, MAX or QUANTILE_CONT, which add noise."),
    ],
)
def test_functions_that_sql_does_not_have(session: pv.Session, call: str, hint: str) -> None:
    assert message(lambda: session.sql(f"SELECT {call} FROM visits")).endswith(f". {hint}")


def test_unknown_columns_of_a_statement_are_named_in_a_short_traceback(session: pv.Session) -> None:
    told = f"SQL: there is no column 'spendng'; {THERE}. Did you mean 'spending'?"
    assert message(lambda: session.sql("SELECT spendng FROM visits")) == told
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its traceback is counted
        session.sql("SELECT avg(spendng) FROM visits")
    assert str(caught.value) == told.removeprefix("SQL: ")
    assert len("".join(traceback.format_exception(caught.value)).splitlines()) <= 10
    assert caught.value.__cause__ is None


def test_reals_are_no_keys_of_a_statement_and_dates_are(session: pv.Session) -> None:
    assert message(lambda: session.sql("SELECT spending, count(*) FROM visits GROUP BY spending")) == (
        "SQL: the groups of 'spending' are not known: its values are real, and not few. Group by steps of it, GROUP BY "
        "FLOOR(x / 20) * 20, list values in WHERE x IN (0.5, 1), or let the release find them with session.sql(text, "
        "keys=pv.private(delta=1e-7))."
    )
    for keys in (
        "date_trunc('month', day)",
        "year(day), month(day)",
        "FLOOR(spending / 20) * 20",
    ):  # as the messages say
        session.sql(f"SELECT {keys}, count(*) FROM visits GROUP BY {keys}").release(epsilon=1)
