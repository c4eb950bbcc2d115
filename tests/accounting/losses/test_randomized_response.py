"""The exact curve of randomised response."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.errors import InvalidError


@given(st.fractions(Fraction(1, 2), Fraction(99, 100)), st.fractions(0, 3))
def test_the_curve(truth: Fraction, epsilon: Fraction) -> None:
    loss = pc.RandomizedResponseLoss(truth=truth, other=1 - truth)
    exactly = max(float(truth) - math.exp(epsilon) * float(1 - truth), 0.0)
    assert math.isclose(float(loss.delta(epsilon)), exactly, abs_tol=1e-12)
    assert float(loss.delta(epsilon)) >= exactly - 1e-14


@given(st.fractions(Fraction(1, 2), Fraction(99, 100)), st.fractions(0, Fraction(1, 2)))
def test_the_curve_backwards(truth: Fraction, delta: Fraction) -> None:
    loss = pc.RandomizedResponseLoss(truth=truth, other=1 - truth)
    assert loss.delta(loss.epsilon(delta)) <= delta + Fraction(1, 2**60)


def test_more_answers_cost_more_epsilon_and_less_delta() -> None:
    two = pc.RandomizedResponseLoss(truth=0.6, other=0.4)
    five = pc.RandomizedResponseLoss(truth=0.6, other=0.1)
    assert five.epsilon() > two.epsilon()
    assert five.delta(0) == Fraction(1, 2)
    assert pc.RandomizedResponseLoss(truth=0.5, other=0.5).epsilon() == 0


def test_wrong_probabilities_are_refused() -> None:
    with pytest.raises(InvalidError, match="other must be at most truth=0.25, got 0.75"):
        pc.RandomizedResponseLoss(truth=0.25, other=0.75)
    with pytest.raises(InvalidError, match="RandomizedResponseLoss.other must be above zero, got 0."):
        pc.RandomizedResponseLoss(truth=0.25, other=0)


def test_probabilities_of_different_answers_add_up_to_at_most_one() -> None:
    with pytest.raises(
        InvalidError,
        match=r"other must be at most 0.1, as truth and other are probabilities .* got 0.5",
    ):
        pc.RandomizedResponseLoss(truth=0.9, other=0.5)
