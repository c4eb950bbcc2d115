"""The exact curve of truncated discrete Laplace noise."""

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.exact import ball, precision
from privet.errors import InvalidError
from tests.laws.loss import divergence
from tests.laws.masses import Masses


def truncated(scale: Fraction, radius: int, middle: int) -> Masses:
    weights = {z: ball(-abs(z) / scale).exp() for z in range(-radius, radius + 1)}
    total = sum(weights.values(), arb(0))
    return Masses({middle + z: weight / total for z, weight in weights.items()}, arb(0))


@settings(deadline=None)
@given(st.integers(0, 9), st.fractions(Fraction(1, 5), 6), st.integers(0, 8), st.fractions(0, 4))
def test_the_curve_is_the_exact_divergence(distance: int, scale: Fraction, radius: int, epsilon: Fraction) -> None:
    claimed = pc.TruncatedLaplaceLoss(distance=distance, scale=scale, radius=radius).delta(epsilon)
    with precision(256):
        exactly = divergence(truncated(scale, radius, 0), truncated(scale, radius, distance), epsilon)
    assert exactly <= claimed <= exactly + Fraction(1, 2**60)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 4), st.fractions(Fraction(1, 2), 4), st.fractions(Fraction(1, 10**6), Fraction(1, 2)))
def test_the_curve_backwards(distance: int, scale: Fraction, delta: Fraction) -> None:
    loss = pc.TruncatedLaplaceLoss(distance=distance, scale=scale, radius=12)
    epsilon = loss.epsilon(delta)
    if isinstance(epsilon, float):
        assert loss.slack() > delta
    else:
        assert loss.delta(epsilon) <= delta + Fraction(1, 2**60)


def test_a_far_radius_has_the_curve_of_laplace_noise() -> None:
    cut, free = pc.TruncatedLaplaceLoss(distance=3, scale=2, radius=400), pc.LaplaceLoss(distance=3, scale=2, step=1)
    for epsilon in (0, 0.3, 1, 1.4):
        assert math.isclose(float(cut.delta(epsilon)), float(free.delta(epsilon)), rel_tol=1e-12)
    assert 0 < cut.delta(1.5) < 1e-80
    assert cut.epsilon() == math.inf


def test_a_shift_beyond_the_support_tells_everything() -> None:
    assert pc.TruncatedLaplaceLoss(distance=9, scale=1, radius=4).delta(5) == 1
    assert pc.TruncatedLaplaceLoss(distance=0, scale=1, radius=4).epsilon() == 0


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="TruncatedLaplaceLoss.scale must be above zero, got 0."):
        pc.TruncatedLaplaceLoss(distance=1, scale=0, radius=3)
    with pytest.raises(InvalidError, match="TruncatedLaplaceLoss.radius must be zero or more, got -1."):
        pc.TruncatedLaplaceLoss(distance=1, scale=1, radius=-1)
