"""The figures that composition must reach."""

from fractions import Fraction

import pytest

import privet as pv
import privet.calculus as pc

SAMPLED = pc.GaussianLoss(distance=1, scale=1).amplify(pv.Poisson(0.01))


@pytest.mark.parametrize(("delta", "value"), [(1e-6, 2.124515), (1e-9, 2.989584), (1e-12, 3.914300)])
def test_a_thousand_sampled_gaussians(delta: float, value: float) -> None:
    low, high = (SAMPLED * 1000).interval(delta=delta)
    assert value - 0.001 < low < high < value + 0.0005


def test_a_hundred_laplace_releases() -> None:
    """dp_accounting says between 2.72926 and 2.733644 at its grid of 1e-4."""
    scales = [5 + Fraction(45 * index, 99) for index in range(100)]
    loss = sum((pc.LaplaceLoss(distance=1, scale=scale) for scale in scales), pc.SumLoss(()))
    low, high = loss.interval(delta=1e-6)
    assert 2.72926 < low < high < 2.733645


def test_two_records_cost_little_more_than_twice_one() -> None:
    both = (SAMPLED.group(2) * 1000).epsilon(1e-6)
    assert 2 * (SAMPLED * 1000).epsilon(1e-6) <= both <= 4.9


def test_a_chain_reaches_the_same_figure() -> None:
    space = pc.vector(float, bounds=(0, 10))
    chain = space >> pc.Clamp(bounds=(0, 10)) >> pc.PoissonSample(rate=0.01) >> pc.Sum() >> pc.Gaussian(scale=10)
    assert (chain.map(1) * 1000).epsilon(1e-6) == pytest.approx(2.124519, abs=1e-5)


def test_a_million_small_releases() -> None:
    """Squares of mu add up: a million at 1/1000 are one at 1, whether they are put together or transformed."""
    tiny = pc.GaussianLoss(distance=1, scale=1000) * 10**6
    assert tiny.epsilon(1e-6) == pytest.approx(4.88655, abs=1e-4)
    response = pc.PureLoss(0.001) * 10**6
    assert 4.885 < response.epsilon(1e-6) < 4.895


def test_wrong_directions_are_not_mixed() -> None:
    """Behind a unit that may add a row where one is removed, both directions are covered at once: that costs more."""
    assert (SAMPLED.undirected() * 1000).epsilon(1e-6) > (SAMPLED * 1000).epsilon(1e-6) * Fraction(5, 4)
