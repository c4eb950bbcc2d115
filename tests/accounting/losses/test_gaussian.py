"""Gaussian losses: continuous, on a grid, on a fine grid."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.accounting.numerics.convert import normal_delta
from privet.core.exact import ball, ends, precision
from privet.errors import InvalidError, WrongTypeError
from tests.laws import masses
from tests.laws.loss import divergence


def exact_normal(mu: Fraction, epsilon: Fraction) -> Fraction:
    """The curve to 200 digits."""
    with precision(900):
        m, e = ball(mu), ball(epsilon)
        root = ball(2).sqrt()
        value = ((e / m - m / 2) / root).erfc() / 2 - e.exp() * ((e / m + m / 2) / root).erfc() / 2
        return ends(value)[0]


@given(st.fractions(Fraction(1, 100), 8), st.fractions(0, 20))
def test_the_continuous_curve_to_200_digits(mu: Fraction, epsilon: Fraction) -> None:
    claimed, exactly = normal_delta(mu, epsilon), exact_normal(mu, epsilon)
    assert exactly <= claimed <= exactly * (1 + Fraction(1, 2**70)) + Fraction(1, 10**280)


def test_one_gaussian() -> None:
    loss = pc.GaussianLoss(distance=1, scale=1)
    assert round(float(loss.epsilon(1e-6)), 5) == 4.88655
    low, high = loss.interval(delta=1e-6)
    assert low <= high < low + Fraction(1, 10**6)
    assert loss.rho() == Fraction(1, 2)
    assert loss.mu() == 1
    assert loss.epsilon() == math.inf
    assert loss.delta(0) == pytest.approx(math.erf(1 / math.sqrt(8)))


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 6), st.fractions(Fraction(1, 4), 5), st.fractions(0, 6))
def test_the_discrete_curve_is_the_exact_divergence(distance: int, scale: Fraction, epsilon: Fraction) -> None:
    claimed = pc.GaussianLoss(distance=distance, scale=scale, step=1).delta(epsilon)
    with precision(400):
        reach = 40 * (math.ceil(scale) + 1)
        p, q = masses.gaussian(scale, distance, reach), masses.gaussian(scale, 0, reach)
        exactly = divergence(p, q, epsilon)
    assert exactly <= claimed + Fraction(1, 10**60)
    assert claimed <= exactly * (1 + Fraction(1, 10**8)) + Fraction(1, 10**11)


def test_the_discrete_curve_crosses_the_continuous_one() -> None:
    """Neither formula may stand for the other."""
    ideal, discrete = pc.GaussianLoss(distance=1, scale=1), pc.GaussianLoss(distance=1, scale=1, step=1)
    signs = {discrete.delta(Fraction(e, 10)) > ideal.delta(Fraction(e, 10)) for e in range(40)}
    assert signs == {True, False}


@pytest.mark.parametrize("steps", [2**13, 2**14, 2**20])
def test_a_fine_grid_is_above_the_exact_curve_and_close(steps: int) -> None:
    """Checked by summing discrete masses in floats, whose error is far below the margin at these deltas."""
    loss = pc.GaussianLoss(distance=1, scale=1, step=Fraction(1, steps))
    if steps <= 2**14:
        k = np.arange(-12 * steps, 13 * steps + 1, dtype=np.float64)
        p, q = np.exp(-(((k - steps) / steps) ** 2) / 2), np.exp(-((k / steps) ** 2) / 2)
        p, q = p / p.sum(), q / q.sum()
        for epsilon in (0.0, 0.7, 2.0, 4.0):
            exactly = float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
            assert float(loss.delta(epsilon)) >= exactly * (1 - 1e-9)
            assert float(loss.delta(epsilon)) <= exactly * (1 + 1e-5)
    assert float(loss.epsilon(1e-6)) == pytest.approx(4.88655, abs=1e-5)


def test_more_coordinates_on_a_fine_grid_cost_next_to_nothing() -> None:
    one = pc.GaussianLoss(distance=1, scale=1, step=Fraction(1, 2**32))
    many = pc.GaussianLoss(distance=1, scale=1, step=Fraction(1, 2**32), coordinates=10**6)
    assert one.epsilon(1e-9) <= many.epsilon(1e-9) <= one.epsilon(1e-9) + Fraction(1, 10**8)


def test_a_coarse_grid_in_several_coordinates_knows_rho_only() -> None:
    loss = pc.GaussianLoss(squared=5, scale=2, step=1, coordinates=3)
    assert loss.by_curve
    assert loss.epsilon(1e-6) == pc.ConcentratedLoss(Fraction(5, 8)).epsilon(1e-6)


def test_sums_of_continuous_gaussians_are_exact() -> None:
    parts = [(3, Fraction(1, 2)), (4, Fraction(2)), (12, Fraction(5))]
    loss: Loss = pc.SumLoss(())
    for d, s in parts:
        loss = loss + pc.GaussianLoss(distance=d, scale=10 * s) * 2
    squared = sum((2 * (Fraction(d) / (10 * s)) ** 2 for d, s in parts), Fraction(0))
    together, alone = (float(each.epsilon(1e-7)) for each in (loss, pc.GaussianLoss(squared=squared, scale=1)))
    assert alone * (1 - 1e-9) <= together <= alone + 1e-5
    assert loss.gaussian() == squared


def test_the_mechanism_states_its_own_noise() -> None:
    chain = pc.numbers(length=9) >> pc.Gaussian(scale=3)
    counts = chain.map(pc.Parts(l0=2, l1=2, l2_squared=2, linf=1))
    assert counts == pc.GaussianLoss(distance=1, scale=3, step=1) * 2
    assert counts.rho() == Fraction(1, 9)
    larger = chain.map(pc.Parts(l0=3, l1=6, l2_squared=12, linf=2))
    assert larger == pc.GaussianLoss(distance=2, scale=3, step=1) * 3
    unknown = chain.map(pc.Parts(l0=4, l1=4, l2_squared=4, linf=2))
    assert unknown.rho() == Fraction(4, 18)
    many = pc.GaussianLoss(squared=400, scale=3, step=1, coordinates=9)
    assert chain.map(pc.Parts(l0=9, l1=60, l2_squared=400, linf=20)) == many


def test_the_sampled_divergence_of_discrete_noise_counts_whole_steps() -> None:
    half = pc.GaussianLoss(distance=Fraction(1, 2), scale=2, step=1).amplify(pv.Poisson(0.1))
    whole = pc.GaussianLoss(distance=1, scale=2, step=1).amplify(pv.Poisson(0.1))
    assert half.renyi(4) <= whole.renyi(4) == pc.sampled_gaussian_renyi(0.1, Fraction(1, 4), 4)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"scale": 1}, WrongTypeError, "takes distance=... or squared=..., one of them"),
        ({"distance": 1, "squared": 1, "scale": 1}, WrongTypeError, "one of them"),
        ({"distance": -1, "scale": 1}, InvalidError, "GaussianLoss.distance must be zero or more, got -1."),
        ({"distance": 1, "scale": 0}, InvalidError, "GaussianLoss.scale must be above zero"),
        ({"distance": 1, "scale": 1, "step": -1}, InvalidError, "GaussianLoss.step must be zero or more"),
        ({"distance": 1, "scale": 1, "coordinates": 0}, InvalidError, "GaussianLoss.coordinates"),
    ],
)
def test_wrong_parameters_are_refused(arguments: dict[str, int], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.GaussianLoss(**arguments)


@pytest.mark.parametrize("squared", [Fraction(1, 4), Fraction(2), Fraction(4)])
@pytest.mark.parametrize("times", [1, 3])
def test_no_lower_bound_is_above_the_upper_one_between_the_points_of_the_grid(squared: Fraction, times: int) -> None:
    loss = pc.GaussianLoss(squared=squared, scale=1, step=1) * times
    lower, upper = loss.interval(delta=1e-3)
    assert lower <= upper
    lower, upper = loss.interval(epsilon=0.1)
    assert lower <= upper


def test_far_beyond_every_tail() -> None:
    for scale in (10**8, 10**100):
        assert pc.GaussianLoss(distance=1, scale=scale).delta(1) < Fraction(1, 10**1000)


def moved(moves: tuple[int, ...], variance: Fraction, tilt: arb) -> arb:
    """The divergence where each number moves so far, by a table of all losses: they are whole multiples of 1/(2 v)."""
    reach = 12 * (math.isqrt(math.ceil(variance)) + 1)
    total: dict[int, arb] = {0: arb(1)}
    for move in moves:
        masses = {k: (-ball(Fraction(k * k) / (2 * variance))).exp() for k in range(-reach, reach + 1)}
        whole = sum(masses.values(), arb(0))
        grown: dict[int, arb] = {}
        for before, weight in total.items():
            for k, mass in masses.items():
                loss = before + 2 * k * move + move * move  # noise k around the number that moved
                grown[loss] = grown.get(loss, arb(0)) + weight * mass / whole
        total = grown
    gains = (mass * (1 - tilt * (-ball(Fraction(loss) / (2 * variance))).exp()) for loss, mass in total.items())
    return sum((gain for gain in gains if gain > 0), arb(0))


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(3, 2)])
@pytest.mark.parametrize(
    ("parts", "directions"),
    [
        (pc.Parts(l0=2, l1=3, l2_squared=5, linf=2), [(2, 1)]),
        (pc.Parts(l0=3, l1=3, l2_squared=4, linf=2), [(2,), (1, 1, 1)]),
        (pc.Parts(l0=2, l1=9, l2_squared=9, linf=3), [(3,), (2, 2)]),
    ],
)
def test_several_numbers_on_a_coarse_grid_are_exact(
    scale: Fraction, parts: pc.Parts, directions: list[tuple[int, ...]]
) -> None:
    loss = (pc.numbers(3) >> pc.Gaussian(scale=scale)).map(parts)
    for epsilon in (Fraction(0), Fraction(1), Fraction(7, 2), Fraction(8)):
        with precision(128):
            worst = max(ends(moved(way, scale**2, ball(epsilon).exp()))[1] for way in directions)
        claimed = loss.delta(epsilon)
        assert worst * (1 - Fraction(1, 10**9)) <= claimed <= worst * (1 + Fraction(5, 10**3))


@pytest.mark.parametrize("move", [(8,), (5, 5), (6, 4, 3)])
def test_noise_of_many_steps_is_near_normal_noise(move: tuple[int, ...]) -> None:
    squared, scale = sum(far * far for far in move), Fraction(12)
    loss = pc.GaussianLoss(squared=squared, scale=scale, step=1, coordinates=3)
    rough, normal = pc.ConcentratedLoss(loss.rho()), pc.GaussianLoss(squared=squared, scale=scale)
    for epsilon in (Fraction(0), Fraction(1), Fraction(5, 2)):
        with precision(96):
            exactly = ends(moved(move, scale**2, ball(epsilon).exp()))[0]
        assert exactly * (1 - Fraction(1, 10**9)) <= loss.delta(epsilon)
        assert loss.delta(epsilon) <= rough.delta(epsilon)
    assert loss.epsilon(1e-6) < rough.epsilon(1e-6)
    finer = pc.GaussianLoss(squared=squared * 100, scale=scale * 10, step=1, coordinates=3)
    assert finer.epsilon(1e-6) < normal.epsilon(1e-6) * Fraction(101, 100)


@pytest.mark.parametrize("step", [0, 1])
@pytest.mark.parametrize("scale", [Fraction(1, 20), Fraction(1), Fraction(3), Fraction(10)])
@pytest.mark.parametrize("epsilon", [1, 6, 20, 80])
@pytest.mark.share(3)
def test_far_tails_have_a_bound_from_below(step: int, scale: Fraction, epsilon: int) -> None:
    for rate in (Fraction(1, 100), Fraction(1)):
        loss = pc.GaussianLoss(distance=1, scale=scale, step=step).amplify(pv.Poisson(rate))
        low, high = loss.interval(epsilon=epsilon)
        assert low <= high
        assert low > 0 or high < Fraction(1, 2**4000)
        if high > Fraction(1, 2**800):  # about where upper bounds of discrete noise end
            assert high <= 3 * low


def test_closed_forms_from_below_are_below() -> None:
    for epsilon in (Fraction(0), Fraction(1), Fraction(5), Fraction(40)):
        for scale in (Fraction(1, 2), Fraction(2)):
            exact = pc.GaussianLoss(distance=1, scale=scale)
            assert 0 < exact._least_delta(epsilon) <= exact.delta(epsilon)
            assert exact.delta(epsilon) <= exact._least_delta(epsilon) * (1 + Fraction(1, 10**9))
            with precision(300):
                summed = ends(moved((1,), scale**2, ball(epsilon).exp()))[1]
            low = pc.GaussianLoss(distance=1, scale=scale, step=1)._least_delta(epsilon)
            assert low <= summed + Fraction(1, 10**28)
