"""The test that judges samplers: at 5 % it raises false alarms as often as it says, over two thousand runs."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from privet.noise import discrete_gaussian, discrete_laplace
from tests.noise.chi_square import Mass, gaussian_mass, laplace_mass, make_bins, p_value_in
from tests.noise.doubles import RecordingEntropy

RUNS, DRAWS, LEVEL = 2000, 100_000, 0.05
# Of 2,000 runs 100 are expected at the level, with a deviation of 9.7. More than 155 have a probability below 1e-6;
# fewer than 40 would mean a test without power. It is a little conservative, as it looks at the far tail apart.
MOST, FEWEST = 155, 40


@pytest.mark.long
@pytest.mark.parametrize("scale", ["1", "7/3", "50", "1000"])
@pytest.mark.parametrize(("sampler", "mass"), [(discrete_laplace, laplace_mass), (discrete_gaussian, gaussian_mass)])
def test_false_alarms(sampler: Any, mass: Callable[[float], Mass], scale: str) -> None:
    exact = Fraction(scale)
    bins, source = make_bins(mass(float(exact)), DRAWS), RecordingEntropy(31)
    alarms = sum(p_value_in(sampler(exact, DRAWS, entropy=source), bins) < LEVEL for _ in range(RUNS))
    assert FEWEST <= alarms <= MOST
