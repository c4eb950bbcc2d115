"""The harness itself: known quantiles, and the broken samplers that it must catch."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.noise import discrete_laplace, geometric
from privet.noise.discrete_laplace import LaplaceMagnitude
from privet.noise.drawing.batches import with_signs
from privet.noise.drawing.table import DrawTable, table_of
from tests.noise.chi_square import chi_square_upper, laplace_mass, make_bins, p_value, poisson_upper
from tests.noise.doubles import RecordingEntropy

DRAWS = 2_000_000
SCALE = 10


def five_percent_small() -> NDArray[np.int64]:
    return discrete_laplace(SCALE * 0.95, DRAWS, entropy=RecordingEntropy(1))


def two_zeros() -> NDArray[np.int64]:
    """A sign on one-sided draws without refusing the negative zero."""
    source = RecordingEntropy(2)
    return with_signs(geometric(SCALE, DRAWS, entropy=source), source)


def biased_sign() -> NDArray[np.int64]:
    """Truncation towards zero of a shifted value: some of the mass at -1 moves to 0."""
    draws = discrete_laplace(SCALE, DRAWS, entropy=RecordingEntropy(5))
    moved = (draws == -1) & (RecordingEntropy(6).words(DRAWS, np.uint8) < 16)
    return np.where(moved, 0, draws)


def off_by_one_guide() -> NDArray[np.int64]:
    """The cells of one value point at the next one."""
    good = table_of(LaplaceMagnitude(Fraction(SCALE)))
    bad = DrawTable(good.law, good.low, good.high)
    object.__setattr__(bad, "guide", np.where(good.guide == 20, 21, good.guide))
    entropy = RecordingEntropy(7)
    magnitudes = bad.draw(DRAWS, entropy)
    return np.where(entropy.words(DRAWS, np.uint8) & 1 == 1, -magnitudes, magnitudes)


@pytest.mark.parametrize("broken", [five_percent_small, two_zeros, biased_sign, off_by_one_guide])
def test_a_broken_sampler_is_caught(broken: Callable[[], NDArray[np.int64]]) -> None:
    assert p_value(broken(), laplace_mass(SCALE)) < 1e-6


def test_a_correct_sampler_passes() -> None:
    assert p_value(discrete_laplace(SCALE, DRAWS, entropy=RecordingEntropy(8)), laplace_mass(SCALE)) > 1e-6


def test_an_impossible_value_is_caught() -> None:
    samples = np.zeros(10_000, np.int64)
    assert p_value(samples, laplace_mass(1e-3)) == 1
    samples[7] = 1
    samples[8] = -1
    assert p_value(samples, laplace_mass(1e-3)) < 1e-5


def test_bins_hold_all_of_the_mass_and_enough_each() -> None:
    bins = make_bins(laplace_mass(3), 100_000)
    assert bins.probabilities.sum() == pytest.approx(1)
    assert (bins.probabilities * 100_000 >= 50).all()
    assert bins.edges.size + 1 == bins.probabilities.size
    assert (np.diff(bins.edges) > 0).all()


def test_upper_tails_have_their_known_values() -> None:
    assert chi_square_upper(3.841458820694124, 1) == pytest.approx(0.05)
    assert poisson_upper(1, 2.0) == pytest.approx(1 - np.exp(-2))
    assert poisson_upper(744, 632.554144947245) == pytest.approx(8.642496e-06)  # far out, and not by cancellation
    assert poisson_upper(280, 275.63029239756696) == pytest.approx(0.40417208)
