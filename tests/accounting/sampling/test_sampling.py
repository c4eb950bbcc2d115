"""Losses on samples."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.errors import InvalidError


def test_samples() -> None:
    loss = pc.PureLoss(1).amplify(pv.Poisson(0.1))
    assert math.isclose(float(loss.epsilon()), math.log1p(0.1 * math.expm1(1)))
    assert loss.epsilon() >= Fraction(math.log1p(0.1 * math.expm1(1))) - Fraction(1, 2**50)
    assert loss.rho() <= loss.epsilon() ** 2 / 2
    assert pc.PureLoss(1).amplify(pv.Poisson(1)) == pc.PureLoss(1)
    assert pc.ApproximateLoss(1, 1e-6).amplify(pv.Poisson(0.5)).pure().delta == Fraction(1, 2 * 10**6)
    huge = pc.PureLoss(10**6).amplify(pv.Poisson(0.5)).epsilon()
    assert 10**6 - 1 < huge < 10**6


@given(st.fractions(Fraction(1, 50), 1), st.fractions(0, 4))
def test_a_sample_of_a_response_has_exactly_the_mixture_curve(rate: Fraction, epsilon: Fraction) -> None:
    p, q = Fraction(3, 4), Fraction(1, 4)
    loss = pc.RandomizedResponseLoss(truth=p, other=q).amplify(pv.Poisson(rate))
    tilt = math.exp(epsilon)
    with_, without = [rate * a + (1 - rate) * b for a, b in ((p, q), (q, p))], [q, p]
    exactly = max(
        sum(max(float(a) - tilt * float(b), 0) for a, b in zip(with_, without, strict=True)),
        sum(max(float(b) - tilt * float(a), 0) for a, b in zip(with_, without, strict=True)),
    )
    assert float(loss.delta(epsilon)) >= exactly - 1e-12


def test_rates_below_every_float() -> None:
    loss = pc.PureLoss(1).amplify(pv.Poisson(Fraction(1, 10**400))) * 10
    lower, upper = loss.interval(delta=1e-6)
    assert lower <= upper < Fraction(1, 10**300)
    simple = pc.PureLoss(1).amplify(pv.SimpleSampling(rate=Fraction(1, 10**400))) * 10
    assert simple.interval(epsilon=0)[0] <= simple.delta(0) < Fraction(1, 10**20)


@pytest.mark.parametrize("rate", [0, -1, 2])
def test_no_rate_but_a_share(rate: int) -> None:
    for kind in (pc.AmplifiedLoss, pc.SimpleSampledLoss):
        with pytest.raises(InvalidError, match=f"{kind.__name__}.rate must be above zero and at most one, got {rate}."):
            kind(pc.PureLoss(1), rate)


def test_both_directions_at_once_keep_every_answer_of_the_base() -> None:
    base = pc.GaussianLoss(distance=1, scale=2).amplify(pv.Poisson(0.1))
    both = base.undirected()
    assert base.directed
    assert not both.directed
    assert both.gaussian() == base.gaussian() == Fraction(1, 4), "mu holds in both directions"
    assert (both.pure(), both.concentrated(), both.renyi(3)) == (base.pure(), base.concentrated(), base.renyi(3))
    assert (both.delta(1), both.epsilon(1e-6)) == (base.delta(1), base.epsilon(1e-6))
