"""Distributions of a few losses on a fine grid, against exact curves and against cells."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

import privet as pv
import privet.calculus as pc
from privet.accounting.composition import composition
from privet.accounting.pairs.distribution import AtomGrid, Distribution, _best_phase, halves, scatter
from privet.accounting.pairs.laplace_pair import laplace_pair
from privet.accounting.pairs.normal_pair import discrete_normal_pair
from privet.accounting.pairs.pair import AtomPair, Pair, nothing_private, response_pair
from tests.accounting.exact_losses import (
    Curve,
    at,
    discrete_laplace_curve,
    discrete_normal_curve,
    distribution_delta,
    enclosed,
    grid,
    response_curve,
)

EPSILONS = grid(-1.3, 1.7, 13)
PAIRS: dict[str, tuple[Pair, Curve]] = {
    "one step": (discrete_normal_pair(1, Fraction(4)), discrete_normal_curve(1, Fraction(4))),
    "three steps": (discrete_normal_pair(3, Fraction(50)), discrete_normal_curve(3, Fraction(50))),
    "coarse": (discrete_normal_pair(1, Fraction(1, 2)), discrete_normal_curve(1, Fraction(1, 2))),
    "Laplace, one step": (
        laplace_pair(Fraction(1), Fraction(2), 1),
        discrete_laplace_curve(Fraction(1, 2), 1),
    ),
    "Laplace, five steps": (
        laplace_pair(Fraction(5), Fraction(4), 5),
        discrete_laplace_curve(Fraction(5, 4), 5),
    ),
    "response": (response_pair(Fraction(1), Fraction(0)), response_curve(Fraction(1))),
    "response with slack": (
        response_pair(Fraction(2, 3), Fraction(1, 100)),
        response_curve(Fraction(2, 3), Fraction(1, 100)),
    ),
}


def read(pair: Pair, step: float, tail: float) -> AtomGrid:
    atoms = pair.atoms()
    assert atoms is not None
    found = scatter(atoms, step, tail)
    assert found is not None
    return found


def faults(
    pair: Pair,
    curve: Curve,
    step: float,
    tail: float,
    above: Callable[[AtomGrid], Distribution] = AtomGrid.above,
    below: Callable[[AtomGrid], Distribution] = AtomGrid.below,
) -> list[str]:
    """Say where a bound lies on the wrong side of the curve."""
    few, found = read(pair, step, tail), []
    for epsilon in EPSILONS:
        least, most = enclosed(curve, epsilon)
        if distribution_delta(above(few), epsilon, 1) < least:
            found.append(f"from above at {float(epsilon)}")
        if distribution_delta(below(few), epsilon, -1) > max(most, Fraction(0)):
            found.append(f"from below at {float(epsilon)}")
    return found


@pytest.mark.parametrize("tail", [1e-13, 1e-4, 0.05])
@pytest.mark.parametrize("step", [1 / 97, 1 / 128, 0.0013])
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.share(2)
def test_both_bounds_hold(name: str, step: float, tail: float) -> None:
    assert faults(*PAIRS[name], step, tail) == []


@pytest.mark.parametrize("name", PAIRS)
def test_a_finer_grid_brings_the_bounds_together(name: str) -> None:
    pair, curve = PAIRS[name]
    few, epsilon = read(pair, 1e-5, 1e-13), Fraction(1, 10)
    exact = at(curve, epsilon)
    assert distribution_delta(few.above(), epsilon, 1) <= exact * (1 + Fraction(1, 10**3)) + Fraction(1, 10**12)
    assert distribution_delta(few.below(), epsilon, -1) >= exact * (1 - Fraction(1, 10**3)) - Fraction(1, 10**12)


def tails_left_in_place(few: AtomGrid) -> Distribution:
    """Move what lies below the first loss to the lower end of its cell: some of it lies above."""
    found = few.above()
    masses, count = found.masses.copy(), few.end - few.start
    moved = float(few.pair.masses[: few.start].sum())
    masses[0] += moved
    masses[count] -= moved
    return evolve(found, masses=masses)


def to_the_lower_end(few: AtomGrid) -> Distribution:
    found = few.above()
    return evolve(found, first=found.first - 1)


def without_what_lies_above(few: AtomGrid) -> Distribution:
    return evolve(few.above(), infinite=few.pair.only_p + few.pair.beyond)


def split_evenly(few: AtomGrid) -> Distribution:
    found, count = few.above(), few.end - few.start
    half = few.pair.masses[few.start : few.end] / 2
    return evolve(found, masses=np.concatenate([half, half])) if count else found


def to_the_nearest_point(few: AtomGrid) -> Distribution:
    found = few.below()
    return evolve(found, offset=found.offset + few.step / 2)


@pytest.mark.parametrize(
    ("wrong", "tail"), [(to_the_lower_end, 1e-13), (without_what_lies_above, 0.05), (split_evenly, 1e-13)]
)
def test_wrong_bounds_from_above_are_caught(wrong: Callable[[AtomGrid], Distribution], tail: float) -> None:
    pair, curve = PAIRS["three steps"]
    assert faults(pair, curve, 1 / 128, tail, above=wrong)


def test_tails_that_are_moved_down_are_caught() -> None:
    """Two losses in one cell, of which the first counts as a tail."""
    pair = AtomPair(np.array([0.101, 0.109, 0.9]), np.array([0.4, 0.2, 0.4]), 0.0, 0.0, 0.0, 0.0)
    few, epsilon = AtomGrid(pair, 0.1, 1, 3), Fraction(1, 20)
    exact = sum(
        Fraction(mass) * (1 - Fraction(float(np.exp(float(epsilon) - loss))))
        for loss, mass in zip(pair.losses.tolist(), pair.masses.tolist(), strict=True)
    )
    assert distribution_delta(few.above(), epsilon, 1) >= exact
    assert distribution_delta(tails_left_in_place(few), epsilon, 1) < distribution_delta(few.above(), epsilon, 1)


def test_losses_that_move_up_are_caught_from_below() -> None:
    pair, curve = PAIRS["Laplace, one step"]
    assert faults(pair, curve, 1 / 128, 1e-13, below=to_the_nearest_point)


@pytest.mark.parametrize("there", [-1e-3, 1e-3])
def test_a_slip_of_the_losses_is_counted(there: float) -> None:
    losses, masses = np.array([-0.5, 0.0, 0.75]), np.array([0.2, 0.3, 0.5])
    seen = AtomPair(losses, masses, 0.0, 0.0, 0.0, 1e-3)
    few = read(seen, 0.01, 1e-13)
    for epsilon in EPSILONS:
        gaps = [float(epsilon) - float(loss) - there for loss in losses]
        exact = sum(float(mass) * -np.expm1(gap) for mass, gap in zip(masses, gaps, strict=True) if gap < 0)
        assert float(distribution_delta(few.above(), epsilon, 1)) >= exact - 1e-15
        assert float(distribution_delta(few.below(), epsilon, -1)) <= exact + 1e-15


def test_errors_of_the_masses_are_rounded_outward() -> None:
    pair, curve = PAIRS["response"]
    atoms = pair.atoms()
    assert atoms is not None
    for sign in (-1, 1):
        wrong = evolve(atoms, masses=atoms.masses * (1 + 1e-4 * sign), error=1.1e-4)
        assert faults(wrong, curve, 1 / 128, 1e-13) == []
        assert faults(evolve(wrong, error=0.0), curve, 1 / 128, 1e-13)


def test_laplace_noise_in_atoms_is_that_in_cells() -> None:
    for steps in (1, 2, 3, 17, 400):
        pair = laplace_pair(Fraction(3), Fraction(2), steps)
        atoms = pair.atoms()
        assert atoms is not None
        edges = np.linspace(-1.7123, 1.6957, 41)
        one, other = atoms.cells(edges), pair.cells(edges)
        assert np.allclose(one.p, other.p, rtol=1e-12, atol=1e-300)
        assert np.allclose(one.q, other.q, rtol=1e-12, atol=1e-300)
        assert atoms.blur == other.blur


def test_fine_and_continuous_laplace_noise_is_not_listed() -> None:
    assert laplace_pair(Fraction(1), Fraction(1), 0).atoms() is None
    assert laplace_pair(Fraction(1), Fraction(1), 2**20).atoms() is None


def test_a_coarse_grid_is_read_in_cells() -> None:
    atoms = discrete_normal_pair(1, Fraction(100)).atoms()
    assert atoms is not None
    assert scatter(atoms, 0.01, 1e-13) is None
    assert scatter(atoms, 0.001, 1e-13) is not None


def test_what_is_not_private_at_all_stays_so() -> None:
    few = read(nothing_private(), 0.1, 1e-9)
    assert few.above().infinite >= 1
    assert few.below().infinite <= 1


LOSSES: dict[str, Callable[[int], pv.Loss]] = {
    "Gaussian": lambda k: pc.GaussianLoss(distance=1 + k % 2, scale=9 + Fraction(k, 7), step=1),
    "Laplace": lambda k: pc.LaplaceLoss(distance=1 + k % 3, scale=9 + Fraction(k, 7), step=1),
    "pure": lambda k: pc.PureLoss(Fraction(1, 9 + k)),
    "approximate": lambda k: pc.ApproximateLoss(Fraction(1, 9 + k), Fraction(1, 10**9 + k)),
}


@pytest.mark.parametrize("delta", [Fraction(1, 10**6), Fraction(1, 10**12)])
@pytest.mark.parametrize("name", LOSSES)
def test_sums_cost_what_cells_say(name: str, delta: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both bounds lie on the right side of the other way's, and are no wider."""
    parts = [LOSSES[name](k) for k in range(40)]
    low, high = sum(parts[1:], parts[0]).interval(delta=delta)
    monkeypatch.setattr(composition, "scatter", lambda *_: None)
    below, above = sum(reversed(parts[:-1]), parts[-1]).interval(delta=delta)
    assert low <= above
    assert below <= high
    assert high <= above * (1 + Fraction(1, 10**5))
    assert high - low <= (above - below) * Fraction(11, 10) + above / 10**6


def test_the_grid_lies_where_moving_down_costs_least() -> None:
    generator = np.random.default_rng(5)
    for _ in range(50):
        losses, masses = generator.uniform(-9, 9, 7), generator.uniform(0, 1, 7)
        best = _best_phase(losses, masses)
        costs = [float((masses * ((losses - phase) % 1.0)).sum()) for phase in [best, *(losses % 1.0 - 1e-12)]]
        assert costs[0] <= min(costs[1:]) + 1e-9 or np.isclose(costs[0] - masses.max(), min(costs[1:]))


def test_reading_in_cells_agrees() -> None:
    """The means of the losses are those of the cells, up to a step."""
    pair, step = discrete_normal_pair(1, Fraction(400)), 1e-4
    few, dense = read(pair, step, 1e-13), halves(pair, step, 1e-13)
    for one, other in ((few.above(), dense.above()), (few.below(), dense.below())):
        means = [float((each.masses * each.losses()).sum()) for each in (one, other)]
        assert abs(means[0] - means[1]) < step
