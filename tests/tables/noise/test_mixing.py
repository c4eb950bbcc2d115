"""Both kinds of noise in one plan: chosen by variances, fitted to the budget as one."""

from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.core.metric import Parts
from privet.tables.noise.fit import (
    WeightedNumbers,
    base_noise,
    calibrated_kind,
    fit_mixed_noise,
    fit_noise,
    split_epsilon,
)
from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.numbers_spec import ONE, NumbersSpec
from privet.tables.statistics.statistic import ROWS

ONCE = Contribution(l0=1, l1=1, linf=1)
OFTEN = Contribution(l0=60, l1=60, linf=1)
BUDGETS = [
    pv.budget(epsilon=1),
    pv.budget(epsilon=1, delta=1e-6),
    pv.budget(rho=0.1),
    pv.budget(epsilon=1, delta=1e-15),
]


def numbers(contribution: Contribution, groups: int, weight: int = 1) -> WeightedNumbers:
    row = Parts(l0=1, l1=1, l2_squared=1, linf=1)
    spec = NumbersSpec(statistics=(ROWS,), matrix=ONE, grid=Fraction(1), row=row)
    return WeightedNumbers(measured=spec, contribution=contribution, groups=groups, weight=Fraction(weight))


@pytest.mark.parametrize("budget", BUDGETS, ids=["pure", "approximate", "concentrated", "tiny delta"])
def test_what_is_chosen_fits_the_budget_and_hardly_less_would(budget: Any) -> None:
    found = fit_mixed_noise((numbers(ONCE, 1), numbers(OFTEN, 100, 2)), budget)
    assert found.loss <= budget
    assert not found.scaled(Fraction(98, 100)).loss <= budget


def test_numbers_that_one_unit_moves_once_get_laplace_noise_beside_gaussian_noise_of_many() -> None:
    sets, budget = (numbers(ONCE, 1, 30), numbers(OFTEN, 100)), pv.budget(epsilon=1, delta=1e-6)
    found = fit_mixed_noise(sets, budget)
    assert [noise.kind for noise in found.noises] == ["laplace", "gaussian"]
    assert found.spread <= fit_noise(sets, budget).spread


def test_an_epsilon_is_split_exactly_by_the_weights() -> None:
    found = split_epsilon((numbers(ONCE, 1, 1), numbers(ONCE, 1, 3)), pv.budget(epsilon=2))
    assert found is not None
    assert [noise.scale for noise in found.noises] == [2, Fraction(2, 3)]
    assert found.loss.pure().cost == 2
    assert split_epsilon((numbers(ONCE, 1),), pv.budget(rho=1)) is None


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_base_scales_cost_in_proportion_to_the_weights(kind: Any) -> None:
    one, three = base_noise((numbers(ONCE, 1, 1), numbers(ONCE, 1, 3)), kind).noises
    ratio = one.scale / three.scale if kind == "laplace" else (one.scale / three.scale) ** 2
    assert float(ratio) == pytest.approx(3)


def test_one_factor_keeps_the_ratios_of_the_scales() -> None:
    sets, budget = (numbers(ONCE, 1), numbers(OFTEN, 100, 2)), pv.budget(rho=0.1)
    base, found = base_noise(sets, "gaussian").noises, calibrated_kind(sets, budget, "gaussian").noises
    assert found[0].scale / base[0].scale == found[1].scale / base[1].scale
