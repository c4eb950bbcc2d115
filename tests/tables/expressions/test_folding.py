"""Numbers that are written out are worked with exactly, and made doubles once."""

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError
from privet.tables.expressions import parse
from privet.tables.expressions.folding import folded
from privet.tables.expressions.node import Literal
from privet.tables.expressions.parser import tree_of
from tests.tables.expressions.oracle import evaluate


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.06 - 0.01", 0.05),
        ("0.06 + 0.01", 0.07),
        ("0.1 + 0.2", 0.3),
        ("-(0.06 - 0.01)", -0.05),
        ("- -0.1 + 0.2", 0.3),
        ("(0.1 + 0.2) * 10 - 3", 0.0),
        ("1 / 3 * 3", 1.0),
        ("0.7 / 7", 0.1),
        ("3 * 1.1", 3.3),
        ("1 - 0.9", 0.1),
        ("cast(0.06 as real) - 0.01", 0.05),
        ("cast(3 as double) * 1.1", 3.3),
        ("cast(1.15 * 100 - 114.5 as integer)", 1),
        ("cast(-2.5 as integer) + 0.3", -2.7),
        ("1e-3 - 0.001", 0.0),
        ("-0.0", 0.0),
        (".5 + 5.", 5.5),
        ("2 + 3", 5),
        ("-9223372036854775808", -(2**63)),
    ],
)
def test_values_are_the_doubles_nearest_to_the_exact_ones(text: str, value: Any) -> None:
    found = parse(text, {})
    assert isinstance(found, Literal)
    assert (found.value, type(found.value)) == (value, type(value))
    assert str(found.value) == str(value)  # zero has no sign


@pytest.mark.parametrize(
    "text", ["1 / 0", "1.5 / (0.3 - 0.1 * 3)", "9223372036854775807 + 1", "1e308 * 10", "-(-9223372036854775807 - 1)"]
)
def test_what_has_no_value_is_null_as_before(text: str) -> None:
    assert folded(tree_of(text)) is None
    assert evaluate(parse(text, {}), {}) is None


@pytest.mark.parametrize("text", ["1e-999999999 + 1", "1e-999999999999999999 * 1e300", "0." + "1" * 500 + " + 1"])
def test_numbers_of_absurd_length_are_left_to_doubles(text: str) -> None:
    assert folded(tree_of(text)) is None
    assert evaluate(parse(text, {}), {}) is not None


def test_what_is_beyond_the_doubles_is_refused_as_before() -> None:
    with pytest.raises(InvalidError, match="beyond the doubles"):
        parse("1e400 * 1e-400", {})


@pytest.mark.parametrize("text", ["d + 0.1 + 0.2", "0.1 + d", "'0.1' || '2'", "true", "round(0.15, 1)", "n * -1"])
def test_all_else_is_no_constant(text: str) -> None:
    assert folded(tree_of(text)) is None


def test_long_chains_of_numbers_stay_cheap() -> None:
    text = " * ".join(["1.0000001"] * 90)
    assert evaluate(parse(text, {}), {}) == float(Fraction("1.0000001") ** 90)


_NUMBERS = st.one_of(st.integers(-50, 50).map(str), st.decimals(-9, 9, places=3).map(lambda value: f"{value:f}"))
_TREES = st.recursive(
    _NUMBERS.map(lambda text: f"({text})"),
    lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda part: f"({' '.join(part)})"),
    max_leaves=8,
)


def _exactly(text: str) -> Fraction | None:
    """Let Python read the same text with fractions for numbers."""
    numbers = re.sub(r"[0-9]+(\.[0-9]+)?", lambda found: f"Fraction('{found[0]}')", text)
    try:
        return Fraction(eval(numbers, {"Fraction": Fraction}))
    except ZeroDivisionError:
        return None


@settings(deadline=None, max_examples=200)
@given(_TREES)
def test_random_arithmetic_agrees_with_fractions(text: str) -> None:
    found, wanted = evaluate(parse(text, {}), {}), _exactly(text)
    assert found is None if wanted is None else float(found) == float(wanted)


_ROWS = [{"d": n / 100} for n in range(4, 9) for _ in range(10)]
_BOOK = pv.Codebook(table="t", columns={"d": pv.column("real", bounds=(0, 1))}, unit=pv.Rows())


@pytest.mark.parametrize(
    "condition",
    [
        "d BETWEEN 0.06 - 0.01 AND 0.06 + 0.01",
        "d >= 0.06 - 0.01 AND d <= 0.06 + 0.01",
        "d BETWEEN 0.15 / 3 AND 0.7 * 0.1",
        "d IN (0.06 - 0.01, 0.06, 0.06 + 0.01)",
    ],
)
def test_rows_at_the_ends_are_kept_by_filters_and_by_sql(condition: str) -> None:
    session = pv.Session(_ROWS, _BOOK, pv.budget(epsilon=10**9))
    answers = [
        session.query().filter(condition).agg(n=pv.count()).release(epsilon=10**6).values("n")[0],
        session.sql(f"SELECT COUNT(*) AS n FROM t WHERE {condition}").release(epsilon=10**6).values("n")[0],
        session.query().derive(c=condition).filter("c").agg(n=pv.count()).release(epsilon=10**6).values("n")[0],
    ]
    assert answers == [30, 30, 30]


def test_computed_columns_have_intervals_with_constants_of_several_numbers() -> None:
    session = pv.Session(_ROWS, _BOOK, pv.budget(epsilon=10**9))
    found = session.sql("SELECT COUNT(*) * (0.3 - 0.1) AS share FROM t").release(epsilon=1).to_dict()
    assert found["share_low"][0] < found["share"][0] < found["share_high"][0]
