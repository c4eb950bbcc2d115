"""Weighted sums of many noises: quantiles against exact laws and against draws."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.noise import discrete_laplace
from privet.tables.aggregates.noise import laplace_sum_quantile
from privet.tables.noise.sum import NoiseSum


def law(scales: list[float], variance: float = 0.0) -> NoiseSum:
    sizes = np.array(scales)
    return NoiseSum(
        variance=[variance], squares=[(sizes**2).sum()], fourths=[(sizes**4).sum()], largest=[max(scales, default=0.0)]
    )


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.9999])
def test_one_noise_has_its_own_quantile(level: float) -> None:
    assert float(law([3.0]).quantile(level)[0]) == pytest.approx(-3 * math.log(1 - level), rel=2e-3)


@pytest.mark.parametrize("terms", [2, 10, 200])
def test_equal_noises_have_the_quantile_of_their_sum(terms: int) -> None:
    found = float(law([1.0] * terms).quantile(0.95)[0])
    assert found == pytest.approx(float(laplace_sum_quantile(np.ones((1, terms)), 0.05)[0]), rel=5e-3)


def test_unequal_noises_are_close_to_the_exact_quantile_and_hardly_below() -> None:
    scales = np.random.default_rng(5).uniform(0.01, 1, (60, 8)) ** 2
    sums = NoiseSum(
        variance=np.zeros(60),
        squares=(scales**2).sum(axis=1),
        fourths=(scales**4).sum(axis=1),
        largest=scales.max(axis=1),
    )
    for level in (0.9, 0.95, 0.99):
        ratios = sums.quantile(level) / laplace_sum_quantile(scales, 1 - level)
        assert ratios.min() > 0.997
        assert ratios.max() < 1.01


def test_normal_noise_has_the_normal_quantile_and_may_be_mixed_in() -> None:
    assert float(law([], 4.0).quantile(0.95)[0]) == pytest.approx(2 * 1.959964, rel=1e-6)
    mixed = float(law([1e-6], 4.0).quantile(0.95)[0])
    assert mixed == pytest.approx(2 * 1.959964, rel=1e-2)


def test_a_normal_approximation_would_be_noticed() -> None:
    """The deviation alone does not tell the law: the quantile of one Laplace noise is 8 % above the normal one."""
    assert float(law([1.0]).quantile(0.95)[0]) > 1.05 * 1.96 * math.sqrt(2)


def test_rare_events_are_bounded() -> None:
    exact = -math.log(1e-9)
    assert exact < float(law([1.0]).quantile(1 - Fraction(1, 10**9))[0]) < 1.5 * exact


def test_coverage_of_a_sum_of_draws() -> None:
    weights = np.array([1.0, 0.6, 0.6, 0.25, 0.1, 0.1, 0.1])
    draws = discrete_laplace(Fraction(30), size=7 * 40_000).reshape(40_000, 7) @ weights
    half = float(law((weights * 30).tolist()).quantile(0.95)[0])
    assert 0.943 < (np.abs(draws) <= half).mean() < 0.957  # six deviations of the share


def test_many_laws_at_once_keep_their_order() -> None:
    scales = np.linspace(1, 50, 300)
    sums = NoiseSum(variance=scales * 0, squares=scales**2, fourths=scales**4, largest=scales)
    assert np.allclose(sums.quantile(0.95) / scales, math.log(20), rtol=2e-3)


def test_what_floats_cannot_hold_has_no_bound() -> None:
    huge = NoiseSum(variance=[0.0], squares=[math.inf], fourths=[math.inf], largest=[1e200])
    assert huge.quantile(0.95).tolist() == [math.inf]
    assert law([], math.inf).quantile(0.95).tolist() == [math.inf]
