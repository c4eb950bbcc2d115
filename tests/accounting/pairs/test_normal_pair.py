"""Pairs of normal laws, continuous, discrete and fine, against ball arithmetic and sums."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from attrs import evolve
from flint import arb

import privet.calculus as pc
from privet.accounting.numerics.convert import normal_delta
from privet.accounting.pairs.distribution import halves
from privet.accounting.pairs.normal_pair import (
    NormalPair,
    discrete_normal_pair,
    fine_normal_pair,
    fused,
    is_fine,
    normal_pair,
)
from privet.accounting.pairs.pair import AtomPair, Cells, nothing_private
from privet.core.exact import ball, ends, precision
from tests.accounting.exact_losses import (
    Changed,
    at,
    discrete_normal_curve,
    distribution_delta,
    faults,
    gap,
    grid,
    normal_curve,
    off_by,
    tail,
)

EPSILONS = [*grid(-2.1, 5.3, 7), Fraction(0)]
NORMAL = {"small": (Fraction(1, 100), 1e-3), "one": (Fraction(1), 0.02), "ten": (Fraction(10), 0.7), "wide": (29, 4.0)}
DISCRETE = [(1, Fraction(1)), (1, Fraction(1, 4)), (3, Fraction(2)), (5, Fraction(40)), (1, Fraction(1, 500))]


@pytest.mark.parametrize(("mu", "step"), NORMAL.values(), ids=NORMAL)
def test_normal_laws_are_on_the_right_side(mu: Fraction, step: float) -> None:
    assert faults(normal_pair(Fraction(mu) ** 2), normal_curve(Fraction(mu)), step, EPSILONS) == []


@pytest.mark.parametrize("mu", [0.01, 1.0, 12.5, 29.5])
def test_cells_of_normal_laws_are_within_their_error(mu: float) -> None:
    edges = np.linspace(-0.9 * 37 * mu + mu * mu, 36 * mu - mu * mu, 41) / 2
    found = NormalPair(mu).cells(edges)
    places = edges / mu + mu / 2  # where floats put the edges; the slip says how far off
    for edge, place in zip(edges, places, strict=True):
        loss = Fraction(mu) * Fraction(float(place)) - Fraction(mu) ** 2 / 2
        assert abs(loss - Fraction(float(edge))) <= found.slip
    with precision(3000):
        x = [arb(-1000), *(ball(Fraction(float(place))) for place in places), arb(1000)]
        for mean, masses in ((ball(Fraction(mu)), found.p), (arb(0), found.q)):
            for mass, (start, end) in zip(masses, pairwise(x), strict=True):
                low, high = start - mean, end - mean
                exact = tail(low) - tail(high) if low > 0 else tail(-high) - tail(-low)
                assert off_by(float(mass), exact) < found.error


def test_bounds_of_normal_laws_are_close() -> None:
    assert gap(normal_pair(Fraction(1)), 0.01, Fraction(1)) < 1e-3


@pytest.mark.parametrize(("distance", "variance"), DISCRETE)
def test_discrete_laws_are_on_the_right_side(distance: int, variance: Fraction) -> None:
    pair, curve = discrete_normal_pair(distance, variance), discrete_normal_curve(distance, variance)
    assert faults(pair, curve, 0.05 if variance > 1 else 1.5, [*EPSILONS, Fraction(40)]) == []
    assert isinstance(pair, AtomPair)
    for epsilon in EPSILONS[-3:]:
        assert (
            at(curve, epsilon)
            <= pair.delta(epsilon)
            <= at(curve, epsilon) * (1 + Fraction(1, 10**9)) + Fraction(1, 10**20)
        )


def test_losses_of_discrete_laws_are_multiples_of_half_the_spacing() -> None:
    pair = discrete_normal_pair(3, Fraction(7, 2))
    assert isinstance(pair, AtomPair)
    multiples = pair.losses / (pair.spacing() / 2)
    assert np.allclose(multiples, np.round(multiples), atol=1e-9)


@pytest.mark.parametrize("variance", [Fraction(1, 10**4), Fraction(1, 10**9)])
def test_noise_smaller_than_a_step_protects_nothing(variance: Fraction) -> None:
    cells = discrete_normal_pair(1, variance).cells(np.array([0.0]))
    assert cells.only_p == 1


def test_large_distances_need_no_memory() -> None:
    assert discrete_normal_pair(10**15, Fraction(1)).cells(np.array([0.0])).only_p == 1
    assert normal_pair(Fraction(10**15)).cells(np.array([0.0])).only_p == 1


def test_no_distance_loses_nothing() -> None:
    assert discrete_normal_pair(0, Fraction(4)).span(1e-9) == (0, 0)
    assert normal_pair(Fraction(0)).span(1e-9) == (0, 0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("squared", [Fraction(1, 10**640), Fraction(1, 10**300), Fraction(899)])
@pytest.mark.parametrize("chance", [1e-280, 1e-9, 0.5])
def test_extreme_distances_stay_laws(squared: Fraction, chance: float) -> None:
    pair = normal_pair(squared)
    low, high = pair.span(chance)
    read = halves(pair, max((high - low) / 100, 1e-9), chance)
    above = read.above()
    assert above.masses.sum() + above.infinite >= 1
    assert read.below().masses.sum() <= 1


def ratio(z: Fraction, deviation: int) -> arb:
    """The weight of a whole number over that of the unit interval around it, in standard units."""
    s, centre = ball(deviation), ball(z * deviation)
    interval = tail((centre - ball(Fraction(1, 2))) / s) - tail((centre + ball(Fraction(1, 2))) / s)
    return (-((centre / s) ** 2) / 2).exp() / (s * (2 * arb.pi()).sqrt()) / interval


@pytest.mark.parametrize("z", [0, 1, 3, 10, 24, 54])
@pytest.mark.parametrize("deviation", [2**13, 2**17])
def test_fine_noise_is_within_the_factor_of_a_normal_law(z: int, deviation: int) -> None:
    with precision(4000):
        off = abs(ratio(Fraction(z), deviation).log())
        bound = ball(Fraction(z * z + 1, deviation**2))
        assert off < bound / 20
        assert z < 10 or off > bound / 30  # the constant is not far off


def test_fine_noise_covers_discrete_noise_from_both_sides() -> None:
    """At a deviation where sums are still possible, though it is smaller than fine noise has to be."""
    distance, deviation = 40, 60
    curve = discrete_normal_curve(distance, Fraction(deviation**2))
    pair = fine_normal_pair(Fraction(distance**2, deviation**2), Fraction(deviation**2), 1)
    read = halves(pair, 0.02, 1e-12)
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(1)):
        assert distribution_delta(read.above(), epsilon, 1) >= at(curve, epsilon)
        assert distribution_delta(read.below(), epsilon, -1) <= at(curve, epsilon)


def test_many_coordinates_are_no_longer_fine() -> None:
    variance = Fraction(2**28)
    few, many = (fine_normal_pair(Fraction(1), variance, count) for count in (10, 10**9))
    assert isinstance(few, NormalPair)
    assert few.coarse >= 10 * (25**2 + 1) / 20 / 2**28
    assert many.cells(np.array([0.0])).only_p == 1
    assert is_fine(variance)


def test_a_rounded_distance_is_not_counted_from_below() -> None:
    """The float above a third of a distance would give more than the distance itself."""
    pair, mu = normal_pair(Fraction(1, 9)), Fraction(1, 3)
    assert isinstance(pair, NormalPair)
    assert Fraction(pair.mu) >= mu
    for z in (-30, 0, 30):
        larger = Fraction(pair.mu) ** 2 / 2 + Fraction(pair.mu) * z
        assert larger - (mu**2 / 2 + mu * z) <= pair.blur


def test_normal_laws_fuse_to_one() -> None:
    one, two = normal_pair(Fraction(1)), normal_pair(Fraction(4))
    together = fused([(one, 3), (AtomPair.of_one(), 2), (two, 2)])
    assert [times for _, times in together] == [2, 1]
    pair = together[-1][0]
    assert isinstance(pair, NormalPair)
    assert Fraction(pair.mu) ** 2 >= 11
    assert math.isclose(pair.mu**2, 11)


def test_errors_of_fine_laws_multiply_when_fused() -> None:
    fine = fine_normal_pair(Fraction(1, 100), Fraction(2**28), 100)
    assert isinstance(fine, NormalPair)
    pair = fused([(fine, 500)])[-1][0]
    assert isinstance(pair, NormalPair)
    assert pair.coarse >= (1 + fine.coarse) ** 500 - 1 > 500 * fine.coarse
    assert pair.beyond >= 500 * fine.beyond
    assert fused([(fine, 10**9)])[-1][0].cells(np.array([0.0])).only_p == 1


def test_one_normal_law_stays() -> None:
    terms = ((normal_pair(Fraction(1)), 1), (nothing_private(), 1))
    assert fused(terms) == terms


@pytest.mark.parametrize(
    "change",
    [
        lambda cells: evolve(cells, p=cells.p * (1 - 1e-3)),
        lambda cells: evolve(cells, p=np.append(cells.p[1:], 0.0), q=np.append(cells.q[1:], 0.0)),
        lambda cells: evolve(cells, q=cells.p, p=cells.q),
    ],
    ids=["less of P", "moved down", "swapped"],
)
def test_mistakes_are_caught(change: "object") -> None:
    def changed(cells: Cells) -> Cells:
        return change(cells)  # type: ignore[operator,no-any-return]

    assert faults(Changed(normal_pair(Fraction(1)), changed), normal_curve(Fraction(1)), 0.05, EPSILONS)


def test_the_curve_of_the_oracle_is_that_of_the_loss() -> None:
    assert math.isclose(normal_delta(Fraction(1), Fraction(1)), at(normal_curve(Fraction(1)), Fraction(1)))


@pytest.mark.parametrize(("far", "epsilon"), [(20, 545), (20, 590), (23, 592)])
def test_laws_that_are_far_apart_are_dominated_far_out(far: int, epsilon: int) -> None:
    """Q's weights end before P's do: there, losses say what it has."""
    scale = 8_000
    loss = pc.GaussianLoss(distance=far * scale, scale=scale, step=1)
    first = math.floor((epsilon / far + far / 2) * scale)  # here the loss is epsilon; beyond, P has less and less
    numbers = range(first, first + scale)
    with precision(240):
        total = arb(0)
        for k in numbers:
            p, q = (-ball(Fraction((k - centre) ** 2, 2 * scale**2)) for centre in (far * scale, 0))
            gain = p.exp() - (q + epsilon).exp()
            total += gain if gain > 0 else 0
        whole = scale * (2 * arb.pi()).sqrt()  # to hundreds of digits: the grid is fine
        exact = ends(total / whole)[0]
    assert (loss + pc.PureLoss(Fraction(1, 10**9))).delta(epsilon) >= exact
