"""The exact curve of discrete Laplace noise."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
from privet.core.exact import ball, ends, precision
from privet.errors import Invalid
from tests.laws import masses
from tests.laws.loss import divergence


@given(st.integers(0, 6), st.fractions(Fraction(1, 5), 6), st.fractions(0, 4))
def test_the_curve_is_the_exact_divergence(distance: int, scale: Fraction, epsilon: Fraction) -> None:
    claimed = pv.LaplaceLoss(distance=distance, scale=scale).delta(epsilon)
    with precision(256):
        p, q = masses.laplace(scale, 0, 300), masses.laplace(scale, distance, 300)
        exactly = divergence(p, q, epsilon)
    assert exactly <= claimed <= exactly + Fraction(1, 2**60)


@given(st.integers(1, 6), st.fractions(Fraction(1, 5), 6), st.fractions(Fraction(1, 10**6), Fraction(1, 2)))
def test_the_curve_backwards(distance: int, scale: Fraction, delta: Fraction) -> None:
    loss = pv.LaplaceLoss(distance=distance, scale=scale)
    epsilon = loss.epsilon(delta)
    assert loss.delta(epsilon) <= delta + Fraction(1, 2**60)
    if epsilon > 0:
        assert loss.delta(Fraction(epsilon) * Fraction(2**36 - 1, 2**36)) > delta or epsilon == distance / scale


def test_a_fraction_of_a_step_is_charged_as_the_step_above() -> None:
    assert pv.LaplaceLoss(distance=Fraction(1, 2), scale=1).epsilon() == Fraction(1, 2)
    half, whole = pv.LaplaceLoss(distance=Fraction(1, 2), scale=1), pv.LaplaceLoss(distance=1, scale=1)
    assert half.delta(0.1) <= whole.delta(0.1)


def test_a_fine_grid_has_nearly_the_continuous_curve() -> None:
    loss = pv.LaplaceLoss(distance=2**32, scale=2**32)
    assert math.isclose(float(loss.delta(0.25)), 1 - math.exp(-0.375), rel_tol=1e-8)
    assert math.isclose(float(loss.epsilon(0.1)), 1 + 2 * math.log(0.9), rel_tol=1e-8)


def test_discrete_noise_costs_more_than_continuous_noise() -> None:
    with precision(100):
        continuous = ends(1 - ball(Fraction(-1, 2)).exp())[1]
    assert pv.LaplaceLoss(distance=1, scale=1).delta(0) > continuous


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(Invalid, match="LaplaceLoss.scale must be above zero, got 0."):
        pv.LaplaceLoss(distance=1, scale=0)
    with pytest.raises(Invalid, match="LaplaceLoss.distance must be zero or more, got -1."):
        pv.LaplaceLoss(distance=-1, scale=1)
    with pytest.raises(Invalid, match="zero or more"):
        pv.LaplaceLoss(distance=1, scale=1).delta(-1)
