"""Numbers and tables as a person reads them."""

import math
from fractions import Fraction

import pytest

from privet.core.display import count_text, html_table, number_text, percent_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (50_000, "50,000"),
        (-1234.5, "-1,234.5"),
        (1234567.891, "1,234,568"),
        (0.1 + 0.2, "0.3"),
        (Fraction(1, 3), "0.333333"),
        (12.0, "12"),
        (0.00012345678, "0.000123457"),
        (1e-12, "1e-12"),
        (1e15, "1e+15"),
        (10**20, "1e+20"),
        (2 * 10**400, "about 10^400"),
        (-Fraction(10**400, 3), "about -10^399"),
        (999_999.9999, "1,000,000"),
        (math.inf, "unbounded"),
        (-math.inf, "minus unbounded"),
        (math.nan, "unknown"),
        (True, "True"),
        ("ward", "ward"),
        (None, "None"),
    ],
)
def test_numbers_have_separators_and_no_exponent_where_digits_fit(value: object, text: str) -> None:
    assert number_text(value) == text


def test_levels_are_percentages() -> None:
    assert [percent_text(each) for each in (Fraction(95, 100), 0.95, 0.999, 1)] == ["95 %", "95 %", "99.9 %", "100 %"]


def test_one_thing_is_singular() -> None:
    assert [count_text(each, "group") for each in (0, 1, 2, 1200)] == [
        "0 groups",
        "1 group",
        "2 groups",
        "1,200 groups",
    ]


def test_cells_of_tables_are_escaped() -> None:
    text = html_table(["<b>"], [["<script>", "-3 (1 to 2)"]], title="&", notes=["a<b"])
    assert "<script>" not in text
    assert "<b>" not in text
    assert all(each in text for each in ("&lt;script&gt;", "&lt;b&gt;", "&amp;", "a&lt;b", "text-align:right"))


def test_a_head_stands_above_its_numbers() -> None:
    text = html_table(["ward", "count"], [["a", "12"], ["b", "7"]])
    assert 'text-align:left">ward<' in text
    assert 'text-align:right">count<' in text
    assert 'text-align:left">empty<' in html_table(["empty"], [])
