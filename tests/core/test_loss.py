"""The algebra of losses: sums, groups, samples, budgets."""

import math
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
from privet.core.loss import GroupLoss, Loss, SumLoss
from privet.errors import Invalid, WrongType

TENTH = pv.PureLoss(0.1)
UNTYPED: Any = TENTH
ONE = pv.budget(epsilon=1)


def test_ten_tenths_fill_one_and_the_eleventh_does_not_fit() -> None:
    assert sum([TENTH] * 10) <= ONE  # type: ignore[operator]
    assert not sum([TENTH] * 11) <= ONE  # type: ignore[operator]
    assert TENTH * 10 <= ONE
    assert not TENTH * 10 + pv.PureLoss(1e-300) <= ONE
    assert pv.PureLoss(Fraction(1, 3)) * 3 <= ONE
    assert not pv.PureLoss(Fraction(1, 3)) * 3 + pv.PureLoss(Fraction(1, 10**40)) <= ONE


def test_sums_keep_their_parts() -> None:
    gauss = pv.ConcentratedLoss(0.5)
    loss = TENTH + gauss + TENTH * 3 + gauss
    assert loss.parts() == ((TENTH, 4), (gauss, 2))
    assert loss.rho() == 1 + 4 * Fraction(1, 200)
    assert (TENTH * 1) == TENTH
    assert (TENTH * 0).epsilon() == 0
    assert (2 * TENTH).epsilon() == Fraction(1, 5)


def test_many_small_pure_losses_are_cheaper_together() -> None:
    loss = pv.PureLoss(0.01) * 1000
    assert loss.epsilon() == 10
    assert loss.epsilon(1e-6) < 2


def test_a_sum_in_both_forms_answers_by_the_better() -> None:
    loss = pv.PureLoss(0.5) + pv.ConcentratedLoss(Fraction(1, 100))
    assert loss.epsilon() == math.inf
    assert loss.epsilon(1e-6) < 2
    assert loss.delta(loss.epsilon(1e-6)) <= Fraction(1, 10**6) * Fraction(1001, 1000)


def test_absurd_costs_have_answers() -> None:
    loss = pv.PureLoss(10**400) + pv.ConcentratedLoss(1)
    assert loss.epsilon(0.1) >= 10**400
    assert loss.delta(1) == 1


def test_deltas_add_up() -> None:
    loss = pv.ApproximateLoss(1, 1e-9) * 3
    assert loss.epsilon(3e-9) == 3
    assert loss.epsilon(2.9e-9) == math.inf
    assert loss.rho() == math.inf
    assert loss.delta(3) == Fraction(3, 10**9)


def response_sum(losses: list[tuple[float, int]], epsilon: float) -> float:
    """The exact delta of independent randomised responses, by enumeration."""
    odds = [e for e, often in losses for _ in range(often)]
    total = 0.0
    for signs in product((1, -1), repeat=len(odds)):
        p = math.prod((1 / (1 + math.exp(-s * e))) for s, e in zip(signs, odds, strict=True))
        q = math.prod((1 / (1 + math.exp(s * e))) for s, e in zip(signs, odds, strict=True))
        total += max(p - math.exp(epsilon) * q, 0)
    return total


@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.3, 1.0, 2.0]), st.integers(1, 2)), min_size=1, max_size=4),
    st.floats(0, 4),
)
def test_no_sum_of_pure_losses_is_below_the_exact_answer(losses: list[tuple[float, int]], epsilon: float) -> None:
    loss: Loss = SumLoss(())
    for cost, often in losses:
        loss = loss + pv.PureLoss(cost) * often
    exactly = response_sum(losses, epsilon)
    assert float(loss.delta(epsilon)) >= exactly - 1e-12
    for delta in (1e-6, 1e-2, 0.3):
        answer = loss.epsilon(delta)
        assert response_sum(losses, float(answer)) <= delta + 1e-12


def test_groups() -> None:
    assert TENTH.group(3).epsilon() == Fraction(3, 10)
    assert pv.ConcentratedLoss(0.5).group(2).rho() == 2
    assert TENTH.group(1) == TENTH
    assert TENTH.group(0).epsilon() == 0
    approximate = pv.ApproximateLoss(1, 1e-6).group(2)
    assert approximate.epsilon(approximate.delta(2)) == 2
    assert math.isclose(float(approximate.delta(2)), 1e-6 * (1 + math.e))
    assert approximate.rho() == math.inf


def test_the_delta_of_a_group_never_rises_with_epsilon() -> None:
    loss = pv.ApproximateConcentratedLoss(Fraction(1, 8), Fraction(1, 10**6)).group(2)
    deltas = [loss.delta(epsilon) for epsilon in (1, 3, 5, 8, 20, 100)]
    assert all(after <= before * Fraction(101, 100) for before, after in pairwise(deltas))
    assert loss.epsilon(3e-5) < 5


def test_a_group_walks_the_curve_where_its_points_say_nothing() -> None:
    sampled = pv.ConcentratedLoss(0.5).amplify(pv.Poisson(0.01))
    single, double = sampled.epsilon(1e-6), sampled.group(2).epsilon(1e-6)
    assert single < double < math.inf
    assert sampled.group(2).delta(double) <= Fraction(1, 10**6)


@given(st.fractions(0, 5), st.integers(2, 5), st.fractions(0, 8))
def test_no_group_of_laplace_noise_is_below_the_exact_answer(scale: Fraction, size: int, epsilon: Fraction) -> None:
    scale += Fraction(1, 4)
    steps = GroupLoss(pv.LaplaceLoss(distance=1, scale=scale), size)
    exactly = pv.LaplaceLoss(distance=size, scale=scale)
    assert steps.delta(epsilon) >= exactly.delta(epsilon) - Fraction(1, 2**60)


def test_samples() -> None:
    loss = pv.PureLoss(1).amplify(pv.Poisson(0.1))
    assert math.isclose(float(loss.epsilon()), math.log1p(0.1 * math.expm1(1)))
    assert loss.epsilon() >= Fraction(math.log1p(0.1 * math.expm1(1))) - Fraction(1, 2**50)
    assert loss.rho() <= loss.epsilon() ** 2 / 2
    assert pv.PureLoss(1).amplify(pv.Poisson(1)) == pv.PureLoss(1)
    assert pv.ApproximateLoss(1, 1e-6).amplify(pv.Poisson(0.5)).pure().delta == Fraction(1, 2 * 10**6)
    huge = pv.PureLoss(10**6).amplify(pv.Poisson(0.5)).epsilon()
    assert 10**6 - 1 < huge < 10**6


@given(st.fractions(Fraction(1, 50), 1), st.fractions(0, 4))
def test_a_sample_of_a_response_has_exactly_the_mixture_curve(rate: Fraction, epsilon: Fraction) -> None:
    p, q = Fraction(3, 4), Fraction(1, 4)
    loss = pv.RandomizedResponseLoss(truth=p, other=q).amplify(pv.Poisson(rate))
    tilt = math.exp(epsilon)
    with_, without = [rate * a + (1 - rate) * b for a, b in ((p, q), (q, p))], [q, p]
    exactly = max(
        sum(max(float(a) - tilt * float(b), 0) for a, b in zip(with_, without, strict=True)),
        sum(max(float(b) - tilt * float(a), 0) for a, b in zip(with_, without, strict=True)),
    )
    assert float(loss.delta(epsilon)) >= exactly - 1e-12


def composed(loss: Loss, step: float, reach: float) -> tuple[Any, Any]:
    """Compose a sum by FFT from nothing but its parts and their curves: what accounting will do, roughly.

    The masses at multiples of ``step`` are the second differences of delta as a function of e^epsilon, which lie
    above the curve between its points; the reverse curve gives the negative side.
    """
    count = 2 * int(reach / step) + 1
    grid = (np.arange(count) - count // 2) * step
    whole = None
    size = 1 << (count * sum(often for _, often in loss.parts())).bit_length()
    offset = 0
    for part, often in loss.parts():
        positive = np.array([float(part.delta(Fraction(value))) for value in grid[grid >= 0]])
        curve = np.concatenate([(1 - np.exp(grid[grid < 0])) + np.exp(grid[grid < 0]) * positive[:0:-1], positive])
        slope = np.diff(curve) / np.diff(np.exp(grid))  # minus the mass of Q above each cell
        above = np.concatenate([[1.0], -slope, [0.0]])
        mass = (above[:-1] - above[1:]) * np.exp(grid)
        transform = np.fft.rfft(np.maximum(mass, 0), size) ** often
        whole = transform if whole is None else whole * transform
        offset += often * (count // 2)
    assert whole is not None
    masses = np.fft.irfft(whole, size)
    return (np.arange(size) - offset) * step, masses


def test_the_interface_carries_loss_distributions() -> None:
    """Parts, multiplicities and curves are enough for FFT composition, so nothing about it is decided here."""
    losses = [(1.0, 3), (0.3, 4)]
    loss = pv.PureLoss(1) * 3 + pv.PureLoss(0.3) * 4
    grid, masses = composed(loss, step=0.05, reach=1.5)
    for epsilon in (0.0, 0.5, 1.5, 3.0):
        above = grid > epsilon
        delta = float((masses[above] * -np.expm1(epsilon - grid[above])).sum())
        exactly = response_sum(losses, epsilon)
        assert exactly - 1e-9 <= delta <= exactly + 0.01


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: UNTYPED <= 1, WrongType, "compared with a budget only, got int: losses have no order"),
        (lambda: UNTYPED <= TENTH, WrongType, "losses have no order"),
        (lambda: TENTH * 0.5, WrongType, "Loss.times must be a whole number"),
        (lambda: TENTH * -1, Invalid, "Loss.times must be zero or more, got -1."),
        (lambda: TENTH + 1, TypeError, "unsupported operand"),
        (lambda: TENTH.group(-1), Invalid, "Loss.group must be zero or more"),
        (lambda: UNTYPED.group(1.5), WrongType, "whole number"),
        (lambda: TENTH.epsilon(-1), Invalid, "Loss.delta must be between zero and one, got -1."),
        (lambda: TENTH.epsilon(math.nan), Invalid, "finite"),
        (lambda: TENTH.delta(-1), Invalid, "Loss.epsilon must be zero or more, got -1."),
        (lambda: TENTH.renyi(1), Invalid, "Loss.order must be above one, got 1."),
        (lambda: UNTYPED.amplify(0.5), WrongType, "takes Poisson"),
        (lambda: pv.Poisson(0), Invalid, "Poisson.rate must be above zero and at most one, got 0."),
        (lambda: pv.Poisson(1.5), Invalid, "at most one, got 3/2."),
    ],
)
def test_wrong_questions_are_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()
