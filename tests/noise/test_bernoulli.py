"""Coins with rational probabilities."""

from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InvalidError
from privet.noise import bernoulli
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy, little


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(1, 10**6), Fraction(65535, 65536), Fraction(1, 2)])
def test_every_sixteen_bit_head_decides_as_it_must(p: Fraction) -> None:
    """The number of heads that are True is floor(2^16 p), plus what the continuation of one open head says."""
    heads = np.arange(1 << 16, dtype=np.uint16).tobytes()
    low = bernoulli(p, 1 << 16, entropy=_chunked(heads, bytes(8)))
    high = bernoulli(p, 1 << 16, entropy=_chunked(heads, b"\xff" * 8))
    floor, exact = int(p * 2**16), (p * 2**16).denominator == 1
    assert int(high.sum()) == floor
    assert int(low.sum()) == floor + (not exact)


def _chunked(heads: bytes, more: bytes) -> ScriptedEntropy:
    """Heads come in batches of 2^15, and the open one of a batch is continued at its end."""
    half = len(heads) // 2
    first_open = more  # only one batch has an open head; the other consumes nothing, so both orders are safe
    return _Replying(heads[:half], heads[half:], first_open)


class _Replying(ScriptedEntropy):
    """Answers 2-byte batches from the heads and 8-byte draws with a fixed continuation."""

    def __init__(self, first: bytes, second: bytes, more: bytes) -> None:
        super().__init__(first + second)
        self._more = more

    def _fill(self, n: int) -> bytes:
        return self._more if n == 8 else super()._fill(n)


def test_a_tie_is_decided_by_further_bits() -> None:
    p = Fraction(1, 3)
    digits = (1 << 128) // 3
    below = ScriptedEntropy(little(digits >> 64, 8) + little((digits & (2**64 - 1)) - 1, 8))
    above = ScriptedEntropy(little(digits >> 64, 8) + little((digits & (2**64 - 1)) + 1, 8))
    assert bernoulli(p, entropy=below) is True
    assert bernoulli(p, entropy=above) is False


def test_sure_things() -> None:
    assert bernoulli(1, 100).all()
    assert not bernoulli(0, 100).any()
    assert bernoulli(0.5, 0).shape == (0,)


def test_the_rate_is_right() -> None:
    """A million draws stay within 6 standard deviations."""
    draws = bernoulli(0.1, 1_000_000, entropy=RecordingEntropy(1))
    assert draws.dtype == np.bool_
    assert abs(int(draws.sum()) - 100_000) < 6 * 300
    source = RecordingEntropy(2)
    assert abs(sum(bernoulli(0.1, entropy=source) for _ in range(10_000)) - 1000) < 6 * 30


def test_bad_parameters() -> None:
    for p in (-0.1, 1.1):
        with pytest.raises(InvalidError, match=r"bernoulli\.probability must lie between 0 and 1, got"):
            bernoulli(p)
