# ruff: noqa: B002
"""Terms written in Python mean what the same text means."""

from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest

from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.expressions import Term, call, col, parse
from tests.tables.expressions.generate import COLUMNS

PAIRS: list[tuple[Term, str]] = [
    (col("i") + 1, "i + 1"),
    (1 + col("i"), "1 + i"),
    (1 - col("i"), "1 - i"),
    (col("i") - -1, "i - (-1)"),
    ((col("i") + 1) * 2, "(i + 1) * 2"),
    (2 * (col("i") - 1), "2 * (i - 1)"),
    (col("x") / 3, "x / 3"),
    (1 / col("x"), "1 / x"),
    (col("i") // 3, "i // 3"),
    (col("i") % 3, "i % 3"),
    (col("x") ** 2, "pow(x, 2)"),
    (-col("x"), "-x"),
    (-(-col("x")), "-(-x)"),
    (col("i") == 3, "i = 3"),
    (col("i") != 3, "i <> 3"),
    (col("i") < 3, "i < 3"),
    (col("i") <= 3, "i <= 3"),
    (col("i") > 3, "i > 3"),
    (col("i") >= 3, "i >= 3"),
    ((col("i") >= 3) & (col("b") | ~col("flag")), "i >= 3 and (b or not flag)"),
    (col("s").is_null(), "s is null"),
    (col("été ☃").is_in("A", "it's", None), "\"été ☃\" in ('A', 'it''s', null)"),
    (col("i").between(-1, 5), "i between -1 and 5"),
    (col("s").like("a%"), "s like 'a%'"),
    (col("s").cast("integer"), "cast(s as integer)"),
    (col("x").cast("text"), "cast(x as text)"),
    (col("d") > date(2024, 2, 29), "d > date '2024-02-29'"),
    (col("value") > datetime(2024, 2, 29, 1, 2, 3, 4), "\"value\" > timestamp '2024-02-29 01:02:03.000004'"),  # noqa: DTZ001
    (call("round", col("x"), 2), "round(x, 2)"),
    (call("coalesce", col("x"), 0.1), "coalesce(x, 0.1)"),
    (call("clip", col("x"), 0, 1), "clip(x, 0, 1)"),
    (call("date_trunc", "month", col("d")), "date_trunc('month', d)"),
    (col("select") + col('q"uoted'), '"select" + "q""uoted"'),
    (col("i") > -(2**63), "i > -9223372036854775808"),
]


@pytest.mark.parametrize(("term", "text"), PAIRS, ids=[text for _, text in PAIRS])
def test_a_term_is_its_text(term: Term, text: str) -> None:
    assert parse(term, COLUMNS) == parse(text, COLUMNS)


def test_a_term_has_no_truth() -> None:
    with pytest.raises(WrongTypeError, match="Write & for and"):
        bool(col("i") > 1)


@pytest.mark.parametrize("term", [call("now"), call("random") > 1, call("sum", col("i")), col("missing") > 1, col("*")])
def test_terms_meet_the_same_list(term: Term) -> None:
    with pytest.raises(InvalidError):
        parse(term, COLUMNS)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), [1], object(), b"x", 2**63, "\ud800", datetime(2024, 1, 1, tzinfo=UTC)]
)
def test_what_is_no_value_is_refused(value: Any) -> None:
    with pytest.raises(PrivetError):
        parse(col("i") == value, COLUMNS)


def test_a_hostile_name_stays_a_name() -> None:
    with pytest.raises(InvalidError, match="no column"):
        parse(col('i" > 0 or "b') > 0, COLUMNS)
    with pytest.raises(InvalidError, match="takes the name of a function"):
        call("abs(1); drop")


def test_values_of_numpy_are_values() -> None:
    assert parse(col("i") == np.int64(3), COLUMNS) == parse("i = 3", COLUMNS)
    assert parse(col("x") == np.float64(0.1), COLUMNS) == parse("x = 0.1", COLUMNS)


def test_a_term_prints_itself() -> None:
    assert repr(col("a b") > 1) == 'Term("a b" > 1)'


@pytest.mark.parametrize("mistake", [lambda: col("a") > 1 & col("b"), lambda: col("a") > 1 | col("b")])
def test_conditions_without_parentheses_are_explained(mistake: Any) -> None:
    with pytest.raises(WrongTypeError, match="bind before comparisons. Put each condition in parentheses"):
        mistake()
