"""The first release of a fit: means are shrunk where noise is large, and spreads lie between public ends."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privet.models.centre import Centre, release_centre


def centred(count: float, mean: Any, squares: float, noise: float) -> Centre:
    """Read a release of rows in a ball of radius one."""
    release = np.array([count, *(count * np.array(mean)), count * squares])
    rows: Any = SimpleNamespace(release=lambda name, *units, share: release, scale=lambda: noise)
    return release_centre(rows, range(len(mean)), 1, Fraction(1, 10))


def test_a_mean_without_noise_is_kept() -> None:
    found = centred(100, [0.1, -0.2, 0.1, 0.0], 0.31, 1e-9)
    assert np.allclose(found.mean, [0.1, -0.2, 0.1, 0.0])
    assert abs(found.spread - 0.5) < 1e-9
    assert found.count == 100


def test_a_mean_is_shrunk_by_what_noise_adds_to_its_squared_length() -> None:
    """The noise of each of four numbers is 0.05: it explains 0.01 of a squared length of 0.04."""
    assert np.allclose(centred(100, [0.1] * 4, 0.3, 5.0).mean, [0.075] * 4)
    assert centred(100, [0.1] * 4, 0.3, 15.0).mean.tolist() == [0.0] * 4


@pytest.mark.parametrize(("squares", "spread"), [(-3.0, 0.1), (9.0, 1.0)])
def test_a_spread_is_at_most_the_radius_and_at_least_a_tenth_of_it(squares: float, spread: float) -> None:
    assert abs(centred(100, [0.0], squares, 1.0).spread - spread) < 1e-5


def test_a_mean_lies_where_encoded_numbers_lie() -> None:
    """Far outside of them, rows would be centred at a place that noise alone has chosen."""
    assert centred(100, [40.0, -0.5, -3.0], 9.0, 1.0).mean.tolist()[::2] == [1.0, -1.0]
