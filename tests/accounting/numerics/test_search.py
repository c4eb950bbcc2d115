"""Searches in one dimension: they end where they should, whatever the function's shape."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.numerics.search import bisect, golden_section, regula_falsi, valley


@given(st.floats(-4, 4), st.floats(0.1, 10))
def test_the_valley_is_found(lowest: float, steep: float) -> None:
    assert valley(lambda x: steep * abs(x - lowest), -5, 5, 40) == pytest.approx(lowest, abs=1e-6)


def test_an_interval_shrinks_by_the_golden_ratio() -> None:
    low, high = golden_section(lambda x: (x - 1) ** 2, 0.0, 2.0, 10)
    assert high - low == pytest.approx(2 * ((math.sqrt(5) - 1) / 2) ** 10)
    assert low <= 1 <= high


@given(st.fractions(0, 1))
def test_halving_keeps_the_change(place: Fraction) -> None:
    low, high = bisect(lambda x: x < place, Fraction(0), Fraction(1), 20)
    assert low <= place <= high
    assert high - low == Fraction(1, 2**20)


@pytest.mark.parametrize("place", [Fraction(1, 50), Fraction(1), Fraction(22, 7), Fraction(40)])
@pytest.mark.parametrize("bend", [0.0, 1e-3, 0.2])
def test_a_change_of_sign_is_enclosed(place: Fraction, bend: float) -> None:
    calls: list[Fraction] = []

    def excess(x: Fraction) -> float:
        calls.append(x)
        off = float(place - x)
        height = off + bend * off**3
        return max(height, 1e-30) if x < place else min(height, -1e-30)

    left, right = (Fraction(0), excess(Fraction(0))), (Fraction(64), excess(Fraction(64)))
    low, high = regula_falsi(excess, left, right, bits=26, guesses=[Fraction(-1), Fraction(7)])
    assert low < place <= high
    assert high - low <= high / 2**26
    assert Fraction(7) in calls, "a guess inside is tried"
    assert Fraction(-1) not in calls, "a guess outside is not"
    assert len(calls) <= 40
