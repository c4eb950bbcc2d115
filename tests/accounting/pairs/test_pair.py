"""Pairs with finitely many losses, mixtures and reversals against exact curves, in both directions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

from privet.accounting.pairs.laplace_pair import laplace_pair
from privet.accounting.pairs.normal_pair import discrete_normal_pair, normal_pair
from privet.accounting.pairs.pair import AtomPair, Cells, MixedPair, Pair, ReversedPair, nothing_private, response_pair
from tests.accounting.exact_losses import (
    Changed,
    Curve,
    at,
    discrete_normal_curve,
    faults,
    gap,
    grid,
    laplace_curve,
    mixed_curve,
    normal_curve,
    response_curve,
)

EPSILONS = [Fraction(-3), *grid(-0.9, 2.3, 6), Fraction(0), Fraction(1), Fraction(7)]
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)

ATOMS: dict[str, tuple[Pair, Curve, float]] = {
    "response": (response_pair(Fraction(1), Fraction(0)), response_curve(Fraction(1)), 0.01),
    "on the grid": (response_pair(Fraction(1), Fraction(0)), response_curve(Fraction(1)), 0.125),
    "with slack": (response_pair(Fraction(1), TENTH), response_curve(Fraction(1), TENTH), 0.01),
    "little": (response_pair(Fraction(1, 10**6), Fraction(0)), response_curve(Fraction(1, 10**6)), 1e-7),
    "much": (response_pair(Fraction(500), Fraction(0)), response_curve(Fraction(500)), 1.0),
    "huge steps": (response_pair(Fraction(500), Fraction(0)), response_curve(Fraction(500)), 170.0),
    "nothing but slack": (response_pair(Fraction(1), Fraction(1)), response_curve(Fraction(1), Fraction(1)), 0.1),
}


def mixed(base: Pair, curve: Curve, rate: Fraction, step: float) -> tuple[Pair, Curve, float]:
    return MixedPair(base, rate), mixed_curve(curve, rate), step


MIXED: dict[str, tuple[Pair, Curve, float]] = {
    "response": mixed(response_pair(Fraction(1), Fraction(0)), response_curve(Fraction(1)), TENTH, 0.01),
    "slack": mixed(response_pair(Fraction(1), TENTH), response_curve(Fraction(1), TENTH), HALF, 0.01),
    "normal": mixed(normal_pair(Fraction(1)), normal_curve(Fraction(1)), TENTH, 0.01),
    "wide normal": mixed(normal_pair(Fraction(400)), normal_curve(Fraction(20)), HALF, 0.5),
    "Laplace": mixed(laplace_pair(Fraction(2), Fraction(1), 0), laplace_curve(Fraction(2)), Fraction(1, 3), 0.01),
    "discrete": mixed(
        discrete_normal_pair(2, Fraction(2)), discrete_normal_curve(2, Fraction(2)), Fraction(1, 3), 0.02
    ),
    "rare": mixed(normal_pair(Fraction(1)), normal_curve(Fraction(1)), Fraction(1, 10**9), 1e-6),
    "nearly always": mixed(normal_pair(Fraction(1)), normal_curve(Fraction(1)), 1 - Fraction(1, 10**6), 0.05),
    "surely, to floats": mixed(normal_pair(Fraction(1)), normal_curve(Fraction(1)), 1 - Fraction(1, 10**30), 0.05),
    "rare and much": mixed(
        response_pair(Fraction(500), Fraction(0)), response_curve(Fraction(500)), Fraction(1, 10**30), 2.0
    ),
    "twice": mixed(
        MixedPair(normal_pair(Fraction(4)), HALF), mixed_curve(normal_curve(Fraction(2)), HALF), TENTH, 0.01
    ),
}


@pytest.mark.parametrize(("pair", "curve", "step"), ATOMS.values(), ids=ATOMS)
def test_atoms_are_on_the_right_side(pair: Pair, curve: Curve, step: float) -> None:
    assert faults(pair, curve, step, EPSILONS) == []


@pytest.mark.parametrize(("pair", "curve", "step"), MIXED.values(), ids=MIXED)
def test_mixtures_are_on_the_right_side(pair: Pair, curve: Curve, step: float) -> None:
    assert faults(pair, curve, step, [*EPSILONS, Fraction(1, 10**9), Fraction(-1, 10**9)]) == []


@pytest.mark.parametrize(("pair", "curve", "step"), list(ATOMS.values())[:3], ids=list(ATOMS)[:3])
def test_the_curve_of_atoms_is_an_upper_bound(pair: Pair, curve: Curve, step: float) -> None:
    assert isinstance(pair, AtomPair)
    for epsilon in [epsilon for epsilon in EPSILONS if epsilon >= 0]:
        exact = at(curve, epsilon)
        assert exact <= pair.delta(epsilon) <= exact + Fraction(1, 10**12)


def test_the_curve_of_atoms_holds_at_the_loss_itself() -> None:
    pair = response_pair(Fraction(1, 3), Fraction(0))
    assert isinstance(pair, AtomPair)
    epsilon = Fraction(1, 3) - Fraction(1, 10**18)  # below the atom by less than floats tell
    assert pair.delta(epsilon) >= at(response_curve(Fraction(1, 3)), epsilon)


def test_bounds_are_close_where_the_grid_is_fine() -> None:
    assert gap(*MIXED["normal"][::2], Fraction(1, 10)) < 2e-3
    assert gap(*MIXED["slack"][::2], Fraction(1, 10)) < 1e-2
    assert gap(*ATOMS["response"][::2], Fraction(1, 10)) < 1e-9


def without_what_p_never_gives(cells: Cells) -> Cells:
    filled = np.flatnonzero(cells.q)
    p, q = cells.p.copy(), cells.q.copy()
    p[filled[0]] = q[filled[0]] = 0.0
    return evolve(cells, p=p, q=q)


@pytest.mark.parametrize(
    "change",
    [
        without_what_p_never_gives,
        lambda cells: evolve(cells, only_p=0.0),
        lambda cells: evolve(cells, q=cells.q * 1.01),
        lambda cells: evolve(cells, p=cells.p * 0.99),
        lambda cells: evolve(cells, p=cells.q, q=cells.p),
        lambda cells: evolve(cells, p=np.roll(cells.p, 2), q=np.roll(cells.q, 2)),
    ],
    ids=["lost outcomes", "no infinite loss", "too much q", "too little p", "swapped", "moved"],
)
def test_mistakes_are_caught(change: "object") -> None:
    pair, curve, step = MIXED["slack"]
    assert faults(Changed(pair, change), curve, step, EPSILONS)  # type: ignore[arg-type]


def test_mixtures_keep_the_whole_law() -> None:
    cells = MixedPair(response_pair(Fraction(1), TENTH), HALF).cells(np.linspace(-1, 1, 33))
    assert math.isclose(cells.p.sum() + cells.only_p, 1, rel_tol=1e-12)
    assert math.isclose(cells.q.sum() + cells.only_q, 1, rel_tol=1e-12)


def test_mixtures_of_everything_below_all_losses() -> None:
    cells = MixedPair(normal_pair(Fraction(1)), TENTH).cells(np.array([-9.0, -8.0]))
    assert len(cells.p) == 3
    assert math.isclose(cells.p[-1], 1, rel_tol=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rate", [Fraction(1, 10**300), Fraction(1, 10**9), 1 - Fraction(1, 10**20)])
@pytest.mark.parametrize("cost", [Fraction(1, 10**300), Fraction(1), Fraction(600)])
def test_spans_of_mixtures_are_ordered(rate: Fraction, cost: Fraction) -> None:
    pair = MixedPair(response_pair(cost, TENTH), rate)
    low, high = pair.span(1e-9)
    assert low <= high
    assert pair.ends()[0] <= pair.ends()[1]


def test_turning_twice_changes_nothing() -> None:
    pair = normal_pair(Fraction(1))
    turned = pair.reverse()
    assert isinstance(turned, ReversedPair)
    assert turned.reverse() is pair
    low, high = MixedPair(pair, TENTH).span(1e-9)
    assert MixedPair(pair, TENTH).reverse().span(1e-9) == (-high, -low)
    edges = np.linspace(-2, 2, 9)
    assert np.array_equal(turned.cells(edges).p, pair.cells(-edges[::-1]).q[::-1])


def test_laws_without_a_common_outcome() -> None:
    pair = nothing_private()
    assert isinstance(pair, AtomPair)
    assert pair.delta(Fraction(10**400)) == 1
    assert response_pair(Fraction(10**4), Fraction(0)).cells(np.array([0.0])).only_p == 1


def test_a_law_with_itself() -> None:
    pair = AtomPair.of_one()
    assert pair.spacing() == 0
    assert pair.ends() == (0, 0)
    assert faults(pair, response_curve(Fraction(0)), 0.1, EPSILONS) == []
