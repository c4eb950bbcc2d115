"""Loss distributions on a grid: every split dominates, every merge is dominated, whatever the grid."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.pairs.distribution import Distribution, Halves, halves, offset_for
from privet.accounting.pairs.normal_pair import normal_pair
from privet.accounting.pairs.pair import AtomPair, Cells, Pair, response_pair
from privet.core.exact import ball
from tests.accounting.exact_losses import Curve, at, distribution_delta, grid, normal_curve, response_curve

EPSILONS = [*grid(-2.1, 3.3, 9), Fraction(0), Fraction(1)]


def atoms_curve(losses: list[Fraction], masses: list[Fraction], only_p: Fraction) -> Curve:
    def curve(c: "object") -> "object":
        total = ball(only_p)
        for loss, mass in zip(losses, masses, strict=True):
            gain = ball(mass) * (1 - c * ball(-loss).exp())  # type: ignore[operator]
            if gain > 0:
                total += gain
        return total

    return curve  # type: ignore[return-value]


@st.composite
def atom_pairs(draw: st.DrawFn) -> tuple[AtomPair, Curve]:
    """Draw losses, also on the edges of grids of 1/16, with exact masses."""
    sixteenths = st.integers(-48, 48).map(lambda k: k / 32)
    losses = sorted(set(draw(st.lists(st.one_of(sixteenths, st.floats(-1.5, 1.5)), min_size=1, max_size=6))))
    weights = draw(st.lists(st.integers(1, 1000), min_size=len(losses), max_size=len(losses)))
    only_p = draw(st.sampled_from([0.0, 0.125]))
    masses = [weight / 8192 for weight in weights]
    pair = AtomPair(np.array(losses), np.array(masses), only_p, 0.0, 0.0, 0.0)
    return pair, atoms_curve([Fraction(x) for x in losses], [Fraction(x) for x in masses], Fraction(only_p))


@given(atom_pairs(), st.sampled_from([1 / 16, 0.1, 0.013, 3.0]), st.floats(-0.7, 0.7))
def test_bounds_hold_for_all_atoms(drawn: tuple[AtomPair, Curve], step: float, epsilon: float) -> None:
    pair, curve = drawn
    wanted = Fraction(epsilon)
    read = halves(pair, step, 1e-9)
    shifted = halves(pair, step, 1e-9, offset_for(pair, step))
    exact = at(curve, wanted)
    assert distribution_delta(read.above(), wanted, 1) >= exact
    for each in (read, shifted):
        assert distribution_delta(each.below(), wanted, -1) <= exact + Fraction(1, 2**200)


def test_the_grid_can_be_laid_through_the_top() -> None:
    pair = response_pair(Fraction(1, 3), Fraction(0))
    offset = offset_for(pair, 0.02)
    assert math.isclose((1 / 3 - offset) / 0.02, 16, rel_tol=1e-12)
    assert halves(pair, 0.02, 1e-9, offset).below().offset <= offset


def test_errors_of_the_cells_are_rounded_outward() -> None:
    """Cells that are wrong by as much as they say, in the worst direction, still give bounds."""
    pair, curve = normal_pair(Fraction(1)), normal_curve(Fraction(1))
    read = halves(pair, 0.1, 1e-12)
    for sign_p, sign_q in ((-1, 1), (1, -1), (-1, -1), (1, 1)):
        wrong = evolve(read.cells, p=read.cells.p * (1 + 1e-4 * sign_p), q=read.cells.q * (1 + 1e-4 * sign_q))
        told = evolve(read, cells=evolve(wrong, error=1.1e-4))
        for epsilon in EPSILONS:
            assert distribution_delta(told.above(), epsilon, 1) >= at(curve, epsilon)
            assert distribution_delta(told.below(), epsilon, -1) <= at(curve, epsilon)


def test_an_error_that_is_not_told_is_caught() -> None:
    pair, curve = response_pair(Fraction(1), Fraction(0)), response_curve(Fraction(1))
    read = halves(pair, 0.125, 1e-12)
    untold = evolve(read, cells=evolve(read.cells, p=read.cells.p * (1 - 1e-6)))
    assert any(distribution_delta(untold.above(), epsilon, 1) < at(curve, epsilon) for epsilon in EPSILONS)
    more = evolve(read, cells=evolve(read.cells, p=read.cells.p * (1 + 1e-6)))
    assert any(distribution_delta(more.below(), epsilon, -1) > at(curve, epsilon) for epsilon in EPSILONS)


def test_a_slip_of_the_losses_is_counted() -> None:
    """Losses that lie beyond their cells by as much as the slip says."""
    slip = 1e-3
    for there in (-slip, slip):
        losses = np.array([-0.5, 0.0, 0.75])
        masses = np.array([0.2, 0.3, 0.5])
        seen = AtomPair(losses, masses, 0.0, 0.0, 0.0, slip)
        true = atoms_curve(
            [Fraction(float(x)) + Fraction(there) for x in losses], [Fraction(float(x)) for x in masses], Fraction(0)
        )
        read = halves(seen, 0.125, 1e-9)
        for epsilon in EPSILONS:
            assert distribution_delta(read.above(), epsilon, 1) >= at(true, epsilon)
            assert distribution_delta(read.below(), epsilon, -1) <= at(true, epsilon)


def rounded_down(read: Halves) -> Distribution:
    above = read.above()
    return evolve(above, first=above.first - 1)


def all_at_the_lower_end(read: Halves) -> Distribution:
    masses = read.above().masses.copy()
    p = read.cells.p[2:-2]
    masses[:-1], masses[-1] = p[0::2] + p[1::2], 0.0
    return evolve(read.above(), masses=masses)


def without_infinity(read: Halves) -> Distribution:
    return evolve(read.above(), infinite=0.0)


@pytest.mark.parametrize("mistake", [Halves.below, rounded_down, all_at_the_lower_end, without_infinity])
def test_mistakes_from_above_are_caught(mistake: Callable[[Halves], Distribution]) -> None:
    pair, curve = response_pair(Fraction(1), Fraction(1, 10)), response_curve(Fraction(1), Fraction(1, 10))
    found = mistake(halves(pair, 0.07, 1e-9))
    assert any(distribution_delta(found, epsilon, 1) < at(curve, epsilon) for epsilon in EPSILONS)


def rounded_up(read: Halves) -> Distribution:
    below = read.below()
    return evolve(below, first=below.first + 1)


@pytest.mark.parametrize("mistake", [Halves.above, rounded_up], ids=["from above", "rounded up"])
def test_mistakes_from_below_are_caught(mistake: Callable[[Halves], Distribution]) -> None:
    pair, curve = normal_pair(Fraction(1)), normal_curve(Fraction(1))
    found = mistake(halves(pair, 0.07, 1e-9))
    assert any(distribution_delta(found, epsilon, -1) > at(curve, epsilon) for epsilon in EPSILONS)


def test_what_is_left_out_counts_above_and_not_below() -> None:
    pair = AtomPair(np.array([0.0]), np.array([0.75]), 0.125, 0.125, 0.0, 0.0, beyond=0.125)
    read = halves(pair, 0.1, 1e-9)
    assert read.above().infinite >= 0.25
    assert read.below().infinite <= 0


def test_a_blur_counts_from_below_only() -> None:
    cells = Cells(np.full(8, 0.125), np.full(8, 0.125), 0.0, 0.0, 0.0, 0.0, growth=0.25, shift=0.5, blur=0.0625)
    read = Halves(0.1, -1, cells)
    assert read.above().slip == 0.5
    assert read.below().slip == 0.5625
    assert read.above().masses.sum() + read.above().infinite >= 1.25
    assert read.below().masses.sum() <= 0.75


def test_nothing_to_merge_gives_nothing() -> None:
    pair = AtomPair(np.array([0.0]), np.array([0.0]), 1.0, 1.0, 0.0, 0.0)
    assert not halves(pair, 0.1, 1e-9).below().masses.any()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("step", [5e-3, 1.0, 100.0, 1e6])
@pytest.mark.parametrize("squared", [Fraction(1, 100), Fraction(1), Fraction(400)])
def test_totals_are_bounds_for_every_step(step: float, squared: Fraction) -> None:
    pair: Pair = normal_pair(squared)
    read = halves(pair, step, 1e-9)
    above = read.above()
    assert math.fsum(above.masses) + above.infinite >= 1
    assert math.fsum(read.below().masses) <= 1


def test_cells_turn_around() -> None:
    cells = Cells(np.array([1.0, 2.0]), np.array([3.0, 4.0]), 5.0, 6.0, 0.0, 0.0, beyond=0.5)
    turned = cells.reverse()
    assert list(turned.p) == [4, 3]
    assert (turned.only_p, turned.only_q, turned.beyond) == (6, 5, 0.5)
