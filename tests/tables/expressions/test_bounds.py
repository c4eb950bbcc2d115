# ruff: noqa: E501
"""Inferred columns are sound for random columns, literals and values; and tight where it is easy to be."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from privet.core.exact import to_float_down, to_float_up
from privet.tables.columns.column import LARGEST, SMALLEST, Column
from privet.tables.columns.timestamps import FIRST_DAY, FIRST_TIMESTAMP, LAST_DAY, LAST_TIMESTAMP
from privet.tables.expressions import parse
from privet.tables.expressions.ranges import LIMITS
from tests.tables.expressions.generate import belongs
from tests.tables.expressions.oracle import evaluate

BINARY = ["{} + {}", "{} - {}", "{} * {}", "{} / {}", "pow({}, {})", "least({}, {})", "greatest({}, {})", "coalesce({}, {})",
          "nullif({}, {})", "case when {} > 0 then {} end", "{} ** 2 * {}", "-({}) - {}", "{} < {}"]  # fmt: skip
WHOLE = ["{} // {}", "{} % {}", "({} + 1) * ({} - 1)"]
UNARY = ["-{}", "abs({})", "floor({})", "ceil({})", "round({})", "round({}, 2)", "round({}, -2)", "sqrt({})", "ln({})", "log10({})", "log2({})",
         "exp({})", "pow({}, 2)", "pow({}, 3)", "pow({}, -1)", "pow({}, 0.5)", "pow(2, {})", "1 / {}", "clip({}, -1, 7.5)", "cast({} as integer)", "cast({} as real) / 3",
         "cast({} as text)", "exp(-abs({}))", "{} * -2", "{} * 0", "{} - 1e308"]  # fmt: skip
MANY = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
INTEGERS = st.one_of(
    st.integers(-50, 50), st.integers(SMALLEST, LARGEST), st.sampled_from([SMALLEST, LARGEST, 0, 2**53 + 1])
)
REALS = st.one_of(
    st.floats(-100, 100, allow_subnormal=True),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1.7976931348623157e308, 1.0, -1.0, 0.1]),
)


@st.composite
def columns(draw: Any) -> tuple[Column, list[Any]]:
    """A column with some of its values, both ends included."""
    kind = draw(st.sampled_from(["integer", "real"]))
    numbers: Any = INTEGERS if kind == "integer" else REALS
    low, high = sorted((draw(numbers), draw(numbers)))
    if low == high:
        return Column(kind=kind), [low, None]
    values = [value for value in draw(st.lists(numbers, max_size=6)) if low <= value <= high]
    nullable = draw(st.booleans())
    # floats that are typed mean their decimal, so the double may lie outside by its rounding
    column = Column(kind=kind, bounds=(Fraction(low), Fraction(high)), nullable=nullable)
    return column, [low, high, *values, *([None] if nullable else [])]


@given(columns(), columns(), st.sampled_from(BINARY + WHOLE))
@MANY
def test_two_arguments(one: tuple[Column, list[Any]], other: tuple[Column, list[Any]], form: str) -> None:
    assume(form not in WHOLE or one[0].kind == other[0].kind == "integer")
    expression = parse(form.format("a", "b"), {"a": one[0], "b": other[0]})
    for a in one[1]:
        for b in other[1]:
            value = evaluate(expression, {"a": a, "b": b})
            assert belongs(value, expression), (form, a, b, value, expression.range)


@given(columns(), st.sampled_from(UNARY))
@MANY
def test_one_argument(one: tuple[Column, list[Any]], form: str) -> None:
    expression = parse(form.format("a"), {"a": one[0]})
    for a in one[1]:
        value = evaluate(expression, {"a": a})
        assert belongs(value, expression), (form, a, value, expression.range)


@given(columns(), st.sampled_from(["{} + 1", "{} - 2.5", "3 - {}", "-7 * {}", "{} / -4", "abs({})"]))
@MANY
def test_the_ends_of_simple_functions_are_reached(one: tuple[Column, list[Any]], form: str) -> None:
    column, values = one
    assume(column.bounds is not None)
    expression = parse(form.format("a"), {"a": column})
    known = expression.range
    results = [evaluate(expression, {"a": value}) for value in (*values[:2], 0 if column.kind == "integer" else 0.0)]
    assume(None not in results)
    low, high = column.bounds or (0, 0)
    inside = results if low <= 0 <= high else results[:2]
    assert (known.low, known.high) == (min(map(Fraction, inside)), max(map(Fraction, inside)))


@pytest.mark.parametrize(
    ("text", "bounds", "nullable"),
    [
        ("-2 * age", (-240, 0), False),
        ("age - 18", (-18, 102), False),
        ("age * age", (0, 14_400), False),
        ("age // 10", (0, 12), False),
        ("age // -10", (-12, 0), False),
        ("age % 10", (0, 9), False),
        ("income / 12", (0, 1000), True),
        ("income / age", (0, 12_000), True),
        ("age / income", None, True),
        ("age / floor(income)", (0, 120), True),
        ("1 / coalesce(nullif(age, 0), -2)", (-1, 1), True),
        ("sqrt(income)", (0, Fraction(float(12_000) ** 0.5)), True),
        ("clip(income, 10, 20)", (10, 20), True),
        ("coalesce(income, -1)", (-1, 12_000), False),
        ("case when age < 18 then 0 else income end", (0, 12_000), True),
        ("least(age, 18)", (0, 18), False),
        ("greatest(income, 5)", (5, 12_000), False),
        ("year(born)", (1970, 2024), True),
        ("date_diff('day', born, born)", (-20_000, 20_000), True),
        ("length(city)", (4, 5), True),
        ("round(income, -3)", (0, 12_000), True),
        ("cast(income as integer)", (0, 12_000), True),
        ("nullif(age, 0)", (0, 120), True),
        ("age + 9223372036854775807", (9223372036854775687, 9223372036854775807), True),
    ],
)
def test_worked_examples(text: str, bounds: Any, nullable: bool) -> None:
    column: Any = parse(text, EXAMPLE).column
    if text.endswith("775807"):
        assert column.bounds == (LARGEST - 1, LARGEST)  # 120 above the largest is null: one value is left, and a step
    else:
        assert column.bounds == bounds
    assert column.nullable is nullable


EXAMPLE = {
    "age": Column(kind="integer", bounds=(0, 120), nullable=False),
    "income": Column(kind="real", bounds=(0, 12_000), grid=0.01),
    "city": Column(kind="text", categories=("Lyon", "Paris")),
    "born": Column(kind="date", bounds=(0, 20_000)),
    "sure": Column(kind="boolean", nullable=False),
}


@pytest.mark.parametrize(
    ("text", "categories"),
    [
        ("case when age < 18 then 'minor' else 'adult' end", ("minor", "adult")),
        ("case when age < 18 then 1 end", (1,)),
        ("lower(city)", ("lyon", "paris")),
        ("substr(city, 1, 1)", ("L", "P")),
        ("city || '!'", ("Lyon!", "Paris!")),
        ("coalesce(city, 'none')", ("Lyon", "Paris", "none")),
        ("age > 3", (False, True)),
        ("sure is null", (False,)),
        ("cast(sure as integer)", (0, 1)),
        ("case city when 'Lyon' then 69 when 'Paris' then 75 end", (69, 75)),
        ("cast(city as integer)", None),
        ("age + 1", None),
    ],
)
def test_categories_follow(text: str, categories: Any) -> None:
    assert parse(text, EXAMPLE).column.categories == categories


def test_a_derived_column_keeps_no_grid() -> None:
    assert parse("income", EXAMPLE).column.grid == Fraction(1, 100)
    assert parse("income * 2", EXAMPLE).column.grid is None


def test_no_bounds_are_kept_by_mistake() -> None:
    """A known bug of a peer: redefining a column left its old bounds in place."""
    assert parse("income * -1", EXAMPLE).column.bounds == (Fraction(-12_000), Fraction(0))
    assert parse("cast(income as text)", EXAMPLE).column.bounds is None
    assert parse("cast(city as real)", EXAMPLE).column.categories is None


def test_a_decimal_bound_holds_the_double_beside_it() -> None:
    known = parse("abs(x)", {"x": Column(kind="real", bounds=(0, 0.1))}).range
    assert known.high == Fraction(to_float_up(Fraction(1, 10))) > Fraction(1, 10)
    assert to_float_down(Fraction(1, 10)) < 0.1


def test_bounds_beyond_the_doubles_are_those_of_the_doubles() -> None:
    wide = Column(kind="real", bounds=(-(10**400), 10**400))
    assert parse("abs(x)", {"x": wide}).column.bounds == parse("abs(x)", {"x": Column(kind="real")}).column.bounds


def test_sources_are_read_into_the_same_days() -> None:
    """A date beyond the year 9999 would leave the inferred years: the reader of sources must not let it in."""
    assert LIMITS["date"][0] <= FIRST_DAY < LAST_DAY <= LIMITS["date"][1]
    assert LIMITS["timestamp"][0] <= FIRST_TIMESTAMP < LAST_TIMESTAMP <= LIMITS["timestamp"][1]


def test_literals_are_computed() -> None:
    assert str(parse("2 * 3 + 1", {})) == "7"
    assert str(parse("case when 1 > 2 then 'a' else lower('B') end", {})) == "'b'"
    assert str(parse("1 / 0", {})) == "cast(null as real)"


@pytest.mark.parametrize(
    "text",
    [
        "cast(free as real)",
        "-free",
        "abs(free)",
        "free - 7",
        "free / 2",
        "free * 0.5",
        "greatest(free, 0)",
        "cast(s as integer) + 1",
        "free / 29",
    ],
)
def test_bounds_that_only_a_type_implies_are_none(text: str) -> None:
    """A sum within them would be hidden by its noise; aggregates ask for bounds instead."""
    columns = {"free": Column(kind="integer"), "s": Column(kind="text")}
    assert parse(text, columns).column.bounds is None
    bounds: Any = parse(f"clip({text}, 0, 9)", columns).column.bounds
    assert bounds == (0, 9)


def test_bounds_that_were_declared_stay_however_wide_they_are() -> None:
    wide = Column(kind="real", bounds=(-1e300, 1e300))
    assert parse("x", {"x": wide}).column.bounds == wide.bounds


def test_a_power_of_a_constant_has_bounds_with_room_for_a_grid() -> None:
    """Its interval is as wide as the errors of a library, and no default grid has two points in there."""
    bounds: Any = parse("pow(0.5, 2)", {}).column.bounds
    assert bounds[0] <= Fraction(1, 4) <= bounds[1]
    assert bounds[1] - bounds[0] >= 1
