"""The laws of post-processing for every aggregate: it is total, values lie in their intervals, JSON keeps all."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.noise.plan import NoisePlan, NoisyNumbers
from privet.tables.releases.release import Release
from privet.tables.statistics.contribution import Contribution
from tests.tables.aggregates.cases import aggregate_cases
from tests.tables.nodes.spaces import VISITS
from tests.tables.opened import released

STRANGE = [0, 1, -1, 7, -(10**6), 10**12, 2**62, -(2**62)]
CASES = [pytest.param(case, id=f"{case.name}_{at}") for at, case in enumerate(aggregate_cases())]


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("aggregate", CASES)
@pytest.mark.filterwarnings("error")
def test_no_noisy_number_raises_warns_or_changes_the_shape(aggregate: Aggregate, kind: NoiseKind) -> None:
    bound = aggregate.bind(VISITS)
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


def _likely(bound: Aggregate) -> tuple[Any, Noise]:
    """Numbers of fifty rows with the noise that was added."""
    measured = bound.measured()
    random = np.random.default_rng(4)
    scale = measured.row.l1 * 3
    steps = np.rint(random.laplace(0, float(scale / measured.grid), size=(500, measured.length))).astype(np.int64)
    noise = Noise(kind="laplace", scale=scale, grid=measured.grid)
    return steps + 50 * int(measured.row.l1 / measured.grid), noise


@pytest.mark.parametrize("aggregate", CASES)
def test_values_lie_within_their_intervals(aggregate: Aggregate) -> None:
    bound = aggregate.bind(VISITS)
    if not bound.numeric:
        pytest.skip("categories have no order")
    numbers, noise = _likely(bound)
    value = bound.estimate(numbers, noise).value
    low, high = bound.interval(numbers, noise, Fraction(95, 100))
    assert (low <= value + 1e-9).all()
    assert (value <= high + 1e-9).all()


@pytest.mark.parametrize("aggregate", CASES)
def test_a_higher_level_is_never_narrower(aggregate: Aggregate) -> None:
    bound = aggregate.bind(VISITS)
    if not bound.numeric:
        pytest.skip("categories have no order")
    numbers, noise = _likely(bound)
    narrow, wide = (bound.interval(numbers[:50], noise, level) for level in (Fraction(1, 2), Fraction(99, 100)))
    assert (wide[0] <= narrow[0] + 1e-9).all()
    assert (wide[1] >= narrow[1] - 1e-9).all()


@pytest.mark.parametrize("aggregate", CASES)
def test_less_noise_is_expected_to_err_less(aggregate: Aggregate) -> None:
    bound = aggregate.bind(VISITS)
    scale, grid = bound.measured().row.l1, bound.measured().grid
    small, large = (
        bound.expected(Noise(kind="laplace", scale=scale * times, grid=grid), Fraction(10**4)) for times in (1, 100)
    )
    assert 0 < small.size < np.inf
    assert 0 <= small.error <= large.error < np.inf


@pytest.mark.parametrize("aggregate", CASES)
def test_a_release_is_written_and_read_as_it_was(aggregate: Aggregate) -> None:
    bound = aggregate.bind(VISITS)
    numbers, noise = _likely(bound)
    part = NoisyNumbers(measured=bound.measured(), noise=noise, names=("it",))
    once = Contribution(l0=1, l1=1, linf=1)
    plan = NoisePlan(aggregates=(("it", bound),), contribution=once, groups=3, planned=(part,))
    release = released(plan, (numbers[:3],), keys=["g"], groups=[(at,) for at in range(3)])
    back = Release.from_json(release.to_json())
    assert back == release
    assert back.loss == release.loss
    assert pv.Release.from_json(back.to_json()).to_json() == release.to_json()
