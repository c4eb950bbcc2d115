"""The exact curve of discrete Laplace noise."""

import math
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.exact import ball, ends, precision
from privet.errors import InvalidError
from tests.laws import masses
from tests.laws.loss import divergence


@given(st.integers(0, 6), st.fractions(Fraction(1, 5), 6), st.fractions(0, 4))
def test_the_curve_is_the_exact_divergence(distance: int, scale: Fraction, epsilon: Fraction) -> None:
    claimed = pc.LaplaceLoss(distance=distance, scale=scale, step=1).delta(epsilon)
    with precision(256):
        p, q = masses.laplace(scale, 0, 300), masses.laplace(scale, distance, 300)
        exactly = divergence(p, q, epsilon)
    assert exactly <= claimed <= exactly + Fraction(1, 2**60)


@given(st.integers(1, 6), st.fractions(Fraction(1, 5), 6), st.fractions(Fraction(1, 10**6), Fraction(1, 2)))
def test_the_curve_backwards(distance: int, scale: Fraction, delta: Fraction) -> None:
    loss = pc.LaplaceLoss(distance=distance, scale=scale, step=1)
    epsilon = loss.epsilon(delta)
    assert loss.delta(epsilon) <= delta + Fraction(1, 2**60)
    if epsilon > 0:
        assert loss.delta(Fraction(epsilon) * Fraction(2**36 - 1, 2**36)) > delta or epsilon == distance / scale


def test_a_fraction_of_a_step_is_charged_as_the_step_above() -> None:
    assert pc.LaplaceLoss(distance=Fraction(1, 2), scale=1).epsilon() == Fraction(1, 2)
    half, whole = pc.LaplaceLoss(distance=Fraction(1, 2), scale=1), pc.LaplaceLoss(distance=1, scale=1, step=1)
    assert half.delta(0.1) <= whole.delta(0.1)


def test_a_fine_grid_has_nearly_the_continuous_curve() -> None:
    loss = pc.LaplaceLoss(distance=2**32, scale=2**32, step=1)
    assert math.isclose(float(loss.delta(0.25)), 1 - math.exp(-0.375), rel_tol=1e-8)
    assert math.isclose(float(loss.epsilon(0.1)), 1 + 2 * math.log(0.9), rel_tol=1e-8)


def test_discrete_noise_costs_more_than_continuous_noise() -> None:
    with precision(100):
        continuous = ends(1 - ball(Fraction(-1, 2)).exp())[1]
    assert pc.LaplaceLoss(distance=1, scale=1, step=1).delta(0) > continuous


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="LaplaceLoss.scale must be above zero, got 0."):
        pc.LaplaceLoss(distance=1, scale=0, step=1)
    with pytest.raises(InvalidError, match="LaplaceLoss.distance must be zero or more, got -1."):
        pc.LaplaceLoss(distance=-1, scale=1, step=1)
    with pytest.raises(InvalidError, match="zero or more"):
        pc.LaplaceLoss(distance=1, scale=1, step=1).delta(-1)


@given(st.fractions(Fraction(1, 20), 6), st.fractions(0, 6))
def test_the_continuous_curve(cost: Fraction, epsilon: Fraction) -> None:
    claimed = float(pc.LaplaceLoss(distance=cost, scale=1).delta(epsilon))
    assert claimed == pytest.approx(max(1 - math.exp(float(epsilon - cost) / 2), 0), abs=1e-14)


@given(st.integers(1, 6), st.fractions(Fraction(1, 3), 6), st.fractions(Fraction(9, 8), 20))
def test_the_divergences_of_discrete_noise_are_exact(distance: int, scale: Fraction, order: Fraction) -> None:
    claimed = pc.LaplaceLoss(distance=distance, scale=scale, step=1).renyi(order)
    with precision(400):
        p, q = masses.laplace(scale, 0, 400), masses.laplace(scale, distance, 400)
        shared = [(mass, q.inside[k]) for k, mass in p.inside.items() if k in q.inside]
        total = sum((a ** ball(order) * b ** ball(1 - order) for a, b in shared), ball(Fraction(0)))
        low, high = ends(total.log() / ball(order - 1))
    assert low - Fraction(1, 10**20) <= claimed <= high + Fraction(1, 10**20)


@given(st.fractions(Fraction(1, 20), 6), st.fractions(Fraction(9, 8), 20))
def test_the_divergences_of_continuous_noise_are_exact(cost: Fraction, order: Fraction) -> None:
    e, a = float(cost), float(order)
    exactly = math.log(a / (2 * a - 1) * math.exp((a - 1) * e) + (a - 1) / (2 * a - 1) * math.exp(-a * e)) / (a - 1)
    assert float(pc.LaplaceLoss(distance=cost, scale=1).renyi(order)) == pytest.approx(exactly, rel=1e-9)


@pytest.mark.parametrize("step", [0, 1])
def test_composed_laplace_noise_is_bounded_from_both_sides(step: int) -> None:
    loss = pc.LaplaceLoss(distance=1, scale=2, step=step) * 20
    low, high = loss.interval(delta=1e-5)
    assert 0 < low <= high < loss.epsilon()
    assert high - low < Fraction(1, 1000)


@pytest.mark.parametrize("distance", [Fraction(1, 2), Fraction(3, 2), Fraction(2)])
@pytest.mark.parametrize("times", [1, 3])
def test_no_lower_bound_is_above_the_upper_one_between_the_points_of_the_grid(distance: Fraction, times: int) -> None:
    loss = pc.LaplaceLoss(distance=distance, scale=1, step=1) * times
    lower, upper = loss.interval(delta=1e-3)
    assert lower <= upper
    lower, upper = loss.interval(epsilon=0.1)
    assert lower <= upper


def losses(shift: int, rate: Fraction) -> dict[int, Fraction]:
    """The loss of one number that moves so far, in units of one over the scale, where e^(-1/scale) is the rate."""
    if shift == 0:
        return {0: Fraction(1)}
    ends = {shift: 1 / (1 + rate), -shift: rate**shift / (1 + rate)}
    return ends | {shift - 2 * j: (1 - rate) / (1 + rate) * rate**j for j in range(1, shift)}


def together(shifts: tuple[int, ...], rate: Fraction) -> dict[int, Fraction]:
    total = {0: Fraction(1)}
    for shift in shifts:
        grown: dict[int, Fraction] = {}
        for before, mass in total.items():
            for loss, weight in losses(shift, rate).items():
                grown[before + loss] = grown.get(before + loss, Fraction(0)) + mass * weight
        total = grown
    return total


def hockey_stick(law: dict[int, Fraction], at: int, rate: Fraction) -> Fraction:
    """The divergence at e^epsilon = rate^-at."""
    return sum((mass * (1 - rate ** (loss - at)) for loss, mass in law.items() if loss > at), Fraction(0))


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(2, 3), Fraction(19, 20)])
def test_moving_one_number_further_and_another_less_tells_more(rate: Fraction) -> None:
    """Every hockey stick; between the losses, which both have, both curves are straight."""
    for longer in range(7):
        for shorter in range(1, longer + 2):
            even, uneven = together((longer, shorter), rate), together((longer + 1, shorter - 1), rate)
            for at in range(-longer - shorter, longer + shorter + 1):
                assert hockey_stick(even, at, rate) <= hockey_stick(uneven, at, rate)


@pytest.mark.parametrize("largest", [1, 2, 3, 5, 9])
def test_a_vector_moves_worst_in_few_numbers_as_far_as_possible(largest: int) -> None:
    rate, total, most = Fraction(2, 3), 9, 4
    parts = pc.Parts(l0=most, l1=total, l2_squared=total * largest, linf=largest)
    scale = -1 / Fraction(math.log(rate))  # close enough: deltas are compared to ten digits
    loss = (pc.numbers(most) >> pc.Laplace(scale=scale)).map(parts)
    allowed = [shifts for shifts in partitions(total, largest) if len(shifts) <= most] or [(largest,) * most]
    for at in range(0, 9, 2):
        worst = max(hockey_stick(together(shifts, rate), at, rate) for shifts in allowed)
        claimed = float(loss.delta(at / scale))
        assert float(worst) * (1 - 1e-9) <= claimed <= float(worst) * (1 + 1e-5) + 1e-12


def test_a_vector_is_never_dearer_than_epsilon_alone() -> None:
    parts = pc.Parts(l0=5, l1=12, l2_squared=60, linf=4)
    chain = pc.numbers(5) >> pc.Laplace(scale=6)
    loss, plain = chain.map(parts), pc.PureLoss(2)
    assert loss.epsilon() == 2
    assert loss.rho() < plain.rho()
    assert loss.epsilon(1e-3) < plain.epsilon(1e-3)
    assert loss.renyi(3) < plain.renyi(3)
