"""Forty scales: ten million draws each follow the law, and a scale that is off by 2 % either way is rejected."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from privet.noise import discrete_gaussian, discrete_laplace
from tests.noise import laws
from tests.noise.chi_square import Mass, gaussian_mass, laplace_mass

SCALES = [
    *("1/3", "2/5", "1/2", "3/5", "2/3", "3/4", "1", "5/4", "3/2", "7/4", "2", "7/3", "3", "7/2", "4", "5", "6", "8"),
    *("10", "25/2", "15", "20", "63/2", "32", "50", "64", "100", "200", "333", "500", "1000", "2500", "5000", "10000"),
    *("98765/4", "65536", "100000", "999999/7", "300000", "1000000"),
]
SAMPLERS = [(discrete_laplace, laplace_mass), (discrete_gaussian, gaussian_mass)]


@pytest.mark.long
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("sampler", "mass"), SAMPLERS)
def test_ten_million_draws(sampler: Any, mass: Callable[[float], Mass], scale: str) -> None:
    laws.check_draws(sampler, mass, Fraction(scale), draws=10_000_000)


@pytest.mark.long
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("off", ["98/100", "102/100"])
@pytest.mark.parametrize(("sampler", "mass"), SAMPLERS)
def test_a_scale_off_by_two_percent_is_rejected(
    sampler: Any, mass: Callable[[float], Mass], off: str, scale: str
) -> None:
    laws.check_wrong_scale(sampler, mass, Fraction(scale), off=Fraction(off))


def test_there_are_forty_scales() -> None:
    assert len(set(SCALES)) == 40
