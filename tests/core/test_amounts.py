"""Amounts of privacy loss are rounded to the side that is stated."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import amount_text, probability_text


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (Fraction(0), "0", "0"),
        (Fraction(1, 2), "0.5", "0.5"),
        (Fraction(2, 3), "0.666667", "0.666666"),
        (Fraction(10**7, 3), "3,333,340", "3,333,330"),
        (Fraction(5000), "5,000", "5,000"),
        (math.inf, "unbounded", "unbounded"),
        (Fraction(10**400, 3), "about 10^399", "about 10^399"),
        (Fraction(1, 10**400), "less than 1e-300", "less than 1e-300"),
    ],
)
def test_an_amount_is_rounded_up_or_down(value: Fraction | float, up: str, down: str) -> None:
    assert (amount_text(value), amount_text(value, up=False)) == (up, down)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (Fraction(1, 100), "0.01"), (Fraction(1, 10**6), "1e-6"), (Fraction(3, 10**10), "3e-10")],
)
def test_a_small_probability_has_a_power_of_ten(value: Fraction, text: str) -> None:
    assert probability_text(value) == text


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=10**9))
def test_what_is_written_lies_on_the_stated_side_and_near(value: Fraction) -> None:
    up, down = (Fraction(text(value, up=side).replace(",", "")) for text in (amount_text,) for side in (True, False))
    assert down <= value <= up
    assert 10**5 * (up - down) <= value * Fraction(1001, 1000)  # a value just below a power of ten has five digits
    assert Fraction(probability_text(value).replace(",", "")) >= value
