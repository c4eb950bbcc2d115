"""Losses of bounded range."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
from privet.errors import Invalid


def test_every_form() -> None:
    loss = pv.BoundedRangeLoss(2)
    assert loss.epsilon() == 2
    assert loss.rho() == Fraction(1, 2)
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
    assert renyi <= float(pv.BoundedRangeLoss(width).renyi(order)) + 1e-9


def test_wrong_costs_are_refused() -> None:
    with pytest.raises(Invalid, match="BoundedRangeLoss.cost must be zero or more, got -1."):
        pv.BoundedRangeLoss(-1)
