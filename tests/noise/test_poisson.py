"""Poisson counts have exactly their stated law."""

import math
from collections import Counter
from fractions import Fraction

import pytest

from privet.core.exact import ball, precision
from privet.errors import InvalidError, NotExactError
from privet.noise.poisson import PoissonLaw, poisson
from tests.noise.doubles import RecordingEntropy
from tests.noise.goodness import goodness

MEANS = ["1/10", "1", "5/2", "12"]


def masses(mean: float) -> dict[int, float]:
    return {k: math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(200)}


@pytest.mark.parametrize("mean", MEANS)
def test_draws_follow_the_law(mean: str) -> None:
    """Five thousand draws by chi-square; a correct sampler fails once in a million seeds."""
    draws = poisson(Fraction(mean), 5_000, entropy=RecordingEntropy(5))
    assert goodness(Counter(draws.tolist()), masses(float(Fraction(mean)))) > 1e-6


@pytest.mark.parametrize("mean", MEANS)
def test_a_wrong_mean_is_rejected(mean: str) -> None:
    draws = poisson(Fraction(mean) * Fraction(3, 2), 5_000, entropy=RecordingEntropy(6))
    assert goodness(Counter(draws.tolist()), masses(float(Fraction(mean)))) < 1e-6


def test_the_masses_add_up_to_one() -> None:
    law = PoissonLaw(Fraction(50))
    with precision(256):
        mass = law.first()
        total = mass
        for k in range(400):
            mass = mass * ball(law.ratio(k))
            total += mass
        assert abs(total - 1) < 1e-60


def test_a_large_mean_stays_near_it() -> None:
    draws = [poisson(2000, entropy=RecordingEntropy(seed)) for seed in range(5)]
    assert all(abs(draw - 2000) < 10 * math.sqrt(2000) for draw in draws)


def test_edges_and_messages() -> None:
    assert type(poisson(1)) is int
    assert poisson(1, 0).shape == (0,)
    with pytest.raises(InvalidError, match=r"poisson\.mean must be above zero, got 0\."):
        poisson(0)
    with pytest.raises(NotExactError, match=r"poisson\.mean: expected a finite number"):
        poisson(math.inf)
