"""Floats that are never too small."""

from fractions import Fraction

import numpy as np
from flint import acb, arb
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.characteristic.term import SLACK, magnitude, power_up, product_up, rotations, sum_up
from privet.core.exact import precision

shares = st.floats(0, 1)


@given(shares, shares)
def test_a_product_is_rounded_up(first: float, second: float) -> None:
    found = product_up(np.array([first]), np.array([second]))[0]
    assert Fraction(first) * Fraction(second) <= Fraction(float(found))
    assert found <= first * second * (1 + 1e-14) + 1e-299


@given(shares, st.integers(0, 50))
def test_a_power_is_rounded_up(value: float, times: int) -> None:
    assert Fraction(value) ** times <= Fraction(float(power_up(np.array([value]), times)[0]))


@given(st.lists(shares, min_size=1, max_size=200))
def test_a_sum_is_rounded_up(values: list[float]) -> None:
    assert sum(map(Fraction, values)) <= Fraction(sum_up(np.array(values)))


@given(st.fractions(-10, 10), st.integers(0, 10**6), st.integers(1, 60))
def test_rotations_are_on_the_circle_at_the_right_angle(angle: Fraction, start: int, count: int) -> None:
    with precision(128):
        turn = arb(angle.numerator) / angle.denominator
        found = rotations(turn, start, start + count)
        assert len(found) == count
        exactly = complex(acb(0, turn * (start + count - 1)).exp())
    assert abs(found[-1] - exactly) < SLACK / 64


@given(shares, shares)
def test_a_magnitude_is_rounded_up(real: float, imaginary: float) -> None:
    found = Fraction(float(magnitude(np.array([complex(real, imaginary)]))[0]))
    assert Fraction(real) ** 2 + Fraction(imaginary) ** 2 <= found**2
