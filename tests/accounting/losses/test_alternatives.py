"""The worst of several losses, and the least of several bounds."""

import math
from fractions import Fraction

import pytest

import privet.calculus as pc
from privet.accounting.losses.alternatives import LeastLoss, WorstLoss
from privet.accounting.losses.forms import AssertedLoss
from privet.accounting.numerics.convert import Point
from privet.errors import InvalidError

PURE, APPROXIMATE, CONCENTRATED = pc.PureLoss(1), pc.ApproximateLoss(0.5, 1e-6), pc.ConcentratedLoss(0.1)


def test_the_worst_is_never_below_an_option() -> None:
    options = [PURE, APPROXIMATE, CONCENTRATED]
    worst = WorstLoss.of(options)
    for epsilon in (0, 0.3, 1, 3):
        assert worst.delta(epsilon) == max(option.delta(epsilon) for option in options)
    for delta in (0, 1e-6, 1e-3):
        assert worst.epsilon(delta) == max(option.epsilon(delta) for option in options)
    assert worst.rho() == math.inf  # the approximate one has none
    assert WorstLoss.of([PURE, CONCENTRATED]).renyi(3) == max(PURE.renyi(3), CONCENTRATED.renyi(3))


def test_the_worst_point_covers_all_points() -> None:
    assert WorstLoss.of([PURE, APPROXIMATE]).pure() == Point(Fraction(1), Fraction(1, 10**6))
    assert WorstLoss.of([PURE, CONCENTRATED]).pure() == Point(math.inf, Fraction(0))


def test_the_least_is_never_above_a_bound() -> None:
    bounds = [pc.PureLoss(2), CONCENTRATED]
    least = LeastLoss.of(bounds)
    for epsilon in (0, 0.3, 1, 3):
        assert least.delta(epsilon) == min(bound.delta(epsilon) for bound in bounds)
    for delta in (0, 1e-6, 1e-3):
        assert least.epsilon(delta) == min(bound.epsilon(delta) for bound in bounds)
    assert least.renyi(50) == pc.PureLoss(2).renyi(50) < 2
    assert least.rho() == Fraction(1, 10)


def test_the_least_points_are_points_of_a_bound() -> None:
    """A cost of one bound with the delta of another would be a claim that nobody made."""
    first, second = pc.ApproximateLoss(1, 1e-6), pc.ApproximateLoss(3, 1e-9)
    assert LeastLoss.of([first, second]).pure() == second.pure()
    assert LeastLoss.of([CONCENTRATED, first]).pure() == first.pure()


def test_both_compose_and_group() -> None:
    worst, least = WorstLoss.of([PURE, pc.PureLoss(2)]), LeastLoss.of([PURE, CONCENTRATED])
    assert (worst * 3).epsilon() == 6
    assert worst.group(2).epsilon() == 4
    assert (least + least).rho() == Fraction(1, 5)


def test_equal_losses_are_one() -> None:
    assert WorstLoss.of([PURE, pc.PureLoss(1)]) == PURE
    assert LeastLoss.of([PURE, PURE]) == PURE


def test_curves_pairs_and_assertions() -> None:
    told = AssertedLoss(pc.PureLoss(2), ("a random sample",))
    for loss in (WorstLoss.of([PURE, told]), LeastLoss.of([PURE, told])):
        assert loss.curve(Fraction(1))(Fraction(1, 2)) == loss.delta(0.5)
        assert loss.assumptions() == ("a random sample",)
        assert (loss + pc.PureLoss(0.1)).epsilon(1e-6) <= loss.epsilon() + Fraction(1, 10)
    assert WorstLoss.of([PURE, told]).gaussian() > LeastLoss.of([PURE, told]).gaussian()


def test_none_of_none_is_refused() -> None:
    with pytest.raises(InvalidError, match="WorstLoss.losses must be one loss or more"):
        WorstLoss.of([])
    with pytest.raises(InvalidError, match="LeastLoss.losses must be one loss or more"):
        LeastLoss(())
