"""Post-processing is total: whatever the noisy numbers, results have the same shape, are finite, and do not warn."""

from fractions import Fraction

import numpy as np
import pytest

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise, NoiseKind
from tests.tables.aggregates.test_distances import ASKED, COLUMNS

STRANGE = [0, 1, -1, 7, -(10**6), 10**12, 2**62, -(2**62)]


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("aggregate", ASKED, ids=lambda item: item.name)
@pytest.mark.filterwarnings("error")
def test_no_noisy_number_raises_warns_or_changes_the_shape(aggregate: Aggregate, kind: NoiseKind) -> None:
    bound = aggregate.bind(COLUMNS)
    measured = bound.measured()
    random = np.random.default_rng(3)
    numbers = random.choice(np.array(STRANGE, dtype=np.int64), size=(200, measured.length))
    numbers[0], numbers[1], numbers[2] = 0, 2**62, -(2**62)
    noise = Noise(kind=kind, scale=measured.row.l1 * 3, grid=measured.grid)
    found = bound.estimate(numbers, noise)
    low, high = bound.interval(numbers, noise, Fraction(95, 100))
    shape = (200, len(bound.outputs))
    assert found.value.shape == found.error.shape == low.shape == high.shape == shape
    if bound.numeric:
        assert np.isfinite(found.value.astype(float)).all()
        assert np.isfinite(found.error).all()
        assert (low <= high).all()


@pytest.mark.parametrize("aggregate", [item for item in ASKED if item.numeric], ids=lambda item: item.name)
def test_values_lie_within_their_intervals(aggregate: Aggregate) -> None:
    bound = aggregate.bind(COLUMNS)
    measured = bound.measured()
    random = np.random.default_rng(4)
    scale = measured.row.l1 * 3
    steps = np.rint(random.laplace(0, float(scale / measured.grid), size=(500, measured.length))).astype(np.int64)
    noise = Noise(kind="laplace", scale=scale, grid=measured.grid)
    value = bound.estimate(steps + 50 * int(measured.row.l1 / measured.grid), noise).value
    low, high = bound.interval(steps + 50 * int(measured.row.l1 / measured.grid), noise, Fraction(95, 100))
    assert (low <= value + 1e-9).all()
    assert (value <= high + 1e-9).all()
