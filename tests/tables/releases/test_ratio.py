"""Ratios of released numbers: intervals hold the exact ratio, and are open where the denominator may be zero."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.tables.aggregates.noise import Noise
from privet.tables.releases.ratio import Linear, ratio_estimate, ratio_interval

DRAWS = 5_000
LEVEL = Fraction(95, 100)


def _noisy(noise: Noise, value: int) -> Any:
    return noise.mechanism.release(np.full(DRAWS, value), noise.space(DRAWS, int)).astype(float)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_intervals_hold_the_exact_ratio(kind: Any) -> None:
    above, below = Noise(kind=kind, scale=60, grid=1), Noise(kind=kind, scale=20, grid=1)
    low, high = ratio_interval(Linear(_noisy(above, 3000), above), Linear(_noisy(below, 1000), below), LEVEL)
    share = ((low <= 3) & (high >= 3)).mean()
    assert 0.932 <= share <= 0.972  # 95 % of 5,000: beyond either end with probability below 1e-7


def test_two_kinds_of_noise_are_held_conservatively() -> None:
    above, below = Noise(kind="laplace", scale=60, grid=1), Noise(kind="gaussian", scale=20, grid=1)
    low, high = ratio_interval(Linear(_noisy(above, 3000), above), Linear(_noisy(below, 1000), below), LEVEL)
    assert ((low <= 3) & (high >= 3)).mean() >= 0.932


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_noise_that_both_sums_share_is_held_too(kind: Any) -> None:
    noise = Noise(kind=kind, scale=60, grid=1)
    first, second = _noisy(noise, 3000), _noisy(noise, 1000)
    top, bottom = Linear(first, noise, (1.0, 0.0), 0), Linear(first + second, noise, (1.0, 1.0), 0)
    low, high = ratio_interval(top, bottom, LEVEL)
    assert 0.932 <= ((low <= 0.75) & (high >= 0.75)).mean() <= 0.972
    alone = ratio_interval(Linear(top.value, noise, (1.0, 0.0)), Linear(bottom.value, noise, (1.0, 1.0)), LEVEL)
    assert ((alone[0] <= 0.75) & (alone[1] >= 0.75)).mean() > 0.972  # taken for independent


def test_a_denominator_that_may_be_zero_leaves_everything_open() -> None:
    noise = Noise(kind="laplace", scale=20, grid=1)
    low, high = ratio_interval(Linear(np.array([5.0]), noise), Linear(np.array([10.0]), noise), LEVEL)
    assert (low[0], high[0]) == (-np.inf, np.inf)


@pytest.mark.filterwarnings("error")
def test_a_denominator_of_zero_gives_no_number_and_no_warning() -> None:
    noise = Noise(kind="laplace", scale=20, grid=1)
    value, _ = ratio_estimate(Linear(np.array([5.0]), noise), Linear(np.array([0.0]), noise))
    low, high = ratio_interval(Linear(np.array([5.0]), noise), Linear(np.array([0.0]), noise), LEVEL)
    assert np.isnan(value[0])
    assert (low[0], high[0]) == (-np.inf, np.inf)
