"""What every symmetric sampler must satisfy; each sampler's test lists its own facts and calls these."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.errors import InvalidError, NotExactError, WrongTypeError
from tests.noise.chi_square import Mass, make_bins, p_value, p_value_of, power_in_sigmas
from tests.noise.doubles import RecordingEntropy

Sampler = Callable[..., Any]

SCALES = ["1/1000", "1/10", "1/3", "1", "7/3", "10", "63/2", "50", "100", "1000", "98765/4", "1000000"]
DRAWS = 2_000_000  # tests/long draws more often, at more scales


def check_draws(sampler: Sampler, mass: Callable[[float], Mass], scale: Fraction, *, draws: int = DRAWS) -> None:
    """Millions of draws agree with the mass function; a correct sampler fails once in a million seeds."""
    samples = sampler(scale, draws, entropy=RecordingEntropy(10))
    assert p_value(samples, mass(float(scale))) > 1e-6


def check_wrong_scale(
    sampler: Sampler,
    mass: Callable[[float], Mass],
    scale: Fraction,
    *,
    off: Fraction = Fraction(102, 100),
) -> None:
    """Draws at a scale off by 2 % are rejected wherever the power of the test is above 1 - 1e-6."""
    stated, wrong = mass(float(scale)), scale * off
    for draws in (DRAWS, 5 * DRAWS, 50 * DRAWS):
        bins = make_bins(stated, draws)
        # from a scale of 10 on the law is close to continuous and 2e6 draws are enough: 2e6 * 0.02^2 = 800
        if scale >= 10 or power_in_sigmas(bins, mass(float(wrong)), draws) > 5:
            source, batch = RecordingEntropy(11), 2_000_000
            batches = (sampler(wrong, batch, entropy=source) for _ in range(draws // batch))
            assert p_value_of(batches, bins) < 1e-6
            return
    pytest.fail("no number of draws up to 1e8 can see a scale that is off by 2 %")


def check_scalar_draws(sampler: Sampler, mass: Callable[[float], Mass], scale: Fraction, seed: int = 12) -> None:
    """The scalar path has the same law."""
    source = RecordingEntropy(seed)
    samples = np.array([sampler(scale, entropy=source) for _ in range(20_000)])
    assert p_value(samples, mass(float(scale))) > 1e-6


def check_shapes(sampler: Sampler) -> None:
    """One Python int, or one array of the stated size; 64-bit below a scale of 2^52, Python ints from there on."""
    for scale in (Fraction(1, 10**6), 1, 50, 10**12):
        assert type(sampler(scale)) is int
        for size in (0, 1, 63, 64, 40_000):
            result = sampler(scale, size)
            assert result.shape == (size,)
            assert result.dtype == np.int64
    for size in (0, 3, 70):
        assert sampler(2**52, size).dtype == object
    assert sampler(10**30, 2)[0] != sampler(10**30, 2)[1]


def check_messages(sampler: Sampler) -> None:
    name = sampler.__name__
    with pytest.raises(InvalidError, match=f"{name}.scale must be above zero, got -1"):
        sampler(-1)
    with pytest.raises(InvalidError, match=f"{name}.scale must be above zero, got 0"):
        sampler(0, 5)
    with pytest.raises(NotExactError, match=f"{name}.scale: expected a finite number"):
        sampler(float("nan"))
    with pytest.raises(InvalidError, match=f"{name}.size must be zero or more, got -2"):
        sampler(1, -2)
    with pytest.raises(WrongTypeError, match=f"{name}.size must be a whole number, got float"):
        sampler(1, 2.0)


def check_paths_are_public(sampler: Sampler) -> None:
    """The same source and request give the same draws, whatever was drawn before: no hidden state."""
    for scale, size in [(3, None), (3, 10), (3, 1000), (1000, None), (1000, 10), (1000, 5000)]:
        first = sampler(scale, size, entropy=RecordingEntropy(20))
        sampler(scale, 200)
        assert np.array_equal(first, sampler(scale, size, entropy=RecordingEntropy(20)))
