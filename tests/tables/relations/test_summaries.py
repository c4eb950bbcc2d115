"""Summaries of the rows of one owner: exact, total, and the same in whatever order the rows come."""

import math
import random
from fractions import Fraction
from typing import Any

import pytest

from privet.core.space import Space
from privet.errors import InvalidError
from privet.tables.columns.column import LARGEST, SMALLEST, Column
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.relations.summaries import read_summary
from privet.tables.relations.table_space import TableDomain, UnitDistance
from tests.tables.nodes.spaces import rows_of

COLUMNS = {
    "id": Column(kind="integer"),
    "n": Column(kind="integer"),
    "small": Column(kind="integer", bounds=(0, 10)),
    "x": Column(kind="real", bounds=(-1000, 1000), grid=2**-10),
    "free": Column(kind="real"),
    "word": Column(kind="text"),
    "yes": Column(kind="boolean"),
    "at": Column(kind="timestamp"),
}
SPACE = Space(TableDomain(columns=COLUMNS), UnitDistance(("id",)))


def summary(text: str, name: str, values: list[Any]) -> Any:
    found = (SPACE >> SummarizePersons(summaries={"s": text}))([{"id": 1, name: value} for value in values])
    return rows_of(found)[0][1]


@pytest.mark.parametrize(
    ("text", "name", "values", "expected"),
    [
        ("count(*)", "n", [1, None, 1], 3),
        ("count(n)", "n", [1, None, 1], 2),
        ("count(distinct n)", "n", [1, None, 1, 2], 2),
        ("sum(n)", "n", [1, None, -5], -4),
        ("sum(n)", "n", [LARGEST] * 3, LARGEST),
        ("sum(n)", "n", [SMALLEST] * 3, SMALLEST),
        ("sum(n)", "n", [LARGEST] * 3 + [SMALLEST] * 3, -3),
        ("sum(small * 2)", "small", [3, 99], 26),
        ("sum(x)", "x", [0.1] * 3, "0.2988281250"),
        ("avg(small)", "small", [1, 2, None], "1.5"),
        ("mean(x)", "x", [1000.0, 5000.0], "1000.0"),
        ("mean(n)", "n", [LARGEST] * 2, repr(float(2**63))),
        ("min(word)", "word", ["b", "a", None], "a"),
        ("max(yes)", "yes", [False, None, True], True),
        ("max(free)", "free", [1.5, math.inf, math.nan], "1.5"),
        ("min(at)", "at", ["2024-01-02", "2024-01-01T05:00"], "2024-01-01 05:00:00"),
    ],
)
def test_a_summary_is_what_its_rows_say(text: str, name: str, values: list[Any], expected: Any) -> None:
    found = summary(text, name, values)
    assert found == expected or float(found) == float(expected)


@pytest.mark.parametrize("text", ["sum(n)", "mean(n)", "min(word)", "max(x)", "sum(x)", "mean(x)"])
def test_without_values_a_summary_is_null(text: str) -> None:
    assert summary(text, "n", [None, None]) is None


def test_the_order_of_rows_does_not_matter() -> None:
    """A sum of doubles would depend on it: 1000 + 2^-10 and so on are rounded as they come."""
    draws = random.Random(5)
    values = [draws.uniform(-1000, 1000) for _ in range(400)]
    exact = sum(round(value * 1024) for value in values)
    for text, expected in (("sum(x)", exact / 1024), ("mean(x)", exact / 400 / 1024)):
        found = {summary(text, "x", draws.sample(values, len(values))) for _ in range(3)}
        assert {float(each) for each in found} == {expected}


def test_a_mean_lies_within_the_bounds_and_has_no_negative_zero() -> None:
    found = summary("mean(x)", "x", [-0.0, 0.0])
    assert math.copysign(1, float(found)) == 1
    assert read_summary("mean(x)", COLUMNS).column.bounds == (Fraction(-1000), Fraction(1000))


@pytest.mark.parametrize(("text", "kind"), [("sum(n)", "integer"), ("sum(x)", "real"), ("mean(small)", "real")])
def test_what_is_known_of_a_summary(text: str, kind: str) -> None:
    known = read_summary(text, COLUMNS).column
    assert known.kind == kind
    assert known.nullable
    assert not read_summary("count(*)", COLUMNS).column.nullable


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stddev(n)", "must be one of count"),
        ("n", "must be one of count"),
        ("sum(n) + 1", "must be one of count"),
        ("sum(distinct n)", "[a-z]"),
        ("sum(n) filter (where n > 1)", "must be one of count"),
        ("sum(n) over ()", "must be one of count"),
        ("sum(max(n))", "[a-z]"),
        ("count(distinct n, x)", "must be one of count"),
        ("count(n, x)", "[a-z]"),
        ("min(n, 3)", "must be one of count"),
        ("max(n order by x)", "[a-z]"),
        ("sum(word)", "needs numbers, got text"),
        ("sum(free)", "needs bounds of the values"),
        ("sum(nosuch)", "nosuch"),
        ("string_agg(word)", "must be one of count"),
        ("first(n)", "needs a second argument"),
        ("count(*) ; drop table data", "semicolon"),
    ],
)
def test_anything_else_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        read_summary(text, COLUMNS)


@pytest.mark.parametrize("text", ["mode()", "min()", "any_value()", "quantile(, 0.5)", "quantile(, age)"])
def test_a_summary_of_nothing_is_refused_by_an_error_of_ours(text: str) -> None:
    with pytest.raises(InvalidError, match="a summary must be one of|cannot be read"):
        read_summary(text, {"age": Column(kind="integer", bounds=(0, 120))})
