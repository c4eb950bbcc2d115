"""Losses of which the Rényi divergence is known at some orders."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import privet.calculus as pc
from privet.accounting.losses.renyi import RenyiLoss
from privet.accounting.numerics.renyi_convert import orders, renyi_delta
from privet.core.exact import ball, ends, precision
from privet.errors import InvalidError, WrongTypeError

WEIGHTS = st.lists(st.integers(1, 1000), min_size=3, max_size=3)
ORDERS = st.fractions(Fraction(17, 16), 30)


def divergence(order: Fraction, left: list[int], right: list[int]) -> tuple[Fraction, Fraction]:
    """Enclose the Rényi divergence of two distributions."""
    with precision(300):
        first, second = ([ball(Fraction(w, sum(weights))) for w in weights] for weights in (left, right))
        terms = (p ** ball(order) * q ** ball(1 - order) for p, q in zip(first, second, strict=True))
        low, high = ends(sum(terms, arb(0)).log() / ball(order - 1))
    return max(low, Fraction(0)), max(high, Fraction(0))


@settings(deadline=None)
@given(ORDERS, ORDERS, ORDERS, WEIGHTS, WEIGHTS)
def test_other_orders_are_bounded(
    one: Fraction, two: Fraction, asked: Fraction, left: list[int], right: list[int]
) -> None:
    loss = RenyiLoss(tuple((order, divergence(order, left, right)[1]) for order in (one, two)))
    assert loss.renyi(asked) >= divergence(asked, left, right)[0] - Fraction(1, 2**200)


def test_orders_between_are_read_off_the_chord() -> None:
    loss = RenyiLoss(((2, 1), (8, 4)))
    assert loss.renyi(2) == 1
    assert loss.renyi(8) == 4
    assert loss.renyi(5) == Fraction(29, 8), "((8 - 5)/6 * 1 * 1 + (5 - 2)/6 * 7 * 4) / 4"
    assert loss.renyi(1.5) == 1, "monotone below the first order"
    assert loss.renyi(8.01) == math.inf, "nothing is known above the last"


def test_a_larger_order_may_bound_a_smaller_one_better() -> None:
    loss = RenyiLoss(((2, 5), (3, 4)))
    assert loss.renyi(2) == 4
    assert RenyiLoss(((3, 4), (2, 5), (3, 6))) == loss, "in order, the smaller of two costs"


def test_a_few_orders_give_neither_rho_nor_epsilon_alone() -> None:
    loss = RenyiLoss(((2, 1), (8, 4)))
    assert loss.rho() == math.inf
    assert loss.epsilon() == math.inf
    assert loss.epsilon(1) == 0
    assert RenyiLoss(((2, 0),)).epsilon() == 0, "equal distributions"
    assert RenyiLoss(((2, 0),)).rho() == 0


def test_what_is_known_besides() -> None:
    loss = RenyiLoss(((2, 0.5), (64, 20)), known=pc.ConcentratedLoss(0.5))
    assert loss.rho() == Fraction(1, 2)
    assert loss.renyi(2) == Fraction(1, 2)
    assert loss.renyi(100) == 50
    assert loss.epsilon(1e-6) <= pc.ConcentratedLoss(0.5).epsilon(1e-6)
    assert RenyiLoss(((2, 3),), known=pc.PureLoss(1)).epsilon() == 1


def test_what_is_known_besides_keeps_its_assumptions_and_its_mu() -> None:
    sample = pc.AssertedLoss(pc.PureLoss(2), ("a random sample",))
    loss = RenyiLoss(((2, 1),), known=sample)
    assert loss.assumptions() == sample.assumptions() != ()
    assert loss.mu() == sample.mu()
    assert RenyiLoss(((2, 1),)).mu() == math.inf
    assert RenyiLoss(((2, 0),)).mu() == 0


def test_no_pair_is_said_to_attain_it() -> None:
    """Randomised response attains epsilon = 3, and breaks the bound at order two."""
    loss = RenyiLoss(((2, 0.1),), known=pc.PureLoss(3))
    assert pc.PureLoss(3).renyi(2) > loss.renyi(2)
    assert loss._attained() is None
    assert loss.interval(delta=1e-3)[0] <= loss.epsilon(1e-3)
    small = RenyiLoss(((2, 0.001),), known=pc.PureLoss(1))
    assert small.interval(delta=1e-3)[0] <= small.epsilon(1e-3) < Fraction(1, 4)


def test_the_trade_off_curve_follows_the_profile() -> None:
    loss = RenyiLoss(((2, 1), (8, 4)))
    beta = loss.beta(0.05)
    assert float(1 - loss.delta(2)) - math.exp(2) * 0.05 <= float(beta) + 1e-3
    assert 0 <= beta < Fraction(95, 100)


@pytest.mark.parametrize("epsilon", [0, 0.5, 3, 20])
def test_the_best_order_is_taken(epsilon: float) -> None:
    wanted = pc.exact(epsilon)
    curve = tuple((order, order / 2) for order in orders()[::24])
    loss = RenyiLoss(curve)
    assert loss.delta(epsilon) <= min(renyi_delta(order, cost, wanted) for order, cost in curve)


def test_orders_between_stated_ones_are_searched() -> None:
    loss = RenyiLoss(((2, 1), (30, 15)))
    stated = min(renyi_delta(order, cost, Fraction(77, 5)) for order, cost in loss.points)
    assert loss.delta(15.4) < stated * Fraction(2, 3)


@settings(max_examples=20, deadline=None)
@given(st.fractions(Fraction(1, 100), 3), st.integers(1, 12))
def test_backwards(rho: Fraction, digits: int) -> None:
    loss = RenyiLoss(tuple((order, order * rho) for order in orders()[::24]))
    delta = Fraction(1, 10**digits)
    assert loss.delta(Fraction(loss.epsilon(delta))) <= delta * (1 + Fraction(1, 10**6))


def test_sums_add_up_order_by_order() -> None:
    loss = RenyiLoss(((2, 1), (8, 4)))
    assert (loss * 3).renyi(5) == 3 * loss.renyi(5)
    assert (loss + pc.ConcentratedLoss(1)).renyi(8) == 12


@pytest.mark.parametrize(
    ("curve", "message"),
    [
        ((), "RenyiLoss.points must be pairs"),
        (3, "RenyiLoss.points must be pairs"),
        ((3, 4), "must be pairs .order, cost., at least one, got int"),
        (((2, 3, 4),), "must be pairs .order, cost., at least one, got tuple"),
    ],
)
def test_curves_of_another_shape_are_refused(curve: object, message: str) -> None:
    with pytest.raises(WrongTypeError, match=message):
        RenyiLoss(curve)


@pytest.mark.parametrize("pair", [(1, 1), (0.5, 1), (2, -1), (2, math.inf), (math.nan, 1)])
def test_wrong_orders_and_costs_are_refused(pair: tuple[float, float]) -> None:
    with pytest.raises(InvalidError, match="RenyiLoss.points"):
        RenyiLoss((pair,))


def test_wrong_questions_are_refused() -> None:
    with pytest.raises(WrongTypeError, match="RenyiLoss.known must be a loss or None, got int."):
        RenyiLoss(((2, 1),), known=1)
    with pytest.raises(InvalidError, match="Loss.order must be above one, got 1."):
        RenyiLoss(((2, 1),)).renyi(1)


def test_orders_that_no_float_could_choose_are_refused() -> None:
    for order in (10**400, 1 + Fraction(1, 10**400)):
        with pytest.raises(InvalidError, match=r"orders between 1 \+ 2\*\*-60 and 1 \+ 2\*\*60"):
            RenyiLoss(((order, 1),))


@pytest.mark.parametrize("wrong", [np.array([1, 2]), np.float64(3), (), None])
def test_points_that_are_no_list_are_refused_by_an_error_of_ours(wrong: Any) -> None:
    with pytest.raises(WrongTypeError, match="RenyiLoss.points"):
        pc.RenyiLoss(wrong)
