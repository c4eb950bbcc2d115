"""Losses on simple random samples."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.accounting.sampling.simple_sampling import SimpleSampledLoss, SimpleSampling
from privet.core.exact import ball, log_up, precision
from privet.errors import InvalidError, NotExactError
from tests.laws.loss import divergence
from tests.laws.masses import Masses

THREE = pc.RandomizedResponseLoss(truth=0.6, other=0.2)
EPSILONS = [Fraction(part, 20) for part in range(25)]


def response_of_a_sample(rows: Sequence[int], size: int) -> Masses:
    """Each row of a sample answers by randomised response over three values; only the row that changes can tell."""
    law: dict[tuple[int, ...], Fraction] = {}
    for drawn in combinations(rows, size):
        outcomes: dict[tuple[int, ...], Fraction] = {(): Fraction(1, math.comb(len(rows), size))}
        for row in drawn:
            outcomes = {
                (*before, answer): chance * Fraction(3 if answer == row else 1, 5)
                for before, chance in outcomes.items()
                for answer in range(3)
            }
        for answers, chance in outcomes.items():
            key = tuple(sorted(answers))
            law[key] = law.get(key, Fraction(0)) + chance
    return Masses({key: ball(chance) for key, chance in law.items()}, arb(0))


@pytest.mark.parametrize(
    ("rows", "size"), [((2,), 1), ((2, 2), 1), ((2, 2), 2), ((0, 1), 2), ((2, 2, 2), 2), ((0, 1), 1)]
)
def test_the_exact_divergence_is_within_the_claim(rows: tuple[int, ...], size: int) -> None:
    claimed = THREE.amplify(SimpleSampling(rate=Fraction(size, len(rows) + 1)))
    with precision(256):
        p, q = response_of_a_sample((0, *rows), size), response_of_a_sample((1, *rows), size)
        for epsilon in EPSILONS:
            assert divergence(p, q, epsilon) <= claimed.delta(epsilon)


def test_one_of_two_is_exactly_the_claim() -> None:
    claimed = THREE.amplify(SimpleSampling(rate=0.5))
    with precision(256):
        p, q = response_of_a_sample((0, 2), 1), response_of_a_sample((1, 2), 1)
        for epsilon in EPSILONS:
            assert claimed.delta(epsilon) <= divergence(p, q, epsilon) + Fraction(1, 2**60)


def test_a_rate_that_is_too_small_is_caught() -> None:
    wrong = SimpleSampledLoss(THREE, Fraction(1, 3))
    with precision(256):
        p, q = response_of_a_sample((0, 2), 1), response_of_a_sample((1, 2), 1)
        assert divergence(p, q, Fraction(0)) > wrong.delta(0)


def test_an_epsilon_that_shrinks_in_proportion_is_caught() -> None:
    """Delta is zero from ln(1 + rate (e^epsilon - 1)) on, which is more than rate epsilon."""
    wrong = log_up(Fraction(3)) / 2
    with precision(256):
        p, q = response_of_a_sample((0, 2), 1), response_of_a_sample((1, 2), 1)
        assert divergence(p, q, wrong) > Fraction(1, 100)
    assert THREE.amplify(SimpleSampling(rate=0.5)).epsilon() >= log_up(Fraction(2)) - Fraction(1, 2**70) > wrong


def test_points() -> None:
    loss = pc.ApproximateLoss(1, 1e-6).amplify(SimpleSampling(rate=0.1))
    assert math.isclose(float(loss.pure().cost), math.log1p(0.1 * math.expm1(1)))
    assert loss.pure().delta == Fraction(1, 10**7)
    assert loss.concentrated().delta == Fraction(1, 10**6)
    assert (
        pc.ConcentratedLoss(1).amplify(SimpleSampling(rate=0.1)).concentrated() == pc.ConcentratedLoss(1).concentrated()
    )
    assert pc.ConcentratedLoss(1).amplify(SimpleSampling(rate=0.1)).renyi(3) == 3
    assert loss.epsilon(1e-8) == math.inf


def test_a_sample_of_everything_is_everything() -> None:
    assert pc.PureLoss(1).amplify(SimpleSampling(rate=1)) == pc.PureLoss(1)


@given(st.fractions(Fraction(1, 100), 1), st.fractions(0, 4), st.fractions(Fraction(1, 10**9), Fraction(1, 2)))
def test_the_curve_backwards(rate: Fraction, cost: Fraction, delta: Fraction) -> None:
    loss = pc.PureLoss(cost).amplify(SimpleSampling(rate=rate))
    epsilon = loss.epsilon(delta)
    assert loss.delta(epsilon) <= delta + Fraction(1, 2**60)


@pytest.mark.parametrize(
    "base", [pc.PureLoss(2), pc.ApproximateLoss(1, 0.01), THREE, pc.LaplaceLoss(distance=3, scale=2), pc.PureLoss(8)]
)
@pytest.mark.parametrize("rate", [0.01, 0.3, 0.9])
def test_the_reflected_curve_is_convex(base: Loss, rate: float) -> None:
    """What the loss distribution of a symmetric relation is built from; see the page."""
    loss = base.amplify(SimpleSampling(rate=rate))
    ratios = [Fraction(2**16 + step, 2**16) ** 12 for step in range(0, 12_000, 800)]
    above = [(x, loss.delta(log_up(x))) for x in ratios]
    below = [(1 / x, 1 - 1 / x + value / x) for x, value in above[1:]]
    curve = sorted(below + above)
    for (a, at_a), (b, at_b), (c, at_c) in zip(curve, curve[1:], curve[2:], strict=False):
        assert at_b <= at_a + (at_c - at_a) * (b - a) / (c - a) + Fraction(1, 2**50)


def test_wrong_rates_are_refused() -> None:
    with pytest.raises(InvalidError, match="SimpleSampling.rate must be above zero and at most one, got 0."):
        SimpleSampling(rate=0)
    with pytest.raises(InvalidError, match="at most one, got 1.5"):
        SimpleSampling(rate=1.5)
    with pytest.raises(NotExactError, match="SimpleSampling.rate"):
        SimpleSampling(rate="half")
