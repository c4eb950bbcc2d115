"""Pairs that are made from upper bounds of a curve: they lie above it at every epsilon, in both directions."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from privet.accounting.composition import terms as module
from privet.accounting.composition.terms import curve_pair, pair_of_curve
from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.numerics import lower_hull
from privet.accounting.numerics.convert import normal_delta
from privet.accounting.pairs.pair import AtomPair, Pair
from privet.accounting.sampling.sampling import Poisson
from privet.core.exact import ball, ends, precision
from tests.accounting.exact_losses import BITS, Curve, at, grid, laplace_curve, normal_curve, response_curve

EPSILONS = [*grid(-4.9, 6.1, 34), Fraction(0), Fraction(50), Fraction(300)]


def steps_of(epsilon: Fraction) -> Fraction:
    """Upper bounds that are not convex at all."""
    return Fraction(1, 2 + int(3 * epsilon)) if epsilon < 5 else Fraction(1, 100)


CURVES: dict[str, tuple[Callable[[Fraction], Fraction], Curve]] = {
    "normal": (lambda epsilon: normal_delta(Fraction(1), epsilon), normal_curve(Fraction(1))),
    "little": (lambda epsilon: normal_delta(Fraction(1, 1000), epsilon), normal_curve(Fraction(1, 1000))),
    "much": (lambda epsilon: normal_delta(Fraction(12), epsilon), normal_curve(Fraction(12))),
    "Laplace": (LaplaceLoss(distance=1, scale=1).delta, laplace_curve(Fraction(1))),
    "response": (PureLoss(2).delta, response_curve(Fraction(2))),
    "a floor": (
        lambda epsilon: Fraction(1, 10) + Fraction(9, 10) * PureLoss(2).delta(epsilon),
        response_curve(Fraction(2), Fraction(1, 10)),
    ),
    "flat": (lambda _: Fraction(1, 3), response_curve(Fraction(0), Fraction(1, 3))),
    "all": (lambda _: Fraction(1), response_curve(Fraction(0), Fraction(1))),
    "nothing": (lambda _: Fraction(0), response_curve(Fraction(0))),
    "rough bounds": (
        lambda epsilon: min(normal_delta(Fraction(1), epsilon) * 2, steps_of(epsilon) + Fraction(1, 5)),
        normal_curve(Fraction(1)),
    ),
}


def atoms_delta(pair: Pair, epsilon: Fraction) -> Fraction:
    """Read the curve of a pair with finitely many losses, as its masses, errors and slip say, rounded up."""
    assert isinstance(pair, AtomPair)
    with precision(BITS):
        total = ball(Fraction(pair.only_p))
        for loss, mass in zip(pair.losses, pair.masses, strict=True):
            gap = epsilon - Fraction(float(loss)) - Fraction(pair.slip)
            if gap < 0:
                total += ball(Fraction(float(mass)) * (1 + Fraction(pair.error))) * -ball(gap).expm1()
        return ends(total)[1]


@pytest.mark.parametrize(("delta", "curve"), CURVES.values(), ids=CURVES)
def test_the_pair_lies_above_the_curve(delta: Callable[[Fraction], Fraction], curve: Curve) -> None:
    pair = curve_pair(delta)
    assert [float(epsilon) for epsilon in EPSILONS if atoms_delta(pair, epsilon) < at(curve, epsilon)] == []


@pytest.mark.parametrize(("delta", "curve"), CURVES.values(), ids=CURVES)
def test_both_laws_are_whole(delta: Callable[[Fraction], Fraction], curve: Curve) -> None:
    pair = curve_pair(delta)
    cells = pair.cells(np.array([0.0]))
    assert cells.p.sum() + cells.only_p == pytest.approx(1, abs=1e-9)
    assert cells.q.sum() + cells.only_q == pytest.approx(1, abs=1e-9)


def test_the_pair_is_close_to_a_smooth_curve() -> None:
    pair = curve_pair(CURVES["normal"][0])
    for epsilon in (Fraction(1), Fraction(3)):
        assert atoms_delta(pair, epsilon) < at(CURVES["normal"][1], epsilon) * Fraction(102, 100)


def test_each_loss_has_one_pair() -> None:
    loss: Loss = GaussianLoss(distance=1, scale=1)
    assert pair_of_curve(loss) is pair_of_curve(GaussianLoss(distance=1, scale=1))


def test_the_curve_of_a_directed_loss_covers_both_directions() -> None:
    loss = PureLoss(1).amplify(Poisson(0.25))
    forward, pair = loss.pair(), pair_of_curve(loss)
    edges = np.linspace(-1, 1, 2001)
    for cells in (forward.cells(edges), forward.reverse().cells(edges)):
        for epsilon in (0.0, 0.05, 0.2):
            exact = (np.where(cells.p > cells.q * np.exp(epsilon), cells.p - cells.q * np.exp(epsilon), 0)).sum()
            assert float(atoms_delta(pair, Fraction(epsilon))) >= exact - 1e-12


@pytest.mark.parametrize("name", ["normal", "Laplace"])
def test_a_hull_that_is_too_low_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    true = lower_hull
    monkeypatch.setattr(
        module, "lower_hull", lambda points: true([(x, y * Fraction(99, 100)) if x > 1 else (x, y) for x, y in points])
    )
    delta, curve = CURVES[name]
    pair = curve_pair(delta)
    assert [epsilon for epsilon in EPSILONS if atoms_delta(pair, epsilon) < at(curve, epsilon)]


def test_a_wrong_reflection_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Corners below one without what the other direction says."""
    true = lower_hull
    monkeypatch.setattr(module, "lower_hull", lambda points: true([(x, 1 - x) if x < 1 else (x, y) for x, y in points]))
    delta, curve = CURVES["normal"]
    pair = curve_pair(delta)
    assert [epsilon for epsilon in EPSILONS if atoms_delta(pair, epsilon) < at(curve, epsilon)]
