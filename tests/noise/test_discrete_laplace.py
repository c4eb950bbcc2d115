"""Discrete Laplace noise has exactly its stated law."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.core.exact import ball, precision
from privet.errors import InvalidError
from privet.noise import (
    discrete_laplace,
    discrete_laplace_mass,
    discrete_laplace_quantile,
    discrete_laplace_tail,
)
from privet.noise.geometric import first_bits
from tests.noise import laws
from tests.noise.chi_square import laplace_mass
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy, little

scales = st.fractions(Fraction(1, 10**6), 10**12)


@pytest.mark.parametrize("scale", laws.SCALES)
def test_two_million_draws(scale: str) -> None:
    laws.check_draws(discrete_laplace, laplace_mass, Fraction(scale))


@pytest.mark.parametrize("scale", [pytest.param("1/10", marks=pytest.mark.long), *laws.SCALES[2:]])
def test_a_scale_off_by_two_percent_is_rejected(scale: str) -> None:
    laws.check_wrong_scale(discrete_laplace, laplace_mass, Fraction(scale))


@pytest.mark.parametrize("scale", ["1/10", "1", "10", "1000"])
def test_scalar_draws(scale: str) -> None:
    laws.check_scalar_draws(discrete_laplace, laplace_mass, Fraction(scale))


def test_shapes_messages_and_paths() -> None:
    laws.check_shapes(discrete_laplace)
    laws.check_messages(discrete_laplace)
    laws.check_paths_are_public(discrete_laplace)


@given(scales, st.integers(0, 2**32))
def test_a_scalar_draw_is_the_inverse_of_its_bits(scale: Fraction, seed: int) -> None:
    bits = first_bits(scale)
    word = RecordingEntropy(seed).bits(bits + 1)
    with precision(400):
        c = (2 / (1 + (-1 / ball(scale)).exp())).log()
        expected = (ball(scale) * (c - ball(Fraction(2 * (word >> 1) + 1, 2 << bits)).log())).floor().unique_fmpz()
    assert expected is not None
    draw = discrete_laplace(scale, entropy=RecordingEntropy(seed))
    assert draw == (-int(expected) if word & 1 else int(expected))


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1000), Fraction(10**12)])
def test_a_uniform_that_starts_with_zeros_is_extended(scale: Fraction) -> None:
    n = first_bits(scale) + 1
    size = (n + 7) // 8
    script = little(1 << (8 * size - n), size) + little(1, 8)  # U = 2^-(n - 1 + 64) times [1, 2], sign minus
    with precision(400):
        c = (2 / (1 + (-1 / ball(scale)).exp())).log()
        low = (ball(scale) * (c + (n - 2 + 64) * arb(2).log())).floor().unique_fmpz()
        high = (ball(scale) * (c + (n - 1 + 64) * arb(2).log())).floor().unique_fmpz()
    assert low is not None
    assert high is not None
    assert int(low) <= -discrete_laplace(scale, entropy=ScriptedEntropy(script)) <= int(high)


@given(scales)
@settings(max_examples=30)
def test_vector_draws_stay_near_the_scale(scale: Fraction) -> None:
    """P(|Z| > 60 b + 1) is below e^-60."""
    draws = discrete_laplace(scale, 200, entropy=RecordingEntropy(1))
    assert np.abs(draws).max() <= 60 * scale + 1


@given(scales, st.integers(0, 10**6))
def test_masses_and_tails_add_up(scale: Fraction, k: int) -> None:
    low, high = discrete_laplace_tail(scale, k)
    assert 0 <= low <= high <= 1
    if k < 50 and scale > Fraction(1, 50):
        with precision(200):
            inside = sum((discrete_laplace_mass(scale, z) for z in range(-k, k + 1)), arb(0))
            assert abs(1 - inside - ball(low)) < arb(2) ** -78
            assert abs(1 - inside - ball(high)) < arb(2) ** -78
    assert high - low <= high / 2**70 or high < Fraction(1, 2**60000)


@given(scales, st.fractions(Fraction(1, 10**30), Fraction(99, 100)))
def test_the_quantile_is_the_smallest(scale: Fraction, beta: Fraction) -> None:
    k = discrete_laplace_quantile(scale, beta)
    assert discrete_laplace_tail(scale, k)[1] <= beta
    assert k == 0 or discrete_laplace_tail(scale, k - 1)[1] > beta


def test_the_quantile_refuses_what_is_no_tail() -> None:
    for beta in (0, 1, -0.5):
        with pytest.raises(InvalidError, match="strictly between 0 and 1"):
            discrete_laplace_quantile(1, beta)
