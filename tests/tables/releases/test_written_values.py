"""Values as people read them: no more digits than the interval deserves, and ends that are rounded outward."""

from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.pure import PureLoss
from privet.tables.releases.written_values import interval_texts, label_text, loss_text, value_text


@pytest.mark.parametrize(
    ("parts", "texts"),
    [
        ((1234567, 1234000.0, 1235000.0), ("1,234,567", "1,234,000 to 1,235,000")),
        ((0.906063, 0.88795, 0.92487), ("0.9061", "0.8879 to 0.9249")),
        ((0.93, 0.91, 0.95), ("0.93", "0.91 to 0.95")),
        ((-0.0001, -3.25, 3.25), ("0.00", "-3.25 to 3.25")),
        ((32.97, 27.7123, 37.99), ("33.0", "27.7 to 38.0")),
        ((1234567.891, 1230000.5, 1240000.5), ("1,234,568", "1,230,000 to 1,240,001")),
        ((5.0, float("nan"), float("nan")), ("5", "")),
        ((float("nan"), float("-inf"), float("inf")), ("unknown", "minus unbounded to unbounded")),
        ((1e20, 0.0, 2e20), ("1e+20", "0 to 2e+20")),
        ((None, None, None), ("unknown", "")),
        ((date(2024, 1, 2), date(2024, 1, 1), date(2024, 1, 3)), ("2024-01-02", "2024-01-01 to 2024-01-03")),
        ((3.5, 3.5, 3.5), ("3.5", "3.5 to 3.5")),
        ((0.0, 0.0, 2.5e-309), ("0", "0 to 2.5e-309")),
    ],
)
def test_a_value_with_its_interval(parts: tuple[Any, Any, Any], texts: tuple[str, str]) -> None:
    assert interval_texts(*parts) == texts


@given(st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3).map(sorted))
def test_what_is_shown_holds_what_is_meant(parts: list[float]) -> None:
    low, value, high = parts
    shown, ends = interval_texts(value, low, high)
    first, last = (float(end.replace(",", "")) for end in ends.split(" to "))
    slack = 1e-5 * max(abs(low), abs(high)) if high - low < 1e-9 else 1e-12  # so narrow: six digits as they are
    assert first <= low + slack
    assert last >= high - slack
    assert first - slack <= float(shown.replace(",", "")) <= last + slack


def test_texts_stay_on_one_line_and_short() -> None:
    assert label_text("a\tb\x1b[31m") == "a\\tb\\x1b[31m"
    assert len(label_text("x" * 1000)) == 60
    assert label_text("x" * 1000).endswith("…")
    assert value_text(True) == "True"


def test_the_loss_has_no_long_fractions() -> None:
    assert loss_text(PureLoss(Fraction(1, 3))) == "epsilon = 0.333334"  # rounded up
    assert loss_text(GaussianLoss(distance=1, scale=3)).startswith("rho = 0.")
    assert loss_text(GaussianLoss(distance=1, scale=3)).endswith("at delta = 0.000001")
