"""Conversions between forms are rounded toward more loss and agree with high precision."""

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.numerics.convert import (
    Point,
    amplified,
    before_sampling,
    concentrated_delta,
    concentrated_epsilon,
    pure_delta,
    pure_epsilon,
    smallest,
    walked,
)
from privet.core.exact import ball, ends, precision

NONE = Fraction(0)
COSTS = st.fractions(Fraction(1, 1000), 30)
DELTAS = st.fractions(Fraction(1, 10**12), Fraction(99, 100))


def response_curve(cost: Fraction, slack: Fraction, epsilon: Fraction) -> Fraction:
    """The curve of randomised response with a failure, at 400 bits."""
    with precision(400):
        high, low = ball(cost).exp(), ball(epsilon).exp()
        return ends(ball(slack) + (1 - ball(slack)) * (high - low) / (1 + high))[0]


@given(COSTS, st.fractions(0, Fraction(1, 2)), st.fractions(0, 30))
def test_the_curve_of_a_pure_point(cost: Fraction, slack: Fraction, epsilon: Fraction) -> None:
    answer = pure_delta(Point(cost, slack), epsilon)
    exactly = max(response_curve(cost, slack, epsilon), slack)
    assert exactly <= answer <= exactly + Fraction(1, 2**60)


@given(COSTS, st.fractions(0, Fraction(1, 2)), DELTAS)
def test_a_pure_point_backwards(cost: Fraction, slack: Fraction, delta: Fraction) -> None:
    answer = pure_epsilon(Point(cost, slack), delta)
    if delta < slack:
        assert answer == math.inf
        return
    assert answer <= cost
    assert response_curve(cost, slack, Fraction(answer)) <= max(delta, slack)
    if answer > 0 and delta > slack:
        assert response_curve(cost, slack, Fraction(answer) - Fraction(1, 2**50)) >= delta - Fraction(1, 2**40)


def best_order(rho: float, epsilon: float) -> float:
    """The smallest delta over orders on a fine grid, in floats: what the certified answer may hardly exceed."""
    orders = [1 + math.exp(t / 200) for t in range(-4000, 4000)]
    return min(
        math.exp(min((a - 1) * (a * rho - epsilon) + a * math.log1p(-1 / a) - math.log(a - 1), 0.0)) for a in orders
    )


@given(st.fractions(Fraction(1, 1000), 5), st.fractions(0, 20))
def test_the_curve_of_a_concentrated_point(rho: Fraction, epsilon: Fraction) -> None:
    answer = concentrated_delta(Point(rho, NONE), epsilon)
    assert float(answer) <= best_order(float(rho), float(epsilon)) * 1.01 + 1e-300
    with precision(300):
        # never below the truth of the continuous Gaussian, which has this rho
        mu = ball(2 * rho).sqrt()
        tails = [(ball(epsilon) / mu + sign * mu / 2) / arb(2).sqrt() for sign in (-1, 1)]
        exactly = (tails[0].erfc() - ball(epsilon).exp() * tails[1].erfc()) / 2
        assert answer >= ends(exactly)[0]


@given(st.fractions(Fraction(1, 1000), 5), DELTAS)
def test_a_concentrated_point_backwards(rho: Fraction, delta: Fraction) -> None:
    answer = Fraction(concentrated_epsilon(Point(rho, NONE), delta))
    assert concentrated_delta(Point(rho, NONE), answer) <= delta * Fraction(10001, 10000)
    assert answer <= rho + 2 * Fraction(math.sqrt(float(rho) * math.log(1 / float(delta)))) + Fraction(1, 10**9), (
        "never worse than the plain conversion of Bun and Steinke"
    )


def test_a_concentrated_point_with_a_failure() -> None:
    point = Point(Fraction(1, 2), Fraction(1, 10**6))
    assert concentrated_epsilon(point, Fraction(1, 10**6)) == math.inf
    without = Point(Fraction(1, 2), NONE)
    assert concentrated_epsilon(point, Fraction(2, 10**6)) > concentrated_epsilon(without, Fraction(2, 10**6))
    assert concentrated_delta(point, Fraction(100)) > Fraction(1, 10**6)


@pytest.mark.parametrize("form", [pure_epsilon, concentrated_epsilon])
def test_nothing_lost_costs_nothing(form: object) -> None:
    assert callable(form)
    assert form(Point(NONE, NONE), NONE) == 0
    assert form(Point(math.inf, NONE), Fraction(1, 2)) == math.inf
    assert form(Point(math.inf, NONE), Fraction(1)) == 0


@given(DELTAS, COSTS, st.integers(1, 50))
def test_walking_steps(delta: Fraction, per_step: Fraction, steps: int) -> None:
    exactly = sum(float(delta) * math.exp(min(i * float(per_step), 700)) for i in range(steps))
    assert float(walked(delta, per_step, steps)) >= min(exactly, 1.0) * (1 - 1e-12)
    assert float(walked(delta, per_step, steps)) <= exactly * (1 + 1e-9) + 1e-300
    assert walked(delta, Fraction(10**6), steps) == 1


@given(st.fractions(0, 5000), st.fractions(Fraction(1, 10**6), 1))
def test_sampling_and_back(epsilon: Fraction, rate: Fraction) -> None:
    sampled = amplified(epsilon, rate)
    assert 0 <= sampled <= epsilon + Fraction(1, 2**60)
    with precision(12000):
        exactly = (1 + ball(rate) * ball(epsilon).expm1()).log()
        low, high = ends(exactly)
    assert sampled >= low
    assert sampled <= high + Fraction(1, 2**60)
    assert before_sampling(sampled, rate) <= epsilon + Fraction(1, 2**40) or sampled > 4096


def test_searching_a_curve() -> None:
    def falling(epsilon: Fraction) -> Fraction:
        return 1 / (1 + epsilon)

    found = Fraction(smallest(falling, Fraction(1, 5), start=math.inf))
    assert falling(found) <= Fraction(1, 5)
    assert found - 4 < Fraction(1, 2**30)
    assert smallest(falling, Fraction(1), start=Fraction(3)) == 0
    assert smallest(lambda _: Fraction(1), Fraction(1, 5), start=math.inf) == math.inf
