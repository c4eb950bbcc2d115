"""Spherical Laplace noise."""

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from privet.core.exact import ball
from privet.errors import InvalidError, NotExactError, WrongTypeError
from privet.noise.spherical_laplace import spherical_laplace
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy
from tests.noise.goodness import goodness
from tests.noise.heavy import check_heavy, heavy_p_value


def within(dimension: int, z: Fraction) -> arb:
    """P(|B_1| <= z) for one coordinate, in one and in three dimensions.

    In three dimensions the density of a coordinate is (1 + |z|) exp(-|z|) / 4: the integral over the plane.
    """
    size = ball(z)
    return 1 - (-size).exp() if dimension == 1 else 1 - (1 + size / 2) * (-size).exp()


def draws(dimension: int, scale: Any, size: int, source: Any) -> Any:
    return np.array([spherical_laplace(dimension, scale, entropy=source) for _ in range(size)])


@pytest.mark.parametrize(("dimension", "scale"), [(1, "1"), (1, "37/2"), (3, "1/2"), (3, "10")])
def test_a_coordinate_follows_its_density(dimension: int, scale: str) -> None:
    """A right sampler fails once in a million seeds."""
    spread = Fraction(scale)
    check_heavy(lambda z: within(dimension, z), lambda n, source: draws(dimension, spread, n, source)[:, -1], spread)


def test_a_wrong_scale_and_a_wrong_dimension_are_noticed() -> None:
    """2,500 draws at a scale that is off by a quarter add about 150 to the statistic, whose bound is near 70."""
    three = draws(3, 10, 2500, RecordingEntropy(4))[:, 0]
    assert heavy_p_value(three, lambda z: within(3, z), Fraction(25, 2)) < 1e-6
    assert heavy_p_value(three, lambda z: within(1, z), Fraction(10)) < 1e-6


@pytest.mark.parametrize("dimension", [1, 2, 5, 20])
def test_lengths_have_the_law_of_gamma(dimension: int) -> None:
    """P(|B| <= r) is one minus a Poisson tail; ten bins of equal mass, 4,000 draws."""
    drawn = draws(dimension, 2**20, 4000, RecordingEntropy(dimension)).astype(float) / 2**20
    lengths = np.sqrt((drawn**2).sum(axis=1))
    shares = [1 - sum(math.exp(-r) * r**k / math.factorial(k) for k in range(dimension)) for r in lengths.tolist()]
    counts = Counter(int(10 * share) for share in shares)
    assert goodness(counts, dict.fromkeys(range(10), 0.1)) > 1e-6


def test_directions_are_uniform() -> None:
    """In the plane the angle is uniform: sixteen sectors, 8,000 draws. Independent coordinates fail."""
    drawn = draws(2, 2**20, 8000, RecordingEntropy(9)).astype(float)
    sectors = Counter(np.floor(16 * (np.arctan2(drawn[:, 1], drawn[:, 0]) / (2 * np.pi) + 0.5)).astype(int).tolist())
    assert goodness(sectors, dict.fromkeys(range(16), 1 / 16)) > 1e-6
    wrong = np.random.default_rng(1).laplace(size=(8000, 2))
    sectors = Counter(np.floor(16 * (np.arctan2(wrong[:, 1], wrong[:, 0]) / (2 * np.pi) + 0.5)).astype(int).tolist())
    assert goodness(sectors, dict.fromkeys(range(16), 1 / 16)) < 1e-6


def test_length_and_direction_are_independent() -> None:
    """Four quarters of lengths by eight sectors, 8,000 draws."""
    drawn = draws(2, 2**20, 8000, RecordingEntropy(10)).astype(float) / 2**20
    lengths = np.sqrt((drawn**2).sum(axis=1))
    quarters = np.floor(4 * (1 - (1 + lengths) * np.exp(-lengths))).astype(int)
    sectors = np.floor(8 * (np.arctan2(drawn[:, 1], drawn[:, 0]) / (2 * np.pi) + 0.5)).astype(int)
    counts = Counter(zip(quarters.tolist(), sectors.tolist(), strict=True))
    assert goodness(counts, {(q, s): 1 / 32 for q in range(4) for s in range(8)}) > 1e-6


@pytest.mark.parametrize("word", [0, 1, (1 << 192) - 1])
def test_the_ends_of_the_uniform_numbers_are_drawn_too(word: int) -> None:
    """All bits zero or one: the sampler reads on, and ends."""
    drawn = spherical_laplace(1, 1, entropy=ScriptedEntropy(word.to_bytes(24, "little") * 3))
    assert type(drawn[0]) is int


def test_the_randomness_that_is_read_depends_on_public_numbers_only() -> None:
    read = set()
    for seed in range(50):
        entropy = RecordingEntropy(seed)
        assert spherical_laplace(4, 1000, entropy=entropy).dtype == object
        read.add(entropy.handed_out)
    assert len(read) == 1


def test_large_and_small_scales() -> None:
    assert abs(spherical_laplace(2, 2**200)).max() > 2**150
    assert spherical_laplace(3, Fraction(1, 2**100)).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("dimension", "scale", "error", "message"),
    [
        (0, 1, InvalidError, "spherical_laplace.dimension must be 1 or more, got 0."),
        (1.5, 1, WrongTypeError, "spherical_laplace.dimension must be a whole number"),
        (2, 0, InvalidError, "spherical_laplace.scale must be above zero, got 0."),
        (2, "1", NotExactError, "spherical_laplace.scale"),
    ],
)
def test_wrong_parameters_are_refused(dimension: Any, scale: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        spherical_laplace(dimension, scale)
