"""Ranks: pools are the rising ranks nearest to noisy ones, and the noise of their means is known exactly."""

from fractions import Fraction

import numpy as np
import pytest

from privet.tables.aggregates.ranks import Pools, noise_squares, pooled, rank_weights

BINS, CHILDREN, HALF = 20, 5, Fraction(1, 2)


def by_definition(row: list[float]) -> list[float]:
    """The isotonic regression, as the largest of the smallest means over all stretches that hold a place."""
    count = len(row)
    return [
        max(min(float(np.mean(row[a : b + 1])) for b in range(at, count)) for a in range(at + 1)) for at in range(count)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_pools_are_the_isotonic_regression(seed: int) -> None:
    ranks = np.random.default_rng(seed).normal(size=(4, 12)).cumsum(axis=1)
    pools = pooled(ranks)
    assert pools.spread(pools.level).tolist() == [pytest.approx(by_definition(row)) for row in ranks.tolist()]


def test_pools_do_not_reach_into_the_next_group() -> None:
    pools = pooled(np.array([[1.0, 2.0], [0.0, -1.0]]))
    assert pools.spread(pools.level).tolist() == [[1.0, 2.0], [-0.5, -0.5]]
    assert (pools.first.tolist(), pools.stop.tolist()) == ([0, 1, 0], [1, 2, 2])


def test_ranks_that_rise_stay_as_they_are() -> None:
    rising = np.arange(12.0).reshape(2, 6)
    assert np.array_equal(pooled(rising).level, rising.reshape(-1))


def test_no_groups_have_no_pools() -> None:
    assert pooled(np.empty((0, 3))).spread(np.empty(0)).shape == (0, 3)


@pytest.mark.parametrize(("first", "stop"), [(0, 1), (0, 19), (7, 12)])
def test_the_deviation_of_a_pool_is_that_of_the_mean_of_its_weights(first: int, stop: int) -> None:
    pool = Pools(shape=(1, 19), level=np.zeros(1), first=np.array([first]), stop=np.array([stop]))
    mean = rank_weights(BINS, CHILDREN, HALF)[first:stop].mean(axis=0)
    assert pool.deviations(noise_squares(BINS, CHILDREN, HALF))[0] == pytest.approx(np.linalg.norm(mean))
