"""Losses of bounded range."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.errors import InvalidError


def test_every_form() -> None:
    loss = pc.BoundedRangeLoss(2)
    assert loss.epsilon() == 2
    assert Fraction(47, 100) < loss.rho() < Fraction(1, 2)
    assert Fraction(123, 1000) < pc.BoundedRangeLoss(1).rho() < Fraction(1, 8)
    assert loss.delta(2) == 0


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=6), st.floats(0, 3), st.floats(1.1, 20), st.data())
def test_no_pair_of_this_range_has_a_larger_divergence(
    weights: list[float], width: float, order: float, data: st.DataObject
) -> None:
    tilts = data.draw(st.lists(st.floats(0, width), min_size=len(weights), max_size=len(weights)))
    q = [weight / sum(weights) for weight in weights]
    p = [weight * math.exp(tilt) for weight, tilt in zip(q, tilts, strict=True)]
    p = [weight / sum(p) for weight in p]
    renyi = math.log(sum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))) / (order - 1)
    assert renyi <= float(pc.BoundedRangeLoss(width).renyi(order)) + 1e-9


def test_wrong_costs_are_refused() -> None:
    with pytest.raises(InvalidError, match="BoundedRangeLoss.cost must be zero or more, got -1."):
        pc.BoundedRangeLoss(-1)


@given(st.fractions(Fraction(1, 20), 5), st.fractions(0, 5))
def test_no_pair_of_this_range_is_above_the_curve(eta: Fraction, epsilon: Fraction) -> None:
    """Two losses eta apart, wherever they lie; the best of them reaches the curve."""
    claimed, width = float(pc.BoundedRangeLoss(eta).delta(epsilon)), float(eta)
    deltas = []
    for share in range(1, 400):
        top = width * share / 400
        mass = (math.exp(width) - math.exp(top)) / (math.exp(width) - 1)
        deltas.append(mass * max(1 - math.exp(float(epsilon) - top), 0))
    assert claimed >= max(deltas) - 1e-12
    assert claimed <= max(deltas) + 1e-3 * width


@given(st.fractions(Fraction(1, 20), 5), st.fractions(Fraction(1, 10**9), Fraction(1, 2)))
def test_the_curve_backwards(eta: Fraction, delta: Fraction) -> None:
    loss = pc.BoundedRangeLoss(eta)
    assert loss.delta(loss.epsilon(delta)) <= delta * (1 + Fraction(1, 10**12))


def test_many_selections_are_cheaper_by_rho() -> None:
    low, high = (pc.BoundedRangeLoss(0.1) * 100).interval(delta=1e-6)
    rho = 100 * Fraction(pc.BoundedRangeLoss(0.1).rho())
    assert high == pc.ConcentratedLoss(rho).epsilon(1e-6) < pc.ConcentratedLoss(Fraction(1, 8)).epsilon(1e-6)
    assert 2 < low < high
    few = pc.BoundedRangeLoss(1) * 3
    assert few.epsilon(1e-2) < pc.ConcentratedLoss(Fraction(3, 8)).epsilon(1e-2)
