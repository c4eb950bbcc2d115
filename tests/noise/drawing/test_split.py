"""Coarse and fine parts: the sure bounds, the filter and the exact comparison agree with balls."""

from fractions import Fraction

import numpy as np
import pytest

from privet.core.exact import ball, precision
from privet.noise.discrete_gaussian import GaussianDecay
from privet.noise.drawing.exp_filter import LIMIT
from privet.noise.drawing.split import LARGEST_COARSE, Decay, Split, split_of
from privet.noise.geometric import ExponentialDecay
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy, little

SCALES = [Fraction(s) for s in ("65", "1000", "100001/3", "4294967296", "1000000000000", "4503599627370495")]
DECAYS: list[Decay] = [*(ExponentialDecay(s) for s in SCALES), *(GaussianDecay(s) for s in SCALES)]


@pytest.fixture(scope="module", params=DECAYS, ids=str)
def subject(request: pytest.FixtureRequest) -> Split:
    return split_of(request.param)


def test_the_coarse_scale_is_moderate(subject: Split) -> None:
    coarse = Fraction(subject.decay.coarse.scale)  # type: ignore[attr-defined]
    low = 16 if isinstance(subject.decay, ExponentialDecay) else 32
    assert low <= coarse < 2 * low
    assert subject.decay.shift <= 47


def test_the_weights_factor(subject: Split) -> None:
    """gamma is exactly -ln f(m h + l) + ln f(m h)."""
    m, scale = 1 << subject.decay.shift, subject.decay.scale  # type: ignore[attr-defined]
    for h, fine in [(0, 0), (0, 1), (3, m - 1), (500, m // 2)]:
        x = m * h + fine
        linear = isinstance(subject.decay, ExponentialDecay)
        whole = Fraction(fine) / scale if linear else (Fraction(x) ** 2 - Fraction(m * h) ** 2) / (2 * scale**2)
        assert subject.decay.gamma(h, fine) == whole


def test_sure_acceptances_are_sure(subject: Split) -> None:
    last = (1 << subject.decay.shift) - 1
    with precision(200):
        for h in range(0, subject.table.low.size, 7):
            chance = (-ball(subject.decay.gamma(h, last))).exp()
            assert int(subject.sure[h]) <= chance * 2**16
            assert int(subject.sure[h]) >= chance * 2**16 - 2
    assert subject.sure[-1] == 0
    assert subject.sure.size == subject.table.low.size + 1


def test_the_float_exponent_is_close(subject: Split) -> None:
    m = 1 << subject.decay.shift
    h = np.array([0, 0, 1, 17, 300, subject.table.low.size, LARGEST_COARSE - 1], np.int64)
    fine = np.array([0, 1, m - 1, m // 3, m - 1, m - 1, m - 1], np.int64)
    for i, g in enumerate(subject.decay.approximate(h, fine)):
        true = subject.decay.gamma(int(h[i]), int(fine[i]))
        assert abs(Fraction(float(g)) - true) <= true * Fraction(1, 2**50)


def compared(subject: Split, h: int, fine: int, word: int, more: bytes) -> bool:
    source = ScriptedEntropy(little((word & (2**48 - 1)) << 16, 8) + more)
    arrays = np.array([h], np.int64), np.array([fine], np.int64), np.array([word >> 48], np.uint16)
    return bool(subject._decide(*arrays, source)[0])


def test_comparisons_next_to_the_boundary_are_exact(subject: Split) -> None:
    m = 1 << subject.decay.shift
    for h, fine in [(0, 1), (1, m - 1), (40, m // 2), (300, m - 1), (600, m - 1)]:
        gamma = subject.decay.gamma(h, fine)
        with precision(400):
            chance = (-ball(gamma)).exp()
            cut = int((chance * 2**64).floor().unique_fmpz() or 0)
        for word in (cut - 2**33, cut - 2**31, cut - 1, cut, cut + 1, cut + 2**31, cut + 2**33):
            if not 0 <= word < 2**64:
                continue
            for more in (bytes(8), b"\xff" * 8):
                value = word << 64 | int.from_bytes(more, "little")
                with precision(400):
                    truth = bool(ball(Fraction(value, 2**128)) < chance)
                assert compared(subject, h, fine, word, more) == truth, (h, fine, word - cut)


def test_an_exponent_beyond_the_filter_is_compared_exactly() -> None:
    subject = split_of(GaussianDecay(Fraction(1000)))
    m, h = 1 << subject.decay.shift, 3000
    gamma = subject.decay.gamma(h, m - 1)
    assert gamma > LIMIT
    with precision(200):
        cut = int(((-ball(gamma)).exp() * 2**64).floor().unique_fmpz() or 0)
    assert compared(subject, h, m - 1, cut - 1, bytes(8))
    assert not compared(subject, h, m - 1, cut + 1, bytes(8))


def test_values_beyond_the_table_are_never_sure() -> None:
    subject = split_of(GaussianDecay(Fraction(1000)))
    # a coarse part in the far tail, fine bits of zero and a head of zero: gamma is 0, so it is accepted, but exactly
    script = b"\xff\xff" + b"\xff" * 8 + b"\xff" * 8 + bytes(8) + bytes(1) + bytes(2) + bytes(8)
    value = subject.propose(1, ScriptedEntropy(script))
    assert value.size == 1
    assert value[0] >> subject.decay.shift >= subject.table.low.size - 1


def test_large_scales_do_not_wrap() -> None:
    subject = split_of(GaussianDecay(Fraction(2**52 - 1)))
    draws = subject.propose(1 << 15, RecordingEntropy(3))
    assert draws.min() >= 0
    assert draws.max() < 20 * 2**52
    assert draws.size > 0.9 * 2**15


def test_a_draw_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.noise.drawing.split.LARGEST_COARSE", 10)
    with pytest.raises(OverflowError, match="64 bits"):
        split_of(ExponentialDecay(Fraction(1000))).propose(1000, RecordingEntropy(4))
