"""Pairs of Laplace laws, continuous and discrete, against exact curves and masses."""

import math
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

from privet.accounting.pairs.distribution import halves
from privet.accounting.pairs.laplace_pair import LaplacePair, laplace_pair
from privet.accounting.pairs.pair import Cells
from privet.core.exact import ball, precision
from tests.accounting.exact_losses import (
    BITS,
    Changed,
    discrete_laplace_curve,
    faults,
    gap,
    grid,
    laplace_curve,
    off_by,
)

EPSILONS = [*grid(-2.1, 3.3, 7), Fraction(0)]


@pytest.mark.parametrize(("cost", "step"), [(1, 0.01), (1, 0.25), (Fraction(1, 100), 1e-3), (7, 0.3), (500, 3.0)])
def test_continuous_laws_are_on_the_right_side(cost: Fraction, step: float) -> None:
    pair = laplace_pair(Fraction(cost), Fraction(1), 0)
    assert faults(pair, laplace_curve(Fraction(cost)), step, [*EPSILONS, Fraction(cost) * 2 / 3]) == []


@pytest.mark.parametrize(
    ("cost", "steps", "step"),
    [(1, 1, 0.01), (1, 2, 0.25), (2, 3, 0.1), (Fraction(1, 3), 7, 0.01), (5, 100, 0.05), (500, 1, 3.0), (500, 9, 3.0)],
)
def test_discrete_laws_are_on_the_right_side(cost: Fraction, steps: int, step: float) -> None:
    pair = laplace_pair(Fraction(cost), Fraction(1), steps)
    curve = discrete_laplace_curve(Fraction(cost), steps)
    assert faults(pair, curve, step, [*EPSILONS, Fraction(cost) * 2 / 3]) == []


@pytest.mark.parametrize("steps", [1, 2, 5000, 10**6])
def test_cells_of_discrete_laws_are_within_their_error(steps: int) -> None:
    pair = LaplacePair(3.0, steps)
    middle = steps // 2
    # edges half-way between the losses of neighbouring numbers, so that each cell has one
    first, last = max(middle - 5, 0), min(middle + 5, steps - 1)
    edges = (2 * np.arange(first, last + 1, dtype=np.float64) + 1 - steps) * (3.0 / steps)
    found = pair.cells(edges)
    with precision(BITS):
        r = (ball(-3) / steps).exp()
        for index in range(1, len(edges)):
            k = first + index
            exact = (1 - r) / (1 + r)
            assert off_by(float(found.p[index]), exact * r ** (steps - k)) < found.error
            assert off_by(float(found.q[index]), exact * r**k) < found.error
        below = r ** (steps - first) / (1 + r)  # of P, up to the first number
        assert off_by(float(found.p[0]), below) < found.error
        assert off_by(float(found.q[-1]), r ** (last + 1) / (1 + r)) < found.error


def test_no_mass_lies_beyond_the_last_loss() -> None:
    for steps in (0, 1, 3, 7, 1000):
        cells = LaplacePair(0.7, steps).cells(np.linspace(-0.8, 0.8, 57))
        assert cells.p[0] == cells.p[-1] == 0
        assert math.isclose(cells.p.sum(), 1, rel_tol=1e-12)
        assert math.isclose(cells.q.sum(), 1, rel_tol=1e-12)


def test_tails_outside_the_edges_are_kept() -> None:
    for steps in (0, 10):
        cells = LaplacePair(2.0, steps).cells(np.array([-0.5, 0.5]))
        assert math.isclose(cells.p.sum(), 1, rel_tol=1e-12)
        assert math.isclose(cells.q.sum(), 1, rel_tol=1e-12)


def test_bounds_are_close() -> None:
    assert gap(laplace_pair(Fraction(1), Fraction(1), 0), 0.01, Fraction(1, 3)) < 1e-3
    assert gap(laplace_pair(Fraction(1), Fraction(1), 4), 0.125, Fraction(1, 3)) < 1e-8


def test_losses_beyond_the_largest_protect_nothing() -> None:
    assert laplace_pair(Fraction(601), Fraction(1), 0).cells(np.array([0.0])).only_p == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("steps", [0, 1, 10**9, 2**60, 2**1074])
@pytest.mark.parametrize("cost", [Fraction(1, 10**320), Fraction(1), Fraction(600)])
def test_extreme_laws_stay_laws(steps: int, cost: Fraction) -> None:
    pair = laplace_pair(cost, Fraction(1), steps)
    low, high = pair.span(1e-9)
    above = halves(pair, max((high - low) / 100, 1e-9), 1e-9).above()
    assert above.masses.sum() + above.infinite >= 1
    assert above.infinite < 1e-200 or cost == 600


def test_fewer_steps_dominate() -> None:
    """Where steps are too many to tell apart, every so many stand for all."""
    pair = laplace_pair(Fraction(1), Fraction(1), 2**60 + 1)
    assert isinstance(pair, LaplacePair)
    assert pair.steps <= 2**40 + 1
    assert 1 <= pair.epsilon < 1 + 2.0**-38
    assert pair.cells(np.array([0.0])).blur >= 6 / pair.steps  # from below they count as less


def without_a_step(cells: Cells) -> Cells:
    return evolve(cells, q=cells.q * math.exp(1 / 3))  # as if Q did not fall from a step to the next


@pytest.mark.parametrize(
    "change",
    [
        without_a_step,
        lambda cells: evolve(cells, p=np.roll(cells.p, -4), q=np.roll(cells.q, -4)),
        lambda cells: evolve(cells, p=np.where(cells.p == cells.p.max(), cells.p / 2, cells.p)),
    ],
    ids=["a step of Q missing", "moved down", "half of a half"],
)
def test_mistakes_are_caught(change: "object") -> None:
    curve = discrete_laplace_curve(Fraction(1), 3)
    pair = Changed(laplace_pair(Fraction(1), Fraction(1), 3), change)  # type: ignore[arg-type]
    assert faults(pair, curve, 1 / 96, EPSILONS)


def test_the_continuous_law_does_not_cover_the_discrete_one() -> None:
    assert faults(laplace_pair(Fraction(1), Fraction(1), 0), discrete_laplace_curve(Fraction(1), 1), 0.01, EPSILONS)
