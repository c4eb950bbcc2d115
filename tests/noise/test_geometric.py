"""Geometric noise has exactly its stated law."""

from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from privet.core.exact import ball, precision
from privet.noise import geometric, geometric_mass, geometric_quantile, geometric_tail
from tests.noise import laws
from tests.noise.chi_square import geometric_mass as float_mass

scales = st.fractions(Fraction(1, 10**6), 10**12)


@pytest.mark.parametrize("scale", ["1/10", "1", "20", "1000"])
def test_two_million_draws(scale: str) -> None:
    laws.check_draws(geometric, float_mass, Fraction(scale))


@pytest.mark.parametrize("scale", ["1/10", "1", "20", "1000"])
def test_a_scale_off_by_two_percent_is_rejected(scale: str) -> None:
    laws.check_wrong_scale(geometric, float_mass, Fraction(scale))


@pytest.mark.parametrize("scale", ["1/3", "1", "1000"])
def test_scalar_draws(scale: str) -> None:
    laws.check_scalar_draws(geometric, float_mass, Fraction(scale))


def test_shapes_messages_and_paths() -> None:
    laws.check_shapes(geometric)
    laws.check_messages(geometric)
    laws.check_paths_are_public(geometric)


@given(st.fractions(Fraction(1, 50), 100), st.integers(0, 40))
def test_masses_and_tails_add_up(scale: Fraction, k: int) -> None:
    low, high = geometric_tail(scale, k)
    with precision(200):
        inside = sum((geometric_mass(scale, g) for g in range(-2, k + 1)), arb(0))
        assert abs(1 - inside - ball(low)) < arb(2) ** -78
        assert abs(1 - inside - ball(high)) < arb(2) ** -78


@given(scales, st.fractions(Fraction(1, 10**30), Fraction(99, 100)))
def test_the_quantile_is_the_smallest(scale: Fraction, beta: Fraction) -> None:
    k = geometric_quantile(scale, beta)
    assert geometric_tail(scale, k)[1] <= beta
    assert k == 0 or geometric_tail(scale, k - 1)[1] > beta
