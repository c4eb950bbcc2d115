"""Lazily revealed uniforms: comparisons are those of the real numbers."""

from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from privet.core.exact import precision
from privet.noise.drawing.lazy import LazyUniform, invert, outward
from privet.noise.geometric import GeometricLaw
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy, little


def test_a_comparison_draws_only_what_it_needs() -> None:
    def half(bits: int) -> tuple[int, int]:
        return (1 << bits - 1) - 1, (1 << bits - 1) + 1

    source = ScriptedEntropy(little(2**63, 8) + little(5, 8))
    assert not LazyUniform(source).below(half)
    assert source.exhausted
    source = ScriptedEntropy(little(2**63 - 1, 8) + little(2**64 - 9, 8))
    assert LazyUniform(source).below(half)
    assert source.exhausted


@given(st.integers(0, 2**64 - 1))
def test_the_enclosure_holds_the_cell(value: int) -> None:
    with precision(100):
        cell = LazyUniform(RecordingEntropy(), value, 64).enclosure()
        for end in (value, value + 1):
            assert cell.contains(arb((end, -64)))
        assert cell.rad() < arb(2) ** -64


@given(st.fractions(Fraction(1, 20), 50), st.integers(0, 200), st.integers(0, 2**30))
def test_the_inverse_does_not_depend_on_the_guess(scale: Fraction, guess: int, seed: int) -> None:
    law = GeometricLaw(scale)
    one = invert(law, LazyUniform(RecordingEntropy(seed)), guess)
    assert one == invert(law, LazyUniform(RecordingEntropy(seed)), 0)


@pytest.mark.parametrize("bits", [1, 8, 64])
def test_rounding_is_outward_and_within_the_unit_interval(bits: int) -> None:
    with precision(128):
        third = arb(1) / 3
        lo, hi = outward(third, bits)
        assert arb(lo) <= third * 2**bits
        assert third * 2**bits <= arb(hi)
        assert hi - lo == 1
        assert outward(arb(1), bits) == (2**bits, 2**bits)
        assert outward(arb(0), bits) == (0, 0)
        assert outward(arb(1, 0.25), bits)[1] == 2**bits
        assert outward(arb(0, 0.25), bits)[0] == 0
        assert outward(arb.nan(), bits) == (0, 2**bits)
        assert outward((arb(-(10**9))).exp(), bits) == (0, 1)
