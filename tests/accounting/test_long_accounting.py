"""Accounting at full strength: many parameters, many charges, large exponents. Minutes, so not run by default."""

import random
from fractions import Fraction

import pytest
from flint import arb

import privet as pv
import privet.calculus as pc
from privet.core.exact import ball, ends, precision
from privet.errors import BudgetExceededError
from tests.accounting.exact_losses import (
    Curve,
    discrete_laplace_curve,
    discrete_normal_curve,
    enclosed,
    laplace_curve,
    mixed_curve,
    normal_curve,
    response_curve,
    sum_curve,
)

pytestmark = pytest.mark.long
NEXT_TO_NOTHING = Fraction(1, 2**800)


def drawn(source: random.Random) -> tuple[str, pv.Loss, Curve]:
    """A loss with random parameters, and its curve to 70 digits."""
    kind = source.choice(["laplace", "steps", "gaussian", "discrete", "pure", "response", "sampled", "range"])
    scale = Fraction(source.randint(2, 400), 40)
    steps = source.randint(1, 6)
    if kind == "laplace":
        return kind, pc.LaplaceLoss(distance=1, scale=scale), laplace_curve(1 / scale)
    if kind == "steps":
        curve = discrete_laplace_curve(steps / scale, steps)
        return kind, pc.LaplaceLoss(distance=steps, scale=scale, step=1), curve
    if kind == "gaussian":
        return kind, pc.GaussianLoss(distance=1, scale=scale), normal_curve(1 / scale)
    if kind == "discrete":
        wide = max(scale, Fraction(1, 2))
        return kind, pc.GaussianLoss(distance=steps, scale=wide, step=1), discrete_normal_curve(steps, wide**2)
    if kind == "pure":
        return kind, pc.PureLoss(1 / scale), response_curve(1 / scale)
    if kind == "response":
        odds = 1 + scale
        truth = odds / (odds + steps)
        other = (1 - truth) / steps
        rest = ball(1 - truth - other)
        law = sum_curve([ball(truth), ball(other), rest], [ball(other), ball(truth), rest])
        return kind, pc.RandomizedResponseLoss(truth=truth, other=other), law
    rate = Fraction(source.randint(1, 99), 100)
    if kind == "sampled":
        loss = pc.GaussianLoss(distance=1, scale=scale).amplify(pv.Poisson(rate))
        return kind, loss, mixed_curve(normal_curve(1 / scale), rate)
    return kind, pc.BoundedRangeLoss(1 / scale), response_curve(1 / (2 * scale))


def test_a_thousand_parameter_sets_of_exact_divergence() -> None:
    """No claimed delta is below the exact one of the pair, at a few epsilons each."""
    source = random.Random(20_261_115)
    for number in range(1000):
        kind, loss, curve = drawn(source)
        for _ in range(3):
            epsilon = Fraction(source.randint(0, 6000), 1000) * Fraction(min(loss.epsilon(1e-6), Fraction(20))) / 4
            least, _ = enclosed(curve, epsilon)
            claimed = loss.delta(epsilon)
            assert claimed >= least - NEXT_TO_NOTHING, f"number {number}, {kind} at {float(epsilon)}"
            if kind not in ("range", "sampled"):
                assert claimed <= max(least, Fraction(0)) * (1 + Fraction(1, 10**6)) + NEXT_TO_NOTHING


def test_a_million_equal_charges_add_up_exactly() -> None:
    each = Fraction(1, 10**6)
    spending = pc.PrivacyFilter(pv.budget(epsilon=1))
    loss = pc.PureLoss(each)
    for _ in range(10**6):
        spending.charge(loss)
    with pytest.raises(BudgetExceededError):
        spending.charge(pc.PureLoss(Fraction(1, 10**30)))


@pytest.mark.parametrize("exponent", [-300, -250, -30, 30, 250, 300])
def test_sums_with_large_exponents_hold_their_bounds(exponent: int) -> None:
    cost = Fraction(10) ** exponent
    small, one = pc.PureLoss(cost), pc.PureLoss(1)
    together = small * 3 + one
    assert together.epsilon() == 3 * cost + 1
    for loss in (together, small * 7, pc.ConcentratedLoss(cost) * 5 + one):
        for delta in ("1e-300", "1e-30", "1e-6"):
            low, high = loss.interval(delta=Fraction(delta))
            assert 0 <= low <= high
    with precision(4096):
        rho = ends(3 * ball(cost) * (ball(cost) / 2).tanh() + (arb(1) / 2).tanh())
    assert rho[0] <= together.rho() <= rho[1] * (1 + Fraction(1, 2**79))
