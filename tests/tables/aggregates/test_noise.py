"""The laws of sums of noise: quantiles agree with exact tails and with each other."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from privet.errors import InvalidError
from privet.tables.aggregates.noise import Noise, NoiseKind, laplace_sum_quantile


def test_the_tail_of_one_laplace_noise_is_exponential() -> None:
    assert laplace_sum_quantile(np.array([[2.0]]), 0.05)[0] == pytest.approx(2 * np.log(20))


def test_the_tail_of_two_equal_laplace_noises_is_known() -> None:
    found = float(laplace_sum_quantile(np.array([[1.0, 1.0]]), 0.05)[0])
    assert (1 + found / 2) * np.exp(-found) == pytest.approx(0.05, rel=5e-3)
    assert (1 + found / 2) * np.exp(-found) <= 0.05  # never too small


@pytest.mark.parametrize("weights", [[0.3, 0.7, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0, 0.0]])
def test_inversion_agrees_with_partial_fractions(weights: list[float]) -> None:
    many, few = (float(laplace_sum_quantile(np.array([row]), 0.05)[0]) for row in (weights, weights[:3]))
    assert many == pytest.approx(few, rel=3e-3)


def test_a_sum_of_many_is_nearly_normal() -> None:
    found = float(laplace_sum_quantile(np.ones((1, 200)), 0.05)[0])
    assert found == pytest.approx(1.96 * np.sqrt(400), rel=0.01)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_exceeding_is_being_above_the_quantile(kind: NoiseKind) -> None:
    noise = Noise(kind=kind, scale=7, grid=1)
    weights = np.array([[0.2, 0.8], [1.0, 0.0], [0.5, 0.5]])
    at = noise.quantile(weights, Fraction(9, 10))
    assert not noise.exceeds(at * 0.999, weights, Fraction(9, 10)).any()
    assert noise.exceeds(at * 1.001, weights, Fraction(9, 10)).all()


def test_the_deviation_is_that_of_the_discrete_law() -> None:
    draws = np.arange(-400, 401)
    mass = np.exp(-np.abs(draws) / 1.5)
    exact = np.sqrt((mass * draws**2).sum() / mass.sum())
    assert Noise(kind="laplace", scale=Fraction(3, 2), grid=1).deviation == pytest.approx(exact)


def test_the_half_width_is_certified_by_the_mechanism() -> None:
    noise = Noise(kind="laplace", scale=4, grid=1)
    assert noise.half_width(0.95) == noise.mechanism.accuracy(Fraction(1, 20), noise.space(1))


def test_gaussian_noise_is_drawn_on_a_finer_grid_and_rounded() -> None:
    noise = Noise(kind="gaussian", scale=50, grid=1)
    assert (noise.bits, noise.fine) == (15, Fraction(1, 2**15))
    steps = np.array([0, 2**14 - 1, 2**14, 2**15, -(2**14), -(2**14) - 1, 2**63 - 1])
    assert noise.rounded(steps).tolist() == [0, 0, 1, 1, 0, -1, 2**48]
    assert noise.rounded(np.array([1.5e25])).tolist() == [round(1.5e25 / 2**15)]


@pytest.mark.parametrize(("kind", "scale"), [("laplace", 50), ("gaussian", 3), ("gaussian", 2**30)])
def test_other_noise_stays_on_its_grid(kind: NoiseKind, scale: int) -> None:
    assert Noise(kind=kind, scale=scale, grid=1).bits == 0


@pytest.mark.parametrize("scale", [4, 7, 100])
def test_the_half_width_of_rounded_noise_is_the_smallest(scale: int) -> None:
    noise, normal = Noise(kind="gaussian", scale=scale, grid=1), NormalDist(0, scale)
    half = int(noise.half_width(0.95))
    beyond = [2 * normal.cdf(-(end + 0.5)) for end in (half - 1, half)]
    assert beyond[0] > 0.05 > beyond[1]
    assert noise.deviation == pytest.approx(math.sqrt(scale**2 + 1 / 12))


@pytest.mark.parametrize("level", [0, 1, 2, -0.5])
def test_a_level_is_a_probability(level: float) -> None:
    with pytest.raises(InvalidError, match=r"interval.level must be between zero and one"):
        Noise(kind="laplace", scale=4, grid=1).half_width(level)


def test_another_kind_is_refused() -> None:
    with pytest.raises(InvalidError, match=r"Noise.kind must be laplace or gaussian, got 'uniform'"):
        Noise(kind="uniform", scale=4, grid=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("level", [0.7, 0.95, 0.99])
def test_the_means_that_laplace_noise_rejects_form_one_interval_on_each_side(level: float) -> None:
    """What the search for the ends of a mean's interval relies on; not proved for Laplace noise."""
    share = np.linspace(0, 1, 1001)
    reach = laplace_sum_quantile(np.stack([1 - share, share], axis=1), 1 - level)
    for low, high in np.random.default_rng(2).exponential(6, size=(500, 2)):
        rejected = np.abs((1 - share) * low - share * high) > reach
        for side in (rejected[share <= low / (low + high)], rejected[share >= low / (low + high)]):
            starts = int(side[:1].sum()) + int((~side[:-1] & side[1:]).sum())
            assert starts <= 1
