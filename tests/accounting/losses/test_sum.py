"""Composition."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.errors import InvalidError, WrongTypeError


def response_sum(losses: list[tuple[float, int]], epsilon: float) -> float:
    """The exact delta of independent randomised responses, by enumeration."""
    odds = [e for e, often in losses for _ in range(often)]
    total = 0.0
    for signs in product((1, -1), repeat=len(odds)):
        p = math.prod((1 / (1 + math.exp(-s * e))) for s, e in zip(signs, odds, strict=True))
        q = math.prod((1 / (1 + math.exp(s * e))) for s, e in zip(signs, odds, strict=True))
        total += max(p - math.exp(epsilon) * q, 0)
    return total


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.3, 1.0, 2.0]), st.integers(1, 2)), min_size=1, max_size=4),
    st.floats(0, 4),
)
def test_no_sum_of_pure_losses_is_below_the_exact_answer(losses: list[tuple[float, int]], epsilon: float) -> None:
    loss: Loss = pc.SumLoss(())
    for cost, often in losses:
        loss = loss + pc.PureLoss(cost) * often
    exactly = response_sum(losses, epsilon)
    assert float(loss.delta(epsilon)) >= exactly - 1e-12
    for delta in (1e-6, 1e-2, 0.3):
        answer = loss.epsilon(delta)
        assert response_sum(losses, float(answer)) <= delta + 1e-12


def test_a_group_and_other_parts() -> None:
    """Steps of one group are put together with nothing, and the rest is composed with it."""
    group = pc.PureLoss(1).amplify(pv.Poisson(0.1)).group(2)
    loss = group + pc.PureLoss(0.5)
    assert group.epsilon(1e-3) < loss.epsilon(1e-3) <= group.epsilon() + Fraction(1, 2)
    assert group.delta(0.1) <= loss.delta(0.1) <= pc.PureLoss(group.epsilon() + Fraction(1, 2)).delta(0.1)


def test_the_steps_of_groups_may_go_both_ways() -> None:
    """One release sees two records come while two others see two records go, by enumeration."""
    sampled = pc.PureLoss(1).amplify(pv.Poisson(0.1)).group(2)
    high, low = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))
    drawn = 1 - 0.9**2
    without = {1: low, 0: high}
    within = {answer: drawn * without[1 - answer] + (1 - drawn) * without[answer] for answer in (0, 1)}
    exactly = sum(
        max(within[a] * without[b] * without[c] - math.exp(0.5) * without[a] * within[b] * within[c], 0)
        for a, b, c in product((0, 1), repeat=3)
    )
    other = sum(
        max(without[a] * within[b] * within[c] - math.exp(0.5) * within[a] * without[b] * without[c], 0)
        for a, b, c in product((0, 1), repeat=3)
    )
    loss = sampled.undirected() + sampled.undirected() * 2
    assert float(loss.delta(0.5)) >= max(exactly, other) > float((sampled * 3).delta(0.5))


def test_more_releases_than_there_will_ever_be() -> None:
    for times in (10**15, 10**27, 10**700):
        loss = pc.ConcentratedLoss(Fraction(1, times)) + pc.PureLoss(Fraction(1, 10**400)) * times
        small = pc.PureLoss(Fraction(1, 10**8)) * times
        assert loss.interval(delta=1e-6)[0] <= loss.epsilon(1e-6)
        assert 0 <= small.delta(1) <= 1
        gauss = pc.GaussianLoss(squared=Fraction(1, times), scale=1) * times
        assert gauss.interval(delta=1e-6)[0] <= gauss.epsilon(1e-6) < 6


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.3, 0.5, 0.9])
def test_large_deltas(delta: float) -> None:
    lower, upper = (pc.PureLoss(2) * 12).interval(delta=delta)
    losses = [(2.0, 12)]
    assert response_sum(losses, float(upper)) <= delta * (1 + 1e-9)
    assert response_sum(losses, float(lower)) >= delta * (1 - 1e-9)
    assert upper - lower < Fraction(1, 1000)


def test_wrong_terms_are_refused() -> None:
    with pytest.raises(InvalidError, match="a count in SumLoss.terms must be zero or more, got -1."):
        pc.SumLoss(((pc.PureLoss(1), -1),))
    for wrong in ("x", (pc.PureLoss(1),), (("x", 1),)):
        with pytest.raises(WrongTypeError, match="SumLoss.terms must be a tuple of pairs"):
            pc.SumLoss(wrong)  # type: ignore[arg-type]
