"""Rényi divergences outside an event."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.accounting.numerics.convert import Point
from privet.errors import InvalidError, UnavailableError, WrongTypeError

ORDERS = (Fraction(3, 2), Fraction(2), Fraction(4), Fraction(8), Fraction(16), Fraction(32))
SLACK = Fraction(1, 10**6)


def guarded(loss: Loss, slack: Fraction) -> tuple[pc.ApproximateRenyiLoss, Any]:
    """A noise that reveals everything with some probability: what is stated, and its exact delta.

    Outcomes of the event are different for both inputs, so delta is slack + (1 - slack) times that of the noise.
    """
    curve = tuple((order, loss.renyi(order)) for order in ORDERS)
    return pc.ApproximateRenyiLoss(curve, slack), lambda epsilon: slack + (1 - slack) * loss.delta(epsilon)


def test_without_an_event_it_is_the_renyi_loss() -> None:
    points = ((2, 1), (8, 4))
    mine, plain = pc.ApproximateRenyiLoss(points, 0), pc.RenyiLoss(points)
    for order in (1.5, 2, 5, 8, 9):
        assert mine.renyi(order) == plain.renyi(order)
    assert mine.epsilon(1e-6) == plain.epsilon(1e-6)
    assert mine.delta(3) == plain.delta(3)
    assert mine.rho() == math.inf


@pytest.mark.parametrize("scale", [1, 3])
@pytest.mark.parametrize("slack", [SLACK, Fraction(1, 10)])
@pytest.mark.parametrize("epsilon", [0, 0.3, 1, 4])
def test_the_curve_is_never_below_that_of_a_guarded_release(scale: int, slack: Fraction, epsilon: float) -> None:
    stated, exactly = guarded(pc.GaussianLoss(distance=1, scale=scale), slack)
    assert stated.delta(epsilon) >= exactly(epsilon)
    assert stated.delta(epsilon) <= slack + (1 - slack) * pc.RenyiLoss(stated.points).delta(epsilon)


def test_sums_of_guarded_releases() -> None:
    """The exact delta of k guarded Gaussian releases: all are good, or everything is revealed."""
    stated, _ = guarded(pc.GaussianLoss(distance=1, scale=5), SLACK)
    total = pc.GaussianLoss(distance=1, scale=5) * 10
    good = (1 - SLACK) ** 10
    for epsilon in (0.5, 1, 3):
        exactly = (1 - good) + good * total.delta(epsilon)
        assert (stated * 10).delta(epsilon) >= exactly
    # adding epsilons of one release each would be far worse
    assert (stated * 10).epsilon(1e-4) < 3
    assert 10 * stated.epsilon(1e-5) > 5


def test_backwards() -> None:
    loss = pc.ApproximateRenyiLoss(((2, 1), (8, 4)), SLACK)
    for delta in (Fraction(2, 10**6), Fraction(1, 10**3), Fraction(1, 2)):
        epsilon = loss.epsilon(delta)
        assert isinstance(epsilon, Fraction)
        assert loss.delta(epsilon) <= delta * (1 + Fraction(1, 10**6))
        assert loss.delta(epsilon * Fraction(99, 100)) > delta or epsilon == 0
    assert loss.epsilon(SLACK) == loss.epsilon(SLACK / 2) == loss.epsilon(0) == math.inf
    assert loss.epsilon(1) == 0


def test_deltas_and_divergences_add_up() -> None:
    loss = pc.ApproximateRenyiLoss(((2, 1), (8, 4)), SLACK)
    assert (loss * 3).renyi_point(8) == Point(Fraction(12), 3 * SLACK)
    assert (loss + pc.ConcentratedLoss(1)).renyi_point(8) == Point(Fraction(12), SLACK)
    assert (loss + pc.ApproximateConcentratedLoss(1, SLACK)).renyi_point(8) == Point(Fraction(12), 2 * SLACK)
    point = (loss + pc.ApproximateLoss(1, SLACK)).renyi_point(2)
    assert point == Point(1 + pc.PureLoss(1).renyi(2), 2 * SLACK)
    assert (loss + pc.RenyiLoss(((2, 1),))).renyi_point(8).cost == math.inf
    assert (loss * 2 * 10**6).renyi_point(2).delta == 1


def test_every_loss_has_a_point_of_an_order() -> None:
    assert pc.PureLoss(1).renyi_point(2) == Point(pc.PureLoss(1).renyi(2), Fraction(0))
    assert pc.GaussianLoss(distance=1, scale=1).renyi_point(3) == Point(Fraction(3, 2), Fraction(0))
    assert pc.ApproximateConcentratedLoss(0.5, SLACK).renyi_point(3) == Point(Fraction(3, 2), SLACK)
    known = pc.RenyiLoss(((2, 1),), known=pc.ApproximateConcentratedLoss(1, SLACK))
    assert known.renyi_point(2) == Point(Fraction(1), Fraction(0))
    assert known.renyi_point(4) == Point(Fraction(4), SLACK)
    asserted = pc.AssertedLoss(pc.ApproximateRenyiLoss(((2, 1),), SLACK), ("a sample",))
    assert asserted.renyi_point(2) == Point(Fraction(1), SLACK)
    assert pc.TruncatedLaplaceLoss(distance=1, scale=2, radius=9).renyi_point(2).delta > 0
    with pytest.raises(InvalidError, match="Loss.order must be above one"):
        pc.PureLoss(1).renyi_point(1)


def test_a_sum_takes_the_orders_that_each_event_leaves() -> None:
    """Below order 3 there is no event, above it there is: both kinds of orders are tried, apart."""
    known = pc.RenyiLoss(((3, 0.01),), known=pc.ApproximateConcentratedLoss(0.02, SLACK))
    total = known * 2 + pc.RenyiLoss(tuple((order, order / 1000) for order in ORDERS))
    assert total.delta(1) < Fraction(1, 100)
    assert total.delta(1) >= 0
    assert total.epsilon(SLACK / 2) < math.inf  # by the orders without an event
    assert total.epsilon(1e-5) < Fraction(3, 2)


def test_a_cost_of_zero_leaves_the_event_alone() -> None:
    loss = pc.ApproximateRenyiLoss(((2, 0),), SLACK)
    assert loss.pure() == Point(Fraction(0), SLACK)
    assert loss.concentrated() == Point(Fraction(0), SLACK)
    assert loss.epsilon(SLACK) == 0
    assert loss.delta(0) == SLACK


def test_nothing_is_known_where_the_event_is_certain() -> None:
    loss = pc.ApproximateRenyiLoss(((2, 1),), 1)
    assert loss.delta(100) == 1
    assert loss.epsilon(0.999) == math.inf
    assert loss.epsilon(1) == 0


def test_groups_walk_the_curve() -> None:
    loss = pc.ApproximateRenyiLoss(((2, 0.01), (8, 0.04), (32, 0.16)), SLACK)
    group = loss.group(3)
    assert group.delta(2) >= loss.delta(2)
    assert group.delta(0) >= min(3 * SLACK, Fraction(1))
    assert group.epsilon(1e-3) < math.inf
    assert group.renyi_point(2).cost == math.inf
    assert group.epsilon(SLACK) == math.inf


def test_samples_and_budgets() -> None:
    loss = pc.ApproximateRenyiLoss(((2, 1), (8, 4), (32, 16)), SLACK)
    assert loss.amplify(pv.Poisson(0.01)).delta(1) < loss.delta(1)
    epsilon = loss.epsilon(1e-4)
    assert loss <= pv.budget(epsilon=epsilon, delta=1e-4)
    assert not loss <= pv.budget(epsilon=epsilon, delta=SLACK)
    cap = pc.PrivacyFilter(pv.budget(epsilon=100, delta=1e-3))
    cap.charge(loss, delta=1e-4)
    assert cap.spent.point() == Point(epsilon, Fraction(1, 10**4))
    for refused in (pv.budget(rho=10), pv.budget(order=2, renyi=10)):
        assert not loss <= refused
        with pytest.raises(UnavailableError):
            pc.PrivacyFilter(refused).charge(loss)


def test_restated() -> None:
    form = pc.RenyiForm(orders=[2, 8], delta=1e-5)
    assert form.restate(pc.ApproximateConcentratedLoss(0.5, SLACK)) == pc.ApproximateRenyiLoss(
        ((2, 1), (8, 4)), Fraction(1, 10**5)
    )
    assert form.restate(pc.ConcentratedLoss(0.5)) == pc.RenyiLoss(((2, 1), (8, 4)))
    with pytest.raises(UnavailableError, match="RenyiForm"):
        form.restate(pc.ApproximateConcentratedLoss(0.5, 1e-4))
    with pytest.raises(UnavailableError, match="RenyiForm"):
        pc.RenyiForm(orders=[2, 8]).restate(pc.ApproximateConcentratedLoss(0.5, SLACK))
    mixed = pc.RenyiLoss(((2, 1),), known=pc.ApproximateConcentratedLoss(0.5, SLACK)) + pc.ApproximateRenyiLoss(
        ((2, 1), (8, 4)), SLACK
    )
    with pytest.raises(UnavailableError):  # different orders have different events
        form.restate(mixed)


def test_parameters_are_checked() -> None:
    wrong: Any = 3
    with pytest.raises(WrongTypeError, match="points must be pairs"):
        pc.ApproximateRenyiLoss(wrong, 0)
    with pytest.raises(InvalidError, match="ApproximateRenyiLoss.slack must be between zero and one, got 2."):
        pc.ApproximateRenyiLoss(((2, 1),), 2)


def test_equal_losses_are_equal() -> None:
    assert pc.ApproximateRenyiLoss(((2, 1),), SLACK) == pc.ApproximateRenyiLoss([(2, 1)], SLACK)
    assert (pc.ApproximateRenyiLoss(((2, 1),), SLACK) + pc.ApproximateRenyiLoss(((2, 1),), SLACK)).parts()[0][1] == 2


@pytest.mark.parametrize(
    "wrong",
    [
        lambda noise, slack, epsilon: noise.delta(epsilon),  # forgets the event
        lambda noise, slack, epsilon: max(slack, noise.delta(epsilon)),  # takes the larger one
        lambda noise, slack, epsilon: slack * noise.delta(epsilon),  # the event only
    ],
)
def test_wrong_conversions_are_too_small(wrong: Any) -> None:
    noise = pc.GaussianLoss(distance=1, scale=2)
    _, exactly = guarded(noise, Fraction(1, 10))
    assert any(wrong(noise, Fraction(1, 10), epsilon) < exactly(epsilon) for epsilon in (0.1, 1, 3))
