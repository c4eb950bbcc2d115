"""Coins with probability exp(-rate)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core.exact import ball, precision
from privet.errors import InvalidError
from privet.noise import bernoulli_exp
from privet.noise.drawing.split import exp_bounds
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy, little


@given(st.fractions(0, 10**6), st.integers(1, 300))
def test_bounds_enclose_and_are_narrow(rate: Fraction, bits: int) -> None:
    lo, hi = exp_bounds(rate, bits)
    with precision(800):
        scaled = (-ball(rate)).exp() * 2**bits
        assert not arb_above(lo, scaled)
        assert not scaled > hi
    assert 0 <= hi - lo <= 2


def arb_above(lo: int, scaled: object) -> bool:
    return bool(scaled < lo)  # type: ignore[operator]


@pytest.mark.parametrize("rate", [Fraction(1, 10**9), Fraction(1), Fraction(30), Fraction(60)])
def test_a_close_call_is_decided_exactly(rate: Fraction) -> None:
    with precision(400):
        digits = int(((-ball(rate)).exp() * 2**128).floor().unique_fmpz() or 0)
    for shift, answer in ((-1, True), (1, False)):
        value = digits + shift
        source = ScriptedEntropy(little(value >> 64, 8) + little(value & (2**64 - 1), 8))
        assert bernoulli_exp(rate, entropy=source) is answer


def test_the_rate_is_right() -> None:
    """A million draws stay within 6 standard deviations of e^-1."""
    p = float(np.exp(-1.0))
    draws = bernoulli_exp(1, 1_000_000, entropy=RecordingEntropy(1))
    assert abs(int(draws.sum()) - 1e6 * p) < 6 * np.sqrt(1e6 * p * (1 - p))


def test_extremes() -> None:
    assert bernoulli_exp(0, 1000).all()
    assert not bernoulli_exp(10**9, 1000).any()
    assert bernoulli_exp(10**9) is False
    assert bernoulli_exp(1, 0).shape == (0,)
    with pytest.raises(InvalidError, match=r"bernoulli_exp\.rate must be zero or more, got -1"):
        bernoulli_exp(-1)
