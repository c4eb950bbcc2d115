"""Uniform whole numbers are uniform, at every kind of bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InvalidError, WrongTypeError
from privet.noise import uniform_below
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy


@given(st.integers(1, 2**80), st.integers(0, 300))
def test_draws_are_in_range(bound: int, size: int) -> None:
    draws = uniform_below(bound, size)
    assert draws.shape == (size,)
    assert draws.dtype == (np.int64 if bound <= 2**63 else object)
    assert all(0 <= int(draw) < bound for draw in draws)
    assert 0 <= uniform_below(bound) < bound


@pytest.mark.parametrize("bound", [2, 3, 5, 8, 10, 200, 256])
def test_every_pattern_of_bits_counts_once(bound: int) -> None:
    """All 256 bytes give each value equally often: exact uniformity, not a statistic."""
    script = bytes(range(256))
    size = 256 // (1 << (bound - 1).bit_length()) * bound
    counts = np.bincount(uniform_below(bound, size, entropy=ScriptedEntropy(script)), minlength=bound)
    # a request makes a few proposals more than it needs, so a script of one period may be overrun by a few draws
    assert counts.size == bound
    assert np.ptp(counts) <= 2 if bound & (bound - 1) else np.ptp(counts) == 0


@pytest.mark.parametrize("bound", [3, 1000, 2**16 + 1, 2**32 + 1, 2**62 + 2**61, 2**63])
def test_sixteen_parts_are_equally_likely(bound: int) -> None:
    """Each sixteenth of 160,000 draws stays within 6 standard deviations of its share."""
    draws = uniform_below(bound, 160_000, entropy=RecordingEntropy(1))
    parts = min(bound, 16)
    edges = [bound * i // parts for i in range(1, parts)]
    counts = np.bincount(np.searchsorted(np.array(edges), draws, side="right"), minlength=parts)
    shares = np.diff([0, *edges, bound]).astype(float) / bound if bound < 2**53 else np.full(parts, 1 / parts)
    expected = 160_000 * shares
    assert np.abs(counts - expected).max() < 6 * np.sqrt(expected.max())


def test_bad_parameters() -> None:
    with pytest.raises(InvalidError, match=r"uniform_below\.bound must be 1 or more, got 0\."):
        uniform_below(0)
    with pytest.raises(WrongTypeError, match=r"uniform_below\.bound must be a whole number, got float\."):
        uniform_below(2.5)  # type: ignore[call-overload]
    with pytest.raises(WrongTypeError, match="boolean"):
        uniform_below(True)
