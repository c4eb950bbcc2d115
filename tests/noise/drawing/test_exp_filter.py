"""The float filter stays within its stated error on arguments chosen to hurt."""

import numpy as np
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from privet.core.exact import ball, exact_data, precision
from privet.noise.drawing.exp_filter import ERROR, LIMIT, exp_minus

ADVERSARIAL = [0.0, 5e-324, 2.2250738585072014e-308, 1e-300, 2.0**-105, 2.0**-53, 2.0**-52, 1e-9, 1 / 16, 0.25]
ADVERSARIAL += [np.nextafter(LIMIT, 0), LIMIT, np.nextafter(1 / 16, 1), 1 / 3, 0.1]


def error(g: float) -> arb:
    approximation = exact_data(float(exp_minus(np.array([g]))[0]))
    return abs(ball(approximation) - (-ball(exact_data(g))).exp())


def test_adversarial_arguments() -> None:
    with precision(300):
        for g in ADVERSARIAL:
            assert error(float(g)) < arb(2) ** -36, g


@given(st.floats(0, LIMIT))
def test_any_argument_in_range(g: float) -> None:
    with precision(300):
        assert error(g) < arb(2) ** -36


def test_the_margin_covers_argument_uniform_and_subtraction() -> None:
    assert ERROR / 8 > 2.0**-36 + 2.0**-50 + 2.0**-52 + 2.0**-64


def test_zero_and_the_array_itself() -> None:
    g = np.array([0.0, 0.5])
    assert exp_minus(g)[0] == 1
    assert g.tolist() == [0.0, 0.5]
