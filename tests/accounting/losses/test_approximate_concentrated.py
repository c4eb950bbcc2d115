"""Approximate concentrated privacy."""

import math
from fractions import Fraction

import pytest

import privet.calculus as pc
from privet.errors import InvalidError


def test_without_slack_it_is_the_concentrated_loss() -> None:
    mine, plain = pc.ApproximateConcentratedLoss(0.5, 0), pc.ConcentratedLoss(0.5)
    assert mine.epsilon(1e-6) == plain.epsilon(1e-6)
    assert mine.rho() == Fraction(1, 2)
    assert mine.renyi(2) == 1


def test_the_slack_is_a_floor_of_delta() -> None:
    loss = pc.ApproximateConcentratedLoss(0.5, 1e-6)
    assert loss.delta(100) >= Fraction(1, 10**6)
    assert loss.epsilon(1e-6) == math.inf
    assert loss.epsilon(2e-6) < math.inf
    assert loss.rho() == math.inf


def test_both_coordinates_add_up() -> None:
    total = (pc.ApproximateConcentratedLoss(0.5, 1e-6) * 2 + pc.ConcentratedLoss(1)).concentrated()
    assert (total.cost, total.delta) == (2, Fraction(2, 10**6))


def test_nothing_lost_outside_the_event() -> None:
    loss = pc.ApproximateConcentratedLoss(0, 0.1)
    assert loss.epsilon(0.1) == 0
    assert loss.delta(0) == Fraction(1, 10)


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="ApproximateConcentratedLoss.cost must be zero or more, got -1."):
        pc.ApproximateConcentratedLoss(-1, 0)
    with pytest.raises(InvalidError, match="ApproximateConcentratedLoss.slack must be between zero and one, got 2."):
        pc.ApproximateConcentratedLoss(1, 2)
