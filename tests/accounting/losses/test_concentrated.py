"""Concentrated losses."""

import math
from fractions import Fraction

import pytest

import privet.calculus as pc
from privet.errors import InvalidError


def test_every_form_of_a_concentrated_loss() -> None:
    loss = pc.ConcentratedLoss(0.5)
    assert loss.rho() == Fraction(1, 2)
    assert loss.renyi(3) == Fraction(3, 2)
    assert loss.epsilon() == math.inf
    assert 4.88 < loss.epsilon(1e-6) < 5.23, "between the Gaussian's own answer and the conversion's"
    assert loss.delta(5.23) <= Fraction(1, 10**6)
    assert pc.ConcentratedLoss(0).epsilon() == 0
    assert pc.ConcentratedLoss(0).delta(0) == 0


def test_answers_stay_finite_for_tiny_and_huge_costs() -> None:
    for rho in (Fraction(1, 10**20), Fraction(10**8)):
        for delta in (Fraction(1, 10**30), Fraction(1, 2)):
            assert math.isfinite(pc.ConcentratedLoss(rho).epsilon(delta))
            assert 0 <= pc.ConcentratedLoss(rho).delta(1) <= 1


def test_wrong_costs_are_refused() -> None:
    with pytest.raises(InvalidError, match="ConcentratedLoss.cost must be zero or more, got -1."):
        pc.ConcentratedLoss(-1)
