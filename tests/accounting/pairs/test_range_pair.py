"""The pair of bounded range against its curve, and against every pair of that range with two outcomes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

from privet.accounting.losses.bounded_range import BoundedRangeLoss
from privet.accounting.pairs.distribution import halves
from privet.accounting.pairs.pair import Cells, RangePair, range_pair
from privet.core.exact import ball, precision
from tests.accounting.exact_losses import BITS, Changed, at, faults, gap, grid, off_by, range_curve, sum_curve

EPSILONS = [*grid(-2.1, 3.3, 9), Fraction(0)]


@pytest.mark.parametrize(("eta", "step"), [(1, 0.01), (Fraction(1, 1000), 1e-4), (6, 0.3), (500, 3.0)])
def test_the_pair_is_on_the_right_side(eta: Fraction, step: float) -> None:
    assert faults(range_pair(Fraction(eta)), range_curve(Fraction(eta)), step, [*EPSILONS, Fraction(eta) / 3]) == []


@pytest.mark.parametrize("eta", [1e-9, 0.3, 40.0, 600.0])
def test_cells_are_within_their_error(eta: float) -> None:
    edges = np.linspace(-0.99 * eta, 0.97 * eta, 23)
    found = RangePair(eta).cells(edges)
    with precision(BITS + 2000):
        n = ball(Fraction(eta))
        points = [-n, *(ball(Fraction(float(edge))) for edge in edges), n]
        for index in range(len(edges) + 1):
            low, high = points[index], points[index + 1]
            p = (((n + high) / 2).exp() - ((n + low) / 2).exp()) / n.expm1()
            q = (((n - low) / 2).exp() - ((n - high) / 2).exp()) / n.expm1()
            assert off_by(float(found.p[index]), p) < found.error
            assert off_by(float(found.q[index]), q) < found.error


@pytest.mark.parametrize("eta", [Fraction(1, 10), Fraction(1), Fraction(4)])
def test_no_two_outcomes_of_that_range_are_worse(eta: Fraction) -> None:
    for part in range(1, 12):
        high = eta * part / 12  # the losses are this and eta less
        with precision(BITS):
            up, down = ball(high).exp(), ball(high - eta).exp()
            q_up = (1 - down) / (up - down)
            curve = sum_curve([q_up * up, (1 - q_up) * down], [q_up, 1 - q_up])
            for epsilon in EPSILONS:
                assert at(curve, epsilon) <= at(range_curve(eta), epsilon) + Fraction(1, 2**200)


def test_the_curve_is_that_of_the_loss() -> None:
    found = BoundedRangeLoss(1).delta(Fraction(1, 3))
    assert math.isclose(found, at(range_curve(Fraction(1)), Fraction(1, 3)))


def test_bounds_are_close() -> None:
    assert gap(range_pair(Fraction(1)), 0.01, Fraction(1, 3)) < 1e-3


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("cost", [Fraction(1, 10**320), Fraction(600)])
def test_extreme_ranges_stay_laws(cost: Fraction) -> None:
    above = halves(range_pair(cost), 5.0, 1e-9).above()
    assert above.masses.sum() + above.infinite >= 1


def test_ends_of_the_range() -> None:
    assert range_pair(Fraction(0)).span(1e-9) == (0, 0)
    assert range_pair(Fraction(601)).cells(np.array([0.0])).only_p == 1


def rising(cells: Cells) -> Cells:
    return evolve(cells, p=cells.q[::-1], q=cells.p)


@pytest.mark.parametrize(
    "change",
    [lambda cells: evolve(cells, p=cells.q, q=cells.p), lambda cells: evolve(cells, p=cells.p * 0.999), rising],
    ids=["swapped", "less of P", "one law turned"],
)
def test_mistakes_are_caught(change: "object") -> None:
    pair = Changed(range_pair(Fraction(1)), change)  # type: ignore[arg-type]
    assert faults(pair, range_curve(Fraction(1)), 0.01, EPSILONS)
