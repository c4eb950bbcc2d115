"""Bins: every value between the edges has exactly one, the one that its name says, in the engine too."""

import datetime as dt
import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError, MismatchError, PrivetError, WrongTypeError
from privet.tables.aggregates.count import count
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsAsCategory
from privet.tables.columns.column import Column
from privet.tables.columns.unit import Rows
from privet.tables.expressions.bins import MOST_BINS, binned
from privet.tables.session.session import Session
from tests.tables.opened import exact_totals

UNIT = Column(kind="real", bounds=(0, 1))
QUOTED = "half \"open\" 'bins'"


def found(kind: Any, bounds: Any, values: list[Any], *edges: Any, name: str = "x", **asked: Any) -> dict[str, int]:
    """Count the values of every bin, without noise."""
    book = Codebook(columns={name: column(kind, bounds=bounds)}, unit=Rows())
    session = Session([{name: value} for value in values], book, pv.budget(epsilon=1))
    grouped = session.query().bin(name, *edges, into="bin", **asked).group_by("bin")
    question = grouped.agg(count())
    exact = exact_totals(question, question.plan(epsilon=1))
    session.close()
    counted = np.ravel(next(iter(exact.values())))
    return {group[0]: int(number) for group, number in zip(grouped.rows.groups, counted, strict=True)}


def filled(counts: dict[str, int]) -> dict[str, int]:
    return {name: number for name, number in counts.items() if number}


def label(value: Any, texts: list[str]) -> str | None:
    """Give the bin of a value by its name alone: the numbers in it are read as floats are."""
    ends = [Fraction(float(text)) for text in texts]
    exactly = Fraction(value)
    for at, (low, high) in enumerate(pairwise(ends)):
        last = at == len(ends) - 2
        if low <= exactly < high or (last and exactly == high):
            return f"[{texts[at]}, {texts[at + 1]}{']' if last else ')'}"
    return None


@given(
    st.lists(st.floats(-2, 2) | st.integers(-20, 20).map(lambda n: n / 10), min_size=1, max_size=8),
    st.sampled_from([Fraction(1, 10), Fraction(3, 10), Fraction(1, 3), Fraction(7, 100), Fraction(1, 4)]),
)
@settings(deadline=None, max_examples=15)
def test_every_real_is_in_the_bin_of_its_name(values: list[float], width: Fraction) -> None:
    counted = found("real", (-2, 2), values, width=width)
    texts = [name.strip("[])").partition(", ")[0] for name in counted] + ["2"]
    expected = [label(value, texts) for value in values]
    assert None not in expected
    assert filled(counted) == {name: expected.count(name) for name in expected}


def test_tenths_are_in_the_bins_that_begin_with_them() -> None:
    values = [n / 10 for n in range(11)]
    counted = found("real", (0, 1), values, width=0.1)
    assert list(counted)[2:4] == ["[0.2, 0.3)", "[0.3, 0.4)"]
    assert list(counted.values()) == [1] * 9 + [2]


def test_bins_by_division_are_caught() -> None:
    wrong = [math.floor((n / 10) / 0.1) for n in range(10)]  # 0.3 / 0.1 is below 3
    assert wrong != list(range(10))


def test_the_neighbours_of_an_edge_are_on_their_side() -> None:
    below, above = math.nextafter(0.3, 0), math.nextafter(0.3, 1)
    assert filled(found("real", (0, 1), [below, 0.3, above], [0, 0.3, 1])) == {"[0, 0.3)": 1, "[0.3, 1]": 2}


@given(st.lists(st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(2**53 - 2, 2**53 + 4), min_size=1, max_size=6))
@settings(deadline=None, max_examples=10)
def test_large_integers_are_compared_as_integers(values: list[int]) -> None:
    edges = [-(2**63) + 1, 0, 2**53 + 1, 2**53 + 3, 2**63 - 1]
    counted = found("integer", None, values, edges)
    expected = [sum(low <= value < high for value in values) for low, high in pairwise(edges)]
    expected[-1] += values.count(edges[-1])
    assert list(counted.values()) == expected


def test_halves_part_integers() -> None:
    counted = found("integer", (0, 4), [0, 1, 2, 3, 4], [0.5, 1.5, 3.5])
    assert counted == {"[0.5, 1.5)": 1, "[1.5, 3.5]": 2}


def test_the_last_bin_of_a_width_ends_at_the_bound() -> None:
    assert list(found("integer", (-3, 20), [], width=10)) == ["[-3, 7)", "[7, 17)", "[17, 20]"]


def test_edges_beyond_the_bounds_give_bins_without_rows() -> None:
    counted = found("integer", (0, 9), [0, 5, 9], [-100, -50, 5, 100, 200])
    assert counted == {"[-100, -50)": 0, "[-50, 5)": 1, "[5, 100)": 2, "[100, 200]": 0}


def test_what_lies_outside_of_the_edges_and_nulls_have_no_bin() -> None:
    assert found("real", (0, 9), [0.0, 2.0, 3.0, 3.5, None, math.nan], [2, 3]) == {"[2, 3]": 2}


def test_a_value_beyond_the_bounds_is_in_the_outermost_bin() -> None:
    assert found("real", (0, 1), [-math.inf, 7.0], width=0.5) == {"[0, 0.5)": 1, "[0.5, 1]": 1}


def test_very_large_and_very_small_edges() -> None:
    edges = [-1e300, 0, 5e-324, 1e25, 1e300]
    counted = found("real", (-1e300, 1e300), [-1e300, 0.0, 5e-324, 1e25, 1e300], edges)
    assert counted == {"[-1e+300, 0)": 1, "[0, 5e-324)": 1, "[5e-324, 1e+25)": 1, "[1e+25, 1e+300]": 2}


def test_quotes_in_the_name_of_a_column() -> None:
    assert found("real", (0, 1), [0.5], width=0.5, name=QUOTED) == {"[0, 0.5)": 0, "[0.5, 1]": 1}


def test_as_many_bins_as_there_may_be() -> None:
    assert binned("x", UNIT, edges=[Fraction(n, MOST_BINS) for n in range(MOST_BINS + 1)]).count("then '") == MOST_BINS
    assert len(found("real", (0, 1), [], width=Fraction(1, MOST_BINS))) == MOST_BINS


moment = dt.datetime.fromisoformat
DAYS = (dt.date(2024, 1, 31), dt.date(2024, 3, 1))


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("day", {"2024-02-29": 1, "2024-03-01": 1}),
        ("week", {"2024-02-26": 2}),
        ("month", {"2024-02": 1, "2024-03": 1}),
        ("quarter", {"2024-Q1": 2}),
        ("year", {"2024": 2}),
    ],
)
def test_days_at_the_border_of_a_period(by: str, expected: dict[str, int]) -> None:
    counted = found("date", DAYS, [dt.date(2024, 2, 29), dt.date(2024, 3, 1)], by=by)
    assert filled(counted) == expected


def test_a_week_begins_on_monday() -> None:
    assert list(found("date", DAYS, [], by="week")) == [
        "2024-01-29",
        "2024-02-05",
        "2024-02-12",
        "2024-02-19",
        "2024-02-26",
    ]


def test_the_last_microsecond_of_a_day() -> None:
    midnight = moment("2024-02-01 00:00:00")
    values = [midnight - dt.timedelta(microseconds=1), midnight, midnight + dt.timedelta(microseconds=1)]
    bounds = (moment("2024-01-01 00:00:00"), moment("2024-02-29 12:00:00"))
    assert found("timestamp", bounds, values, by="month") == {"2024-01": 1, "2024-02": 2}
    assert filled(found("timestamp", bounds, values, by="day")) == {"2024-01-31": 1, "2024-02-01": 2}


def test_a_moment_before_1970_is_in_its_own_day() -> None:
    bounds = (moment("1969-12-31 23:00:00"), moment("1970-01-01 01:00:00"))
    assert found("timestamp", bounds, [moment("1969-12-31 23:59:59.999999")], by="day") == {
        "1969-12-31": 1,
        "1970-01-01": 0,
    }


@pytest.mark.parametrize("by", ["day", "week", "month", "quarter", "year"])
def test_the_ends_of_the_calendar(by: str) -> None:
    for first, last in ((dt.date(1, 1, 1), dt.date(1, 2, 1)), (dt.date(9999, 11, 30), dt.date(9999, 12, 31))):
        counted = found("date", (first, last), [first, last, None], by=by)
        assert sum(counted.values()) == 2


def test_a_null_that_is_a_category_of_its_column_has_no_bin() -> None:
    book = Codebook(columns={"x": column("integer", bounds=(0, 9), nulls=NullsAsCategory())}, unit=Rows())
    session = Session([], book, pv.budget(epsilon=1))
    assert session.query().bin("x", width=5).group_by("x_bin").rows.groups == (("[0, 5)",), ("[5, 9]",))


@pytest.mark.parametrize(
    ("known", "asked", "error", "message"),
    [
        (UNIT, {}, WrongTypeError, "one of edges"),
        (UNIT, {"width": 1, "by": "day"}, WrongTypeError, "one of edges"),
        (UNIT, {"edges": 5}, WrongTypeError, "list of rising numbers, got int"),
        (UNIT, {"edges": "0123"}, WrongTypeError, "list of rising numbers, got str"),
        (UNIT, {"edges": [1]}, InvalidError, "two or more rising"),
        (UNIT, {"edges": [0, 0, 1]}, InvalidError, "two or more rising"),
        (UNIT, {"edges": [0, math.inf]}, PrivetError, "finite"),
        (UNIT, {"edges": [0, Fraction(1, 10**400), 1]}, InvalidError, "same number to a computer"),
        (UNIT, {"edges": [0, 10**400]}, InvalidError, "too large for a real"),
        (UNIT, {"width": 0}, InvalidError, "above zero, got 0"),
        (UNIT, {"width": 1e-9}, InvalidError, "at most 999 bins, got 1000000000"),
        (UNIT, {"edges": list(range(1002))}, InvalidError, "between one and 999 bins, got 1001"),
        (UNIT, {"by": "month"}, MismatchError, "for dates and timestamps"),
        (Column(kind="real"), {"width": 1}, InvalidError, "has no bounds"),
        (Column(kind="text"), {"width": 1}, MismatchError, "'x' is text"),
        (Column(kind="integer"), {"edges": [0, 2**63]}, InvalidError, "64-bit integers"),
        (Column(kind="date"), {"by": "month"}, InvalidError, "has no bounds"),
        (Column(kind="date", bounds=(0, 10**4)), {"by": "day"}, InvalidError, "use a longer period"),
        (Column(kind="date", bounds=(0, 9)), {"by": "fortnight"}, InvalidError, "one of day, week"),
    ],
)
def test_wrong_bins_are_refused(known: Column, asked: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        binned("x", known, **asked)
