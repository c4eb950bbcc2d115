"""Rényi divergences become (epsilon, delta) by the best bound that one order allows, never below the truth."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.accounting.numerics.renyi_convert import (
    curve_delta,
    curve_epsilon,
    orders,
    pure_renyi,
    pure_rho,
    range_rho,
    renyi_delta,
    renyi_epsilon,
)
from privet.core.exact import ball, ends, precision

ORDERS = st.fractions(Fraction(17, 16), 40)
COSTS = st.fractions(Fraction(1, 10**6), 10)
EPSILONS = st.fractions(0, 12)
WEIGHTS = st.lists(st.integers(1, 1000), min_size=3, max_size=3)


def divergence(order: Fraction, first: list[Fraction], second: list[Fraction]) -> Fraction:
    """The Rényi divergence, rounded up."""
    with precision(300):
        terms = (ball(p) ** ball(order) * ball(q) ** ball(1 - order) for p, q in zip(first, second, strict=True))
        return max(ends(sum(terms, arb(0)).log() / ball(order - 1))[1], Fraction(0))


def hockey_stick(epsilon: Fraction, first: list[Fraction], second: list[Fraction]) -> Fraction:
    """The true delta, rounded down."""
    with precision(300):
        tilt = ends(ball(epsilon).exp())[1]
    return sum((max(p - tilt * q, Fraction(0)) for p, q in zip(first, second, strict=True)), Fraction(0))


def plain(order: Fraction, cost: Fraction, epsilon: Fraction) -> float:
    """Proposition 12 of Canonne, Kamath and Steinke, in floats."""
    alpha = float(order)
    power = (alpha - 1) * float(cost - epsilon) + (alpha - 1) * math.log1p(-1 / alpha) - math.log(alpha)
    return math.exp(min(power, 0.0))


@settings(deadline=None)
@given(ORDERS, EPSILONS, WEIGHTS, WEIGHTS)
def test_never_below_the_truth(order: Fraction, epsilon: Fraction, left: list[int], right: list[int]) -> None:
    first, second = ([Fraction(w, sum(weights)) for w in weights] for weights in (left, right))
    cost = divergence(order, first, second)
    truth = hockey_stick(epsilon, first, second)
    assert renyi_delta(order, cost, epsilon) >= truth
    if 0 < truth < 1:
        assert renyi_epsilon(order, cost, truth) >= epsilon - Fraction(1, 2**200)


@settings(deadline=None)
@given(ORDERS, st.fractions(Fraction(1, 100), Fraction(99, 100)), st.fractions(Fraction(101, 100), 50))
def test_attained_by_a_pair_of_two_outcomes(order: Fraction, low: Fraction, high: Fraction) -> None:
    with precision(400):
        alpha, above = ball(order), ball(order - 1)
        tilt = above * (ball(high) ** alpha - ball(low) ** alpha)
        tilt = tilt / (alpha * (ball(high) ** above - ball(low) ** above))
        mass = (1 - low) / (high - low)  # of the outcome with the larger ratio, under the second distribution
        moment = ball(mass) * ball(high) ** alpha + ball(1 - mass) * ball(low) ** alpha
        cost, epsilon = ends(moment.log() / above)[1], ends(tilt.log())[1]
        truth = ends(ball(mass) * (ball(high) - tilt))[0]
    if epsilon < 0:  # the pair is the worst one for a negative epsilon, which nobody asks for
        return
    answer = renyi_delta(order, cost, epsilon)
    assert truth * (1 - Fraction(1, 2**60)) <= answer <= truth * (1 + Fraction(1, 10**7)), (
        "a bound that is smaller by a ten-millionth would be wrong"
    )


@settings(deadline=None)
@given(ORDERS, COSTS, EPSILONS)
def test_never_above_the_bound_by_one_moment(order: Fraction, cost: Fraction, epsilon: Fraction) -> None:
    assert float(renyi_delta(order, cost, epsilon)) <= plain(order, cost, epsilon) * (1 + 1e-9)


@settings(deadline=None)
@given(ORDERS, COSTS, st.fractions(Fraction(1, 10**12), Fraction(99, 100)))
def test_backwards(order: Fraction, cost: Fraction, delta: Fraction) -> None:
    answer = Fraction(renyi_epsilon(order, cost, delta))
    assert renyi_delta(order, cost, answer) <= delta * (1 + Fraction(1, 10**7))
    if answer > Fraction(1, 10**3):
        assert renyi_delta(order, cost, answer * (1 - Fraction(1, 10**5))) > delta


def test_the_book_forgets_the_logarithm() -> None:
    """A moment of E[exp((order - 1) Z)] <= cost, as the book prints it, would make 0.69 of a cost of two."""
    assert renyi_delta(Fraction(2), Fraction(2), Fraction(1)) > renyi_delta(Fraction(2), Fraction(7, 10), Fraction(1))


def test_edges() -> None:
    two, none, one = Fraction(2), Fraction(0), Fraction(1)
    assert renyi_delta(two, none, none) == 0
    assert renyi_delta(two, math.inf, one) == 1
    assert renyi_epsilon(two, none, none) == 0
    assert renyi_epsilon(two, one, none) == math.inf
    assert renyi_epsilon(two, one, one) == 0
    assert renyi_epsilon(two, math.inf, Fraction(1, 2)) == math.inf
    assert curve_delta([], one) == 1
    assert curve_epsilon([], Fraction(1, 2)) == math.inf
    assert curve_epsilon([(two, one)], none) == math.inf
    assert curve_epsilon([(two, one), (two, none)], none) == 0
    assert curve_delta([(two, Fraction(10**30))], one) == 1
    assert 0 < renyi_delta(two, one, Fraction(10**9)) < Fraction(1, 10**9)


def test_the_orders_to_search() -> None:
    grid = orders()
    assert grid == tuple(sorted(set(grid)))
    assert all(order.denominator == 1 for order in grid if order >= 17)
    assert max((b - 1) / (a - 1) for a, b in pairwise(grid)) == Fraction(17, 16)


@settings(max_examples=30, deadline=None)
@given(st.fractions(Fraction(1, 1000), 10), st.integers(1, 12))
def test_the_grid_loses_less_than_a_thousandth(rho: Fraction, digits: int) -> None:
    delta = Fraction(1, 10**digits)
    answer = float(curve_epsilon([(order, order * rho) for order in orders()], delta))
    fine = (1 + math.exp(t / 500) for t in range(-2000, 4000))
    best = min(a * float(rho) + math.log1p(-1 / a) - (math.log(delta) + math.log(a)) / (a - 1) for a in fine)
    assert answer <= 1.001 * max(best, 0.0)


@settings(max_examples=30, deadline=None)
@given(st.fractions(Fraction(1, 1000), 3), st.fractions(0, 5))
def test_a_search_finds_about_the_best_order(rho: Fraction, epsilon: Fraction) -> None:
    curve = [(order, order * rho) for order in orders()]
    assert curve_delta(curve, epsilon) <= min(renyi_delta(*point, epsilon) for point in curve[::9])


@settings(deadline=None)
@given(st.fractions(Fraction(1, 100), 20), ORDERS)
def test_pure_privacy_is_randomised_response(epsilon: Fraction, order: Fraction) -> None:
    with precision(300):
        truth = 1 / (1 + ball(-epsilon).exp())
        moment = truth ** ball(order) * (1 - truth) ** ball(1 - order)
        moment += (1 - truth) ** ball(order) * truth ** ball(1 - order)
        exactly = ends(moment.log() / ball(order - 1))[0]
    assert exactly <= pure_renyi(epsilon, order) <= exactly * (1 + Fraction(1, 2**70))
    assert exactly <= order * pure_rho(epsilon), "rho bounds every order"
    assert pure_rho(epsilon) <= epsilon**2 / 2


def test_rho_of_pure_privacy_is_attained_near_order_one() -> None:
    epsilon, near = Fraction(3), 1 + Fraction(1, 10**9)
    assert pure_renyi(epsilon, near) > near * pure_rho(epsilon) * (1 - Fraction(1, 10**8))
    assert pure_rho(Fraction(0)) == pure_renyi(Fraction(0), near) == 0


@pytest.mark.parametrize("cost", [Fraction(1, 10**40), Fraction(1, 10**12)])
def test_tiny_divergences_are_not_lost_in_rounding(cost: Fraction) -> None:
    # Pinsker: half the L1 distance is at most sqrt(KL / 2), and KL is the limit at order one
    answer = renyi_delta(Fraction(65, 64), cost, Fraction(0))
    assert math.isclose(float(answer), math.sqrt(float(cost) / 2), rel_tol=0.01)


def range_divergence(eta: Fraction, place: Fraction, order: Fraction) -> Fraction:
    """The Rényi divergence of two outcomes whose losses are eta apart, the larger at a share of eta; rounded down."""
    with precision(300):
        top, bottom = ball(eta * place).exp(), ball(eta * place - eta).exp()
        mass = (1 - bottom) / (top - bottom)
        return ends((mass * top ** ball(order) + (1 - mass) * bottom ** ball(order)).log() / ball(order - 1))[0]


@settings(deadline=None)
@given(
    st.fractions(Fraction(1, 100), 60),
    st.fractions(Fraction(1, 100), Fraction(99, 100)),
    st.fractions(Fraction(101, 100), 90),
)
def test_rho_of_bounded_range_bounds_every_order(eta: Fraction, place: Fraction, order: Fraction) -> None:
    assert range_divergence(eta, place, order) <= order * range_rho(eta)
    assert range_rho(eta) <= min(eta**2 / 8, pure_rho(eta))


@pytest.mark.parametrize("eta", [Fraction(1, 100), Fraction(1), Fraction(4), Fraction(12)])
def test_rho_of_bounded_range_is_attained_near_order_one(eta: Fraction) -> None:
    near = 1 + Fraction(1, 10**9)
    best = max(range_divergence(eta, Fraction(i, 2000), near) for i in range(900, 1800))
    assert best > range_rho(eta) * (1 - Fraction(1, 10**5)), "a smaller rho would be wrong"
    assert range_rho(Fraction(0)) == 0
