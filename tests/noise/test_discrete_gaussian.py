"""Discrete Gaussian noise has exactly its stated law."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.core.exact import ball, precision
from privet.noise import (
    discrete_gaussian,
    discrete_gaussian_mass,
    discrete_gaussian_quantile,
    discrete_gaussian_tail,
)
from privet.noise import gaussian_sums as sums
from privet.noise.geometric import first_bits
from tests.noise import laws
from tests.noise.chi_square import gaussian_mass
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy, little

scales = st.fractions(Fraction(1, 10**6), 10**12)


@pytest.mark.parametrize("scale", laws.SCALES)
def test_two_million_draws(scale: str) -> None:
    laws.check_draws(discrete_gaussian, gaussian_mass, Fraction(scale))


# At 1/10 the mass beside zero is e^-50, which no sample sees: test_table checks those probabilities exactly.
@pytest.mark.parametrize("scale", laws.SCALES[2:])
def test_a_scale_off_by_two_percent_is_rejected(scale: str) -> None:
    laws.check_wrong_scale(discrete_gaussian, gaussian_mass, Fraction(scale))


@pytest.mark.parametrize("scale", ["1/3", "1/2", "1", "3/2", "10", "1000"])
def test_scalar_draws(scale: str) -> None:
    laws.check_scalar_draws(discrete_gaussian, gaussian_mass, Fraction(scale))


def test_shapes_messages_and_paths() -> None:
    laws.check_shapes(discrete_gaussian)
    laws.check_messages(discrete_gaussian)
    laws.check_paths_are_public(discrete_gaussian)


def trial(scale: Fraction, first: int, second: int, minus: int = 0) -> bytes:
    """The bytes that one scalar trial reads as these two uniforms and a sign."""
    bits = first_bits(scale) + 65
    size = (bits + 7) // 8
    return little((first << 65 | second << 1 | minus) << (8 * size - bits), size)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(10), Fraction(98765, 4)])
def test_a_close_acceptance_is_decided_exactly(scale: Fraction) -> None:
    bits = first_bits(scale)
    first = (1 << bits) // 50  # a magnitude near 3.9 scales
    with precision(400):
        c = (2 / (1 + (-1 / ball(scale)).exp())).log()
        found = (ball(scale) * (c - ball(Fraction(2 * first + 1, 2 << bits)).log())).floor().unique_fmpz()
        assert found is not None
        magnitude, nearest = int(found), round(scale)
        gamma = ((magnitude - scale) ** 2 - (nearest - scale) ** 2) / (2 * scale**2)
        assert gamma > 0
        cut = (-ball(gamma)).exp() * 2**64
        word = int(cut.floor().unique_fmpz() or 0)
        after = int(((cut - word) * 2**64).floor().unique_fmpz() or 0)
    always = trial(scale, (1 << bits) // 2, 0)  # the next trial, accepted with U = 0
    below = ScriptedEntropy(trial(scale, first, word, 1) + little(after - 1, 8))
    assert discrete_gaussian(scale, entropy=below) == -magnitude
    above = ScriptedEntropy(trial(scale, first, word, 1) + little(after + 1, 8) + always)
    assert discrete_gaussian(scale, entropy=above) != -magnitude
    assert above.exhausted


@given(scales)
@settings(max_examples=30)
def test_draws_stay_near_the_scale(scale: Fraction) -> None:
    """P(|Z| > 12 scale + 1) is below e^-70."""
    source = RecordingEntropy(1)
    draws = [*discrete_gaussian(scale, 200, entropy=source), *discrete_gaussian(scale, 10, entropy=source)]
    assert np.abs(np.array(draws)).max() <= 12 * scale + 1


@pytest.mark.parametrize("scale", ["1/1000", "1/10", "1/2", "99/100", "1", "101/100", "5", "40"])
def test_the_normaliser_is_the_sum(scale: str) -> None:
    s = Fraction(scale)
    with precision(256):
        reach = int(20 * s) + 20
        direct = sum(((-((ball(z) / ball(s)) ** 2) / 2).exp() for z in range(-reach, reach + 1)), arb(0))
        both = sums.normaliser(s)
        assert both.rel_accuracy_bits() > 200
        assert abs(both - direct) < arb(2) ** -200 * direct


@pytest.mark.parametrize("scale", ["1/1000", "1/10", "1", "10", "100"])
@pytest.mark.parametrize("k", [0, 1, 3, 30, 100])
def test_masses_and_tails_add_up(scale: str, k: int) -> None:
    low, high = discrete_gaussian_tail(Fraction(scale), k)
    assert 0 <= low <= high <= 1
    with precision(200):
        inside = sum((discrete_gaussian_mass(Fraction(scale), z) for z in range(-k, k + 1)), arb(0))
        assert abs(1 - inside - ball(low)) < arb(2) ** -78
        assert abs(1 - inside - ball(high)) < arb(2) ** -78


@pytest.mark.parametrize("scale", [Fraction(513), Fraction(4001, 3), Fraction(3000)])
def test_bounds_by_areas_hold_the_sum(scale: Fraction) -> None:
    for k in [0, 5, int(scale) - 1, int(scale), int(scale) + 1, int(3 * scale), int(9 * scale)]:
        low, high = discrete_gaussian_tail(scale, k)
        with precision(160):
            true = sums._summed_tail(scale, k)
            assert not ball(low) > true  # equal at k = 0, so balls cannot prove it smaller
            assert true <= ball(high)
            assert ball(high - low) < true * ball((2 + (k / scale) ** 2) / scale)


def test_a_far_tail_keeps_its_digits() -> None:
    low, high = discrete_gaussian_tail(10, 1000)
    assert 0 < low < high < Fraction(1, 10**2000)
    assert high - low < high / 2**70


@given(scales, st.fractions(Fraction(1, 10**30), Fraction(99, 100)))
@settings(max_examples=40, deadline=None)
def test_the_quantile_is_the_smallest(scale: Fraction, beta: Fraction) -> None:
    k = discrete_gaussian_quantile(scale, beta)
    assert discrete_gaussian_tail(scale, k)[1] <= beta
    assert k == 0 or discrete_gaussian_tail(scale, k - 1)[1] > beta
